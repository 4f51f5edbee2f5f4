"""The ops, a family a file. Importing this declares them all."""

from __future__ import annotations

from tapeviz.ops import arithmetic, creation, elementwise, matrices, reductions, shaping, state_ops

__all__ = ["arithmetic", "creation", "elementwise", "matrices", "reductions", "shaping", "state_ops"]
