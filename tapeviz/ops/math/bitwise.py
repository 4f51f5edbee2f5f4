"""Arithmetic with the bits of integers."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

import numpy as np

from tapeviz.engine import rules
from tapeviz.engine.declaration import Op, ufunc
from tapeviz.engine.op_definition import op
from tapeviz.engine.samples import cases
from tapeviz.engine.types import INTEGERS

__all__ = ["bitwise_and", "bitwise_or", "bitwise_xor", "invert", "left_shift", "right_shift"]

_BITS: Final = np.array([[12, 10], [-1, 0]], np.int32)
_bitwise = partial(
    op, family="elementwise", infer=rules.broadcast, types=INTEGERS, samples=cases(([_BITS, _BITS[0]], {})), silent=True
)

bitwise_and: Op = _bitwise(
    "bitwise_and",
    doc="The bits that are set in both x and y, element by element, broadcasting: ``x & y``.",
    example=">>> import tapeviz as tf\n>>> (tf.constant(12) & 10).numpy()\nnp.int32(8)",
    forward=ufunc("bitwise_and", "x y"),
    formula=r"z_i = x_i \wedge y_i",
)

bitwise_or: Op = _bitwise(
    "bitwise_or",
    doc="The bits that are set in x or in y, element by element, broadcasting: ``x | y``.",
    example=">>> import tapeviz as tf\n>>> (tf.constant(12) | 10).numpy()\nnp.int32(14)",
    forward=ufunc("bitwise_or", "x y"),
    formula=r"z_i = x_i \vee y_i",
)

bitwise_xor: Op = _bitwise(
    "bitwise_xor",
    doc="The bits that are set in one of x and y alone, element by element, broadcasting: ``x ^ y``.",
    example=">>> import tapeviz as tf\n>>> (tf.constant(12) ^ 10).numpy()\nnp.int32(6)",
    forward=ufunc("bitwise_xor", "x y"),
    formula=r"z_i = x_i \oplus y_i",
)

invert = op(
    "invert",
    doc="Every bit of x inverted, element by element: ``~x``.",
    example=">>> import tapeviz as tf\n>>> (~tf.constant(12)).numpy()\nnp.int32(-13)",
    family="elementwise",
    forward=ufunc("invert"),
    infer=rules.elementwise,
    types=INTEGERS,
    formula=r"y_i = \neg x_i",
    samples=cases(([_BITS], {})),
    silent=True,
)


def _shift(xp: Any, function: Any, x: Any, y: Any) -> Any:
    """Shift by no less than 0 and by fewer places than there are: beyond that C says nothing, and devices differ."""
    return function(x, xp.minimum(xp.maximum(y, 0), x.dtype.itemsize * 8 - 1))


left_shift: Op = _bitwise(
    "left_shift",
    doc="The bits of x shifted left by y, element by element, broadcasting; y is clipped to 0 and the bits less one.",
    example=">>> import tapeviz as tf\n>>> tf.bitwise.left_shift([1, 3], 2).numpy()\narray([ 4, 12], dtype=int32)",
    forward=lambda xp, x, y: _shift(xp, xp.left_shift, x, y),
    formula=r"z_i = x_i \, 2^{y_i}",
)

right_shift: Op = _bitwise(
    "right_shift",
    doc="The bits of x shifted right by y, the sign kept, element by element; y is clipped to 0 and the bits less one.",
    example=">>> import tapeviz as tf\n>>> tf.bitwise.right_shift([8, -8], 2).numpy()\narray([ 2, -2], dtype=int32)",
    forward=lambda xp, x, y: _shift(xp, xp.right_shift, x, y),
    formula=r"z_i = \lfloor x_i / 2^{y_i} \rfloor",
)
