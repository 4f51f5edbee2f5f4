"""Margins: one value all around, or the mirror image of what is inside."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.engine import rules
from tapeviz.engine.conversion import convert_to_tensor, is_tensor
from tapeviz.engine.declaration import Spec, registry
from tapeviz.engine.dtypes import kernel_name
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.op_definition import op
from tapeviz.engine.operators import public
from tapeviz.engine.samples import cases
from tapeviz.engine.shapes import as_dimensions
from tapeviz.engine.symbolic import at_line
from tapeviz.ops import static_shape_rules
from tapeviz.ops.runtime_calls import waits

__all__ = ["pad"]

_Pairs = tuple[tuple[int, int], ...]
_MODES = {"REFLECT": 1, "SYMMETRIC": 0}
"""How many elements at the edge the mirror image leaves out."""


def _inner(shape: tuple[int, ...], paddings: _Pairs) -> tuple[Any, ...]:
    return tuple(slice(before, before + size) for size, (before, _) in zip(shape, paddings, strict=True))


def _pad(xp: Any, x: Any, *, paddings: _Pairs, value: Any) -> Any:
    shape = tuple(size + before + after for size, (before, after) in zip(x.shape, paddings, strict=True))
    if any(number < 0 for pair in paddings for number in pair):
        raise ValueError("a margin of less than nothing")
    y = xp.full(shape, value, x.dtype)
    y[_inner(x.shape, paddings)] = x
    return y


def _pad_rule(x: Spec, *, paddings: _Pairs, what: str = "Paddings", **_attrs: Any) -> Spec:
    if len(paddings) != len(x.shape):
        raise InvalidArgumentError(
            f"The first dimension of paddings must be the rank of inputs[{len(paddings)},2] {rules.shape_text(x.shape)}"
        )
    for before, after in paddings:
        if before < 0 or after < 0:
            raise InvalidArgumentError(f"{what} must be non-negative: {before} {after}")
    return Spec(tuple(size + sum(pair) for size, pair in zip(x.shape, paddings, strict=True)), x.dtype)


_padded = op(
    "pad",
    doc="A tensor padded with one value.",
    family="shape",
    tf_name="PadV2",
    forward=_pad,
    infer=_pad_rule,
    static=static_shape_rules.pad,
    vjp={"x": lambda F, g, x_spec, paddings: F.strided_slice(g, key=_inner(x_spec.shape, paddings))},
    formula=r"y_{i+b} = x_i",
    vjp_formula=(r"\bar x_i = \bar y_{i+b}",),
    samples=cases(
        ([(2, 3)], {"paddings": ((1, 0), (0, 2)), "value": 0}), ([(3,)], {"paddings": ((1, 1),), "value": 9}),
        ([()], {"paddings": (), "value": 0}), ([(0,)], {"paddings": ((2, 1),), "value": 1}),
    ),
    silent=True,
    hints="fresh",
)  # fmt: skip


def _mirror(xp: Any, x: Any, *, paddings: _Pairs, mode: str) -> Any:
    for size, pair in zip(x.shape, paddings, strict=True):
        if max(pair) > size - _MODES[mode]:
            raise ValueError("not enough elements to mirror")
    return xp.pad(x, paddings, mode=mode.lower())


def _mirror_rule(x: Spec, *, paddings: _Pairs, mode: str) -> Spec:
    made = _pad_rule(x, paddings=paddings, what="paddings")
    for size, (before, after) in zip(x.shape, paddings, strict=True):
        if max(before, after) > size - _MODES[mode]:
            limit, relation = ("must be less than", "not less than") if _MODES[mode] else (
                "must be no greater than", "greater than"
            )  # fmt: skip
            raise InvalidArgumentError(f"paddings {limit} the dimension size: {before}, {after} {relation} {size}")
    return made


def _fold(xp: Any, upstream: Any, *, paddings: _Pairs, mode: str) -> Any:
    """Add each margin to the elements that it is the mirror image of."""
    left_out = _MODES[mode]
    for axis, (before, after) in enumerate(paddings):
        rows = xp.moveaxis(upstream, axis, 0)
        size = len(rows) - before - after
        inner = xp.array(rows[before : before + size])
        if before:
            part = slice(left_out, left_out + before)
            inner[part] = xp.add(inner[part], rows[:before][::-1])
        if after:
            part = slice(size - left_out - after, size - left_out)
            inner[part] = xp.add(inner[part], rows[before + size :][::-1])
        upstream = xp.moveaxis(inner, 0, axis)
    return upstream


def _fold_rule(upstream: Spec, *, paddings: _Pairs, **_attrs: Any) -> Spec:
    shape = tuple(size - sum(pair) for size, pair in zip(upstream.shape, paddings, strict=True))
    return Spec(shape, upstream.dtype)


_SIDES = cases(
    ([(2, 3)], {"paddings": ((1, 0), (2, 1)), "mode": "REFLECT"}),
    ([(2, 3)], {"paddings": ((2, 1), (0, 3)), "mode": "SYMMETRIC"}),
    ([(4,)], {"paddings": ((0, 0),), "mode": "REFLECT"}),
)
_mirrored = op(
    "mirror_pad",
    doc="A tensor padded with its own mirror image.",
    family="shape",
    forward=_mirror,
    infer=_mirror_rule,
    static=static_shape_rules.pad,
    vjp={"x": lambda F, g, paddings, mode: F.mirror_pad_grad(g, paddings=paddings, mode=mode)},
    formula=r"y_{i+b} = x_{|i|}",
    vjp_formula=(r"\bar x_k = \sum_{i: |i| = k} \bar y_{i+b}",),
    samples=_SIDES,
    silent=True,
    traits="moves",
)


def _folded_samples(rng: np.random.Generator) -> list[Any]:
    return [((rng.uniform(-2.0, 2.0, _mirror(np, *inputs, **attrs).shape),), attrs) for inputs, attrs in _SIDES(rng)]


op(
    "mirror_pad_grad",
    doc="The gradient of mirror_pad: the padding is removed, and added to the elements that it mirrors.",
    family="shape",
    forward=_fold,
    infer=_fold_rule,
    vjp={"upstream": lambda F, g, paddings, mode: F.mirror_pad(g, paddings=paddings, mode=mode)},
    formula=r"y_k = \sum_{i: |i| = k} x_{i+b}",
    vjp_formula=(r"\bar x_{i+b} = \bar y_{|i|}",),
    samples=_folded_samples,
)


def _pairs(paddings: Any, tensor: Any) -> _Pairs:
    if paddings.__class__ is list and all(pair.__class__ is list and len(pair) == 2 for pair in paddings):  # noqa: PLR2004
        numbers = [as_dimensions(pair) for pair in paddings]
        return tuple((before, after) for before, after in numbers)
    matrix = convert_to_tensor(paddings, dtype_hint="int32")
    if waits(matrix) and (matrix.shape.rank is None or matrix.ndim == 2):  # noqa: PLR2004
        matrix = public["ensure_shape"](matrix, [tensor.ndim, 2])
        return tuple(matrix[axis]._numbers() for axis in range(tensor.ndim))
    if waits(matrix):
        raise InvalidArgumentError(f"paddings must be a matrix with 2 columns, and are {matrix} [Op:Pad]{at_line()}")
    host = matrix._host()
    if host.ndim != 2 or host.shape[1] != 2:  # noqa: PLR2004 - a row an axis: before and after
        shape = rules.shape_text(host.shape)
        raise InvalidArgumentError(f"paddings must be a matrix with 2 columns: {shape}", "pad")
    return tuple((int(before), int(after)) for before, after in host)


def _margin(tensor: Any, value: Any) -> Any:
    """The value of a margin, as a Python number."""
    if value.__class__ is int and value == 0:
        return b"" if tensor._a.dtype.kind == "O" else 0
    _check_margin(tensor, value)
    return convert_to_tensor(value, dtype=tensor.dtype)._host().item()


def _check_margin(tensor: Any, value: Any) -> None:
    if is_tensor(value) and value.dtype is not tensor.dtype:
        raise InvalidArgumentError(
            f"cannot compute PadV2 as input #2(zero-based) was expected to be a {kernel_name(tensor.dtype)} tensor but "
            f"is a {kernel_name(value.dtype)} tensor",
            "pad",
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
    mode = mode.upper()
    if mode not in ("CONSTANT", *_MODES):
        raise ValueError(
            'Value of argument `mode` expected to be one of "CONSTANT", "REFLECT", or "SYMMETRIC". '
            f"Received `mode` = {mode}"
        )
    tensor = convert_to_tensor(tensor)
    pairs = _pairs(paddings, tensor)
    if mode == "CONSTANT" and constant_values.__class__ is not int and waits(constant_values):
        inside = _padded.run(public["ones_like"](tensor, dtype="bool"), pairs, False)
        _check_margin(tensor, constant_values)
        margin = registry["stop_gradient"].run(constant_values)  # it has no gradient, as in TensorFlow
        return registry["where"].run(inside, _padded.run(tensor, pairs, _margin(tensor, 0)), margin)
    if mode == "CONSTANT":
        return _padded.run(tensor, pairs, _margin(tensor, constant_values))
    return _mirrored.run(tensor, pairs, mode)
