"""The summary of an array that a recording keeps: one row of ``stats``."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

__all__ = ["BINS", "summary"]

BINS: Final = 32


def summary(array: np.ndarray) -> dict[str, Any]:
    """The columns of a ``stats`` row but for the tensor: figures over the finite elements, counts over all.

    Complex numbers are summarised by their sizes; text has no summary (an empty dict).
    """
    if array.dtype.kind not in "fiubc" and array.dtype.name != "bfloat16":  # a kind of its own in NumPy
        return {}
    values = (np.abs(array) if array.dtype.kind == "c" else array).ravel()
    with np.errstate(all="ignore"):
        return _figures(values.astype(np.float64, copy=False))


def _figures(values: np.ndarray) -> dict[str, Any]:
    size = values.size
    norm = float(np.sqrt(np.dot(values, values)))
    if np.isfinite(norm):  # a finite norm has only finite terms: the common case needs no masks
        finite, counts, bad = values, {"nan": 0, "posinf": 0, "neginf": 0}, -1
    else:
        mask = np.isfinite(values)
        finite = values[mask]
        counts = {
            "nan": int(np.isnan(values).sum()),
            "posinf": int(np.equal(values, np.inf).sum()),
            "neginf": int(np.equal(values, -np.inf).sum()),
        }
        bad = -1 if finite.size == size else int(np.argmin(mask))
        norm = float(np.linalg.norm(values)) if bad >= 0 else _large_norm(values)
    return {**_spread(finite), **counts, "norm": norm, "bad": bad, "zero": size - int(np.count_nonzero(values)),
            "negative": int(np.less(finite, 0).sum())}  # fmt: skip


def _large_norm(values: np.ndarray) -> float:
    """The norm of numbers whose squares overflow."""
    scale = float(np.max(np.abs(values)))
    return scale * float(np.linalg.norm(values / scale))


def _spread(finite: np.ndarray) -> dict[str, Any]:
    if not finite.size:
        return {"min": np.nan, "max": np.nan, "mean": np.nan, "std": np.nan, "histogram": bytes(4 * BINS)}
    low, high = float(np.minimum.reduce(finite)), float(np.maximum.reduce(finite))
    mean = float(np.add.reduce(finite)) / finite.size
    centred = finite - mean
    std = float(np.sqrt(np.dot(centred, centred) / finite.size))
    width = high - low
    scale = BINS / width if 0 < width < np.inf else 0.0
    bins = np.minimum(((finite - low) * scale).astype(np.intp), BINS - 1) if scale else np.zeros(finite.size, np.intp)
    histogram = np.bincount(bins, minlength=BINS).astype("<u4").tobytes()
    return {"min": low, "max": high, "mean": mean, "std": std, "histogram": histogram}
