"""Activations: the bends between a network's linear layers."""

from __future__ import annotations

import math
from functools import partial
from typing import Any, Final

import numpy as np

from tapeviz.backends.blocks import LARGE
from tapeviz.backends.rows import is_large, is_last
from tapeviz.backends.softmax_rows import log_softmax_rows, softmax_rows
from tapeviz.engine import rules
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import Op, Spec, registry
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.op_definition import op
from tapeviz.engine.operators import public
from tapeviz.engine.samples import cases, floats
from tapeviz.engine.types import FLOATS, NUMBERS
from tapeviz.ops.math.reductions import added, largest
from tapeviz.ops.math.special import error_function

__all__ = ["crelu", "elu", "gelu", "leaky_relu", "log_softmax", "relu", "relu6", "selu", "silu", "softmax", "softsign",
           "swish"]  # fmt: skip

_activation = partial(op, family="elementwise", infer=rules.elementwise, types=FLOATS)
# Away from 0, where the derivative jumps and a finite difference says nothing.
_BENT = cases(([np.array([[-1.5, -0.4, 0.3], [0.9, 2.0, -2.5]])], {}), ([np.array(0.7)], {}), ([np.array([-0.7])], {}))

relu = op(
    "relu",
    doc="x where it is positive, else 0, element by element.",
    example=">>> import tapeviz as tf\n>>> tf.nn.relu([-1.0, 2.0]).numpy()\narray([0., 2.], dtype=float32)",
    family="elementwise",
    forward=lambda xp, features: xp.maximum(features, 0),
    infer=rules.elementwise,
    types=NUMBERS,
    vjp={"features": lambda F, g, y: F.relu_grad(g, y)},
    formula=r"y_i = \max(x_i, 0)",
    vjp_formula=(r"\bar x_i = \bar y_i\,[y_i > 0]",),
    samples=_BENT,
    traits="flat",
)

op(
    "relu_grad",
    doc="The gradient of relu: the upstream gradient where its input was positive, else 0.",
    family="elementwise",
    forward=lambda xp, upstream, y: xp.where(xp.greater(y, 0), upstream, xp.zeros((), y.dtype)),
    infer=lambda upstream, y: upstream,
    types=NUMBERS,
    vjp={"upstream": lambda F, g, y: F.relu_grad(g, y), "y": lambda F, g: F.zeros_like(g)},
    formula=r"z_i = x_i\,[y_i > 0]",
    vjp_formula=(r"\bar x_i = \bar z_i\,[y_i > 0]", r"\bar y_i = 0"),
    samples=cases(([(2, 3), np.array([[1.0, -1.0, 2.0], [0.5, -2.0, -0.5]])], {})),
)

relu6 = op(
    "relu6",
    doc="x, no smaller than 0 and no larger than 6, element by element.",
    example=">>> import tapeviz as tf\n>>> tf.nn.relu6([-1.0, 2.0, 7.0]).numpy()\narray([0., 2., 6.], dtype=float32)",
    family="elementwise",
    forward=lambda xp, features: xp.minimum(xp.maximum(features, 0), 6),
    infer=rules.elementwise,
    types=NUMBERS,
    vjp={"features": lambda F, g, y: F.where(F.logical_and(F.greater(y, 0.0), F.less(y, 6.0)), g, 0.0)},
    formula=r"y_i = \min(\max(x_i, 0), 6)",
    vjp_formula=(r"\bar x_i = \bar y_i\,[0 < y_i < 6]",),
    samples=cases(([np.array([[-1.5, 0.4, 7.0], [5.0, 2.0, -2.5]])], {})),
    traits="flat",
)


def crelu(features: Any, axis: int = -1, name: str | None = None) -> Any:
    """What ``relu`` lets through, and beside it along ``axis`` what it holds back, with its sign turned.

    Raises:
        InvalidArgumentError: there is no such axis.

    >>> import tapeviz as tf
    >>> tf.nn.crelu([-1.0, 2.0]).numpy()
    array([0., 2., 1., 0.], dtype=float32)
    """
    features = convert_to_tensor(features)
    return relu.run(registry["concat"].run(features, registry["negative"].run(features), axis=axis))


