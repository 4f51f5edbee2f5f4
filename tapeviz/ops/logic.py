"""Logic on truth values, and the same operators on the bits of integers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from tapeviz.engine import rules
from tapeviz.engine.declaration import Op, ufunc
from tapeviz.engine.define import op
from tapeviz.engine.operators import public
from tapeviz.engine.samples import cases
from tapeviz.engine.types import BOOL, INTEGERS

__all__ = ["bitwise_and", "bitwise_or", "bitwise_xor", "invert", "logical_and", "logical_not", "logical_or",
           "logical_xor"]  # fmt: skip

_TRUTHS = np.array([[True, True], [False, False]])
_BITS = np.array([[12, 10], [-1, 0]], np.int32)

_logical = partial(
    op,
    family="elementwise",
    infer=rules.broadcast,
    types=BOOL,
    samples=cases(([_TRUTHS, _TRUTHS[:, 0]], {})),
    silent=True,
)
_bitwise = partial(
    op, family="elementwise", infer=rules.broadcast, types=INTEGERS, samples=cases(([_BITS, _BITS[0]], {})), silent=True
)

logical_and = _logical(
    "logical_and",
    doc="Whether both x and y are true, element by element, broadcasting.",
    example=">>> import tapeviz as tf\n>>> tf.logical_and([True, False], True).numpy()\narray([ True, False])",
    forward=ufunc("logical_and", "x y"),
    formula=r"z_i = x_i \wedge y_i",
)

logical_or = _logical(
    "logical_or",
    doc="Whether x or y or both are true, element by element, broadcasting.",
    example=">>> import tapeviz as tf\n>>> tf.logical_or([True, False], False).numpy()\narray([ True, False])",
    forward=ufunc("logical_or", "x y"),
    formula=r"z_i = x_i \vee y_i",
)

logical_xor = _logical(
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

bitwise_and = _bitwise(
    "bitwise_and",
    doc="The bits that are set in both x and y, element by element, broadcasting: ``x & y``.",
    example=">>> import tapeviz as tf\n>>> (tf.constant(12) & 10).numpy()\nnp.int32(8)",
    forward=ufunc("bitwise_and", "x y"),
    formula=r"z_i = x_i \wedge y_i",
)

bitwise_or = _bitwise(
    "bitwise_or",
    doc="The bits that are set in x or in y, element by element, broadcasting: ``x | y``.",
    example=">>> import tapeviz as tf\n>>> (tf.constant(12) | 10).numpy()\nnp.int32(14)",
    forward=ufunc("bitwise_or", "x y"),
    formula=r"z_i = x_i \vee y_i",
)

bitwise_xor = _bitwise(
    "bitwise_xor",
    doc="The bits that are set in one of x and y alone, element by element, broadcasting: ``x ^ y``.",
    example=">>> import tapeviz as tf\n>>> (tf.constant(12) ^ 10).numpy()\nnp.int32(6)",
    forward=ufunc("bitwise_xor", "x y"),
    formula=r"z_i = x_i \oplus y_i",
)

invert = op(
    "invert",
    doc="Every bit of x the other way, element by element: ``~x``.",
    example=">>> import tapeviz as tf\n>>> (~tf.constant(12)).numpy()\nnp.int32(-13)",
    family="elementwise",
    forward=ufunc("invert"),
    infer=rules.elementwise,
    types=INTEGERS,
    formula=r"y_i = \neg x_i",
    samples=cases(([_BITS], {})),
    silent=True,
)


def _operator(logical: Op, bitwise: Op) -> Callable[..., Any]:
    """What ``&``, ``|``, ``^`` and ``~`` mean: logic on truth values, bits on integers."""

    def apply(*operands: Any) -> Any:
        dtype = next(operand.dtype for operand in operands if hasattr(operand, "_a") or hasattr(operand, "_read"))
        return (logical if dtype.is_bool else bitwise).run(*operands)

    return apply


public["logical_and"] = _operator(logical_and, bitwise_and)
public["logical_or"] = _operator(logical_or, bitwise_or)
public["logical_xor"] = _operator(logical_xor, bitwise_xor)
public["logical_not"] = _operator(logical_not, invert)
