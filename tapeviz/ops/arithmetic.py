"""Arithmetic: the ops behind ``+ - * / // %`` and their kin."""

from __future__ import annotations

from typing import Any

from tapeviz.engine import rules
from tapeviz.engine.declaration import Spec, ufunc
from tapeviz.engine.define import op
from tapeviz.engine.dispatch import convert_inputs
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.operators import public
from tapeviz.engine.samples import cases, floats, pairs
from tapeviz.engine.tensor import EagerTensor
from tapeviz.engine.types import FLOATS, NUMBERS, SIGNED

__all__ = ["abs", "add", "add_n", "divide", "divide_no_nan", "floordiv", "floormod", "maximum", "minimum", "multiply",
           "negative", "scalar_mul", "sign", "squared_difference", "subtract", "truediv"]  # fmt: skip

add = op(
    "add",
    doc="x + y, element by element, broadcasting.",
    example=">>> import tapeviz as tf\n>>> tf.add([1, 2], 3).numpy()\narray([4, 5], dtype=int32)",
    family="elementwise",
    tf_name="AddV2",
    forward=ufunc("add", "x y"),
    infer=rules.broadcast,
    types=NUMBERS,
    vjp={"x": lambda F, g: g, "y": lambda F, g: g},
    formula=r"z_i = x_i + y_i",
    vjp_formula=(r"\bar x_i = \bar z_i", r"\bar y_i = \bar z_i"),
    samples=pairs(),
)

subtract = op(
    "subtract",
    doc="x - y, element by element, broadcasting.",
    example=">>> import tapeviz as tf\n>>> tf.subtract([1, 2], 3).numpy()\narray([-2, -1], dtype=int32)",
    family="elementwise",
    tf_name="Sub",
    forward=ufunc("subtract", "x y"),
    infer=rules.broadcast,
    types=NUMBERS,
    vjp={"x": lambda F, g: g, "y": lambda F, g: F.negative(g)},
    formula=r"z_i = x_i - y_i",
    vjp_formula=(r"\bar x_i = \bar z_i", r"\bar y_i = -\bar z_i"),
    samples=pairs(),
)

multiply = op(
    "multiply",
    doc="x * y, element by element, broadcasting.",
    example=">>> import tapeviz as tf\n>>> tf.multiply([1, 2], 3).numpy()\narray([3, 6], dtype=int32)",
    family="elementwise",
    tf_name="Mul",
    forward=ufunc("multiply", "x y"),
    infer=rules.broadcast,
    types=NUMBERS,
    vjp={"x": lambda F, g, y: F.multiply(g, y), "y": lambda F, g, x: F.multiply(g, x)},
    formula=r"z_i = x_i y_i",
    vjp_formula=(r"\bar x_i = \bar z_i\, y_i", r"\bar y_i = \bar z_i\, x_i"),
    samples=pairs(),
)


def scalar_mul(scalar: Any, x: Any, name: str | None = None) -> Any:
    """``x`` times a number.

    >>> import tapeviz as tf
    >>> tf.scalar_mul(2.0, tf.constant([1.0, 2.0])).numpy()
    array([2., 4.], dtype=float32)
    """
    return multiply.run(scalar, x)


_divide = op(
    "divide",
    doc="x / y for floating-point numbers, element by element, broadcasting.",
    family="elementwise",
    tf_name="RealDiv",
    forward=ufunc("true_divide", "x y"),
    infer=rules.broadcast,
    types=FLOATS,
    vjp={
        "x": lambda F, g, y: F.divide(g, y),
        "y": lambda F, g, y, z: F.negative(F.divide(F.multiply(g, z), y)),
    },
    formula=r"z_i = x_i / y_i",
    vjp_formula=(r"\bar x_i = \bar z_i / y_i", r"\bar y_i = -\bar z_i\, z_i / y_i"),
    samples=pairs(0.5, 2.0),
)


def divide(x: Any, y: Any, name: str | None = None) -> Any:
    """Divide x by y as Python does: integers give float64 (float32 for 8 and 16 bits).

    Args:
        x: a tensor, or what converts to one.
        y: a tensor of the same dtype that broadcasts with ``x``.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: shapes do not broadcast or dtypes differ.
        TypeError: both are tensors, of different dtypes, and one of them of integers.

    >>> import tapeviz as tf
    >>> tf.divide([1, 2], 2).numpy()
    array([0.5, 1. ])
    """
    if (x.__class__ is EagerTensor and x._a.dtype in FLOATS) or (y.__class__ is EagerTensor and y._a.dtype in FLOATS):
        return _divide.run(x, y)
    x, y = convert_inputs(_divide, (x, y))
    if not x.dtype.is_integer:
        return _divide.run(x, y)
    if x.dtype is not y.dtype:
        raise TypeError(f"`x` and `y` must have the same dtype, got {x.dtype!r} != {y.dtype!r}.")
    wide = "float32" if x.dtype.size <= 2 else "float64"  # noqa: PLR2004 - bytes
    return _divide.run(public["cast"](x, wide), public["cast"](y, wide))


