"""Shape and layout: repeating elements, and putting a margin around them."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.engine import rules
from tapeviz.engine.convert import convert_to_tensor
from tapeviz.engine.declaration import Spec, registry
from tapeviz.engine.define import op
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.samples import cases
from tapeviz.engine.shapes import as_dimensions

__all__ = ["pad", "repeat", "tile"]


def _tile_rule(x: Spec, *, multiples: tuple[int, ...]) -> Spec:
    if len(multiples) != len(x.shape):
        raise InvalidArgumentError(
            f"Expected multiples argument to be a vector of length {len(x.shape)} but got length {len(multiples)}"
        )
    if any(times < 0 for times in multiples):
        raise InvalidArgumentError(f"Expected multiples to be >= 0, but got {list(multiples)}")
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
    vjp={"x": _tile_gradient},
    formula=r"y_i = x_{i \bmod n}",
    vjp_formula=(r"\bar x_i = \sum_k \bar y_{kn+i}",),
    samples=cases(([(2, 3)], {"multiples": (2, 1)}), ([(3,)], {"multiples": (3,)}), ([()], {"multiples": ()})),
    silent=True,
)


def tile(input: Any, multiples: Any, name: str | None = None) -> Any:
    """``input`` repeated ``multiples[k]`` times along axis k.

    Raises:
        InvalidArgumentError: there is not one number an axis.

    >>> import tapeviz as tf
    >>> tf.tile([1, 2], [2]).numpy()
    array([1, 2, 1, 2], dtype=int32)
    """
    return _tiled.run(input, as_dimensions(multiples))


def repeat(input: Any, repeats: Any, axis: int | None = None, name: str | None = None) -> Any:
    """Each element of ``input`` repeated, along ``axis``, or of the flattened tensor when it is None.

    >>> import tapeviz as tf
    >>> tf.repeat([1, 2], 2).numpy()
    array([1, 1, 2, 2], dtype=int32)
    """
    tensor = convert_to_tensor(input)
    if axis is None:
        tensor, axis = registry["reshape"].run(tensor, (-1,)), 0
    times = as_dimensions(repeats)
    size = tensor._a.shape[axis]
    positions = np.repeat(np.arange(size), times[0] if len(times) == 1 else times)
    return registry["gather"].run(tensor, convert_to_tensor(positions), axis)


def _pad(xp: Any, x: Any, *, paddings: tuple[tuple[int, int], ...], value: Any) -> Any:
    shape = tuple(size + before + after for size, (before, after) in zip(x.shape, paddings, strict=True))
    y = xp.full(shape, value, x.dtype)
    y[tuple(slice(before, before + size) for size, (before, _) in zip(x.shape, paddings, strict=True))] = x
    return y


def _pad_rule(x: Spec, *, paddings: tuple[tuple[int, int], ...], value: Any) -> Spec:
    if len(paddings) != len(x.shape):
        raise InvalidArgumentError(
            f"The first dimension of paddings must be the rank of inputs[{len(paddings)},2] {rules.shape_text(x.shape)}"
        )
    if any(number < 0 for pair in paddings for number in pair):
        raise InvalidArgumentError(f"Paddings must be non-negative: {paddings}")
    return Spec(tuple(size + sum(pair) for size, pair in zip(x.shape, paddings, strict=True)), x.dtype)


def _pad_gradient(F: Any, g: Any, x_spec: Any, paddings: tuple[tuple[int, int], ...]) -> Any:
    key = tuple(slice(before, before + size) for size, (before, _) in zip(x_spec.shape, paddings, strict=True))
    return F.strided_slice(g, key=key)


_padded = op(
    "pad",
    doc="A tensor with a margin of one value around it.",
    family="shape",
    tf_name="PadV2",
    forward=_pad,
    infer=_pad_rule,
    vjp={"x": _pad_gradient},
    formula=r"y_{i+b} = x_i",
    vjp_formula=(r"\bar x_i = \bar y_{i+b}",),
    samples=cases(
        ([(2, 3)], {"paddings": ((1, 0), (0, 2)), "value": 0}), ([(3,)], {"paddings": ((1, 1),), "value": 9})
    ),
    silent=True,
)


def pad(tensor: Any, paddings: Any, mode: str = "CONSTANT", constant_values: Any = 0, name: str | None = None) -> Any:
    """``tensor`` with ``paddings[k] = (before, after)`` elements added along axis k.

    Args:
        tensor: what to pad.
        paddings: two numbers an axis.
        mode: ``"CONSTANT"`` adds ``constant_values``; ``"REFLECT"`` mirrors at the edge elements, ``"SYMMETRIC"`` at
            the edges themselves.
        constant_values: the value to add.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: the paddings do not fit the rank, or reach farther than there are elements to mirror.
        ValueError: the mode is unknown.

    >>> import tapeviz as tf
    >>> tf.pad([1, 2, 3], [[1, 2]]).numpy()
    array([0, 1, 2, 3, 0, 0], dtype=int32)
    """
    pairs = tuple((int(before), int(after)) for before, after in convert_to_tensor(paddings, dtype="int32")._host())
    mode = mode.upper()
    if mode == "CONSTANT":
        value = constant_values.numpy() if hasattr(constant_values, "numpy") else constant_values
        return _padded.run(tensor, pairs, value)
    if mode not in ("REFLECT", "SYMMETRIC"):
        raise ValueError(
            'Value of argument `mode` expected to be one of "CONSTANT", "REFLECT", or "SYMMETRIC". '
            f"Received `mode` = {mode}"
        )
    tensor = convert_to_tensor(tensor)
    for axis, (before, after) in enumerate(pairs):
        size = tensor._a.shape[axis]
        if max(before, after) > size - (mode == "REFLECT"):
            limit = "must be less than" if mode == "REFLECT" else "must be no greater than"
            raise InvalidArgumentError(
                f"paddings {limit} the dimension size: {before}, {after} not less than {size}", "pad"
            )
        if before or after:
            positions = np.pad(np.arange(size), (before, after), mode=mode.lower())  # type: ignore[call-overload]
            tensor = registry["gather"].run(tensor, convert_to_tensor(positions), axis)
    return tensor
