"""Softmax and what is made of it, of the rows of large arrays: a block of rows at a time, on several threads.

The steps are those of the ops, in their order, so results are equal to the bit to those of a graph that takes the steps
one by one. Where there is a compiler, a kernel takes them, with NumPy's own exponentials and logarithms.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any, Final

import numpy as np

from tapeviz.backends.blocks import run_blocks
from tapeviz.backends.rows import KINDS, in_rows, places_of_rows, row_extremes, row_totals
from tapeviz.native.kernels import Kernel
from tapeviz.native.numpy_loops import loop_of
from tapeviz.native.row_kernels import LONGEST, WRITERS

__all__ = ["label_losses", "log_softmax_gradient", "log_softmax_rows", "loss_gradient", "softmax_gradient",
           "softmax_rows"]  # fmt: skip


def _below(x: Any, out: Any) -> None:
    """How far the elements of each row are below its largest."""
    peaks = np.empty((len(x), 1), x.dtype)
    row_extremes(np.maximum.reduce, x, peaks[:, 0])
    np.subtract(x, peaks, out)


def _totals(x: Any) -> Any:
    """The sums of rows, as a column."""
    sums = np.empty((len(x), 1), x.dtype)
    row_totals(x, sums[:, 0])
    return sums


def _softmax(x: Any, out: Any) -> None:
    _below(x, out)
    np.exp(out, out)
    np.divide(out, _totals(out), out)


def _softmax_gradient(g: Any, y: Any, out: Any) -> None:
    np.multiply(g, y, out)
    np.subtract(g, _totals(out), out)
    np.multiply(out, y, out)


def _log_softmax(x: Any, out: Any) -> None:
    _below(x, out)
    np.subtract(out, np.log(_totals(np.exp(out))), out)


def _log_softmax_gradient(g: Any, y: Any, out: Any) -> None:
    np.exp(y, out)
    np.multiply(out, _totals(g), out)
    np.subtract(g, out, out)


def _label_losses(x: Any, labels: Any, out: Any) -> None:
    below = np.empty(x.shape, x.dtype)
    _below(x, below)
    picked = below[np.arange(len(x)), labels]
    total = _totals(np.exp(below, below))[:, 0]
    np.negative(np.subtract(picked, np.log(total)), out)


def _loss_gradient(x: Any, g: Any, labels: Any, out: Any) -> None:
    _softmax(x, out)
    out[np.arange(len(x)), labels] -= 1.0
    np.multiply(out, g[:, None], out)


_STEPS: Final[dict[str, Callable[..., None]]] = {
    "softmax": _softmax, "softmax_gradient": _softmax_gradient, "log_softmax": _log_softmax,
    "log_softmax_gradient": _log_softmax_gradient, "label_losses": _label_losses, "loss_gradient": _loss_gradient,
}  # fmt: skip
"""What NumPy does with a block of rows; the last array is written to."""

_MATRIX, _COLUMN, _LABELS = "a number for each element", "a number for each row", "a label for each row"
_ARRAYS: Final = {
    "softmax": (_MATRIX, _MATRIX),
    "softmax_gradient": (_MATRIX, _MATRIX, _MATRIX),
    "log_softmax": (_MATRIX, _MATRIX),
    "log_softmax_gradient": (_MATRIX, _MATRIX, _MATRIX),
    "label_losses": (_MATRIX, _LABELS, _COLUMN),
    "loss_gradient": (_MATRIX, _COLUMN, _LABELS, _MATRIX),
}
_LABEL: Final = np.dtype(np.int64)
_GROUP: Final = 4096  # elements that go through all steps before the next do


def softmax_rows(x: Any) -> Any:
    """The softmax of each row."""
    return _computed("softmax", x, np.empty(x.shape, x.dtype))


def softmax_gradient(g: Any, y: Any) -> Any:
    """The gradient by the logits of a softmax ``y``."""
    return _computed("softmax_gradient", g, y, np.empty(y.shape, y.dtype))


def log_softmax_rows(x: Any) -> Any:
    """The logarithm of the softmax of each row."""
    return _computed("log_softmax", x, np.empty(x.shape, x.dtype))


def log_softmax_gradient(g: Any, y: Any) -> Any:
    """The gradient by the logits of a logarithm ``y`` of a softmax."""
    return _computed("log_softmax_gradient", g, y, np.empty(y.shape, y.dtype))


def label_losses(labels: Any, x: Any) -> Any:
    """The cross-entropy of each row's softmax with the class that its label names."""
    return _computed("label_losses", x, labels.astype(_LABEL), np.empty(labels.shape, x.dtype))


def loss_gradient(g: Any, labels: Any, x: Any) -> Any:
    """The gradient of those losses by the logits ``x``."""
    return _computed("loss_gradient", x, g, labels.astype(_LABEL), np.empty(x.shape, x.dtype))


def _computed(name: str, *arrays: Any) -> Any:
    """The last array, when the rows of those before have gone through the steps."""
    x, result = arrays[0], arrays[-1]
    function = _KERNELS[name, x.dtype].ready() if x.shape[-1] < LONGEST else None
    if function is None:
        in_rows(_STEPS[name], *arrays)
        return result
    given = [array if array.flags.c_contiguous else np.ascontiguousarray(array) for array in arrays]
    rows = x.reshape(-1, x.shape[-1])
    run_blocks(lambda place: _run(function, place, rows, given), places_of_rows(rows))
    return result


def _run(function: Callable[..., Any], place: slice, rows: Any, arrays: Any) -> None:
    """Have a kernel compute some rows."""
    length = rows.shape[1]
    group = max(1, _GROUP // length)
    work = np.empty(group * (length + 1), rows.dtype)
    function(place.start, place.stop, *arrays, work, length, group, *_loops(rows.dtype))


@cache
def _loops(dtype: np.dtype) -> tuple[int, ...]:
    """Where NumPy's exponential, logarithm and sum are, each with its data; nothing where one is not found."""
    found = [loop_of(np.exp, (dtype,) * 2), loop_of(np.log, (dtype,) * 2), loop_of(np.add, (dtype,) * 3)]
    return tuple(address for loop in found if loop for address in loop) if all(found) else ()


def _agrees(function: Callable[..., Any], name: str, dtype: np.dtype) -> bool:
    """Whether a kernel gives NumPy's numbers for rows of several lengths."""
    rng = np.random.default_rng(0)
    if not _loops(dtype):
        return False
    for count, length in ((50, 3), (7, 63), (90, 64), (9, 100), (5, 1000), (3, 1025), (2, 5000)):
        labels = rng.integers(0, length, count)
        drawn = {_MATRIX: rng.normal(size=(count, length)), _COLUMN: rng.normal(size=count)}
        kinds = {kind: value.astype(dtype) for kind, value in drawn.items()} | {_LABELS: labels}
        *inputs, found = [kinds[kind].copy() for kind in _ARRAYS[name]]
        wanted = found.copy()
        _run(function, slice(0, count), inputs[0], [*inputs, found])
        _STEPS[name](*inputs, wanted)
        if found.tobytes() != wanted.tobytes():
            return False
    return True


_KERNELS: Final = {
    (name, dtype): Kernel(partial(write, kind), partial(_agrees, name=name, dtype=dtype))
    for name, write in WRITERS.items()
    for dtype, kind in KINDS.items()
}
