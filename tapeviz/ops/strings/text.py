r"""Text, element by element: tensors of strings hold bytes, which are UTF-8 where a letter is meant.

Strings never leave the host, so none of these is an op: in a graph each is a node that runs with the values.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.dtypes import as_dtype
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.operators import public
from tapeviz.ops.runtime_calls import by_values, open_sizes

__all__ = [
    "as_string", "decode_base64", "encode_base64", "join", "length", "lower", "regex_full_match", "regex_replace",
    "strip", "substr", "to_number", "upper",
]  # fmt: skip

_LETTERS: Final = "UTF8_CHAR"


def _of(dtype: Any) -> Callable[..., Any]:
    """The form of a result that has an element for each of the first argument's."""

    def form(input: Any, *_args: Any, **_options: Any) -> Any:
        return open_sizes(convert_to_tensor(input)), dtype

    return form


def _each(function: Callable[..., Any], dtype: Any, *given: Any) -> Any:
    """The function of each element, as a tensor: NumPy by itself would make strings of its own of the results."""
    tensors = [item if isinstance(item, np.ndarray) else convert_to_tensor(item).numpy() for item in given]
    alike = np.broadcast_arrays(*(np.asarray(tensor, getattr(tensor, "dtype", object)) for tensor in tensors))
    made = np.empty(alike[0].size, as_dtype(dtype).numpy)
    made[:] = [function(*elements) for elements in zip(*(array.ravel() for array in alike), strict=True)]
    return convert_to_tensor(made.reshape(alike[0].shape), dtype=dtype)


def _bytes(text: Any) -> bytes:
    plain = text if isinstance(text, str | bytes) else convert_to_tensor(text).numpy()
    return plain.encode() if isinstance(plain, str) else plain


def _changed(input: Any, change: Callable[[str], str], encoding: str) -> Any:
    """Other letters: of ASCII's alone, unless the encoding is named."""
    if encoding:
        return _each(lambda item: change(item.decode(encoding)).encode(encoding), "string", input)
    letters = re.compile(rb"[A-Za-z]+")
    return _each(lambda item: letters.sub(lambda run: change(run[0].decode()).encode(), item), "string", input)


@by_values(form=_of("string"))
def lower(input: Any, encoding: str = "", name: str | None = None) -> Any:
    """Strings in lower case; letters beyond ASCII, too, where ``encoding`` is "utf-8".

    >>> import tapeviz as tf
    >>> tf.strings.lower("Ab").numpy()
    b'ab'
    """
    return _changed(input, str.lower, encoding)


@by_values(form=_of("string"))
def upper(input: Any, encoding: str = "", name: str | None = None) -> Any:
    """Strings in upper case; letters beyond ASCII, too, where ``encoding`` is "utf-8".

    >>> import tapeviz as tf
    >>> tf.strings.upper("Ab").numpy()
    b'AB'
    """
    return _changed(input, str.upper, encoding)


@by_values(form=_of("string"))
def encode_base64(input: Any, pad: bool = False, name: str | None = None) -> Any:
    """The bytes of strings in the letters that are safe in addresses.

    >>> import tapeviz as tf
    >>> tf.io.encode_base64("hello world").numpy()
    b'aGVsbG8gd29ybGQ'
    """
    return _each(
        lambda item: base64.urlsafe_b64encode(item) if pad else base64.urlsafe_b64encode(item).rstrip(b"="),
        "string",
        input,
    )


@by_values(form=_of("string"))
def decode_base64(input: Any, name: str | None = None) -> Any:
    """The bytes that such letters stand for.

    >>> import tapeviz as tf
    >>> tf.io.decode_base64("aGVsbG8").numpy()
    b'hello'
    """
    return _each(lambda item: base64.urlsafe_b64decode(item + b"=" * (-len(item) % 4)), "string", input)


@by_values(form=_of("string"))
def strip(input: Any, name: str | None = None) -> Any:
    """Strings without white space at their ends.

    >>> import tapeviz as tf
    >>> tf.strings.strip(" a b ").numpy()
    b'a b'
    """
    return _each(bytes.strip, "string", input)


@by_values(form=_of("int32"))
def length(input: Any, unit: str = "BYTE", name: str | None = None) -> Any:
    """The number of bytes of each string; of letters where ``unit`` is "UTF8_CHAR".

    >>> import tapeviz as tf
    >>> tf.strings.length(["abc", ""]).numpy()
    array([3, 0], dtype=int32)
    """
    return _each(lambda item: len(item.decode() if unit == _LETTERS else item), "int32", input)


