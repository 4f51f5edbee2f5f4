"""Division, in the ways of Python and of C, and what is left over."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tapeviz.engine import rules
from tapeviz.engine.declaration import ufunc
from tapeviz.engine.dispatch import convert_inputs
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.op_definition import op
from tapeviz.engine.operators import define_operator, public
from tapeviz.engine.samples import and_complex, pairs
from tapeviz.engine.tensor import EagerTensor
from tapeviz.engine.types import FIELDS, FLOATS, NUMBERS

__all__ = ["divide", "divide_no_nan", "floordiv", "floormod", "realdiv", "reciprocal_no_nan", "truediv", "truncatediv",
           "truncatemod", "xdivy"]  # fmt: skip

_LONG: Final = frozenset(map(np.dtype, ("int32", "int64")))

realdiv = op(
    "divide",
    doc="x / y for floating-point and complex numbers, element by element, broadcasting.",
    example=">>> import tapeviz as tf\n>>> tf.realdiv([1.0, 3.0], 2.0).numpy()\narray([0.5, 1.5], dtype=float32)",
    family="elementwise",
    tf_name="RealDiv",
    forward=ufunc("true_divide", "x y"),
    infer=rules.broadcast,
    types=FIELDS,
    vjp={
        "x": lambda F, g, y: F.divide(g, y),
        "y": lambda F, g, y, z: F.negative(F.divide(F.multiply(g, z), y)),
    },
    formula=r"z_i = x_i / y_i",
    vjp_formula=(r"\bar x_i = \bar z_i / y_i", r"\bar y_i = -\bar z_i\, z_i / y_i"),
    samples=and_complex(pairs(0.5, 2.0)),
    traits="exact quotient",
    label="truediv",
)


def divide(x: Any, y: Any, name: str | None = None) -> Any:
    """Divide x by y as Python does: integers give float64 (float32 for 8 and 16 bits).

    Args:
        x: a tensor, or what converts to one.
        y: a tensor of the same dtype that broadcasts with ``x``.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: shapes do not broadcast.
        TypeError: the dtypes differ, or are not of numbers.

    >>> import tapeviz as tf
    >>> tf.divide([1, 2], 2).numpy()
    array([0.5, 1. ])
    """
    if (x.__class__ is EagerTensor and x._a.dtype in FIELDS) or (y.__class__ is EagerTensor and y._a.dtype in FIELDS):
        try:
            return realdiv.run(x, y)
        except InvalidArgumentError:
            _divisible(x, y)  # raises where it is the dtypes
            raise
    return realdiv.run(*_divisible(x, y))


def _divisible(x: Any, y: Any) -> tuple[Any, Any]:
    """Tensors of x and y, integers as floating-point numbers that hold them."""
    x, y = convert_inputs(realdiv, (x, y))
    if x.dtype is not y.dtype:
        raise TypeError(f"`x` and `y` must have the same dtype, got {x.dtype!r} != {y.dtype!r}.") from None
    if x._a.dtype in FIELDS:
        return x, y
    if not x.dtype.is_integer:
        raise TypeError(f"Invalid dtype {x.dtype!r} in __truediv__. Expected one of numbers.") from None
    wide = "float32" if x.dtype.size <= 2 else "float64"  # noqa: PLR2004 - bytes
    return public["cast"](x, wide), public["cast"](y, wide)


truediv = divide
public["divide"] = divide
define_operator("truediv", divide)  # not the op: integers divide to float64

_divide_no_nan = op(
    "divide_no_nan",
    doc="x / y, element by element, broadcasting; 0 where y is 0.",
    family="elementwise",
    tf_name="DivNoNan",
    forward=lambda xp, x, y: xp.where(xp.equal(y, 0), xp.zeros((), x.dtype), xp.true_divide(x, y)),
    infer=rules.broadcast,
    types=FIELDS,
    vjp={
        "x": lambda F, g, y: F.divide_no_nan(g, y),
        "y": lambda F, g, y, z: F.negative(F.divide_no_nan(F.multiply(g, z), y)),
    },
    formula=r"z_i = x_i / y_i \;\text{or}\; 0",
    vjp_formula=(r"\bar x_i = \bar z_i / y_i", r"\bar y_i = -\bar z_i\, z_i / y_i"),
    samples=and_complex(pairs(0.5, 2.0)),
)


def divide_no_nan(x: Any, y: Any, name: str | None = None) -> Any:
    """Divide x by y, element by element, broadcasting; 0 where y is 0. Integers are divided as ``divide`` does.

    Raises:
        InvalidArgumentError: shapes do not broadcast.
        TypeError: the dtypes differ, or are not of numbers.

    >>> import tapeviz as tf
    >>> tf.math.divide_no_nan([3.0, 1.0], [2.0, 0.0]).numpy()
    array([1.5, 0. ], dtype=float32)
    """
    return _divide_no_nan.run(*_divisible(x, y))


def reciprocal_no_nan(x: Any, name: str | None = None) -> Any:
    """1 / x, element by element; 0 where x is 0.

    >>> import tapeviz as tf
    >>> tf.math.reciprocal_no_nan([2.0, 0.0]).numpy()
    array([0.5, 0. ], dtype=float32)
    """
    x = public["convert_to_tensor"](x)
    return _divide_no_nan.run(public["ones_like"](x), x)


xdivy = op(
    "xdivy",
    doc="x / y, element by element, broadcasting; 0 where x is 0, even where y is 0 or nan.",
    example=">>> import tapeviz as tf\n>>> tf.math.xdivy([0.0, 1.0], [0.0, 2.0]).numpy()\n"
    "array([0. , 0.5], dtype=float32)",
    family="elementwise",
    forward=lambda xp, x, y: xp.where(xp.equal(x, 0), xp.zeros((), x.dtype), xp.true_divide(x, y)),
    infer=rules.broadcast,
    types=FIELDS,
    vjp={
        "x": lambda F, g, x, y: F.multiply(g, F.xdivy(F.where(F.equal(x, 0.0), 0.0, F.ones_like(x)), y)),
        "y": lambda F, g, x, y: F.negative(F.multiply(g, F.xdivy(x, F.square(y)))),
    },
    formula=r"z_i = x_i / y_i \;\text{or}\; 0",
    vjp_formula=(r"\bar x_i = \bar z_i\,[x_i \ne 0] / y_i", r"\bar y_i = -\bar z_i\, x_i / y_i^2"),
    samples=and_complex(pairs(0.5, 2.0)),
    traits="quotient",
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
    traits="objects quotient",
    operator="floordiv",
    label="floordiv",
)

floormod = op(
    "floormod",
    doc="The remainder of x / y rounded down, element by element, broadcasting; it has the sign of y.",
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
    traits="quotient",
    operator="mod",
    label="mod",
)


def _truncatediv(xp: Any, x: Any, y: Any) -> Any:
    if x.dtype.kind in "fc":
        return xp.trunc(xp.true_divide(x, y))
    _refuse_zero(y)
    down = xp.floor_divide(x, y)
    rest = xp.not_equal(xp.multiply(down, y), x)
    return xp.add(down, xp.logical_and(rest, xp.less(xp.bitwise_xor(x, y), 0)).astype(x.dtype))


truncatediv = op(
    "truncatediv",
    doc="x / y rounded towards 0, element by element, broadcasting, as C divides integers. No gradient.",
    example=">>> import tapeviz as tf\n>>> tf.truncatediv([5, -5], 2).numpy()\narray([ 2, -2], dtype=int32)",
    family="elementwise",
    tf_name="TruncateDiv",
    forward=_truncatediv,
    infer=rules.broadcast,
    types=NUMBERS,
    formula=r"z_i = \mathrm{trunc}(x_i / y_i)",
    samples=pairs(0.5, 9.0),
    traits="quotient",
)


def _truncatemod(xp: Any, x: Any, y: Any) -> Any:
    if x.dtype.kind != "f":
        _refuse_zero(y)
    return xp.fmod(x, y)


truncatemod = op(
    "truncatemod",
    doc="The remainder of x / y rounded towards 0; it has the sign of x, as in C. No gradient.",
    example=">>> import tapeviz as tf\n>>> tf.truncatemod([5, -5], 3).numpy()\narray([ 2, -2], dtype=int32)",
    family="elementwise",
    tf_name="TruncateMod",
    forward=_truncatemod,
    infer=rules.broadcast,
    types=FLOATS | _LONG,
    formula=r"z_i = x_i - y_i\, \mathrm{trunc}(x_i / y_i)",
    samples=pairs(0.5, 9.0),
    traits="quotient",
)
