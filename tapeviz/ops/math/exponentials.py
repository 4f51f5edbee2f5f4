"""Elementwise mathematics: powers, exponentials and logarithms."""

from __future__ import annotations

from functools import partial
from typing import Any

from tapeviz.engine import rules
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import Op, registry, ufunc
from tapeviz.engine.op_definition import op
from tapeviz.engine.samples import and_complex, floats, pairs
from tapeviz.engine.types import COMPLEXES, FIELDS, FLOATS, NUMBERS, SIGNED
from tapeviz.ops.math.complex_numbers import is_complex

__all__ = ["exp", "expm1", "log", "log1p", "log_sigmoid", "polyval", "pow", "reciprocal", "rsqrt", "sigmoid",
           "softplus", "sqrt", "square", "xlog1py", "xlogy"]  # fmt: skip

_unary = partial(op, family="elementwise", infer=rules.elementwise)

exp: Op = _unary(
    "exp",
    doc="e to the power of x, element by element.",
    example=">>> import tapeviz as tf\n>>> tf.exp(0.0).numpy()\nnp.float32(1.0)",
    forward=ufunc("exp"),
    types=FIELDS,
    vjp={"x": lambda F, g, y: F.multiply(g, y)},
    formula=r"y_i = e^{x_i}",
    vjp_formula=(r"\bar x_i = \bar y_i\, y_i",),
    samples=and_complex(floats()),
    traits="exponential grows_exponentially",
)

expm1: Op = _unary(
    "expm1",
    doc="e to the power of x, minus 1, exact near 0, element by element.",
    example=">>> import tapeviz as tf\n>>> tf.math.expm1(0.0).numpy()\nnp.float32(0.0)",
    forward=ufunc("expm1"),
    types=FIELDS,
    vjp={"x": lambda F, g, x: F.multiply(g, F.exp(x))},
    formula=r"y_i = e^{x_i} - 1",
    vjp_formula=(r"\bar x_i = \bar y_i\, e^{x_i}",),
    samples=and_complex(floats()),
    traits="exponential grows_exponentially shifted",
)

log: Op = _unary(
    "log",
    doc="The natural logarithm of x, element by element: -inf at 0, nan below.",
    example=">>> import tapeviz as tf\n>>> tf.math.log(1.0).numpy()\nnp.float32(0.0)",
    forward=ufunc("log"),
    types=FIELDS,
    vjp={"x": lambda F, g, x: F.divide(g, x)},
    formula=r"y_i = \ln x_i",
    vjp_formula=(r"\bar x_i = \bar y_i / x_i",),
    samples=and_complex(floats(0.5, 3.0)),
    traits="logarithm",
    domain="0 inf",
)

log1p: Op = _unary(
    "log1p",
    doc="The natural logarithm of 1 + x, exact near 0, element by element.",
    example=">>> import tapeviz as tf\n>>> tf.math.log1p(0.0).numpy()\nnp.float32(0.0)",
    forward=ufunc("log1p"),
    types=FIELDS,
    vjp={"x": lambda F, g, x: F.divide(g, F.add(x, 1.0))},
    formula=r"y_i = \ln(1 + x_i)",
    vjp_formula=(r"\bar x_i = \bar y_i / (1 + x_i)",),
    samples=and_complex(floats(-0.5, 2.0)),
    traits="logarithm shifted",
    domain="-1 inf",
)

sigmoid: Op = _unary(
    "sigmoid",
    doc="1 / (1 + exp(-x)), between 0 and 1, element by element.",
    example=">>> import tapeviz as tf\n>>> tf.sigmoid(0.0).numpy()\nnp.float32(0.5)",
    forward=lambda xp, x: xp.reciprocal(xp.add(xp.exp(xp.negative(x)), 1.0)),
    types=FIELDS,
    vjp={"x": lambda F, g, y: F.multiply(g, F.multiply(y, F.subtract(1.0, y)))},
    formula=r"y_i = \frac{1}{1 + e^{-x_i}}",
    vjp_formula=(r"\bar x_i = \bar y_i\, y_i (1 - y_i)",),
    samples=and_complex(floats()),
    traits="logistic saturates",
    hints="fresh",
)

softplus: Op = _unary(
    "softplus",
    doc="log(1 + exp(features)), a smooth relu, element by element.",
    example=">>> import tapeviz as tf\n>>> tf.math.softplus(0.0).numpy()\nnp.float32(0.6931472)",
    forward=lambda xp, features: xp.logaddexp(features, xp.zeros((), features.dtype)),
    types=FLOATS,
    vjp={"features": lambda F, g, features: F.multiply(g, F.sigmoid(features))},
    formula=r"y_i = \ln(1 + e^{x_i})",
    vjp_formula=(r"\bar x_i = \bar y_i\, \sigma(x_i)",),
    samples=floats(),
    traits="saturates",
    hints="fresh",
)