_leaky_relu = op(
    "leaky_relu",
    doc="x where it is positive, else a small multiple of it, element by element.",
    family="elementwise",
    forward=lambda xp, features, *, alpha: xp.where(xp.greater(features, 0), features, xp.multiply(features, alpha)),
    infer=rules.elementwise,
    types=FLOATS,
    vjp={"features": lambda F, g, features, alpha: F.where(F.greater(features, 0.0), g, F.multiply(g, alpha))},
    formula=r"y_i = x_i \;\text{or}\; \alpha x_i",
    vjp_formula=(r"\bar x_i = \bar y_i \;\text{or}\; \alpha \bar y_i",),
    samples=cases(([np.array([[-1.5, -0.4], [0.9, 2.0]])], {"alpha": 0.2})),
)


def leaky_relu(features: Any, alpha: float = 0.2, name: str | None = None) -> Any:
    """``features`` where positive, else ``alpha`` times it, so that a gradient is left.

    >>> import tapeviz as tf
    >>> tf.nn.leaky_relu([-1.0, 2.0]).numpy()
    array([-0.2,  2. ], dtype=float32)
    """
    features = convert_to_tensor(features)
    if features.dtype.is_integer:
        features = public["cast"](features, "float32")
    return _leaky_relu.run(features, float(alpha))


elu: Op = _activation(
    "elu",
    doc="x where it is positive, else exp(x) - 1, element by element.",
    example=">>> import tapeviz as tf\n>>> tf.nn.elu([0.0, 2.0]).numpy()\narray([0., 2.], dtype=float32)",
    forward=lambda xp, features: xp.where(xp.greater(features, 0), features, xp.expm1(features)),
    vjp={"features": lambda F, g, y: F.where(F.less(y, 0.0), F.multiply(g, F.add(y, 1.0)), g)},
    formula=r"y_i = x_i \;\text{or}\; e^{x_i} - 1",
    vjp_formula=(r"\bar x_i = \bar y_i \;\text{or}\; \bar y_i (y_i + 1)",),
    samples=_BENT,
    traits="saturates",
)

softsign: Op = _activation(
    "softsign",
    doc="x / (1 + abs(x)), element by element.",
    example=">>> import tapeviz as tf\n>>> tf.nn.softsign([-1.0, 3.0]).numpy()\narray([-0.5 ,  0.75], dtype=float32)",
    forward=lambda xp, features: xp.true_divide(features, xp.add(xp.absolute(features), 1.0)),
    vjp={"features": lambda F, g, features: F.divide(g, F.square(F.add(F.abs(features), 1.0)))},
    formula=r"y_i = \frac{x_i}{1 + |x_i|}",
    vjp_formula=(r"\bar x_i = \frac{\bar y_i}{(1 + |x_i|)^2}",),
    samples=_BENT,
    traits="bipolar saturates",
)

_SCALE: Final = 1.0507009873554805
_SCALED_ALPHA: Final = 1.7580993408473766


def _selu(xp: Any, features: Any) -> Any:
    below = xp.multiply(xp.expm1(features), _SCALED_ALPHA)
    return xp.where(xp.less(features, 0), below, xp.multiply(features, _SCALE))


selu: Op = _activation(
    "selu",
    doc="A scaled elu that keeps mean 0 and variance 1 from layer to layer, element by element.",
    example=">>> import tapeviz as tf\n>>> tf.nn.selu(0.0).numpy()\nnp.float32(0.0)",
    forward=_selu,
    vjp={
        "features": lambda F, g, y: F.where(
            F.less(y, 0.0), F.multiply(g, F.add(y, _SCALED_ALPHA)), F.multiply(g, _SCALE)
        )
    },
    formula=r"y_i = \lambda x_i \;\text{or}\; \lambda\alpha\,(e^{x_i} - 1)",
    vjp_formula=(r"\bar x_i = \lambda \bar y_i \;\text{or}\; \bar y_i (y_i + \lambda\alpha)",),
    samples=_BENT,
    traits="saturates",
)


def _silu(xp: Any, features: Any, *, beta: float) -> Any:
    return xp.true_divide(features, xp.add(xp.exp(xp.multiply(features, -beta)), 1.0))


def _silu_gradient(F: Any, g: Any, features: Any, beta: float) -> Any:
    scaled = F.multiply(features, beta)
    s = F.sigmoid(scaled)
    return F.multiply(g, F.multiply(s, F.add(F.multiply(scaled, F.subtract(1.0, s)), 1.0)))


