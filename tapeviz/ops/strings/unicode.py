"""Strings as the numbers of their letters, and back."""

from __future__ import annotations

import sys
from typing import Any, Final

import numpy as np

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.ops.array.ragged_tensor import RaggedTensor
from tapeviz.ops.runtime_calls import as_given, by_values

__all__ = ["unicode_decode", "unicode_encode", "unicode_transcode"]

_STRING: Final = np.dtype(np.object_)
_SURROGATES: Final = range(0xD800, 0xE000)


def _decoded(text: bytes, encoding: str, errors: str, replacement_char: int) -> str:
    if errors == "strict" or replacement_char == ord("\ufffd"):
        return text.decode(encoding, errors)
    return text.decode(encoding, errors).replace("\ufffd", chr(replacement_char))


@by_values(form=lambda *_args, **_options: ((None,), "int32"))
def unicode_decode(
    input: Any, input_encoding: str, errors: str = "replace", replacement_char: int = 0xFFFD,
    replace_control_characters: bool = False, name: str | None = None,
) -> Any:  # fmt: skip
    """The numbers of the letters (code points) of strings.

    Args:
        input: a string, or a vector of them.
        input_encoding: how letters are written: "UTF-8", "UTF-16-BE", "UTF-32-BE" or another that Python knows.
        errors: what to do where that is not so: "replace", "ignore" or "strict".
        replacement_char: the letter for what is replaced.
        replace_control_characters: whether control characters are replaced, too.
        name: accepted as TensorFlow does.

    Returns:
        A vector of int32 for one string, a ragged tensor for several.

    >>> import tapeviz as tf
    >>> tf.strings.unicode_decode(["aé", "b"], "UTF-8")
    <tf.RaggedTensor [[97, 233], [98]]>
    """
    texts = convert_to_tensor(input, dtype="string").numpy()

    def numbers(text: bytes) -> list[int]:
        found = map(ord, _decoded(text, input_encoding, errors, replacement_char))
        return [replacement_char if replace_control_characters and one < ord(" ") else one for one in found]

    if isinstance(texts, bytes):
        return convert_to_tensor(np.array(numbers(texts), np.int32))
    rows = [numbers(text) for text in texts]
    return RaggedTensor.from_row_lengths(
        np.array([one for row in rows for one in row], np.int32), [len(row) for row in rows]
    )


@by_values(form=lambda *_args, **_options: (None, "string"))
def unicode_encode(
    input: Any, output_encoding: str, errors: str = "replace", replacement_char: int = 0xFFFD, name: str | None = None
) -> Any:
    """The strings of letters whose numbers (code points) these are.

    Args:
        input: a vector of int32, or rows of them: a matrix or a ragged tensor.
        output_encoding: how letters are written: "UTF-8", "UTF-16-BE" or "UTF-32-BE".
        errors: what to do with numbers that no letter has: "replace", "ignore" or "strict".
        replacement_char: the letter for what is replaced.
        name: accepted as TensorFlow does.

    Raises:
        ValueError: a number is no letter's, and ``errors`` is "strict".

    >>> import tapeviz as tf
    >>> tf.strings.unicode_encode([97, 98], "UTF-8").numpy()
    b'ab'
    """
    rows = input.to_list() if isinstance(input, RaggedTensor) else convert_to_tensor(input).numpy().tolist()

    def text(numbers: list[int]) -> bytes:
        return "".join(_letter(one, errors, replacement_char) for one in numbers).encode(output_encoding)

    if not rows or not isinstance(rows[0], list):
        return convert_to_tensor(text(rows))
    made = np.empty(len(rows), _STRING)
    made[:] = [text(row) for row in rows]
    return convert_to_tensor(made, dtype="string")


def _letter(number: int, errors: str, replacement_char: int) -> str:
    if 0 <= number <= sys.maxunicode and number not in _SURROGATES:
        return chr(number)
    if errors == "strict":
        raise ValueError(f"Code point is out of range for Unicode, or a noncharacter: {number}")
    return chr(replacement_char) if errors == "replace" else ""


@by_values(form=as_given)
def unicode_transcode(
    input: Any, input_encoding: str, output_encoding: str, errors: str = "replace", replacement_char: int = 0xFFFD,
    replace_control_characters: bool = False, name: str | None = None,
) -> Any:  # fmt: skip
    r"""Strings of the same letters, written in another way. Arguments as for :func:`unicode_decode`.

    >>> import tapeviz as tf
    >>> tf.strings.unicode_transcode("é", "UTF-8", "UTF-16-BE").numpy()
    b'\x00\xe9'
    """
    texts = convert_to_tensor(input, dtype="string").numpy()
    made = np.empty(np.shape(texts), _STRING)
    for place, text in np.ndenumerate(np.asarray(texts, _STRING)):
        letters = _decoded(text, input_encoding, errors, replacement_char)
        if replace_control_characters:
            letters = "".join(chr(replacement_char) if one < " " else one for one in letters)
        made[place] = letters.encode(output_encoding)
    return convert_to_tensor(made, dtype="string")
