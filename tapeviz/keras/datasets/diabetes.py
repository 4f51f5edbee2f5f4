"""A regression: the progression of diabetes; scikit-learn's, which needs no network."""

from __future__ import annotations

from typing import Any

from tapeviz.keras.datasets.formats import Split
from tapeviz.keras.datasets.scikit_learn import arrays_of
from tapeviz.keras.datasets.split import shuffled

__all__ = ["load_data"]


def load_data(path: Any = None, test_split: float = 0.2, seed: int = 113) -> Split:
    """442 patients: ten measurements each, and how far the disease had gone a year later.

    They come with scikit-learn, which has to be installed; nothing is downloaded. Each measurement has mean 0 and the
    same variance.

    Args:
        path: an npz file with ``x`` and ``y`` instead.
        test_split: the share of the patients to hold out.
        seed: of the order.

    Returns:
        ``(x_train, y_train), (x_test, y_test)``: features ``(count, 10)`` and targets ``(count,)``, float64.

    Raises:
        ImportError: scikit-learn is not installed.
        FileNotFoundError: there is nothing at ``path``.
        ValueError: ``test_split`` is not a share, or the file is damaged.

    >>> import tapeviz as tf
    >>> (x_train, y_train), (x_test, y_test) = tf.keras.datasets.diabetes.load_data()
    >>> x_train.shape, y_test.shape
    ((353, 10), (89,))
    """
    x, y = arrays_of("diabetes", path)
    return shuffled(x, y, test_split, seed)
