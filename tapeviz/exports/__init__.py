"""A recording as other things: one module for each, with ``write(recording, target)``.

``tape_file`` (.tape), ``html`` (.html, interactive), ``chrome_trace`` (.json), ``summary_text`` and ``summary_html``
(what stands beside a widget); ``figures`` makes matplotlib figures. Each is loaded on first use, for some need
matplotlib.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = ["chrome_trace", "figures", "html", "summary_html", "summary_text", "tape_file"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        return import_module(f"tapeviz.exports.{name}")
    raise AttributeError(f"module 'tapeviz.exports' has no attribute {name!r}")


def __dir__() -> list[str]:
    return list(__all__)
