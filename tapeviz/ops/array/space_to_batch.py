"""Blocks of pictures: into the batch, and back."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import Spec
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.op_definition import op
from tapeviz.engine.samples import cases
from tapeviz.engine.shapes import as_dimensions
from tapeviz.ops import static_shape_rules
from tapeviz.ops.runtime_calls import by_numbers

__all__ = ["batch_to_space", "required_space_to_batch_paddings", "space_to_batch", "space_to_batch_nd"]

_Pairs = tuple[tuple[int, int], ...]


def _padded(shape: tuple[int, ...], paddings: _Pairs) -> tuple[int, ...]:
    many = len(paddings)
    return (shape[0], *(size + sum(pair) for size, pair in zip(shape[1:], paddings, strict=False)), *shape[1 + many :])


def _to_batch(xp: Any, x: Any, *, block_shape: tuple[int, ...], paddings: _Pairs) -> Any:
    many = len(block_shape)
    shape = _to_batch_rule(Spec(x.shape, x.dtype), block_shape=block_shape, paddings=paddings).shape
    whole = xp.zeros(_padded(x.shape, paddings), x.dtype)
    inner = [slice(before, before + size) for size, (before, _) in zip(x.shape[1:], paddings, strict=False)]
    whole[(slice(None), *inner)] = x
    cut = [part for size, block in zip(whole.shape[1:], block_shape, strict=False) for part in (size // block, block)]
    cut_up = xp.reshape(whole, (x.shape[0], *cut, *x.shape[1 + many :]))
    blocks, places = range(2, 2 * many + 1, 2), range(1, 2 * many + 1, 2)
    order = (*blocks, 0, *places, *range(2 * many + 1, cut_up.ndim))
    return xp.reshape(xp.transpose(cut_up, order), shape)


def _to_batch_rule(x: Spec, *, block_shape: tuple[int, ...], paddings: _Pairs) -> Spec:
    many = len(block_shape)
    _check_blocks(x, block_shape)
    if len(paddings) != many:
        raise InvalidArgumentError(f"paddings should have shape [{many}, 2] instead of [{len(paddings)},2]")
    if any(number < 0 for pair in paddings for number in pair):
        raise InvalidArgumentError("Paddings must be non-negative")
    sizes = _padded(x.shape, paddings)
    for axis, (size, block) in enumerate(zip(sizes[1:], block_shape, strict=False)):
        if size % block:
            raise InvalidArgumentError(f"padded_shape[{axis}]={size} is not divisible by block_shape[{axis}]={block}")
    smaller = (size // block for size, block in zip(sizes[1:], block_shape, strict=False))
    return Spec((x.shape[0] * math.prod(block_shape), *smaller, *x.shape[1 + many :]), x.dtype)


def _check_blocks(x: Spec, block_shape: tuple[int, ...]) -> None:
    if len(x.shape) <= len(block_shape):
        raise InvalidArgumentError(f"input rank should be >= {1 + len(block_shape)} instead of {len(x.shape)}")
    if any(size < 1 for size in block_shape):
        raise InvalidArgumentError("All values in block_shape must be positive")


def _from_batch(xp: Any, x: Any, *, block_shape: tuple[int, ...], crops: _Pairs) -> Any:
    many = len(block_shape)
    _from_batch_rule(Spec(x.shape, x.dtype), block_shape=block_shape, crops=crops)
    batch = x.shape[0] // math.prod(block_shape)
    cut = xp.reshape(x, (*block_shape, batch, *x.shape[1:]))
    pairs = [axis for number in range(many) for axis in (many + 1 + number, number)]
    larger = [size * block for size, block in zip(x.shape[1:], block_shape, strict=False)]
    turned = xp.transpose(cut, (many, *pairs, *range(2 * many + 1, cut.ndim)))
    whole = xp.reshape(turned, (batch, *larger, *x.shape[1 + many :]))
    inner = [slice(before, size - after) for size, (before, after) in zip(larger, crops, strict=True)]
    return whole[(slice(None), *inner)]


def _from_batch_rule(x: Spec, *, block_shape: tuple[int, ...], crops: _Pairs) -> Spec:
    many, count = len(block_shape), math.prod(block_shape)
    _check_blocks(x, block_shape)
    if len(crops) != many:
        raise InvalidArgumentError(f"crops should have shape [{many}, 2] instead of [{len(crops)},2]")
    if any(number < 0 for pair in crops for number in pair):
        raise InvalidArgumentError("Crops must be non-negative")
    if x.shape[0] % count:
        raise InvalidArgumentError(
            f"Input batch dimension ({x.shape[0]}) is not divisible by product of block sizes ({count})"
        )
    left = []
    for axis, (size, block, pair) in enumerate(zip(x.shape[1:], block_shape, crops, strict=False)):
        left.append(size * block - sum(pair))
        if left[-1] < 0:
            raise InvalidArgumentError(f"cropped_shape[{axis}]={left[-1]} must be non-negative")
    return Spec((x.shape[0] // count, *left, *x.shape[1 + many :]), x.dtype)


_batched = op(
    "space_to_batch_nd",
    doc="Blocks of the spatial axes moved into the batch axis.",
    family="shape",
    tf_name="SpaceToBatchND",
    forward=_to_batch,
    infer=_to_batch_rule,
    static=static_shape_rules.space_to_batch,
    vjp={"x": lambda F, g, block_shape, paddings: F.batch_to_space(g, block_shape=block_shape, crops=paddings)},
    formula=r"y_{(ab)hw} = x_{b,\,sh+a-p}",
    vjp_formula=(r"\bar x_{b,\,sh+a-p} = \bar y_{(ab)h}",),
    samples=cases(
        ([(1, 4, 2, 1)], {"block_shape": (2, 2), "paddings": ((0, 0), (0, 0))}),
        ([(2, 4)], {"block_shape": (3,), "paddings": ((1, 1),)}),
    ),
    silent=True,
)
_unbatched = op(
    "batch_to_space",
    doc="Blocks of the spatial axes moved back from the batch axis.",
    family="shape",
    tf_name="BatchToSpaceND",
    forward=_from_batch,
    infer=_from_batch_rule,
    static=static_shape_rules.batch_to_space,
    vjp={"x": lambda F, g, block_shape, crops: F.space_to_batch_nd(g, block_shape=block_shape, paddings=crops)},
    formula=r"y_{b,\,sh+a-c} = x_{(ab)h}",
    vjp_formula=(r"\bar x_{(ab)h} = \bar y_{b,\,sh+a-c}",),
    samples=cases(
        ([(4, 2, 1, 1)], {"block_shape": (2, 2), "crops": ((0, 1), (0, 0))}),
        ([(6, 2)], {"block_shape": (3,), "crops": ((1, 1),)}),
    ),
    silent=True,
    traits="moves",
)


def _blocks(block_shape: Any, axes: int) -> tuple[int, ...]:
    """A number stands for blocks of that size along each axis."""
    return (int(block_shape),) * axes if isinstance(block_shape, (int, np.integer)) else as_dimensions(block_shape)


def _any_size(input: Any, *_options: Any, **_named: Any) -> Any:
    tensor = convert_to_tensor(input)
    return (None,) * tensor.ndim, tensor.dtype


def _margins(pairs: Any) -> _Pairs:
    return tuple((int(before), int(after)) for before, after in convert_to_tensor(pairs, dtype_hint="int32")._host())


@by_numbers("paddings", form=_any_size)
def space_to_batch(input: Any, block_shape: Any, paddings: Any, name: str | None = None) -> Any:
    """The elements at the same place of each block, after padding with zeros, together in the batch.

    Args:
        input: of shape [batch, axes of space, the rest].
        block_shape: the size of a block along each axis of space.
        paddings: two numbers an axis of space: zeros before and after.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: an axis with its padding is not a multiple of the block.

    >>> import tapeviz as tf
    >>> tf.space_to_batch([[1, 2, 3, 4]], [2], [[0, 0]]).numpy()
    array([[1, 3],
           [2, 4]], dtype=int32)
    """
    pairs = _margins(paddings)
    return _batched.run(input, _blocks(block_shape, len(pairs)), pairs)


@by_numbers("paddings", form=_any_size)
def space_to_batch_nd(input: Any, block_shape: Any, paddings: Any, name: str | None = None) -> Any:
    """The same as ``space_to_batch``.

    Raises:
        InvalidArgumentError: an axis with its padding is not a multiple of the block.

    >>> import tapeviz as tf
    >>> tf.space_to_batch_nd([[1, 2, 3, 4]], [2], [[0, 0]]).numpy()
    array([[1, 3],
           [2, 4]], dtype=int32)
    """
    return space_to_batch(input, block_shape, paddings)


@by_numbers("crops", form=_any_size)
def batch_to_space(input: Any, block_shape: Any, crops: Any, name: str | None = None) -> Any:
    """Blocks put together again from the batch, then cropped: it undoes ``space_to_batch``.

    Args:
        input: of shape [batch, axes of space, the rest].
        block_shape: the size of a block along each axis of space.
        crops: two numbers an axis of space: how many elements to cut off before and after.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: the batch is not a multiple of the elements of a block, or the crops are too large.

    >>> import tapeviz as tf
    >>> tf.batch_to_space([[1, 3], [2, 4]], [2], [[0, 1]]).numpy()
    array([[1, 2, 3]], dtype=int32)
    """
    pairs = _margins(crops)
    return _unbatched.run(input, _blocks(block_shape, len(pairs)), pairs)


def required_space_to_batch_paddings(
    input_shape: Any, block_shape: Any, base_paddings: Any = None, name: str | None = None
) -> tuple[Any, Any]:
    """Paddings with which the axes are multiples of the block, and crops that take away what they add.

    Args:
        input_shape: the sizes of the axes of space.
        block_shape: the size of a block along each.
        base_paddings: the least paddings; none when it is None.
        name: accepted as TensorFlow does.

    >>> import tapeviz as tf
    >>> paddings, crops = tf.required_space_to_batch_paddings([11], [3])
    >>> paddings.numpy(), crops.numpy()
    (array([[0, 1]], dtype=int32), array([[0, 1]], dtype=int32))
    """
    sizes, blocks = np.array(as_dimensions(input_shape)), np.array(as_dimensions(block_shape))
    least = np.zeros((sizes.size, 2), np.int64) if base_paddings is None else np.array(_margins(base_paddings))
    more = -(sizes + least.sum(1)) % blocks
    paddings = np.stack([least[:, 0], least[:, 1] + more], 1)
    crops = np.stack([np.zeros_like(more), more], 1)
    return convert_to_tensor(paddings.tolist()), convert_to_tensor(crops.tolist())