_swish = op(
    "silu",
    doc="x times the sigmoid of x, element by element.",
    family="elementwise",
    forward=_silu,
    infer=rules.elementwise,
    types=FLOATS,
    vjp={"features": _silu_gradient},
    formula=r"y_i = x_i\, \sigma(\beta x_i)",
    vjp_formula=(r"\bar x_i = \bar y_i\, \sigma(\beta x_i) (1 + \beta x_i (1 - \sigma(\beta x_i)))",),
    samples=cases(([(2, 3)], {"beta": 1.0}), ([(3,)], {"beta": 0.5})),
    traits="saturates",
)


def silu(features: Any, beta: float = 1.0) -> Any:
    """``features`` times the sigmoid of ``beta * features``, element by element; also called swish.

    >>> import tapeviz as tf
    >>> tf.nn.silu([0.0, 100.0]).numpy()
    array([  0., 100.], dtype=float32)
    """
    if beta.__class__ is not float and hasattr(beta, "_numbers"):
        features = convert_to_tensor(features)
        return features * registry["sigmoid"].run(beta * features)
    return _swish.run(features, float(beta))


swish = silu

_CUBE: Final = 0.044715
_SLOPE: Final = math.sqrt(2.0 / math.pi)


def _gelu_gradient(F: Any, g: Any, features: Any, approximate: bool) -> Any:
    x = features
    square = F.square(x)
    if approximate:
        t = F.tanh(F.multiply(F.multiply(x, F.add(F.multiply(square, _CUBE), 1.0)), _SLOPE))
        bend = F.multiply(F.add(F.multiply(square, 3.0 * _CUBE), 1.0), 0.5 * _SLOPE)
        slope = F.add(F.multiply(F.add(t, 1.0), 0.5), F.multiply(F.multiply(x, F.subtract(1.0, F.square(t))), bend))
    else:
        below = F.multiply(F.add(F.erf(F.multiply(x, math.sqrt(0.5))), 1.0), 0.5)
        density = F.multiply(F.exp(F.multiply(square, -0.5)), 1.0 / math.sqrt(2.0 * math.pi))
        slope = F.add(below, F.multiply(x, density))
    return F.multiply(g, slope)


def _gelu_op(name: str, doc: str, forward: Any, formula: str, *, approximate: bool) -> Any:
    return _activation(
        name,
        doc=doc,
        forward=forward,
        vjp={"features": lambda F, g, features: _gelu_gradient(F, g, features, approximate)},
        formula=formula,
        vjp_formula=(r"\bar x_i = \bar y_i\, (\Phi(x_i) + x_i\, \Phi'(x_i))",),
        samples=floats(),
        traits="saturates",
    )


def _exact(xp: Any, features: Any) -> Any:
    return xp.multiply(
        xp.multiply(features, 0.5), xp.add(error_function(xp, xp.multiply(features, math.sqrt(0.5))), 1.0)
    )


def _by_tanh(xp: Any, features: Any) -> Any:
    inner = xp.multiply(xp.multiply(features, xp.add(xp.multiply(xp.square(features), _CUBE), 1.0)), _SLOPE)
    return xp.multiply(xp.multiply(features, 0.5), xp.add(xp.tanh(inner), 1.0))


_gelu = _gelu_op(
    "gelu",
    "x times the standard normal cumulative distribution function at x.",
    _exact,
    r"y_i = x_i\, \Phi(x_i)",
    approximate=False,
)
_gelu_by_tanh = _gelu_op(
    "gelu_approximate",
    "The tanh approximation of gelu, element by element.",
    _by_tanh,
    r"y_i = \tfrac{x_i}{2} (1 + \tanh(\sqrt{2/\pi}\,(x_i + 0.044715\, x_i^3)))",
    approximate=True,
)


def gelu(features: Any, approximate: bool = False, name: str | None = None) -> Any:
    """Gaussian error linear unit: ``features`` times the standard normal CDF there; ``approximate`` uses tanh for it.

    Raises:
        ValueError: ``features`` are not floating-point.

    >>> import tapeviz as tf
    >>> tf.nn.gelu([0.0, 100.0]).numpy()
    array([  0., 100.], dtype=float32)
    """
    features = convert_to_tensor(features)
    if not features.dtype.is_floating:
        raise ValueError(f"`features.dtype` must be a floating point tensor. Received: features.dtype={features.dtype}")
    return (_gelu_by_tanh if approximate else _gelu).run(features)


