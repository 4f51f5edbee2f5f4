"""Strings cut into parts and put together: how many parts there are, the text says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.rules import axes_of
from tapeviz.ops.array.ragged_tensor import RaggedTensor
from tapeviz.ops.runtime_calls import by_values, open_sizes

__all__ = ["bytes_split", "reduce_join", "split", "unicode_split"]

_STRING: Final = np.dtype(np.object_)


def _strings(items: Any) -> np.ndarray:
    made = np.empty(len(items), _STRING)
    made[:] = items
    return made


@by_values(form=lambda *_args: ((None,), "string"))
def _cut(input: Any, cut: Callable[[bytes], list[Any]]) -> Any:
    """The parts of one string as a vector, those of a vector of strings as rows of a ragged tensor."""
    texts = convert_to_tensor(input, dtype="string")
    found = texts.numpy()
    if not texts.ndim:
        return convert_to_tensor(_strings(cut(found)), dtype="string")
    rows = [cut(item) for item in found.ravel()]
    return RaggedTensor.from_row_lengths(_strings([part for row in rows for part in row]), [len(row) for row in rows])


def split(input: Any, sep: Any = None, maxsplit: int = -1, name: str | None = None) -> Any:
    """The parts of a string between separators.

    Args:
        input: a string, or a vector of them.
        sep: the separator; white space, and no empty parts, where it is None or empty.
        maxsplit: cut that often at most.
        name: accepted as TensorFlow does.

    Returns:
        A vector for one string, a ragged tensor for several.

    >>> import tapeviz as tf
    >>> tf.strings.split("a  b").numpy()
    array([b'a', b'b'], dtype=object)
    """
    return _cut(input, lambda item: item.split(_bytes(sep), maxsplit))


def _bytes(sep: Any) -> bytes | None:
    return (sep.encode() if isinstance(sep, str) else sep) or None


def bytes_split(input: Any, name: str | None = None) -> Any:
    """The bytes of a string, each a string.

    >>> import tapeviz as tf
    >>> tf.strings.bytes_split("ab").numpy()
    array([b'a', b'b'], dtype=object)
    """
    return _cut(input, lambda item: [item[place : place + 1] for place in range(len(item))])


def unicode_split(
    input: Any, input_encoding: str = "UTF-8", errors: str = "replace", replacement_char: int = 65533,
    name: str | None = None,
) -> Any:  # fmt: skip
    """The letters of a string, each a string.

    Args:
        input: a string, or a vector of them.
        input_encoding: how letters are written: "UTF-8", "UTF-16-BE" or "UTF-32-BE".
        errors: what to do where that is not so: "replace", "ignore" or "strict".
        replacement_char: accepted as TensorFlow does.
        name: accepted as TensorFlow does.

    >>> import tapeviz as tf
    >>> [letter.decode() for letter in tf.strings.unicode_split("aé", "UTF-8").numpy()]
    ['a', 'é']
    """
    return _cut(input, lambda item: [letter.encode(input_encoding) for letter in item.decode(input_encoding, errors)])


def _joined_form(inputs: Any, axis: Any = None, keepdims: bool = False, *_args: Any, **_options: Any) -> Any:
    sizes = open_sizes(convert_to_tensor(inputs)) or ()
    axes = axes_of(axis, len(sizes))
    return tuple(1 if at in axes else size for at, size in enumerate(sizes) if keepdims or at not in axes), "string"


@by_values(form=_joined_form)
def reduce_join(
    inputs: Any, axis: Any = None, keepdims: bool = False, separator: str = "", name: str | None = None
) -> Any:
    """Strings along axes put together.

    Args:
        inputs: a tensor of strings.
        axis: the axes; all where None.
        keepdims: whether these stay, with size 1.
        separator: what stands between two strings.
        name: accepted as TensorFlow does.

    >>> import tapeviz as tf
    >>> tf.strings.reduce_join([["a", "b"], ["c", "d"]], axis=1).numpy()
    array([b'ab', b'cd'], dtype=object)
    """
    input = convert_to_tensor(inputs, dtype="string").numpy()
    axes = axes_of(tuple(axis) if isinstance(axis, list) else axis, np.ndim(input))
    kept = [place for place in range(np.ndim(input)) if place not in axes]
    rows = np.transpose(input, [*kept, *axes]).reshape([np.shape(input)[place] for place in kept] + [-1])
    made = np.empty(rows.shape[:-1], _STRING)
    for place in np.ndindex(made.shape):
        made[place] = separator.encode().join(rows[place])
    return convert_to_tensor(np.expand_dims(made, axes) if keepdims else made, dtype="string")
