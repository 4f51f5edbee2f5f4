"""Turning eager execution on, which here it always is, and what used to be told with it."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

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

DEVICE_PLACEMENT_EXPLICIT: Final = 0
DEVICE_PLACEMENT_WARN: Final = 1
DEVICE_PLACEMENT_SILENT: Final = 2
DEVICE_PLACEMENT_SILENT_FOR_INT32: Final = 3
SYNC: Final = 0
ASYNC: Final = 1

_POLICIES: Final = (
    None, DEVICE_PLACEMENT_EXPLICIT, DEVICE_PLACEMENT_WARN, DEVICE_PLACEMENT_SILENT, DEVICE_PLACEMENT_SILENT_FOR_INT32,
)  # fmt: skip
_MODES: Final = (None, SYNC, ASYNC)


class _Options(NamedTuple):
    """What eager execution was first asked to be like."""

    config: Any = None
    device_policy: int | None = None
    execution_mode: int | None = None


class _Start:
    """How this process began: with which options, and whether it has built a graph outside eager execution."""

    options: _Options | None = None
    graph_met = False


def enable_eager_execution(
    config: Any = None, device_policy: int | None = None, execution_mode: int | None = None
) -> None:
    """Execute eagerly from now on. tapeviz does so anyway, so most programs may leave this line in or out.

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
    if device_policy not in _POLICIES:
        raise ValueError("device_policy must be one of None, DEVICE_PLACEMENT_*")
    if execution_mode not in _MODES:
        raise ValueError("execution_mode must be one of None, SYNC, ASYNC")
    if _Start.graph_met:
        raise ValueError("tf.enable_eager_execution must be called at program startup.")
    asked = _Options(config, device_policy, execution_mode)
    if _Start.options is None:
        _Start.options = asked
        return
    if any(new is not None and new != old for new, old in zip(asked, _Start.options, strict=True)):
        old = _Start.options
        raise ValueError(
            f"Trying to change the options of an active eager execution. Context config: {old.config}, specified "
            f"config: {config}. Context device policy: {old.device_policy}, specified device policy: {device_policy}. "
            f"Context execution mode: {old.execution_mode},  specified execution mode {execution_mode}."
        )


def meet_graph() -> None:
    """Say that a graph was built outside eager execution: from now on it is too late to turn that on."""
    _Start.graph_met = True


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
