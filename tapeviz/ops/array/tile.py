"""Shape and layout: repeating elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import Spec, registry
from tapeviz.engine.deferred_numbers import Deferred
from tapeviz.engine.dtypes import kernel_name
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.op_definition import op
from tapeviz.engine.samples import cases
from tapeviz.engine.static_shapes import merged_sizes
from tapeviz.engine.symbolic import UnknownNumbersError
from tapeviz.ops import static_shape_rules
from tapeviz.ops.arguments import as_vector
from tapeviz.ops.runtime_calls import by_rank, later, open_sizes, waits

__all__ = ["meshgrid", "repeat", "tile"]


def _tile_rule(x: Spec, *, multiples: tuple[int, ...]) -> Spec:
    if len(multiples) != len(x.shape):
        raise InvalidArgumentError(
            f"Expected multiples argument to be a vector of length {len(x.shape)} but got length {len(multiples)}"
        )
    for axis, times in enumerate(multiples):
        if times < 0:
            raise InvalidArgumentError(f"Expected multiples[{axis}] >= 0, but got {times}")
    return Spec(tuple(size * times for size, times in zip(x.shape, multiples, strict=True)), x.dtype)


def _tile(xp: Any, x: Any, *, multiples: tuple[int, ...]) -> Any:
    if len(multiples) != x.ndim:
        raise ValueError("one number an axis is needed")
    return xp.tile(x, multiples)


def _tile_gradient(F: Any, g: Any, x_spec: Any, multiples: tuple[int, ...]) -> Any:
    pairs = tuple(number for pair in zip(multiples, x_spec.shape, strict=True) for number in pair)
    return F.reduce_sum(F.reshape(g, shape=pairs), axis=tuple(range(0, len(pairs), 2)), keepdims=False)


_tiled = op(
    "tile",
    doc="A tensor repeated along its axes.",
    family="shape",
    forward=_tile,
    infer=_tile_rule,
    static=static_shape_rules.tile,
    vjp={"x": _tile_gradient},
    formula=r"y_i = x_{i \bmod n}",
    vjp_formula=(r"\bar x_i = \sum_k \bar y_{kn+i}",),
    samples=cases(([(2, 3)], {"multiples": (2, 1)}), ([(3,)], {"multiples": (3,)}), ([()], {"multiples": ()})),
    silent=True,
    traits="moves",
    hints="fresh",
)


def tile(input: Any, multiples: Any, name: str | None = None) -> Any:
    """``input`` repeated ``multiples[k]`` times along axis k.

    Raises:
        InvalidArgumentError: there is not one number an axis.

    >>> import tapeviz as tf
    >>> tf.tile([1, 2], [2]).numpy()
    array([1, 2, 1, 2], dtype=int32)
    """
    try:
        times = as_vector(multiples, "Expected multiples to be 1-D, but got shape")
    except UnknownNumbersError:
        input = convert_to_tensor(input)
        return later(tile, (input, multiples), {}, ((None,) * input._a.ndim, input.dtype))
    return _tiled.run(input, times)


def _repeated_form(input: Any, repeats: Any, axis: int | None = None, _name: str | None = None) -> Any:
    tensor = convert_to_tensor(input)
    shape, times = open_sizes(tensor), open_sizes(repeats)
    if times is not None and len(times) > 1:
        raise ValueError(f"Shape {repeats.shape} must have rank at most 1")
    if times and times[0] not in (None, 1) and shape is not None and axis is not None:
        merged_sizes(shape[axis], times[0], "Repeats must be as many as elements")
    if axis is None or shape is None:
        return (None,) if axis is None else None, tensor.dtype
    return tuple(None if place == axis % len(shape) else size for place, size in enumerate(shape)), tensor.dtype


def _is_open(tensor: Any, axis: int) -> bool:
    return isinstance(tensor._a.shape[axis], Deferred)


@by_rank()
def repeat(input: Any, repeats: Any, axis: int | None = None, name: str | None = None) -> Any:
    """Each element of ``input`` repeated, along ``axis``, or of the flattened tensor when it is None.

    Raises:
        InvalidArgumentError: a number is negative.
        ValueError: there is no such axis, or the numbers are not as many as its elements.

    >>> import tapeviz as tf
    >>> tf.repeat([1, 2], 2).numpy()
    array([1, 1, 2, 2], dtype=int32)
    """
    tensor = convert_to_tensor(input)
    if axis is None:
        tensor, axis = registry["reshape"].run(tensor, (-1,)), 0
    repeats = convert_to_tensor(repeats, dtype_hint="int32")
    if waits(repeats) or (isinstance(axis, int) and -tensor.ndim <= axis < tensor.ndim and _is_open(tensor, axis)):
        return later(repeat, (tensor, repeats, axis), {}, _repeated_form(tensor, repeats, axis))
    times = repeats._host()
    rank, shape = tensor.ndim, tensor._a.shape
    if not -rank <= axis < rank:
        raise ValueError(f"axis={axis} out of bounds: expected {-rank}<=axis<{rank}")
    if times.ndim > 1:
        raise ValueError(f"Shape {times.shape} must have rank at most 1")
    if times.ndim and times.size not in (1, shape[axis]):
        raise ValueError(f"Dimensions {shape[axis]} and {times.size} are not compatible")
    if times.size and times.min() < 0:
        raise InvalidArgumentError(f"Expected multiples[1] >= 0, but got {times.min()}", "repeat")
    positions = np.repeat(np.arange(shape[axis]), times)
    return registry["gather"].run(tensor, convert_to_tensor(positions), axis)


def meshgrid(*args: Any, **kwargs: Any) -> list[Any]:
    """Coordinates of a grid: one tensor an argument, each of the shape of the whole grid.

    Args:
        *args: the coordinates along each axis.
        **kwargs: ``indexing``: "xy" (the first argument runs along the second axis, as in pictures) or "ij" (the
            first argument along the first axis, as in matrices). ``name`` is accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: the coordinates are of different dtypes.
        TypeError: a keyword is none of these.
        ValueError: the indexing is neither of these.

    >>> import tapeviz as tf
    >>> columns, rows = tf.meshgrid([1, 2, 3], [10, 20])
    >>> (columns + rows).numpy()
    array([[11, 12, 13],
           [21, 22, 23]], dtype=int32)
    """
    indexing = kwargs.pop("indexing", "xy")
    kwargs.pop("name", None)
    if kwargs:
        raise TypeError(f"'{next(iter(kwargs))}' is an invalid keyword argument for this function")
    if indexing not in ("xy", "ij"):
        raise ValueError(f"Argument `indexing` parameter must be either 'xy' or 'ij', got '{indexing}'")
    along = [registry["reshape"].run(argument, (-1,)) for argument in args]
    for one in along:
        if one.dtype is not along[0].dtype:
            raise InvalidArgumentError(
                f"cannot compute Mul as input #1(zero-based) was expected to be a {kernel_name(one.dtype)} tensor but "
                f"is a {kernel_name(along[0].dtype)} tensor",
                "meshgrid",
            )
    order = [*range(len(along))]
    if indexing == "xy" and len(order) > 1:
        order[:2] = 1, 0
    shape = tuple(along[axis]._a.size for axis in order)
    grids = []
    for number, one in enumerate(along):
        thin = tuple(shape[axis] if order[axis] == number else 1 for axis in range(len(shape)))
        grids.append(registry["broadcast_to"].run(registry["reshape"].run(one, thin), shape))
    return grids
