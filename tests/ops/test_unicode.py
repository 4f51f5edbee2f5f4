"""Strings as the numbers of their letters: what TensorFlow gives."""

from __future__ import annotations

import pytest

import tapeviz as tf

strings = tf.strings


@pytest.mark.parametrize(("text", "options", "numbers"), [
    ("aé中", {}, [97, 233, 20013]), (b"a\xffb", {}, [97, 65533, 98]), (b"a\xffb", {"errors": "ignore"}, [97, 98]),
    (b"a\xffb", {"replacement_char": 88}, [97, 88, 98]),
    (b"a\tb", {"replace_control_characters": True}, [97, 65533, 98]), ("", {}, []),
])  # fmt: skip
def test_the_letters_of_a_string(text, options, numbers):
    found = strings.unicode_decode(text, "UTF-8", **options)
    assert (found.numpy().tolist(), found.dtype) == (numbers, tf.int32)


def test_several_strings_are_rows():
    rows = strings.unicode_decode(["aé", "", "b"], "UTF-8")
    assert rows.to_list() == [[97, 233], [], [98]]
    assert strings.unicode_encode(rows, "UTF-8").numpy().tolist() == ["aé".encode(), b"", b"b"]
    assert strings.unicode_encode([[97, 233], [98, 99]], "UTF-16-BE").numpy().tolist() == [b"\0a\0\xe9", b"\0b\0c"]


def test_numbers_that_no_letter_has():
    assert strings.unicode_encode([97, 0xD800, 98], "UTF-8").numpy() == "a\ufffdb".encode()
    assert strings.unicode_encode([97, 0xD800, 98], "UTF-8", errors="ignore").numpy() == b"ab"
    with pytest.raises(ValueError, match="out of range for Unicode"):
        strings.unicode_encode([0x110000], "UTF-8", errors="strict")


def test_another_encoding_eagerly_and_in_a_graph():
    change = lambda x: strings.unicode_transcode(x, "UTF-8", "UTF-16-BE")  # noqa: E731
    for function in (change, tf.function(change)):
        assert function(tf.constant(["é", "a"])).numpy().tolist() == [b"\0\xe9", b"\0a"]
