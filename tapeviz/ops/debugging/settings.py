"""Switches of TensorFlow's that scripts turn. Here they are remembered, and change nothing."""

from __future__ import annotations

import logging
from typing import Any, Final

__all__ = [
    "disable_traceback_filtering", "enable_traceback_filtering", "get_log_device_placement",
    "get_logger", "is_traceback_filtering_enabled", "set_log_device_placement",
]  # fmt: skip

_switches: Final = {"filtering": True, "placement": False}


def enable_traceback_filtering() -> None:
    """Remember that tracebacks shall leave out frames of the library.

    >>> import tapeviz as tf
    >>> tf.debugging.enable_traceback_filtering()
    """
    _switches["filtering"] = True


def disable_traceback_filtering() -> None:
    """Remember that tracebacks shall show all frames. Python's tracebacks always do; notebooks hide those of ops.

    >>> import tapeviz as tf
    >>> tf.debugging.disable_traceback_filtering()
    >>> tf.debugging.is_traceback_filtering_enabled()
    False
    >>> tf.debugging.enable_traceback_filtering()
    """
    _switches["filtering"] = False


def is_traceback_filtering_enabled() -> bool:
    """Whether tracebacks shall leave out frames of the library.

    >>> import tapeviz as tf
    >>> tf.debugging.is_traceback_filtering_enabled()
    True
    """
    return _switches["filtering"]


def set_log_device_placement(enabled: bool) -> None:
    """Remember whether placements shall be logged. ``Tensor.device`` and recordings tell them in any case.

    >>> import tapeviz as tf
    >>> tf.debugging.set_log_device_placement(False)
    """
    _switches["placement"] = bool(enabled)


def get_log_device_placement() -> bool:
    """Whether placements shall be logged.

    >>> import tapeviz as tf
    >>> tf.debugging.get_log_device_placement()
    False
    """
    return _switches["placement"]


def get_logger() -> Any:
    """Python's logger of TensorFlow, which warns of what a program should know.

    >>> import tapeviz as tf
    >>> tf.get_logger().name
    'tensorflow'
    """
    return logging.getLogger("tensorflow")
