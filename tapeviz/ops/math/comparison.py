"""Comparisons: a truth value for each pair of elements."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from tapeviz.engine import rules
from tapeviz.engine.declaration import Op, registry, ufunc
from tapeviz.engine.deferred_numbers import has_deferred
from tapeviz.engine.dispatch import convert_inputs
from tapeviz.engine.op_definition import op
from tapeviz.engine.operators import public
from tapeviz.engine.samples import cases
from tapeviz.engine.tensor import EagerTensor
from tapeviz.engine.types import NUMBERS

__all__ = ["equal", "greater", "greater_equal", "is_non_decreasing", "is_strictly_increasing", "less", "less_equal",
           "not_equal"]  # fmt: skip

_compare = partial(
    op,
    family="elementwise",
    infer=rules.comparison,
    samples=cases(
        ([np.array([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]]), np.array([1.0, 2.0, 2.0])], {}),
        ([np.array(1.0), np.array(1.0)], {}),
        ([(2, 1), (3,)], {}),
    ),
    silent=True,
)

equal: Op = _compare(
    "equal",
    doc="Whether x = y, element by element, broadcasting. Takes every dtype.",
    example=">>> import tapeviz as tf\n>>> tf.equal([1, 2], 2).numpy()\narray([False,  True])",
    forward=ufunc("equal", "x y"),
    formula=r"z_i = [x_i = y_i]",
    traits="exact",
)

not_equal: Op = _compare(
    "not_equal",
    doc="Whether x and y differ, element by element, broadcasting. Takes every dtype.",
    example=">>> import tapeviz as tf\n>>> tf.not_equal([1, 2], 2).numpy()\narray([ True, False])",
    forward=ufunc("not_equal", "x y"),
    formula=r"z_i = [x_i \ne y_i]",
    traits="exact",
)

less: Op = _compare(
    "less",
    doc="Whether x < y, element by element, broadcasting.",
    example=">>> import tapeviz as tf\n>>> tf.less([1, 2], 2).numpy()\narray([ True, False])",
    forward=ufunc("less", "x y"),
    types=NUMBERS,
    formula=r"z_i = [x_i < y_i]",
    traits="exact",
    operator="lt",
)

less_equal: Op = _compare(
    "less_equal",
    doc="Whether x <= y, element by element, broadcasting.",
    example=">>> import tapeviz as tf\n>>> tf.less_equal([1, 3], 2).numpy()\narray([ True, False])",
    forward=ufunc("less_equal", "x y"),
    types=NUMBERS,
    formula=r"z_i = [x_i \le y_i]",
    traits="exact",
    operator="le",
)

greater: Op = _compare(
    "greater",
    doc="Whether x > y, element by element, broadcasting.",
    example=">>> import tapeviz as tf\n>>> tf.greater([1, 3], 2).numpy()\narray([False,  True])",
    forward=ufunc("greater", "x y"),
    types=NUMBERS,
    formula=r"z_i = [x_i > y_i]",
    traits="exact",
    operator="gt",
)

greater_equal: Op = _compare(
    "greater_equal",
    doc="Whether x >= y, element by element, broadcasting.",
    example=">>> import tapeviz as tf\n>>> tf.greater_equal([1, 3], 2).numpy()\narray([False,  True])",
    forward=ufunc("greater_equal", "x y"),
    types=NUMBERS,
    formula=r"z_i = [x_i \ge y_i]",
    traits="exact",
    operator="ge",
)


def _neighbours(x: Any) -> tuple[Any, Any]:
    """Each element but the last, and the one after it."""
    row = public["convert_to_tensor"](x)
    if not (row.dtype.is_floating or row.dtype.is_integer or row.dtype.is_complex):
        raise TypeError(f"Expected x to be numeric, instead found: {row}")
    row = registry["reshape"].run(row, (-1,))
    return row[:-1], row[1:]


def is_non_decreasing(x: Any, name: str | None = None) -> Any:
    """Whether no element is smaller than the one before it, ``x`` read row by row; true for fewer than two.

    Raises:
        TypeError: ``x`` holds no numbers.

    >>> import tapeviz as tf
    >>> tf.math.is_non_decreasing([1.0, 1.0, 3.0]).numpy()
    np.True_
    """
    return registry["reduce_all"].run(less_equal.run(*_neighbours(x)), axis=None, keepdims=False)


def is_strictly_increasing(x: Any, name: str | None = None) -> Any:
    """Whether every element is larger than the one before it, ``x`` read row by row; true for fewer than two.

    Raises:
        TypeError: ``x`` holds no numbers.

    >>> import tapeviz as tf
    >>> tf.math.is_strictly_increasing([1.0, 1.0, 3.0]).numpy()
    np.False_
    """
    return registry["reduce_all"].run(less.run(*_neighbours(x)), axis=None, keepdims=False)


def _operator(declared: Any, *, unlike: bool) -> Any:
    """``==`` or ``!=``: shapes that cannot be compared are an answer, not an error. So is None."""

    def compare(x: Any, y: Any) -> Any:
        if y.__class__ is EagerTensor and y._a.shape == x.shape:
            return declared.run(x, y)
        if y is None:
            return unlike
        first, second = convert_inputs(declared, (x, y))
        shapes = first._a.shape, second._a.shape
        if rules.broadcastable(*shapes) or has_deferred(shapes):
            return declared.run(x, y)  # as they were given, for what may be wrong with them
        return public["convert_to_tensor"](unlike)

    return compare


public["tensor_equal"] = _operator(equal, unlike=False)
public["tensor_not_equal"] = _operator(not_equal, unlike=True)
