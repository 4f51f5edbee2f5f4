"""Handwritten digits for the programs: few, small, and the same each time."""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_digits

__all__ = ["as_pictures", "as_rows"]


def as_rows(count: int = 500) -> tuple[np.ndarray, np.ndarray]:
    """Pictures as rows of 64 grey levels from 0 to 1, and the digits that were meant."""
    found = load_digits()
    return (found.data[:count] / 16.0).astype(np.float32), found.target[:count].astype(np.int64)


def as_pictures(count: int = 500) -> tuple[np.ndarray, np.ndarray]:
    """Pictures of 8 by 8 pixels and one channel, and the digits that were meant."""
    rows, digits = as_rows(count)
    return rows.reshape(-1, 8, 8, 1), digits
