"""A regression: what houses cost in California."""

from __future__ import annotations

from typing import Any, Final

from tapeviz.keras.datasets.download import Remote, cached, given_path
from tapeviz.keras.datasets.formats import Split, npz
from tapeviz.keras.datasets.split import checked_share, shuffled

__all__ = ["load_data"]

_SMALL: Final = 600
_FILE: Final = Remote(
    "california_housing.npz",
    "https://storage.googleapis.com/tensorflow/tf-keras-datasets/california_housing.npz",
    "1a2e3a52e0398de6463aebe6f4a8da34fb21fbb6b934cf88c3425e766f2a1a6f",
)


def load_data(
    version: str = "large", path: Any = "california_housing.npz", test_split: float = 0.2, seed: int = 113
) -> Split:
    """20,640 blocks of houses of 1990: eight features each, and the median value of a house in dollars.

    The features: median income, age of the houses, average numbers of rooms and of bedrooms, population, average number
    of people in a household, latitude, longitude. They are read from ``path``, else from the cache, else downloaded, as
    :func:`tapeviz.keras.datasets.mnist.load_data` does.

    Args:
        version: "large" for all, "small" for the first 600.
        path: an npz file with ``x`` and ``y``.
        test_split: the share of the blocks to hold out.
        seed: of the order.

    Returns:
        ``(x_train, y_train), (x_test, y_test)``: features ``(count, 8)`` and targets ``(count,)``.

    Raises:
        FileNotFoundError: there is nothing at ``path``.
        ConnectionError: they are not in the cache and cannot be downloaded.
        ValueError: an argument is not as it should be, or the file is damaged.

    >>> import os, tempfile, numpy as np, tapeviz as tf
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "houses.npz")
    ...     np.savez(path, x=np.zeros([10, 8]), y=np.arange(10.0))
    ...     (x_train, y_train), (x_test, y_test) = tf.keras.datasets.california_housing.load_data(path=path)
    >>> x_train.shape, y_test.shape
    ((8, 8), (2,))
    """
    if version not in ("small", "large"):
        raise ValueError(f"Argument `version` must be one of 'small', 'large'. Received: version={version}")
    checked_share(test_split)
    named = given_path(path, _FILE.name)
    x, y = npz(cached("california_housing", [_FILE])[0] if named is None else named, ("x", "y"))
    if version == "small":
        x, y = x[:_SMALL], y[:_SMALL]
    return shuffled(x, y, test_split, seed)
