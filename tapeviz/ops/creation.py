"""Tensors from nothing but a shape."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.engine.convert import convert_to_tensor
from tapeviz.engine.declaration import Spec
from tapeviz.engine.define import op
from tapeviz.engine.dtypes import as_dtype
from tapeviz.engine.operators import public
from tapeviz.engine.samples import cases
from tapeviz.engine.shapes import as_dimensions

__all__ = ["ones", "ones_like", "zeros", "zeros_like"]

_SAMPLES = cases(([], {"shape": (2, 3), "dtype": np.dtype(np.float64)}), ([], {"shape": (), "dtype": np.dtype(np.int32)}))

_zeros = op(
    "zeros",
    doc="Zeros.",
    family="shape",
    forward=lambda xp, *, shape, dtype: xp.zeros(shape, dtype),
    infer=lambda *, shape, dtype: Spec(tuple(shape), np.dtype(dtype)),
    formula=r"y_i = 0",
    samples=_SAMPLES,
)

_ones = op(
    "ones",
    doc="Ones.",
    family="shape",
    forward=lambda xp, *, shape, dtype: xp.ones(shape, dtype),
    infer=lambda *, shape, dtype: Spec(tuple(shape), np.dtype(dtype)),
    formula=r"y_i = 1",
    samples=_SAMPLES,
)


def zeros(shape: Any, dtype: Any = "float32", name: str | None = None) -> Any:  # noqa: ARG001
    """Zeros of this shape.

    >>> import tapeviz as tf
    >>> tf.zeros([2]).numpy()
    array([0., 0.], dtype=float32)
    """
    return _zeros.run(as_dimensions(shape), as_dtype(dtype).numpy)


def ones(shape: Any, dtype: Any = "float32", name: str | None = None) -> Any:  # noqa: ARG001
    """Ones of this shape.

    >>> import tapeviz as tf
    >>> tf.ones([2]).numpy()
    array([1., 1.], dtype=float32)
    """
    return _ones.run(as_dimensions(shape), as_dtype(dtype).numpy)


def zeros_like(input: Any, dtype: Any = None, name: str | None = None) -> Any:  # noqa: A002, ARG001
    """Zeros of the shape (and dtype, unless given) of ``input``.

    >>> import tapeviz as tf
    >>> tf.zeros_like([1, 2]).numpy()
    array([0, 0], dtype=int32)
    """
    return _like(_zeros, input, dtype)


def ones_like(input: Any, dtype: Any = None, name: str | None = None) -> Any:  # noqa: A002, ARG001
    """Ones of the shape (and dtype, unless given) of ``input``.

    >>> import tapeviz as tf
    >>> tf.ones_like([1, 2]).numpy()
    array([1, 1], dtype=int32)
    """
    return _like(_ones, input, dtype)


def _like(filler: Any, value: Any, dtype: Any) -> Any:
    tensor = convert_to_tensor(value)
    return filler.run(tensor._a.shape, tensor._a.dtype if dtype is None else as_dtype(dtype).numpy)


public["ones_like"] = ones_like
public["zeros_like"] = zeros_like
public["convert_to_tensor"] = convert_to_tensor
