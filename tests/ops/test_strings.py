"""``tf.strings`` at once and in graphs, and rows of different lengths."""

from __future__ import annotations

import numpy as np
import pytest

import tapeviz as tf

WORDS = np.array([[b"Ab c", b""], [b"x-1", "é2".encode()]], dtype=object)
CASES = {
    "lower": (tf.strings.lower, [[b"ab c", b""], [b"x-1", "é2".encode()]]),
    "upper": (lambda x: tf.strings.upper(x, "utf-8"), [[b"AB C", b""], [b"X-1", "É2".encode()]]),
    "strip": (lambda x: tf.strings.strip(tf.strings.join([" ", x, "\n"])), WORDS.tolist()),
    "bytes": (tf.strings.length, [[4, 0], [3, 3]]),
    "letters": (lambda x: tf.strings.length(x, unit="UTF8_CHAR"), [[4, 0], [3, 2]]),
    "replace": (lambda x: tf.strings.regex_replace(x, r"(\w)\b", r"<\1>\\"),
                [[b"A<b>\\ <c>\\", b""], [b"<x>\\-<1>\\", "é<2>\\".encode()]]),
    "first": (lambda x: tf.strings.regex_replace(x, "[0-9]|[a-z]", r"(\0)", replace_global=False),
              [[b"A(b) c", b""], [b"(x)-1", "é(2)".encode()]]),
    "match": (lambda x: tf.strings.regex_full_match(x, ".*[0-9]"), [[False, False], [True, True]]),
    "part": (lambda x: tf.strings.substr(tf.strings.join([x, "zz"]), [0, -2], 2),
             [[b"Ab", b"zz"], [b"x-", b"zz"]]),
    "join": (lambda x: tf.strings.join([x, "+"], separator="/"),
             [[b"Ab c/+", b"/+"], [b"x-1/+", "é2/+".encode()]]),
    "reduce": (lambda x: tf.strings.reduce_join(x, axis=[1], keepdims=True, separator="."),
               [[b"Ab c."], ["x-1.é2".encode()]]),
    "number": (lambda x: tf.strings.to_number(tf.strings.regex_replace(x, ".*", "7"), "int64") % 70,
               [[7, 7], [7, 7]]),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("wrap", [lambda run: run, tf.function], ids=["eager", "traced"])
def test_each_function(name, wrap):
    run, expected = CASES[name]
    found = wrap(run)(tf.constant(WORDS))
    assert found.numpy().tolist() == expected


@pytest.mark.parametrize(
    ("value", "options", "expected"),
    [
        (1.5, {}, b"1.500000"), (1.5, {"precision": 1}, b"1.5"), (1e10, {"scientific": True}, b"1.000000e+10"),
        (True, {}, b"true"), (7, {"width": 3, "fill": "0"}, b"007"), (0.25, {"shortest": True}, b"0.25"),
    ],
)  # fmt: skip
def test_numbers_as_strings(value, options, expected):
    assert tf.strings.as_string(value, **options).numpy() == expected


def test_base64():
    assert tf.io.encode_base64(["a\xff", "ab"], pad=True).numpy().tolist() == [b"YcO_", b"YWI="]
    run = tf.function(lambda x: tf.io.decode_base64(tf.io.encode_base64(x)))
    assert run(tf.constant(["hello", ""])).numpy().tolist() == [b"hello", b""]


def test_what_is_not_possible_says_so():
    with pytest.raises(tf.errors.InvalidArgumentError, match="could not correctly convert string: x"):
        tf.strings.to_number("x")
    with pytest.raises(tf.errors.InvalidArgumentError, match="pos 4 out of range for string b'abc'"):
        tf.strings.substr("abc", 4, 1)
    with pytest.raises(ValueError, match="1 tensors are given for 2 placeholders"):
        tf.strings.format("{} {}", [1])


def test_parts_of_strings():
    assert tf.strings.split("a,b,,c", ",").numpy().tolist() == [b"a", b"b", b"", b"c"]
    assert tf.strings.split(" a  b ", maxsplit=1).numpy().tolist() == [b"a", b"b "]
    assert tf.strings.split(["a b", "", "c"]).to_list() == [[b"a", b"b"], [], [b"c"]]
    assert tf.strings.bytes_split("é").numpy().tolist() == [b"\xc3", b"\xa9"]
    assert tf.strings.unicode_split(["aé", "b"], "UTF-8").to_list() == [[b"a", "é".encode()], [b"b"]]
    counts = tf.data.Dataset.from_tensor_slices(["a b", "c"]).map(lambda line: tf.size(tf.strings.split(line)))
    assert [int(count) for count in counts] == [2, 1]


def test_a_text_with_values():
    run = tf.function(lambda x: tf.strings.format("<{}|{}>", [x, "a"], summarize=1))
    assert run(tf.range(5)).numpy() == b'<[0 ... 4]|"a">' == tf.strings.format("<{}|{}>", [tf.range(5), "a"], "{}", 1)


def test_rows_of_different_lengths():
    rows = tf.ragged.constant([[1.0, 2.0], [], [3.0]])
    assert rows.to_tensor(-1.0).numpy().tolist() == [[1, 2], [-1, -1], [3, -1]]
    assert rows.to_tensor(shape=[2, 1]).numpy().tolist() == [[1], [0]]
    assert (
        (2.0 * rows + rows).to_list() == [[3, 6], [], [9]] == tf.ragged.map_flat_values(lambda x: 3 * x, rows).to_list()
    )
    assert [part.numpy().tolist() for part in rows] == [[1, 2], [], [3]] == rows[:].to_list()
    assert rows[:, :1].to_list() == [[1], [], [3]]
    assert rows.shape.as_list() == [3, None]
    assert rows.value_rowids().numpy().tolist() == [0, 0, 2]
    assert rows.bounding_shape().numpy().tolist() == [3, 2]
    assert tf.RaggedTensor.from_tensor([[1, 0], [2, 3]], padding=0).to_list() == [[1], [2, 3]]
    assert tf.RaggedTensor.from_value_rowids([1, 2], [0, 2], 4).to_list() == [[1], [], [2], []]
    with pytest.raises(ValueError, match="rise from 0"):
        tf.RaggedTensor([1, 2], [0, 1])
    with pytest.raises(NotImplementedError, match="one ragged axis"):
        tf.ragged.constant([[[1], [2, 3]]])


def test_gradients_pass_through_rows():
    values = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        rows = tf.RaggedTensor.from_row_lengths(values * 2.0, [2, 1])
        loss = tf.reduce_sum(rows.to_tensor() ** 2)
    assert tape.gradient(loss, values).numpy().tolist() == [8, 16, 24]


@pytest.mark.parametrize("wrap", [lambda run: run, tf.function], ids=["eager", "traced"])
def test_the_sum_of_strings_is_their_concatenation(wrap):
    found = wrap(lambda x: x + tf.constant(["-", "+"]) + "!")(tf.constant("a"))
    assert found.numpy().tolist() == [b"a-!", b"a+!"]
    assert wrap(lambda x: "b" + x)(tf.constant("a")).numpy() == b"ba"
