"""Whether programs written for TensorFlow 1 build graphs, as they begin, or run their ops at once.

The mode is one of this namespace, not of the process: what is imported from ``tapeviz`` itself runs at once.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from tapeviz.engine.state import local

__all__ = [
    "ASYNC",
    "DEVICE_PLACEMENT_EXPLICIT",
    "DEVICE_PLACEMENT_SILENT",
    "DEVICE_PLACEMENT_SILENT_FOR_INT32",
    "DEVICE_PLACEMENT_WARN",
    "SYNC",
    "Start",
    "begin",
    "disable_eager_execution",
    "disable_v2_behavior",
    "enable_eager_execution",
    "enable_v2_behavior",
    "is_eager",
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


class Options(NamedTuple):
    """What eager execution was first asked to be like."""

    config: Any = None
    device_policy: int | None = None
    execution_mode: int | None = None


class Start:
    """How this process began: eager execution with which options, if at all, and whether it has built a graph."""

    options: Options | None = None
    graph_met = False


def begin(config: Any = None, device_policy: int | None = None, execution_mode: int | None = None) -> None:
    """Remember that eager execution is on, and with which options.

    Raises:
        ValueError: it comes too late, after the first graph; it was called before with other options; an option is
            none of those named.
    """
    if device_policy not in _POLICIES:
        raise ValueError("device_policy must be one of None, DEVICE_PLACEMENT_*")
    if execution_mode not in _MODES:
        raise ValueError("execution_mode must be one of None, SYNC, ASYNC")
    if Start.graph_met:
        raise ValueError("tf.enable_eager_execution must be called at program startup.")
    asked = Options(config, device_policy, execution_mode)
    if Start.options is None:
        Start.options = asked
        return
    if any(new is not None and new != old for new, old in zip(asked, Start.options, strict=True)):
        old = Start.options
        raise ValueError(
            f"Trying to change the options of an active eager execution. Context config: {old.config}, specified "
            f"config: {config}. Context device policy: {old.device_policy}, specified device policy: {device_policy}. "
            f"Context execution mode: {old.execution_mode},  specified execution mode {execution_mode}."
        )


def meet_graph() -> None:
    """Say that a graph was built outside eager execution: from now on it is too late to turn that on."""
    Start.graph_met = True


def is_eager() -> bool:
    """Whether eager execution was turned on for this namespace."""
    return Start.options is not None


def enable_eager_execution(
    config: Any = None, device_policy: int | None = None, execution_mode: int | None = None
) -> None:
    """Run ops at once from now on, instead of building graphs. It must come before anything else.

    Args:
        config: a :class:`ConfigProto`; remembered.
        device_policy: one of ``DEVICE_PLACEMENT_*``, or None; remembered.
        execution_mode: ``SYNC``, ``ASYNC`` or None; remembered.

    Raises:
        ValueError: it comes too late, after the first op; or it was called before with other options.
    """
    if local.state.graph is not None:
        raise ValueError("tf.enable_eager_execution must be called at program startup.")
    begin(config, device_policy, execution_mode)


def disable_eager_execution() -> None:
    """Build graphs, as this namespace does to begin with."""
    Start.options = None


def enable_v2_behavior() -> None:
    """Run ops at once: :func:`enable_eager_execution`."""
    enable_eager_execution()


def disable_v2_behavior() -> None:
    """Build graphs: :func:`disable_eager_execution`."""
    disable_eager_execution()
