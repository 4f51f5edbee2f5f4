"""Broadcasting undone, for gradients."""

from __future__ import annotations

from typing import Any

from tapeviz.engine.deferred import has_deferred

__all__ = ["unbroadcast"]


def unbroadcast(ops: Any, gradient: Any, shape: tuple[int, ...]) -> Any:
    """Sum ``gradient`` over the axes along which an input of ``shape`` was repeated; ``ops`` is ``F``."""
    if hasattr(gradient, "_numbers") and has_deferred((*shape, *gradient._a.shape)):
        return ops.sum_to_shape(gradient, shape=shape)
    extra = len(gradient.shape) - len(shape)
    axes = tuple(range(extra)) + tuple(
        axis + extra for axis, size in enumerate(shape) if size == 1 and gradient.shape[axis + extra] != 1
    )
    if axes:
        gradient = ops.reduce_sum(gradient, axis=axes, keepdims=False)
    return ops.reshape(gradient, shape=shape) if tuple(gradient.shape) != shape else gradient
