"""What all layers are told when they are made: a dtype, and the shape of what comes in."""

from __future__ import annotations

from typing import Any

from tapeviz.engine.dtypes import as_dtype
from tapeviz.engine.shapes import TensorShape

__all__ = ["dtype_name", "given_shape"]


def dtype_name(dtype: Any) -> str:
    """The name of a dtype given as one, as a name, or as the config of a policy.

    Raises:
        ValueError: it is a policy of two dtypes.
    """
    if isinstance(dtype, dict):
        dtype = dtype.get("config", {}).get("name")
    if isinstance(dtype, str) and dtype.startswith("mixed_"):
        raise ValueError(f"The policy {dtype!r} computes in another dtype than that of the weights, which is not "
                         "offered here: give one of 'float16', 'float32', 'float64'")  # fmt: skip
    return as_dtype(dtype).name


def given_shape(kind: str, kwargs: dict[str, Any]) -> tuple[int | None, ...] | None:
    """The shape of inputs, with the batch, that arguments of a layer say."""
    batch = kwargs.pop("batch_size", None)
    shape, whole = kwargs.pop("input_shape", None), kwargs.pop("batch_input_shape", None)
    whole = kwargs.pop("batch_shape", whole)
    size = kwargs.pop("input_dim", None)
    for ignored in ("weights", "dynamic", "implementation"):
        kwargs.pop(ignored, None)
    if kwargs:
        raise ValueError(f"Unrecognized keyword arguments passed to {kind}: {kwargs}")
    if whole is not None:
        return TensorShape(whole).dims
    if shape is None and size is None:
        return None
    return (batch, *(TensorShape((size,) if shape is None else shape).dims or ()))