truediv = divide
public["divide"] = divide

divide_no_nan = op(
    "divide_no_nan",
    doc="x / y, element by element, broadcasting; 0 where y is 0.",
    example=">>> import tapeviz as tf\n>>> tf.math.divide_no_nan(1.0, 0.0).numpy()\nnp.float32(0.0)",
    family="elementwise",
    tf_name="DivNoNan",
    forward=lambda xp, x, y: xp.where(xp.equal(y, 0), xp.zeros((), x.dtype), xp.true_divide(x, y)),
    infer=rules.broadcast,
    types=FLOATS,
    vjp={
        "x": lambda F, g, y: F.divide_no_nan(g, y),
        "y": lambda F, g, y, z: F.negative(F.divide_no_nan(F.multiply(g, z), y)),
    },
    formula=r"z_i = x_i / y_i \;\text{or}\; 0",
    vjp_formula=(r"\bar x_i = \bar z_i / y_i", r"\bar y_i = -\bar z_i\, z_i / y_i"),
    samples=pairs(0.5, 2.0),
)


def _refuse_zero(y: Any) -> None:
    """Integers have no infinity to answer with."""
    if not y.all():
        raise InvalidArgumentError("Integer division by zero")


def _floordiv(xp: Any, x: Any, y: Any) -> Any:
    if x.dtype.kind == "f":
        return xp.floor(xp.true_divide(x, y))
    _refuse_zero(y)
    return xp.floor_divide(x, y)


def _floormod(xp: Any, x: Any, y: Any) -> Any:
    if x.dtype.kind != "f":
        _refuse_zero(y)
    return xp.remainder(x, y)


floordiv = op(
    "floordiv",
    doc="x / y rounded down, element by element, broadcasting. No gradient.",
    example=">>> import tapeviz as tf\n>>> tf.math.floordiv([5, -5], 2).numpy()\narray([ 2, -3], dtype=int32)",
    family="elementwise",
    tf_name="FloorDiv",
    forward=_floordiv,
    infer=rules.broadcast,
    types=NUMBERS,
    formula=r"z_i = \lfloor x_i / y_i \rfloor",
    samples=pairs(0.5, 9.0),
)

floormod = op(
    "floormod",
    doc="What is left of x after taking y out as often as possible; it has the sign of y.",
    example=">>> import tapeviz as tf\n>>> tf.math.floormod([5, -5], 3).numpy()\narray([2, 1], dtype=int32)",
    family="elementwise",
    tf_name="FloorMod",
    forward=_floormod,
    infer=rules.broadcast,
    types=NUMBERS,
    vjp={"x": lambda F, g: g, "y": lambda F, g, x, y: F.negative(F.multiply(g, F.floordiv(x, y)))},
    formula=r"z_i = x_i - y_i \lfloor x_i / y_i \rfloor",
    vjp_formula=(r"\bar x_i = \bar z_i", r"\bar y_i = -\bar z_i \lfloor x_i / y_i \rfloor"),
    samples=pairs(0.5, 2.0),
)

negative = op(
    "negative",
    doc="-x, element by element.",
    example=">>> import tapeviz as tf\n>>> tf.negative([1.0, -2.0]).numpy()\narray([-1.,  2.], dtype=float32)",
    family="elementwise",
    tf_name="Neg",
    forward=ufunc("negative"),
    infer=rules.elementwise,
    types=SIGNED,
    vjp={"x": lambda F, g: F.negative(g)},
    formula=r"y_i = -x_i",
    vjp_formula=(r"\bar x_i = -\bar y_i",),
    samples=floats(),
    silent=True,
)

abs = op(
    "abs",
    doc="The size of x without its sign, element by element.",
    example=">>> import tapeviz as tf\n>>> tf.abs([1.0, -2.0]).numpy()\narray([1., 2.], dtype=float32)",
    family="elementwise",
    forward=ufunc("absolute"),
    infer=rules.elementwise,
    types=SIGNED,
    vjp={"x": lambda F, g, x: F.multiply(g, F.sign(x))},
    formula=r"y_i = |x_i|",
    vjp_formula=(r"\bar x_i = \bar y_i\, \mathrm{sign}(x_i)",),
    samples=floats(0.5, 2.0),
    silent=True,
)

sign = op(
    "sign",
    doc="-1, 0 or 1 as x is below, at or above 0, element by element. Its gradient is 0.",
    example=">>> import tapeviz as tf\n>>> tf.sign([3.0, -2.0, 0.0]).numpy()\narray([ 1., -1.,  0.], dtype=float32)",
    family="elementwise",
    forward=ufunc("sign"),
    infer=rules.elementwise,
    types=SIGNED,
    vjp={"x": lambda F, g: F.zeros_like(g)},
    formula=r"y_i = \mathrm{sign}(x_i)",
    vjp_formula=(r"\bar x_i = 0",),
    samples=floats(0.5, 2.0),
)

