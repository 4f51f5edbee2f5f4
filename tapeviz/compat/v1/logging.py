"""``tf.logging``: messages, by Python's logging."""

from __future__ import annotations

import logging
from collections.abc import Callable
from logging import DEBUG, ERROR, FATAL, INFO, WARN
from typing import Any, Final

from tapeviz.namespaces.absent_names import absent

__all__ = [
    "DEBUG", "ERROR", "FATAL", "INFO", "WARN", "debug", "error", "fatal", "flush", "get_verbosity", "info", "log",
    "log_every_n", "log_first_n", "log_if",
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


def log_if(level: int, msg: str, condition: Any, *args: Any) -> None:
    """A message where a condition holds."""
    if condition:
        log(level, msg, *args)


_counts: Final[dict[tuple[int, str], int]] = {}


def log_every_n(level: int, msg: str, n: int, *args: Any) -> None:
    """A message at the first of every ``n`` calls with it."""
    count = _counts[level, msg] = _counts.get((level, msg), -1) + 1
    log_if(level, msg, count % n == 0, *args)


def log_first_n(level: int, msg: str, n: int, *args: Any) -> None:
    """A message at the first ``n`` calls with it."""
    count = _counts[level, msg] = _counts.get((level, msg), -1) + 1
    log_if(level, msg, count < n, *args)


def flush() -> None:
    """Have what was said written by now."""
    for handler in _logger.handlers:
        handler.flush()


def __getattr__(name: str) -> Any:
    raise absent(__name__, name)


def get_verbosity() -> int:
    """The level from which on messages are shown."""
    return _logger.getEffectiveLevel()
