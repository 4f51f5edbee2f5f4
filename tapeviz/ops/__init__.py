"""The ops, a family a file. Importing this declares them all."""

from __future__ import annotations

from tapeviz.ops import (
    activations,
    arithmetic,
    comparison,
    creation,
    elementwise,
    gathering,
    indexing,
    joining,
    logic,
    losses,
    matrices,
    random_numbers,
    reductions,
    repeating,
    rounding,
    shaping,
    special,
    state_ops,
    statistics,
    trigonometry,
)

__all__ = [
    "activations",
    "arithmetic",
    "comparison",
    "creation",
    "elementwise",
    "gathering",
    "indexing",
    "joining",
    "logic",
    "losses",
    "matrices",
    "random_numbers",
    "reductions",
    "repeating",
    "rounding",
    "shaping",
    "special",
    "state_ops",
    "statistics",
    "trigonometry",
]