def _along_rule(logits: Spec, *, axis: int) -> Spec:
    rank = len(logits.shape)
    if rank == 0:
        raise InvalidArgumentError("Input dims must be >=1: a single number has no axis to compare along")
    if not -rank <= axis < rank:
        raise InvalidArgumentError(
            f"`dim` must be in the range [{-rank}, {rank}) where {rank} is the number of dimensions in the input. "
            f"Received: dim={axis}"
        )
    return logits


def _softmax(xp: Any, logits: Any, *, axis: int) -> Any:
    if logits.size >= LARGE and is_large(logits) and is_last(axis, logits.ndim):
        return softmax_rows(logits)
    y = xp.subtract(logits, largest(xp, logits, axis))
    y = xp.exp(y, out=y)
    return xp.true_divide(y, added(xp, y, axis=axis, keepdims=True), out=y)


def _softmax_gradient(F: Any, g: Any, y: Any, axis: int) -> Any:
    mean = F.reduce_sum(F.multiply(g, y), axis=axis, keepdims=True)
    return F.multiply(F.subtract(g, mean), y)


def _log_softmax(xp: Any, logits: Any, *, axis: int) -> Any:
    if logits.size >= LARGE and is_large(logits) and is_last(axis, logits.ndim):
        return log_softmax_rows(logits)
    y = xp.subtract(logits, largest(xp, logits, axis))
    return xp.subtract(y, xp.log(added(xp, xp.exp(y), axis=axis, keepdims=True)))


def _log_softmax_gradient(F: Any, g: Any, y: Any, axis: int) -> Any:
    return F.subtract(g, F.multiply(F.exp(y), F.reduce_sum(g, axis=axis, keepdims=True)))


_ALONG = cases(([(2, 3)], {"axis": -1}), ([(2, 3)], {"axis": 0}), ([(4,)], {"axis": -1}), ([(2, 3, 2)], {"axis": 1}))

_shares = op(
    "softmax",
    doc="The softmax along an axis: exp(x) divided by its sum.",
    family="reduction",
    forward=_softmax,
    infer=_along_rule,
    types=FLOATS,
    vjp={"logits": _softmax_gradient},
    formula=r"y_i = \frac{e^{x_i}}{\sum_k e^{x_k}}",
    vjp_formula=(r"\bar x_i = y_i\, (\bar y_i - \textstyle\sum_k \bar y_k y_k)",),
    samples=_ALONG,
    traits="distribution logits saturates softmax",
    hints="fresh",
)

_log_shares = op(
    "log_softmax",
    doc="The logarithm of softmax along an axis, without its rounding to log(0).",
    family="reduction",
    forward=_log_softmax,
    infer=_along_rule,
    types=FLOATS,
    vjp={"logits": _log_softmax_gradient},
    formula=r"y_i = x_i - \ln \sum_k e^{x_k}",
    vjp_formula=(r"\bar x_i = \bar y_i - e^{y_i} \textstyle\sum_k \bar y_k",),
    samples=_ALONG,
    traits="logits saturates softmax",
    hints="fresh",
)


def softmax(logits: Any, axis: int | None = None, name: str | None = None) -> Any:
    """The softmax along ``axis`` (the last when it is None): ``exp(logits)`` divided by its sum.

    Raises:
        InvalidArgumentError: there is no such axis, or the elements are not floating-point numbers.

    >>> import tapeviz as tf
    >>> tf.nn.softmax([0.0, 0.0]).numpy()
    array([0.5, 0.5], dtype=float32)
    """
    return _shares.run(logits, -1 if axis is None else axis)


def log_softmax(logits: Any, axis: int | None = None, name: str | None = None) -> Any:
    """The logarithm of ``softmax``, exact where softmax itself would round to 0.

    Raises:
        InvalidArgumentError: there is no such axis, or the elements are not floating-point numbers.

    >>> import tapeviz as tf
    >>> tf.nn.log_softmax([0.0, 0.0]).numpy()
    array([-0.6931472, -0.6931472], dtype=float32)
    """
    return _log_shares.run(logits, -1 if axis is None else axis)
