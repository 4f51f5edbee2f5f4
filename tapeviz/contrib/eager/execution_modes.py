"""Turning eager execution on, which outside ``tapeviz.compat.v1`` it always is, and what used to be told with it."""

from __future__ import annotations

from typing import Any

from tapeviz.compat.v1.graph.v2_behavior import (
    ASYNC,
    DEVICE_PLACEMENT_EXPLICIT,
    DEVICE_PLACEMENT_SILENT,
    DEVICE_PLACEMENT_SILENT_FOR_INT32,
    DEVICE_PLACEMENT_WARN,
    SYNC,
    begin,
    meet_graph,
)
from tapeviz.engine.dtypes import DType, as_dtype
from tapeviz.engine.shapes import TensorShape

__all__ = [
    "ASYNC",
    "DEVICE_PLACEMENT_EXPLICIT",
    "DEVICE_PLACEMENT_SILENT",
    "DEVICE_PLACEMENT_SILENT_FOR_INT32",
    "DEVICE_PLACEMENT_WARN",
    "SYNC",
    "ShapeAndDtype",
    "enable_eager_execution",
    "executing_eagerly",
    "in_eager_mode",
    "meet_graph",
]


def enable_eager_execution(
    config: Any = None, device_policy: int | None = None, execution_mode: int | None = None
) -> None:
    """Execute eagerly from now on, in ``tapeviz.compat.v1`` too. Everything else of tapeviz does so anyway.

    Args:
        config: remembered; there is nothing to configure.
        device_policy: one of ``DEVICE_PLACEMENT_*``, or None. Remembered: an op's inputs are brought to one device
            whatever it says.
        execution_mode: ``SYNC``, ``ASYNC`` or None. Remembered: ops have run when their call returns.

    Raises:
        ValueError: it comes too late, after the first graph; it was called before with other options; an option is
            none of those named.

    >>> import tapeviz as tf, tapeviz.contrib.eager as tfe
    >>> tfe.enable_eager_execution()
    >>> tf.executing_eagerly()
    True
    """
    begin(config, device_policy, execution_mode)


def executing_eagerly() -> bool:
    """Whether ops run as soon as they are called: always, outside a traced function."""
    return True


def in_eager_mode() -> bool:
    """The first name of :func:`executing_eagerly`."""
    return executing_eagerly()


class ShapeAndDtype:
    """Shape and dtype that an argument has to have.

    >>> import tapeviz as tf, tapeviz.contrib.eager as tfe
    >>> wanted = tfe.ShapeAndDtype(shape=[None, 3], dtype=tf.float32)
    >>> wanted.shape, wanted.dtype
    (TensorShape([None, 3]), tf.float32)
    """

    __slots__ = ("dtype", "shape")

    def __init__(self, shape: Any, dtype: Any) -> None:
        self.shape: TensorShape = TensorShape(shape)
        self.dtype: DType = as_dtype(dtype)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ShapeAndDtype) and (self.shape, self.dtype) == (other.shape, other.dtype)

    def __hash__(self) -> int:
        return hash((self.shape, self.dtype))

    def __repr__(self) -> str:
        return f"ShapeAndDtype(shape={self.shape}, dtype={self.dtype!r})"
