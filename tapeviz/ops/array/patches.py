"""Windows that slide over pictures or volumes, each laid out in the depth of one pixel."""

from __future__ import annotations

from itertools import product
from typing import Any

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import registry
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.shapes import as_dimensions
from tapeviz.ops.array.identity import of_rank

__all__ = ["extract_patches", "extract_volume_patches"]


def _places(size: int, window: int, stride: int, padding: str) -> tuple[int, int, int]:
    """How many windows there are along an axis, and how many zeros to add before and after."""
    if padding == "VALID":
        return max(0, -(-(size - window + 1) // stride)), 0, 0
    many = -(-size // stride)
    missing = max(0, (many - 1) * stride + window - size)
    return many, missing // 2, missing - missing // 2


def _patches(x: Any, sizes: tuple[int, ...], strides: tuple[int, ...], rates: tuple[int, ...], padding: str) -> Any:
    space = x._a.shape[1:-1]
    if padding not in ("VALID", "SAME"):
        raise InvalidArgumentError(f"padding {padding!r} is neither 'VALID' nor 'SAME'", "extract_patches")
    windows = [(size - 1) * rate + 1 for size, rate in zip(sizes, rates, strict=True)]
    found = [_places(*one, padding) for one in zip(space, windows, strides, strict=True)]
    margins = ((0, 0), *((before, after) for _, before, after in found), (0, 0))
    if any(before or after for before, after in margins):
        x = registry["pad"].run(x, margins, 0)
    parts = []
    for offsets in product(*map(range, sizes)):
        key = [slice(None)]
        for offset, rate, stride, (many, _, _) in zip(offsets, rates, strides, found, strict=True):
            start = offset * rate
            key.append(slice(start, start + max(0, (many - 1) * stride + 1) if many else start, stride))
        parts.append(registry["strided_slice"].run(x, tuple(key)))
    return registry["concat"].run(*parts, axis=-1)


def _inner(numbers: Any, axes: int, what: str) -> tuple[int, ...]:
    """The numbers for the axes of space; those for the batch and the depth must be 1."""
    given = as_dimensions(numbers)
    if len(given) != axes + 2 or given[0] != 1 or given[-1] != 1:
        raise InvalidArgumentError(
            f"{what} must be a list of {axes + 2} numbers, 1 for the batch and for the depth, got {list(given)}",
            "extract_patches",
        )
    return given[1:-1]


def extract_patches(images: Any, sizes: Any, strides: Any, rates: Any, padding: str, name: str | None = None) -> Any:
    """Windows that slide over pictures, the elements of each in the depth of one pixel.

    Args:
        images: of shape [batch, rows, columns, depth].
        sizes: of a window: ``[1, rows, columns, 1]``.
        strides: how far from one window to the next: ``[1, rows, columns, 1]``.
        rates: how far from one pixel of a window to the next: ``[1, rows, columns, 1]``.
        padding: "VALID" for windows inside the picture alone, "SAME" with zeros around it.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: the lists are not of that form.

    >>> import tapeviz as tf
    >>> images = tf.reshape(tf.range(9), [1, 3, 3, 1])
    >>> tf.image.extract_patches(images, [1, 2, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1], "VALID").numpy()[0, 0]
    array([[0, 1, 3, 4],
           [1, 2, 4, 5]], dtype=int32)
    """
    window, steps, apart = _inner(sizes, 2, "sizes"), _inner(strides, 2, "strides"), _inner(rates, 2, "rates")
    return _patches(of_rank(convert_to_tensor(images), 4), window, steps, apart, padding.upper())


def extract_volume_patches(input: Any, ksizes: Any, strides: Any, padding: str, name: str | None = None) -> Any:
    """Windows that slide over volumes, the elements of each in the depth of one voxel.

    Args:
        input: of shape [batch, planes, rows, columns, depth].
        ksizes: of a window: ``[1, planes, rows, columns, 1]``.
        strides: how far from one window to the next: ``[1, planes, rows, columns, 1]``.
        padding: "VALID" for windows inside the volume alone, "SAME" with zeros around it.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: the lists are not of that form.

    >>> import tapeviz as tf
    >>> volume = tf.reshape(tf.range(8.0), [1, 2, 2, 2, 1])
    >>> tf.extract_volume_patches(volume, [1, 1, 2, 2, 1], [1, 1, 1, 1, 1], "VALID").shape
    TensorShape([1, 2, 1, 1, 4])
    """
    sizes, steps = _inner(ksizes, 3, "ksizes"), _inner(strides, 3, "strides")
    return _patches(convert_to_tensor(input), sizes, steps, (1, 1, 1), padding.upper())
