"""Arithmetic: the ops behind ``+ - *`` and their kin."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tapeviz.engine import rules
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import Spec, ufunc
from tapeviz.engine.dtypes import as_dtype
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.op_definition import op
from tapeviz.engine.operators import public
from tapeviz.engine.samples import and_complex, cases, floats, pairs
from tapeviz.engine.shapes import TensorShape
from tapeviz.engine.static_shapes import same_shapes
from tapeviz.engine.types import COMPLEXES, FIELDS, NUMBERS, SIGNED
from tapeviz.ops.math.complex_numbers import is_complex, real_part

__all__ = ["abs", "accumulate_n", "add", "add_n", "maximum", "minimum", "multiply", "multiply_no_nan", "negative",
           "scalar_mul", "sign", "squared_difference", "subtract"]  # fmt: skip

_ALIKE: Final = "inputs must be a list of at least one Tensor with the same dtype and shape"

add = op(
    "add",
    doc="x + y, element by element, broadcasting.",
    example=">>> import tapeviz as tf\n>>> tf.add([1, 2], 3).numpy()\narray([4, 5], dtype=int32)",
    family="elementwise",
    tf_name="AddV2",
    forward=ufunc("add", "x y"),
    infer=rules.broadcast,
    types=NUMBERS | COMPLEXES,
    vjp={"x": lambda F, g: g, "y": lambda F, g: g},
    formula=r"z_i = x_i + y_i",
    vjp_formula=(r"\bar x_i = \bar z_i", r"\bar y_i = \bar z_i"),
    samples=and_complex(pairs()),
    traits="exact objects sum",
    hints="converts_apart joins_strings",
    operator="add",
    label="add",
)

subtract = op(
    "subtract",
    doc="x - y, element by element, broadcasting.",
    example=">>> import tapeviz as tf\n>>> tf.subtract([1, 2], 3).numpy()\narray([-2, -1], dtype=int32)",
    family="elementwise",
    tf_name="Sub",
    forward=ufunc("subtract", "x y"),
    infer=rules.broadcast,
    types=NUMBERS | COMPLEXES,
    vjp={"x": lambda F, g: g, "y": lambda F, g: F.negative(g)},
    formula=r"z_i = x_i - y_i",
    vjp_formula=(r"\bar x_i = \bar z_i", r"\bar y_i = -\bar z_i"),
    samples=and_complex(pairs()),
    traits="exact objects sum",
    operator="sub",
    label="sub",
)

multiply = op(
    "multiply",
    doc="x * y, element by element, broadcasting.",
    example=">>> import tapeviz as tf\n>>> tf.multiply([1, 2], 3).numpy()\narray([3, 6], dtype=int32)",
    family="elementwise",
    tf_name="Mul",
    forward=ufunc("multiply", "x y"),
    infer=rules.broadcast,
    types=NUMBERS | COMPLEXES,
    vjp={"x": lambda F, g, y: F.multiply(g, y), "y": lambda F, g, x: F.multiply(g, x)},
    formula=r"z_i = x_i y_i",
    vjp_formula=(r"\bar x_i = \bar z_i\, y_i", r"\bar y_i = \bar z_i\, x_i"),
    samples=and_complex(pairs()),
    traits="exact objects product",
    operator="mul",
    label="mul",
)


multiply_no_nan = op(
    "multiply_no_nan",
    doc="x * y, element by element, broadcasting; 0 where y is 0, even where x is infinite or nan.",
    example=">>> import tapeviz as tf\n>>> tf.math.multiply_no_nan(float('nan'), 0.0).numpy()\nnp.float32(0.0)",
    family="elementwise",
    tf_name="MulNoNan",
    forward=lambda xp, x, y: xp.where(xp.equal(y, 0), xp.zeros((), x.dtype), xp.multiply(x, y)),
    infer=rules.broadcast,
    types=FIELDS,
    vjp={"x": lambda F, g, y: F.multiply_no_nan(g, y), "y": lambda F, g, x: F.multiply_no_nan(x, g)},
    formula=r"z_i = x_i y_i \;\text{or}\; 0",
    vjp_formula=(r"\bar x_i = \bar z_i\, y_i", r"\bar y_i = \bar z_i\, x_i"),
    samples=and_complex(pairs()),
    traits="product",
)


def scalar_mul(scalar: Any, x: Any, name: str | None = None) -> Any:
    """``x`` times a number.

    Raises:
        ValueError: ``scalar`` has axes.

    >>> import tapeviz as tf
    >>> tf.scalar_mul(2.0, tf.constant([1.0, 2.0])).numpy()
    array([2., 4.], dtype=float32)
    """
    shape = getattr(scalar, "shape", ()) if not isinstance(scalar, (list, tuple)) else np.shape(scalar)
    if len(shape):
        raise ValueError(f"The input scalar must be a 0-D value. Received shape {tuple(shape)}.")
    return multiply.run(scalar, x)


negative = op(
    "negative",
    doc="-x, element by element.",
    example=">>> import tapeviz as tf\n>>> tf.negative([1.0, -2.0]).numpy()\narray([-1.,  2.], dtype=float32)",
    family="elementwise",
    tf_name="Neg",
    forward=ufunc("negative"),
    infer=rules.elementwise,
    types=SIGNED | COMPLEXES,
    vjp={"x": lambda F, g: F.negative(g)},
    formula=r"y_i = -x_i",
    vjp_formula=(r"\bar x_i = -\bar y_i",),
    samples=and_complex(floats()),
    silent=True,
    traits="exact objects",
    operator="neg",
)


def _abs_gradient(F: Any, g: Any, x: Any) -> Any:
    if not is_complex(x):
        return F.multiply(g, F.sign(x))
    zeros = F.zeros_like(g)
    return F.divide_no_nan(F.multiply(F.complex(g, zeros), x), F.complex(F.abs(x), zeros))


abs = op(
    "abs",
    doc="The absolute value of x, element by element; that of a complex number is real.",
    example=">>> import tapeviz as tf\n>>> tf.abs([1.0, -2.0]).numpy()\narray([1., 2.], dtype=float32)",
    family="elementwise",
    forward=ufunc("absolute"),
    infer=real_part,
    types=SIGNED | COMPLEXES,
    vjp={"x": _abs_gradient},
    holomorphic=False,
    formula=r"y_i = |x_i|",
    vjp_formula=(r"\bar x_i = \bar y_i\, \mathrm{sign}(x_i)",),
    samples=and_complex(floats(0.5, 2.0)),
    silent=True,
    traits="exact",
    operator="abs",
)


def _sign_gradient(F: Any, g: Any, x: Any) -> Any:
    """For complex numbers what is left of ``g`` across the direction of x: along it the sign does not change."""
    if not is_complex(x):
        return F.zeros_like(g)
    direction, size = F.sign(x), F.abs(x)
    zeros = F.zeros_like(size)
    along = F.complex(F.real(F.multiply(F.conj(g), direction)), zeros)
    return F.divide_no_nan(F.subtract(g, F.multiply(direction, along)), F.complex(size, zeros))


sign = op(
    "sign",
    doc="-1, 0 or 1 as x is below, at or above 0, with a gradient of 0; for complex numbers x / |x| each.",
    example=">>> import tapeviz as tf\n>>> tf.sign([3.0, -2.0, 0.0]).numpy()\narray([ 1., -1.,  0.], dtype=float32)",
    family="elementwise",
    forward=ufunc("sign"),
    infer=rules.elementwise,
    types=SIGNED | COMPLEXES,
    vjp={"x": _sign_gradient},
    holomorphic=False,
    formula=r"y_i = \mathrm{sign}(x_i)",
    vjp_formula=(r"\bar x_i = (\bar y_i - y_i\, \mathrm{Re}(\overline{\bar y_i} y_i)) / |x_i| \;\text{or}\; 0",),
    samples=and_complex(floats(0.5, 2.0)),
    traits="exact",
    surrogate="use tf.tanh, a smooth form of it",
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
    traits="exact flat moves",
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
    traits="exact flat moves",
)


def _twice_difference(F: Any, g: Any, x: Any, y: Any) -> Any:
    return F.multiply(F.multiply(g, 2.0), F.subtract(x, y))


def _squared_difference(xp: Any, x: Any, y: Any) -> Any:
    difference = xp.subtract(x, y)
    return xp.multiply(xp.conjugate(difference), difference) if x.dtype.kind == "c" else xp.square(difference)


squared_difference = op(
    "squared_difference",
    doc="The square of x - y, element by element, broadcasting.",
    example=">>> import tapeviz as tf\n>>> tf.math.squared_difference(1.0, 3.0).numpy()\nnp.float32(4.0)",
    family="elementwise",
    forward=_squared_difference,
    infer=rules.broadcast,
    types=FIELDS | frozenset(map(np.dtype, ("int32", "int64"))),
    holomorphic=False,
    vjp={"x": _twice_difference, "y": lambda F, g, x, y: F.negative(_twice_difference(F, g, x, y))},
    formula=r"z_i = |x_i - y_i|^2",
    vjp_formula=(r"\bar x_i = 2\,\bar z_i (x_i - y_i)", r"\bar y_i = -2\,\bar z_i (x_i - y_i)"),
    samples=pairs(),
    traits="squares",
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
    static=same_shapes,
    types=NUMBERS | COMPLEXES,
    vjp={"inputs": lambda F, g, inputs_spec: [g] * len(inputs_spec)},
    formula=r"y_i = \sum_k x^{(k)}_i",
    vjp_formula=(r"\bar x^{(k)}_i = \bar y_i",),
    samples=and_complex(cases(([(2, 3)] * 3, {}), ([()], {}))),
    aliases="inputs",
    traits="sum",
    hints="converts_apart",
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
    inputs = public["unstack"](inputs) if hasattr(inputs, "_numbers") else list(inputs)
    if not inputs:
        raise ValueError("Inputs must be an iterable of at least one Tensor with the same dtype and shape.")
    return _add_n.run(*inputs)


def accumulate_n(inputs: Any, shape: Any = None, tensor_dtype: Any = None, name: str | None = None) -> Any:
    """The sum of a list of tensors of one shape and dtype, as ``add_n``.

    Args:
        inputs: the tensors.
        shape: the shape that they have; checked.
        tensor_dtype: the dtype that they have; checked.
        name: accepted as TensorFlow does.

    Raises:
        ValueError: the list is empty, or a tensor has another shape or dtype.

    >>> import tapeviz as tf
    >>> tf.math.accumulate_n([[1.0, 2.0], [3.0, 4.0]]).numpy()
    array([4., 6.], dtype=float32)
    """
    if not isinstance(inputs, (list, tuple)) or not inputs:
        raise ValueError(_ALIKE)
    tensors = [convert_to_tensor(one) for one in inputs]
    if any(tensor.dtype is not tensors[0].dtype for tensor in tensors):
        raise ValueError(_ALIKE)
    wanted = tensors[0].shape if shape is None else TensorShape(shape)
    for tensor in tensors:
        if not wanted.is_compatible_with(tensor.shape):
            raise ValueError(f"Shapes {wanted} and {tensor.shape} are not compatible")
    if tensor_dtype is not None and as_dtype(tensor_dtype) is not tensors[0].dtype:
        raise TypeError(
            f"The `tensor_dtype` argument is {as_dtype(tensor_dtype)}, but `input` is of type {tensors[0].dtype}. "
            "These must be equal. Try casting the input to the desired type."
        )
    return _add_n.run(*tensors)
