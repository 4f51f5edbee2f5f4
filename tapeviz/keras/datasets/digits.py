"""Handwritten digits, 8 by 8: scikit-learn's, which need no network."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.keras.datasets.formats import Split
from tapeviz.keras.datasets.scikit_learn import arrays_of
from tapeviz.keras.datasets.split import stratified

__all__ = ["load_data"]

_SIDE = 8


def load_data(path: Any = None, test_split: float = 0.2, seed: int = 113) -> Split:
    """1,797 handwritten digits as images of 8 by 8 with values from 0 to 16.

    They come with scikit-learn, which has to be installed; nothing is downloaded.

    Args:
        path: an npz file with ``x`` and ``y`` instead.
        test_split: the share of the examples to hold out, the same of each digit.
        seed: of the split and the order: the same seed, the same split.

    Returns:
        ``(x_train, y_train), (x_test, y_test)``: images ``(count, 8, 8)`` and labels ``(count,)``, uint8.

    Raises:
        ImportError: scikit-learn is not installed.
        FileNotFoundError: there is nothing at ``path``.
        ValueError: ``test_split`` is not a share, or the file is damaged.

    >>> import tapeviz as tf
    >>> (x_train, y_train), (x_test, y_test) = tf.keras.datasets.digits.load_data()
    >>> x_train.shape, y_test.shape, int(x_train.max())
    ((1438, 8, 8), (359,), 16)
    """
    x, y = arrays_of("digits", path)
    return stratified(x.reshape(-1, _SIDE, _SIDE).astype(np.uint8), y.astype(np.uint8), test_split, seed)
