"""``tf.logging``: messages, by Python's logging."""

from __future__ import annotations

import logging
from collections.abc import Callable
from logging import DEBUG, ERROR, FATAL, INFO, WARN
from typing import Any, Final

__all__ = [
    "DEBUG", "ERROR", "FATAL", "INFO", "WARN", "debug", "error", "fatal", "get_verbosity", "info", "log",
    "set_verbosity", "warn", "warning",
]  # fmt: skip

_logger: Final = logging.getLogger("tensorflow")

debug: Callable[..., None] = _logger.debug
info: Callable[..., None] = _logger.info
warn: Callable[..., None] = _logger.warning
warning: Callable[..., None] = _logger.warning
error: Callable[..., None] = _logger.error
fatal: Callable[..., None] = _logger.critical
log: Callable[..., None] = _logger.log


def set_verbosity(v: Any) -> None:
    """Show messages from this level on."""
    _logger.setLevel(v)


def get_verbosity() -> int:
    """The level from which on messages are shown."""
    return _logger.getEffectiveLevel()
