"""From one dtype to another without leaving its range."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.engine.convert import convert_to_tensor
from tapeviz.engine.declaration import registry
from tapeviz.engine.dtypes import DType, as_dtype
from tapeviz.engine.operators import public

__all__ = ["saturate_cast"]


def saturate_cast(value: Any, dtype: Any, name: str | None = None) -> Any:
    """``value`` in another dtype; what lies beyond that dtype's range becomes its smallest or its largest number.

    Args:
        value: numbers of any shape; of complex ones the real part is taken where ``dtype`` is real.
        dtype: the dtype wanted.
        name: accepted as TensorFlow does.

    Raises:
        TypeError: ``value`` or ``dtype`` has no smallest number.

    >>> import tapeviz as tf
    >>> tf.saturate_cast([-5.0, 300.0], tf.uint8).numpy()
    array([  0, 255], dtype=uint8)
    """
    value, wanted = convert_to_tensor(value), as_dtype(dtype)
    if value.dtype.is_complex:
        if wanted.is_complex:
            return public["cast"](value, wanted)
        value = registry["real"].run(value)
    given = value.dtype
    limits = as_dtype(np.finfo(wanted.numpy).dtype) if wanted.is_complex else wanted
    low, high = (_bound(given, limits, end) for end in ("min", "max"))
    if low is not None:
        value = registry["maximum"].run(value, low)
    if high is not None:
        value = registry["minimum"].run(value, high)
    return public["cast"](value, wanted)


def _bound(given: DType, wanted: DType, end: str) -> Any:
    """The last number of ``wanted`` in the dtype given, if that goes further."""
    for dtype in (given, wanted):
        if dtype.is_bool:
            raise TypeError(f"Cannot find {end}imum value of {dtype} with type {dtype}.")
    ours, theirs = getattr(given, end), getattr(wanted, end)
    if not (ours < theirs if end == "min" else ours > theirs):
        return None
    bound = np.array(theirs, given.numpy)
    # Rounded to the dtype given it may lie beyond: then the number before it.
    beyond = bound.item() < theirs if end == "min" else bound.item() > theirs
    return np.nextafter(bound, np.array(0, given.numpy)) if beyond else bound
