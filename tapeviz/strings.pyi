# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from typing import Any as _Any

from tapeviz.engine.annotations import DTypeLike as _DTypeLike
from tapeviz.engine.annotations import TensorLike as _TensorLike
from tapeviz.engine.tensor import Tensor as _Tensor

__all__ = [
    "as_string",
    "bytes_split",
    "format",
    "join",
    "length",
    "lower",
    "reduce_join",
    "regex_full_match",
    "regex_replace",
    "split",
    "strip",
    "substr",
    "to_number",
    "unicode_decode",
    "unicode_encode",
    "unicode_split",
    "unicode_transcode",
    "upper",
]

def as_string(
    input: _TensorLike,
    precision: int = -1,
    scientific: bool = False,
    shortest: bool = False,
    width: int = -1,
    fill: str = "",
    name: str | None = None,
) -> _Tensor:
    """Numbers and truth values as strings."""

def bytes_split(input: _TensorLike, name: str | None = None) -> _Tensor:
    """The bytes of a string, each a string."""

def format(
    template: str, inputs: _Any = (), placeholder: str = "{}", summarize: int = 3, name: str | None = None
) -> _Tensor:
    """A text with values in the places of its placeholders."""

def join(inputs: _Any, separator: str = "", name: str | None = None) -> _Tensor:
    """Strings, one of each input, put together."""

def length(input: _TensorLike, unit: str = "BYTE", name: str | None = None) -> _Tensor:
    """The number of bytes of each string; of letters where ``unit`` is "UTF8_CHAR"."""

def lower(input: _TensorLike, encoding: str = "", name: str | None = None) -> _Tensor:
    """Strings in lower case; letters beyond ASCII, too, where ``encoding`` is "utf-8"."""

def reduce_join(
    inputs: _Any, axis: _TensorLike | None = None, keepdims: bool = False, separator: str = "", name: str | None = None
) -> _Tensor:
    """Strings along axes put together."""

def regex_full_match(input: _TensorLike, pattern: _TensorLike, name: str | None = None) -> _Tensor:
    """Whether a regular expression matches the whole of each string."""

def regex_replace(
    input: _TensorLike, pattern: _TensorLike, rewrite: _TensorLike, replace_global: bool = True, name: str | None = None
) -> _Tensor:
    """Strings in which what matches a regular expression is replaced."""

def split(
    input: _TensorLike, sep: _TensorLike | None = None, maxsplit: int = -1, name: str | None = None
) -> list[_Tensor]:
    """The parts of a string between separators."""

def strip(input: _TensorLike, name: str | None = None) -> _Tensor:
    """Strings without white space at their ends."""

def substr(
    input: _TensorLike, pos: _TensorLike, len: _TensorLike, unit: str = "BYTE", name: str | None = None
) -> _Tensor:
    """The part of each string from place ``pos`` on, of at most ``len`` bytes, or letters."""

def to_number(input: _TensorLike, out_type: _DTypeLike = "float32", name: str | None = None) -> _Tensor:
    """Strings as the numbers that they write."""

def unicode_decode(
    input: _TensorLike,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> _Tensor:
    """The numbers of the letters (code points) of strings."""

def unicode_encode(
    input: _TensorLike,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    name: str | None = None,
) -> _Tensor:
    """The strings of letters whose numbers (code points) these are."""

def unicode_split(
    input: _TensorLike,
    input_encoding: str = "UTF-8",
    errors: str = "replace",
    replacement_char: int = 65533,
    name: str | None = None,
) -> _Tensor:
    """The letters of a string, each a string."""

def unicode_transcode(
    input: _TensorLike,
    input_encoding: str,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> _Tensor:
    """Strings of the same letters, written in another way. Arguments as for :func:`unicode_decode`."""

def upper(input: _TensorLike, encoding: str = "", name: str | None = None) -> _Tensor:
    """Strings in upper case; letters beyond ASCII, too, where ``encoding`` is "utf-8"."""
