"""What differs between tensors that are a pair, and whether it is more than rounding explains."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tapeviz.analysis.differences.contents import EPSILON, Compared, Contents, compared, gap, shape_text
from tapeviz.analysis.graph import Graph
from tapeviz.analysis.links import distinct, pick
from tapeviz.recording.schema import DTYPES

__all__ = ["BASES", "WHAT", "Figures", "Limits", "figures", "worst"]

# What can be said of a pair, the gravest last.
WHAT: Final = ("equal", "fused", "not_kept", "value", "nonfinite", "dtype", "shape", "only_a", "only_b")
_EQUAL, _FUSED, _NOT_KEPT, _VALUE, _NONFINITE, _DTYPE, _SHAPE = range(7)

# What it is known by, the least first.
BASES: Final = ("form", "stats", "values")
_FORM, _STATS, _VALUES = range(3)

_COARSE: Final = np.array([EPSILON.get(name, 0.0) for name in DTYPES] + [0.0])


@dataclass(frozen=True, slots=True)
class Limits:
    """Tolerated differences: for each pair the units in the last place that rounding explains, or tolerances for all.

    Attributes:
        allowed: units in the last place.
        summed: whether there are sums behind, so that errors are measured on the largest element, not on each.
        terms: gives, for some of the pairs, the size that errors are measured on at least then.
        tolerances: relative and absolute, in place of the others.
    """

    allowed: NDArray[np.float64]
    summed: NDArray[np.bool_]
    terms: Callable[[NDArray[Any]], NDArray[np.float64]]
    tolerances: tuple[float, float] | None = None


@dataclass(slots=True)
class Figures:
    """For each pair: what differs (a position in `WHAT`), by how much, whether that matters, and how it is known."""

    what: NDArray[np.int64]
    ulp: NDArray[np.float64]
    relative: NDArray[np.float64]
    absolute: NDArray[np.float64]
    material: NDArray[np.bool_]
    basis: NDArray[np.int64]


def figures(a: Contents, b: Contents, left: NDArray[Any], right: NDArray[Any], limits: Limits) -> Figures:
    """What differs between the tensors in rows ``left`` of one recording and ``right`` of the other."""
    fits = _shapes(a.graph, b.graph, left, right)
    dtypes = a.graph.recording.tensors.dtype[left], b.graph.recording.tensors.dtype[right]
    same_dtype = dtypes[0] == dtypes[1]
    by_values = compared(a, b, left, right, limits.tolerances)
    epsilon = np.maximum(*(pick(_COARSE, dtype.astype(np.int64)) for dtype in dtypes))
    by_stats = _by_stats(a.graph, b.graph, left, right, limits, epsilon)
    values = by_values.known & fits
    stats = by_stats.basis == _STATS
    ulp, relative, absolute = (
        np.where(values, getattr(by_values, name), np.where(stats & fits, getattr(by_stats, name), np.nan))
        for name in ("ulp", "relative", "absolute")
    )
    what = np.where(values, _judged(by_values), np.where(stats, by_stats.what, _NOT_KEPT))
    material = np.where(values, _matters(by_values, limits, dtypes, epsilon), stats & by_stats.material)
    basis = np.where(values, _VALUES, np.where(stats, _STATS, _FORM))
    found = Figures(what, ulp, relative, absolute, material, basis)
    # Another dtype is a difference by itself, unless somebody said how far apart values may be.
    found.material |= ~same_dtype & ((limits.tolerances is None) | (found.what == _NOT_KEPT))
    found.what = np.where(same_dtype, found.what, _DTYPE)
    found.what = np.where(fits, found.what, _SHAPE)
    found.material |= ~fits
    return found


def worst(found: Figures, rows: NDArray[Any], count: int) -> Figures:
    """Of several pairs of one row the gravest finding and the largest errors; a row without pairs is equal."""
    has = np.zeros(count, np.bool_)
    has[rows] = True
    what, basis = np.zeros(count, np.int64), np.full(count, _VALUES)
    np.maximum.at(what, rows, found.what)
    np.minimum.at(basis, rows, found.basis)
    material = np.zeros(count, np.bool_)
    np.logical_or.at(material, rows, found.material)
    ulp, relative, absolute = (np.full(count, np.nan) for _ in range(3))
    for largest, column in ((ulp, found.ulp), (relative, found.relative), (absolute, found.absolute)):
        np.fmax.at(largest, rows, column)
    basis = np.where(has, basis, _FORM)
    return Figures(np.where(has, what, _EQUAL), ulp, relative, absolute, material, basis)


def _shapes(a: Graph, b: Graph, left: NDArray[Any], right: NDArray[Any]) -> NDArray[np.bool_]:
    """Which pairs have the same shape."""
    texts: dict[str, int] = {}
    columns = []
    for graph, rows in ((a, left), (b, right)):
        column = graph.recording.tensors.shape[rows]
        known, where = np.unique(column, return_inverse=True)
        numbers = [texts.setdefault(shape_text(graph, row), len(texts)) for row in known.tolist()]
        columns.append(np.array(numbers, np.int64)[where])
    same: NDArray[np.bool_] = columns[0] == columns[1]
    return same


def _judged(found: Compared) -> NDArray[np.int64]:
    return np.where(found.nonfinite, _NONFINITE, np.where(found.absolute > 0, _VALUE, _EQUAL))


def _matters(
    found: Compared, limits: Limits, dtypes: tuple[NDArray[Any], NDArray[Any]], epsilon: NDArray[np.float64]
) -> NDArray[np.bool_]:
    if limits.tolerances is not None:
        return found.beyond | found.nonfinite
    apart = found.absolute > 0
    coarser = np.where(_COARSE[dtypes[0]] >= _COARSE[dtypes[1]], dtypes[0], dtypes[1])
    with np.errstate(invalid="ignore"):
        far = apart & ((epsilon == 0) | (found.ulp > limits.allowed))
    again = np.flatnonzero(far & limits.summed & (epsilon > 0))
    for dtype in distinct(coarser[again]).tolist():
        chosen = again[coarser[again] == dtype]
        size = np.fmax(found.largest[chosen], limits.terms(chosen))
        far[chosen] = found.absolute[chosen] / gap(size, DTYPES[dtype]) > limits.allowed[chosen]
    matters: NDArray[np.bool_] = found.nonfinite | far
    return matters


def _by_stats(
    a: Graph, b: Graph, left: NDArray[Any], right: NDArray[Any], limits: Limits, epsilon: NDArray[np.float64]
) -> Figures:
    """What the summaries of two tensors say; nothing of their elements."""
    rows, others = a.links.stats[left], b.links.stats[right]
    known = (rows >= 0) & (others >= 0)
    one, other = a.recording.stats, b.recording.stats

    def both(name: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        return pick(getattr(one, name), rows), pick(getattr(other, name), others)

    absolute, relative, scale = (np.zeros(len(left)) for _ in range(3))
    for name in ("min", "max", "mean"):
        x, y = both(name)
        absolute = np.fmax(absolute, np.abs(x - y))
        scale = np.fmax(scale, np.fmax(np.abs(x), np.abs(y)))
    norms = both("norm")
    with np.errstate(all="ignore"):
        relative = np.where(absolute > 0, absolute / scale, 0.0)
        relative = np.fmax(relative, np.abs(norms[0] - norms[1]) / np.fmax(*norms))
    odd = np.any([np.not_equal(*both(name)) for name in ("nan", "posinf", "neginf")], axis=0)
    if limits.tolerances is not None:
        material = absolute > limits.tolerances[1] + limits.tolerances[0] * scale
    else:
        material = np.where(epsilon > 0, relative > limits.allowed * epsilon, relative > 0)
        again = np.flatnonzero(known & material & limits.summed & (epsilon > 0))
        size = np.fmax(scale[again], limits.terms(again))
        material[again] = np.fmax(absolute[again], relative[again] * scale[again]) > (
            limits.allowed[again] * epsilon[again] * size
        )
    what = np.where(odd, _NONFINITE, np.where(relative > 0, _VALUE, _EQUAL))
    nothing = np.where(relative > 0, np.nan, 0.0)
    return Figures(what, nothing, relative, absolute, material | odd, np.where(known, _STATS, _FORM))