log_sigmoid: Op = _unary(
    "log_sigmoid",
    doc="The logarithm of the sigmoid of x, without its rounding to log(0), element by element.",
    example=">>> import tapeviz as tf\n>>> tf.math.log_sigmoid(0.0).numpy()\nnp.float32(-0.6931472)",
    forward=lambda xp, x: xp.negative(xp.logaddexp(xp.negative(x), xp.zeros((), x.dtype))),
    types=FLOATS,
    vjp={"x": lambda F, g, x: F.multiply(g, F.sigmoid(F.negative(x)))},
    formula=r"y_i = -\ln(1 + e^{-x_i})",
    vjp_formula=(r"\bar x_i = \bar y_i\, \sigma(-x_i)",),
    samples=floats(),
    traits="saturates",
)

# Where nothing comes from above, nothing goes down, also where the slope is infinite or nan: TensorFlow's kernels of
# these three gradients do so, and a root that tf.where leaves out does no harm.
sqrt: Op = _unary(
    "sqrt",
    doc="The square root of x, element by element: nan below 0.",
    example=">>> import tapeviz as tf\n>>> tf.sqrt(4.0).numpy()\nnp.float32(2.0)",
    forward=ufunc("sqrt"),
    types=FIELDS,
    vjp={"x": lambda F, g, y: F.multiply_no_nan(F.multiply(F.reciprocal(y), 0.5), g)},
    formula=r"y_i = \sqrt{x_i}",
    vjp_formula=(r"\bar x_i = \bar y_i / (2 y_i)",),
    samples=and_complex(floats(0.5, 3.0)),
    traits="exact root",
    domain="0 inf",
)

rsqrt: Op = _unary(
    "rsqrt",
    doc="1 / sqrt(x), element by element.",
    example=">>> import tapeviz as tf\n>>> tf.math.rsqrt(4.0).numpy()\nnp.float32(0.5)",
    forward=lambda xp, x: xp.reciprocal(xp.sqrt(x)),
    types=FIELDS,
    vjp={"x": lambda F, g, y: F.multiply_no_nan(F.multiply(F.multiply(F.square(y), y), -0.5), g)},
    formula=r"y_i = 1 / \sqrt{x_i}",
    vjp_formula=(r"\bar x_i = -\tfrac{1}{2}\, \bar y_i\, y_i^3",),
    samples=and_complex(floats(0.5, 3.0)),
    traits="quotient root",
    domain="0 inf",
)

reciprocal: Op = _unary(
    "reciprocal",
    doc="1 / x, element by element.",
    example=">>> import tapeviz as tf\n>>> tf.math.reciprocal(4.0).numpy()\nnp.float32(0.25)",
    forward=ufunc("reciprocal"),
    types=FIELDS,
    vjp={"x": lambda F, g, y: F.multiply_no_nan(F.negative(F.square(y)), g)},
    formula=r"y_i = 1 / x_i",
    vjp_formula=(r"\bar x_i = -\bar y_i\, y_i^2",),
    samples=and_complex(floats(0.5, 3.0)),
    traits="exact quotient",
)

square = op(
    "square",
    doc="x times itself, element by element.",
    example=">>> import tapeviz as tf\n>>> tf.square([1.0, -2.0]).numpy()\narray([1., 4.], dtype=float32)",
    family="elementwise",
    forward=ufunc("square"),
    infer=rules.elementwise,
    types=NUMBERS | COMPLEXES,
    vjp={"x": lambda F, g, x: F.multiply(F.multiply(g, x), 2.0)},
    formula=r"y_i = x_i^2",
    vjp_formula=(r"\bar x_i = 2\,\bar y_i\, x_i",),
    samples=and_complex(floats()),
    traits="exact squares",
)


def _log_or_zero(F: Any, x: Any) -> Any:
    """The logarithm; 0 where there is none. Its argument is replaced there, so that no nan comes back."""
    return F.log(F.where(F.not_equal(x, 0.0) if is_complex(x) else F.greater(x, 0.0), x, 1.0))