maximum = op(
    "maximum",
    doc="The larger of x and y, element by element, broadcasting; where they are equal the gradient goes to x.",
    example=">>> import tapeviz as tf\n>>> tf.maximum([1, 5], 3).numpy()\narray([3, 5], dtype=int32)",
    family="elementwise",
    forward=ufunc("maximum", "x y"),
    infer=rules.broadcast,
    types=NUMBERS,
    vjp={
        "x": lambda F, g, x, y: F.where(F.greater_equal(x, y), g, 0.0),
        "y": lambda F, g, x, y: F.where(F.greater_equal(x, y), 0.0, g),
    },
    formula=r"z_i = \max(x_i, y_i)",
    vjp_formula=(r"\bar x_i = \bar z_i\,[x_i \ge y_i]", r"\bar y_i = \bar z_i\,[x_i < y_i]"),
    samples=pairs(apart=0.1),
)

minimum = op(
    "minimum",
    doc="The smaller of x and y, element by element, broadcasting; where they are equal the gradient goes to x.",
    example=">>> import tapeviz as tf\n>>> tf.minimum([1, 5], 3).numpy()\narray([1, 3], dtype=int32)",
    family="elementwise",
    forward=ufunc("minimum", "x y"),
    infer=rules.broadcast,
    types=NUMBERS,
    vjp={
        "x": lambda F, g, x, y: F.where(F.less_equal(x, y), g, 0.0),
        "y": lambda F, g, x, y: F.where(F.less_equal(x, y), 0.0, g),
    },
    formula=r"z_i = \min(x_i, y_i)",
    vjp_formula=(r"\bar x_i = \bar z_i\,[x_i \le y_i]", r"\bar y_i = \bar z_i\,[x_i > y_i]"),
    samples=pairs(apart=0.1),
)


def _twice_difference(F: Any, g: Any, x: Any, y: Any) -> Any:
    return F.multiply(F.multiply(g, 2.0), F.subtract(x, y))


squared_difference = op(
    "squared_difference",
    doc="The square of x - y, element by element, broadcasting.",
    example=">>> import tapeviz as tf\n>>> tf.math.squared_difference(1.0, 3.0).numpy()\nnp.float32(4.0)",
    family="elementwise",
    forward=lambda xp, x, y: xp.square(xp.subtract(x, y)),
    infer=rules.broadcast,
    types=NUMBERS,
    vjp={"x": _twice_difference, "y": lambda F, g, x, y: F.negative(_twice_difference(F, g, x, y))},
    formula=r"z_i = (x_i - y_i)^2",
    vjp_formula=(r"\bar x_i = 2\,\bar z_i (x_i - y_i)", r"\bar y_i = -2\,\bar z_i (x_i - y_i)"),
    samples=pairs(),
)


def _sum_of_all(xp: Any, *inputs: Any) -> Any:
    total = inputs[0]
    for term in inputs[1:]:
        if term.shape != total.shape:
            raise ValueError("shapes differ")  # arrays would broadcast; the rule says what is wrong
        total = xp.add(total, term)
    return total


def _same_shapes(*inputs: Spec) -> Spec:
    for position, spec in enumerate(inputs):
        if spec.shape != inputs[0].shape:
            raise InvalidArgumentError(
                "Inputs to operation AddN of type AddN must have the same size and shape.  "
                f"Input 0: {rules.shape_text(inputs[0].shape)} != input {position}: {rules.shape_text(spec.shape)}"
            )
    return inputs[0]


_add_n = op(
    "add_n",
    doc="The sum of tensors of one shape.",
    family="elementwise",
    tf_name="AddN",
    forward=_sum_of_all,
    infer=_same_shapes,
    types=NUMBERS,
    vjp={"inputs": lambda F, g, inputs_spec: [g] * len(inputs_spec)},
    formula=r"y_i = \sum_k x^{(k)}_i",
    vjp_formula=(r"\bar x^{(k)}_i = \bar y_i",),
    samples=cases(([(2, 3)] * 3, {}), ([()], {})),
)


def add_n(inputs: Any, name: str | None = None) -> Any:
    """The sum of a list of tensors of one shape and dtype.

    Raises:
        InvalidArgumentError: the shapes differ.
        ValueError: the list is empty.

    >>> import tapeviz as tf
    >>> tf.add_n([1.0, 2.0, 3.0]).numpy()
    np.float32(6.0)
    """
    inputs = list(inputs)
    if not inputs:
        raise ValueError("Inputs must be an iterable of at least one Tensor with the same dtype and shape.")
    return _add_n.run(*inputs)
