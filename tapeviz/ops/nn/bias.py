"""Biases: one number a channel, added."""

from __future__ import annotations

from typing import Any

from tapeviz.engine import rules
from tapeviz.engine.broadcasting import rows_beside, summed_rows
from tapeviz.engine.declaration import Spec
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.op_definition import op
from tapeviz.engine.samples import cases
from tapeviz.engine.types import NUMBERS
from tapeviz.ops import static_shape_rules

__all__ = ["bias_add"]


def _channel(rank: int, data_format: str) -> int:
    return 1 if data_format.startswith("NC") else rank - 1


def _bias_rule(value: Spec, bias: Spec, *, data_format: str) -> Spec:
    if len(bias.shape) != 1:
        raise InvalidArgumentError(f"Biases must be 1D: {rules.shape_text(bias.shape)}")
    if len(value.shape) < 2:  # noqa: PLR2004 - examples and channels
        raise InvalidArgumentError(f"Input tensor must be at least 2D: {rules.shape_text(value.shape)}")
    channel = _channel(len(value.shape), data_format)
    if value.shape[channel] != bias.shape[0]:
        where = "last" if channel == len(value.shape) - 1 else "channel"
        raise InvalidArgumentError(
            f"Must provide as many biases as the {where} dimension of the input tensor: "
            f"{rules.shape_text(bias.shape)} vs. {rules.shape_text(value.shape)}"
        )
    return value


def _add_bias(xp: Any, value: Any, bias: Any, *, data_format: str) -> Any:
    rank = value.ndim
    channel = _channel(rank, data_format)
    if bias.ndim != 1 or rank < 2 or value.shape[channel] != bias.shape[0]:  # noqa: PLR2004
        raise ValueError("one bias a channel is needed")
    if channel < rank - 1:
        return xp.add(value, xp.reshape(bias, (-1,) + (1,) * (rank - 2)))
    beside = rows_beside(value.size // max(1, bias.size), bias.size)
    if beside == 1:
        return xp.add(value, bias)
    return xp.reshape(xp.add(xp.reshape(value, (-1, beside * bias.size)), xp.tile(bias, beside)), value.shape)


def _bias_gradient(F: Any, g: Any, value_spec: Any, data_format: str) -> Any:
    rank = len(value_spec.shape)
    channel = _channel(rank, data_format)
    if channel == rank - 1:
        return summed_rows(F, g, tuple(value_spec.shape), channel)
    return F.reduce_sum(g, axis=tuple(axis for axis in range(rank) if axis != channel), keepdims=False)


_biased = op(
    "bias_add",
    doc="A tensor with a bias for each channel added.",
    family="elementwise",
    forward=_add_bias,
    infer=_bias_rule,
    static=static_shape_rules.bias_add,
    types=NUMBERS,
    vjp={"value": lambda F, g: g, "bias": _bias_gradient},
    formula=r"y_{ij} = x_{ij} + b_j",
    vjp_formula=(r"\bar x_{ij} = \bar y_{ij}", r"\bar b_j = \sum_i \bar y_{ij}"),
    samples=cases(([(2, 3), (3,)], {"data_format": "NHWC"}), ([(2, 3, 4), (3,)], {"data_format": "NCHW"})),
    traits="sum",
    hints="uneven",
)


def bias_add(value: Any, bias: Any, data_format: str | None = None, name: str | None = None) -> Any:
    """``value`` with ``bias`` added along its last axis (along the second if ``data_format`` begins with ``"NC"``).

    Raises:
        InvalidArgumentError: there is not one bias a channel.
        ValueError: ``data_format`` neither begins with ``"NC"`` nor ends in ``"C"``.

    >>> import tapeviz as tf
    >>> tf.nn.bias_add([[1.0, 2.0]], [10.0, 20.0]).numpy()
    array([[11., 22.]], dtype=float32)
    """
    form = data_format or "NHWC"
    if not (form.startswith("NC") or (form.startswith("N") and form.endswith("C"))):
        raise ValueError(f"`data_format` must be of the form `N...C` or `NC...`. Received: data_format={data_format}")
    return _biased.run(value, bias, form)
