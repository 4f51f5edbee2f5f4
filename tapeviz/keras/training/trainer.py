"""The training methods of a model."""

from __future__ import annotations

__all__ = ["Trainer"]


class Trainer:
    """What a model inherits to be compiled, fitted, evaluated and asked for predictions."""