pow = op(
    "pow",
    doc="x to the power of y, element by element, broadcasting. Integers take no negative powers.",
    example=">>> import tapeviz as tf\n>>> tf.pow([2.0, 3.0], 2.0).numpy()\narray([4., 9.], dtype=float32)",
    family="elementwise",
    forward=ufunc("power", "x y"),
    infer=rules.broadcast,
    types=SIGNED | COMPLEXES,
    vjp={
        "x": lambda F, g, x, y: F.multiply(F.multiply(g, y), F.pow(x, F.subtract(y, 1.0))),
        "y": lambda F, g, x, z: F.multiply(F.multiply(g, z), _log_or_zero(F, x)),
    },
    formula=r"z_i = x_i^{y_i}",
    vjp_formula=(r"\bar x_i = \bar z_i\, y_i\, x_i^{y_i - 1}", r"\bar y_i = \bar z_i\, z_i \ln x_i"),
    samples=and_complex(pairs(0.5, 2.0)),
    traits="factors power",
    operator="pow",
    label="pow",
)


def _unless_zero(F: Any, x: Any) -> Any:
    """1 where x is not 0, else 0."""
    return F.where(F.equal(x, 0.0), 0.0, F.ones_like(x))


xlogy = op(
    "xlogy",
    doc="x log(y), element by element, broadcasting; 0 where x is 0, even where y is 0 or nan.",
    example=">>> import tapeviz as tf\n>>> tf.math.xlogy([0.0, 2.0], [0.0, 1.0]).numpy()\n"
    "array([0., 0.], dtype=float32)",
    family="elementwise",
    forward=lambda xp, x, y: xp.where(xp.equal(x, 0), xp.zeros((), x.dtype), xp.multiply(x, xp.log(y))),
    infer=rules.broadcast,
    types=FIELDS,
    vjp={
        "x": lambda F, g, x, y: F.multiply(g, F.xlogy(_unless_zero(F, x), y)),
        "y": lambda F, g, x, y: F.multiply(g, F.xdivy(x, y)),
    },
    formula=r"z_i = x_i \ln y_i \;\text{or}\; 0",
    vjp_formula=(r"\bar x_i = \bar z_i\,[x_i \ne 0] \ln y_i", r"\bar y_i = \bar z_i\, x_i / y_i"),
    samples=and_complex(pairs(0.5, 2.0)),
    traits="logarithm",
    domain="0 inf",
)

xlog1py = op(
    "xlog1py",
    doc="x log(1 + y), element by element, broadcasting; 0 where x is 0, even where y is -1 or nan.",
    example=">>> import tapeviz as tf\n>>> tf.math.xlog1py([0.0, 2.0], [-1.0, 0.0]).numpy()\n"
    "array([0., 0.], dtype=float32)",
    family="elementwise",
    forward=lambda xp, x, y: xp.where(xp.equal(x, 0), xp.zeros((), x.dtype), xp.multiply(x, xp.log1p(y))),
    infer=rules.broadcast,
    types=FIELDS,
    vjp={
        "x": lambda F, g, x, y: F.multiply(g, F.xlog1py(_unless_zero(F, x), y)),
        "y": lambda F, g, x, y: F.multiply(g, F.xdivy(x, F.add(y, 1.0))),
    },
    formula=r"z_i = x_i \ln(1 + y_i) \;\text{or}\; 0",
    vjp_formula=(r"\bar x_i = \bar z_i\,[x_i \ne 0] \ln(1 + y_i)", r"\bar y_i = \bar z_i\, x_i / (1 + y_i)"),
    samples=and_complex(pairs(0.5, 2.0)),
    traits="logarithm shifted",
    domain="-1 inf",
)


def polyval(coeffs: list[Any], x: Any, name: str | None = None) -> Any:
    """The polynomial with these coefficients, the highest power's first, at ``x``, element by element.

    Args:
        coeffs: a list of tensors that broadcast with ``x`` and have its dtype; an empty one gives 0.
        x: where to compute it.
        name: accepted as TensorFlow does.

    Raises:
        ValueError: ``coeffs`` is no list.

    >>> import tapeviz as tf
    >>> tf.math.polyval([1.0, 0.0, 2.0], 3.0).numpy()
    np.float32(11.0)
    """
    if not isinstance(coeffs, list):
        raise ValueError(  # noqa: TRY004 - TensorFlow's class
            f"Argument coeffs must be list type. Received type {type(coeffs)}."
        )
    x = convert_to_tensor(x)
    if not coeffs:
        return registry["zeros_like"].run(x)
    total = convert_to_tensor(coeffs[0])
    for coefficient in coeffs[1:]:
        total = convert_to_tensor(coefficient) + total * x
    return total
