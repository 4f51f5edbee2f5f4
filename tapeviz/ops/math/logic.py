"""Logic on truth values; the operators ``& | ^ ~``, which are logic or arithmetic with bits."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from tapeviz.engine import rules
from tapeviz.engine.declaration import Op, ufunc
from tapeviz.engine.op_definition import op
from tapeviz.engine.operators import define_operator
from tapeviz.engine.samples import cases
from tapeviz.engine.types import BOOL
from tapeviz.ops.math.bitwise import bitwise_and, bitwise_or, bitwise_xor, invert

__all__ = ["logical_and", "logical_not", "logical_or", "logical_xor"]

_TRUTHS = np.array([[True, True], [False, False]])

_logical = partial(
    op,
    family="elementwise",
    infer=rules.broadcast,
    types=BOOL,
    samples=cases(([_TRUTHS, _TRUTHS[:, 0]], {})),
    silent=True,
)

logical_and: Op = _logical(
    "logical_and",
    doc="Whether both x and y are true, element by element, broadcasting.",
    example=">>> import tapeviz as tf\n>>> tf.logical_and([True, False], True).numpy()\narray([ True, False])",
    forward=ufunc("logical_and", "x y"),
    formula=r"z_i = x_i \wedge y_i",
)

logical_or: Op = _logical(
    "logical_or",
    doc="Whether x or y or both are true, element by element, broadcasting.",
    example=">>> import tapeviz as tf\n>>> tf.logical_or([True, False], False).numpy()\narray([ True, False])",
    forward=ufunc("logical_or", "x y"),
    formula=r"z_i = x_i \vee y_i",
)

logical_xor: Op = _logical(
    "logical_xor",
    doc="Whether exactly one of x and y is true, element by element, broadcasting.",
    example=">>> import tapeviz as tf\n>>> tf.math.logical_xor([True, False], True).numpy()\narray([False,  True])",
    forward=ufunc("logical_xor", "x y"),
    formula=r"z_i = x_i \oplus y_i",
)

logical_not = op(
    "logical_not",
    doc="Whether x is false, element by element.",
    example=">>> import tapeviz as tf\n>>> tf.logical_not([True, False]).numpy()\narray([False,  True])",
    family="elementwise",
    forward=ufunc("logical_not"),
    infer=rules.elementwise,
    types=BOOL,
    formula=r"y_i = \neg x_i",
    samples=cases(([_TRUTHS], {})),
    silent=True,
)


def _operator(logical: Op, bitwise: Op) -> Callable[..., Any]:
    """What ``&``, ``|``, ``^`` and ``~`` mean: logic on truth values, bits on integers."""

    def apply(*operands: Any) -> Any:
        dtype = next(operand.dtype for operand in operands if hasattr(operand, "_a") or hasattr(operand, "_read"))
        return (logical if dtype.is_bool else bitwise).run(*operands)

    return apply


define_operator("and", _operator(logical_and, bitwise_and))
define_operator("or", _operator(logical_or, bitwise_or))
define_operator("xor", _operator(logical_xor, bitwise_xor))
define_operator("invert", _operator(logical_not, invert))
