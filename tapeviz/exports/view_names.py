"""The names of the interactive views. Written by `python -m tools.view_names`; a test compares."""

from __future__ import annotations

from typing import Final

__all__ = ["VIEWS"]

VIEWS: Final = ("timeline", "flow", "tensor", "code", "graph", "traces", "step")