@by_values(form=_of("string"))
def regex_replace(input: Any, pattern: Any, rewrite: Any, replace_global: bool = True, name: str | None = None) -> Any:
    r"""Strings in which what matches a regular expression is replaced.

    Args:
        input: strings.
        pattern: the regular expression.
        rewrite: what to put there; ``\1`` is the first group, ``\0`` the whole.
        replace_global: whether to replace all that matches, or what is found first.
        name: accepted as TensorFlow does.

    >>> import tapeviz as tf
    >>> tf.strings.regex_replace("a-b-c", "-", "+").numpy()
    b'a+b+c'
    """
    plain = re.sub(rb"\\0", rb"\\g<0>", _bytes(rewrite))
    expression, count = re.compile(_bytes(pattern)), 0 if replace_global else 1
    return _each(lambda item: expression.sub(plain, item, count=count), "string", input)


@by_values(form=_of("bool"))
def regex_full_match(input: Any, pattern: Any, name: str | None = None) -> Any:
    """Whether a regular expression matches the whole of each string.

    >>> import tapeviz as tf
    >>> tf.strings.regex_full_match(["ab", "b"], "a.*").numpy()
    array([ True, False])
    """
    expression = re.compile(_bytes(pattern))
    return _each(lambda item: expression.fullmatch(item) is not None, "bool", input)


@by_values(form=_of("string"))
def substr(input: Any, pos: Any, len: Any, unit: str = "BYTE", name: str | None = None) -> Any:
    """The part of each string from place ``pos`` on, of at most ``len`` bytes, or letters.

    Raises:
        InvalidArgumentError: a place is outside of its string.

    >>> import tapeviz as tf
    >>> tf.strings.substr("abcde", 1, 3).numpy()
    b'bcd'
    """
    return _each(lambda item, start, size: _part(item, int(start), int(size), unit), "string", input, pos, len)


def _part(item: bytes, start: int, size: int, unit: str) -> bytes:
    whole: Any = item.decode() if unit == _LETTERS else item
    if not -len(whole) <= start <= len(whole):
        raise InvalidArgumentError(f"pos {start} out of range for string b'{item.decode(errors='replace')}'", "Substr")
    first = start + len(whole) if start < 0 else start
    part = whole[first : first + size]
    return part.encode() if unit == _LETTERS else part  # type: ignore[no-any-return]


def _numbers_form(input: Any, out_type: Any = "float32", *_args: Any, **_options: Any) -> Any:
    return open_sizes(convert_to_tensor(input)), out_type


@by_values(form=_numbers_form)
def to_number(input: Any, out_type: Any = "float32", name: str | None = None) -> Any:
    """Strings as the numbers that they write.

    Raises:
        InvalidArgumentError: one writes none.

    >>> import tapeviz as tf
    >>> tf.strings.to_number("1.5").numpy()
    np.float32(1.5)
    """
    dtype = as_dtype(out_type)
    return _each(lambda item: _number(item, dtype.numpy), dtype, input)


def _number(item: bytes, dtype: np.dtype) -> Any:
    try:
        return dtype.type(int(item) if dtype.kind == "i" else float(item))
    except (ValueError, OverflowError):
        raise InvalidArgumentError(
            f"StringToNumberOp could not correctly convert string: {item.decode()}", "StringToNumber"
        ) from None


@by_values(form=_of("string"))
def as_string(
    input: Any, precision: int = -1, scientific: bool = False, shortest: bool = False, width: int = -1, fill: str = "",
    name: str | None = None,
) -> Any:  # fmt: skip
    """Numbers and truth values as strings.

    Args:
        input: a tensor.
        precision: how many digits follow the point; as many as the notation says by itself where negative.
        scientific: whether with an exponent.
        shortest: whether the shorter of both notations.
        width: how many letters at least.
        fill: the letter before shorter ones: a space where empty.
        name: accepted as TensorFlow does.

    >>> import tapeviz as tf
    >>> tf.strings.as_string([1, 20], width=2, fill="0").numpy()
    array([b'01', b'20'], dtype=object)
    """
    notation = f"{f'.{precision}' if precision >= 0 else ''}{'g' if shortest else 'e' if scientific else 'f'}"

    def text(item: Any) -> bytes:
        plain = str(item).lower() if isinstance(item, np.bool_ | np.integer) else format(float(item), notation)
        return plain.rjust(width, fill or " ").encode()

    return _each(text, "string", input)


@by_values(form=lambda inputs, *_args, **_options: _joined_form(inputs))
def join(inputs: Any, separator: str = "", name: str | None = None) -> Any:
    """Strings, one of each input, put together.

    Args:
        inputs: tensors of strings, all of one shape but for scalars.
        separator: what stands between two of them.
        name: accepted as TensorFlow does.

    >>> import tapeviz as tf
    >>> tf.strings.join([["a", "b"], "c"], separator="-").numpy()
    array([b'a-c', b'b-c'], dtype=object)
    """
    return _each(lambda *items: separator.encode().join(items), "string", *inputs)


public["join_strings"] = join


def _joined_form(inputs: Any) -> Any:
    shapes = [open_sizes(convert_to_tensor(item)) for item in inputs]
    return next((shape for shape in shapes if shape != ()), ()), "string"
