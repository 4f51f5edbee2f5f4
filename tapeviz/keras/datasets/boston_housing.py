"""Boston housing: 506 districts, with the median price of a house in thousands."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tapeviz.keras.datasets.download import Remote, cached, given_path
from tapeviz.keras.datasets.formats import Split, npz

__all__ = ["load_data"]

_FILE: Final = Remote(
    "boston_housing.npz",
    "https://storage.googleapis.com/tensorflow/tf-keras-datasets/boston_housing.npz",
    "f553886a1f8d56431e820c5b82552d9d95cfcb96d1e678153f8839538947dff5",
)


def load_data(path: Any = "boston_housing.npz", test_split: float = 0.2, seed: int = 113) -> Split:
    """13 numbers for each of 506 districts, and the price of its houses.

    They are read from ``path``, else from the cache, else downloaded, as :func:`tapeviz.keras.datasets.mnist.load_data`
    does. One of the numbers is of race: the data are there for old programs, and ``california_housing`` for new ones.

    Args:
        path: an npz file with ``x`` and ``y``.
        test_split: the share to test with.
        seed: of the order.

    Returns:
        ``(x_train, y_train), (x_test, y_test)``: numbers ``(count, 13)`` and prices.

    Raises:
        FileNotFoundError: there is nothing at ``path``.
        ConnectionError: they are not in the cache and cannot be downloaded.

    >>> import tapeviz as tf
    >>> try:
    ...     tf.keras.datasets.boston_housing.load_data(path="/no/such/file.npz")
    ... except FileNotFoundError as error:
    ...     print(str(error).partition(",")[0])
    path='/no/such/file.npz': there is no such file or folder
    """
    x, y = npz(given_path(path, _FILE.name) or cached("boston_housing", [_FILE])[0], ("x", "y"))
    order = np.random.RandomState(seed).permutation(len(x))
    x, y, held = x[order], y[order], int(len(x) * (1 - test_split))
    return (x[:held], y[:held]), (x[held:], y[held:])
