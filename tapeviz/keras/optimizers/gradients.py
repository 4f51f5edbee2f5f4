"""What happens to gradients before they change anything: missing ones, sparse ones, clipping."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.indexed_slices import IndexedSlices
from tapeviz.engine.variable import Variable
from tapeviz.ops.array.cast import cast
from tapeviz.ops.math.clip import clip_by_global_norm, clip_by_norm
from tapeviz.ops.math.rounding import clip_by_value

__all__ = ["clipped", "present", "ready"]


def present(gradients: Sequence[Any], variables: Sequence[Variable]) -> tuple[list[Any], list[Variable]]:
    """The gradients that there are, and their variables. Warns of those without.

    Raises:
        ValueError: there are none.
    """
    found = [(g, variable) for g, variable in zip(gradients, variables, strict=True) if g is not None]
    if not found:
        raise ValueError("No gradients provided for any variable.")
    if len(found) < len(variables):
        missing = [variable.name for g, variable in zip(gradients, variables, strict=True) if g is None]
        warnings.warn(
            f"Gradients do not exist for variables {missing} when minimizing the loss. If using `model.compile()`, "
            "did you forget to provide a `loss` argument?",
            stacklevel=4,
        )
    return [g for g, _ in found], [variable for _, variable in found]


def ready(gradient: Any, variable: Variable, *, slices: bool) -> Any:
    """A gradient as a tensor of the variable's dtype; indexed slices as such where ``slices`` says that they do.

    Raises:
        InvalidArgumentError: its shape is not the variable's.
    """
    if isinstance(gradient, IndexedSlices) and slices:
        return gradient
    tensor = convert_to_tensor(gradient) if hasattr(gradient, "dtype") else convert_to_tensor(gradient, variable.dtype)
    if not tensor.shape.is_compatible_with(variable.shape):
        raise InvalidArgumentError(
            f"Cannot update variable with shape {variable.shape} using a Tensor with shape {tensor.shape}, shapes "
            f"must be equal: the gradient of {variable.name}."
        )
    return tensor if tensor.dtype is variable.dtype else cast(tensor, variable.dtype)


def clipped(gradients: list[Any], norm: Any, value: Any, whole_norm: Any) -> list[Any]:
    """Gradients made smaller: each by its norm, each element by its size, or all by the norm of them together."""
    if norm:
        return [clip_by_norm(g, norm) for g in gradients]
    if whole_norm:
        return list(clip_by_global_norm(gradients, whole_norm)[0])
    return [clip_by_value(g, -value, value) for g in gradients] if value else gradients
