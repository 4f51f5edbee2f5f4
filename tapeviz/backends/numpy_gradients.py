"""Gradients that are faster on the host, for large arrays, than the ops that they are declared as.

A gradient written in ops makes an array for each of them. Here the steps are the same, to the last bit where numbers
are in the normal range, in one array, a piece at a time where the processor's cache helps.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from tapeviz.backends.blocks import into_blocks
from tapeviz.backends.rows import is_large, is_last
from tapeviz.backends.softmax_rows import log_softmax_gradient, loss_gradient, softmax_gradient

__all__ = ["GRADIENTS"]

_FLOATS: Final = frozenset(map(np.dtype, (np.float16, np.float32, np.float64)))
_LARGE: Final = 8192  # elements, below which a second array costs less than the questions asked here

Gradient = Callable[..., Any]


def _sigmoid(in_ops: Gradient) -> Gradient:
    """``g * (y * (1 - y))``: a bit more than half of the time."""

    def gradient(F: Any, g: Any, y: Any) -> Any:
        if y.size < _LARGE or not (_is_plain(g) and _is_plain(y) and g.dtype is y.dtype and g.shape == y.shape):
            return in_ops(F, g, y)
        return into_blocks(_sigmoid_slopes, g, y, np.empty(y.shape, y.dtype))

    return gradient


def _sigmoid_slopes(upstream: Any, value: Any, out: Any) -> None:
    np.subtract(1.0, value, out)
    np.multiply(value, out, out)
    np.multiply(upstream, out, out)


def _square(in_ops: Gradient) -> Gradient:
    """``g * x * 2``: half of the time after a sum over all elements, whose gradient is one number for all."""

    def gradient(F: Any, g: Any, x: Any) -> Any:
        if x.size < _LARGE or g.__class__ is not np.ndarray or x.dtype not in _FLOATS or g.dtype is not x.dtype:
            return in_ops(F, g, x)
        if not any(g.strides) and g.dtype != np.float16:  # twice a gradient is soon too large for float16
            return np.multiply(np.multiply(g[(0,) * g.ndim], 2.0), x)
        result = np.multiply(g, x)
        return np.multiply(result, 2.0, result)

    return gradient


def _softmax(of_rows: Callable[[Any, Any], Any]) -> Callable[[Gradient], Gradient]:
    """Of the rows of large arrays by their own function."""

    def faster(in_ops: Gradient) -> Gradient:
        def gradient(F: Any, g: Any, y: Any, axis: int) -> Any:
            fits = is_large(g) and is_large(y) and g.dtype is y.dtype and is_last(axis, y.ndim)
            return of_rows(g, y) if fits else in_ops(F, g, y, axis)

        return gradient

    return faster


def _label_loss(in_ops: Gradient) -> Gradient:
    """A softmax with 1 taken off at the labels, without rows of zeros and ones."""

    def gradient(F: Any, g: Any, labels: Any, logits: Any, logits_spec: Any) -> Any:
        fits = is_large(logits) and g.dtype is logits.dtype
        return loss_gradient(g, labels, logits) if fits else in_ops(F, g, labels, logits, logits_spec)

    return gradient


def _segment_sum(in_ops: Gradient) -> Gradient:
    """Rows picked, and nothing else where no segment has a negative number."""

    def gradient(F: Any, g: Any, data_spec: Any, segment_ids: Any, segment_ids_spec: Any) -> Any:
        if g.__class__ is not np.ndarray or not len(g) or segment_ids.min(initial=0) < 0:
            return in_ops(F, g, data_spec, segment_ids, segment_ids_spec)
        return np.take(g, segment_ids, axis=0)

    return gradient


def _is_plain(array: Any) -> bool:
    """Whether it is an array of the host's, of floating-point numbers one after the other."""
    return array.__class__ is np.ndarray and array.dtype in _FLOATS and array.flags.c_contiguous


GRADIENTS: Final[dict[tuple[str, str], Callable[[Gradient], Gradient]]] = {
    ("sigmoid", "x"): _sigmoid,
    ("square", "x"): _square,
    ("softmax", "logits"): _softmax(softmax_gradient),
    ("log_softmax", "logits"): _softmax(log_softmax_gradient),
    ("unsorted_segment_sum", "data"): _segment_sum,
    ("sparse_softmax_cross_entropy_with_logits", "logits"): _label_loss,
}
"""By op and input: what makes, of the gradient in ops, one that is faster on arrays of the host."""
