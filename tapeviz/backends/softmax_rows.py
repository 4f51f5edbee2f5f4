"""Softmax and what is made of it, of the rows of large arrays: a block of rows at a time, on several threads.

The steps are those of the ops, in their order, so results are equal to the bit to those of a graph that takes the steps
one by one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.backends.rows import in_rows, row_totals

__all__ = ["label_losses", "log_softmax_gradient", "log_softmax_rows", "loss_gradient", "softmax_gradient",
           "softmax_rows"]  # fmt: skip


def _below(x: Any, out: Any) -> None:
    """How far the elements of each row are below its largest."""
    np.subtract(x, np.maximum.reduce(x, axis=1, keepdims=True), out)


def _totals(x: Any) -> Any:
    """The sums of rows, as a column."""
    sums = np.empty((len(x), 1), x.dtype)
    row_totals(x, sums[:, 0])
    return sums


def _shares(x: Any, out: Any) -> None:
    _below(x, out)
    np.exp(out, out)
    np.divide(out, _totals(out), out)


def softmax_rows(x: Any) -> Any:
    """The softmax of each row."""
    result = np.empty(x.shape, x.dtype)
    in_rows(_shares, x, result)
    return result


def softmax_gradient(g: Any, y: Any) -> Any:
    """The gradient by the logits of a softmax ``y``."""
    result = np.empty(y.shape, y.dtype)

    def compute(g: Any, y: Any, out: Any) -> None:
        np.multiply(g, y, out)
        np.subtract(g, _totals(out), out)
        np.multiply(out, y, out)

    in_rows(compute, g, y, result)
    return result


def log_softmax_rows(x: Any) -> Any:
    """The logarithm of the softmax of each row."""
    result = np.empty(x.shape, x.dtype)

    def compute(x: Any, out: Any) -> None:
        _below(x, out)
        np.subtract(out, np.log(_totals(np.exp(out))), out)

    in_rows(compute, x, result)
    return result


def log_softmax_gradient(g: Any, y: Any) -> Any:
    """The gradient by the logits of a logarithm ``y`` of a softmax."""
    result = np.empty(y.shape, y.dtype)

    def compute(g: Any, y: Any, out: Any) -> None:
        np.exp(y, out)
        np.multiply(out, _totals(g), out)
        np.subtract(g, out, out)

    in_rows(compute, g, y, result)
    return result


def label_losses(labels: Any, x: Any) -> Any:
    """The cross-entropy of each row's softmax with the class that its label names."""
    result = np.empty(labels.shape, x.dtype)

    def compute(x: Any, labels: Any, out: Any) -> None:
        below = np.empty(x.shape, x.dtype)
        _below(x, below)
        picked = below[np.arange(len(x)), labels]
        total = _totals(np.exp(below, below))[:, 0]
        np.negative(np.subtract(picked, np.log(total)), out)

    in_rows(compute, x, labels, result)
    return result


def loss_gradient(g: Any, labels: Any, x: Any) -> Any:
    """The gradient of those losses by the logits ``x``."""
    result = np.empty(x.shape, x.dtype)

    def compute(x: Any, g: Any, labels: Any, out: Any) -> None:
        _shares(x, out)
        out[np.arange(len(x)), labels] -= 1.0
        np.multiply(out, g[:, None], out)

    in_rows(compute, x, g, labels, result)
    return result
