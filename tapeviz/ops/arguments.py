"""What public functions ask of their arguments before an op runs, and how they say what is wrong."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tapeviz.engine.dtypes import DType
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.rules import shape_text
from tapeviz.engine.shapes import as_dimensions

__all__ = ["as_vector", "tf_name"]

_KERNELS_SAY: Final = {"float16": "half", "float32": "float", "float64": "double"}


def tf_name(dtype: DType) -> str:
    """The name of a dtype in the errors of TensorFlow's kernels."""
    return _KERNELS_SAY.get(dtype.name, dtype.name)


def as_vector(numbers: Any, complaint: str) -> tuple[int, ...]:
    """Whole numbers that must be a list, or a tensor or array of rank 1, as a tuple.

    Raises:
        InvalidArgumentError: they are one number or a matrix; ``complaint`` begins the message.
    """
    if numbers.__class__ in (list, tuple) and not any(isinstance(number, (list, tuple)) for number in numbers):
        return as_dimensions(numbers)
    host = numbers._host() if hasattr(numbers, "_host") else np.asarray(numbers)
    if host.ndim != 1:
        raise InvalidArgumentError(f"{complaint} {shape_text(host.shape)}")
    return tuple(int(number) for number in host)
