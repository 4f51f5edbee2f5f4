"""``tensorflow.examples.tutorials.mnist.input_data``: MNIST as the first tutorials read it, batch by batch."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tapeviz.keras.datasets import mnist

__all__ = ["DataSet", "Datasets", "read_data_sets"]


class DataSet:
    """Images and labels, from which batches are taken in turn, in another order each time around."""

    def __init__(
        self, images: Any, labels: Any, fake_data: bool = False, one_hot: bool = False, dtype: Any = "float32",
        reshape: bool = True, seed: int | None = None,
    ) -> None:  # fmt: skip
        self.images = images.reshape(len(images), -1) if reshape else images
        if np.dtype(getattr(dtype, "numpy", dtype)) == np.float32:
            self.images = self.images.astype(np.float32) / 255
        self.labels = np.eye(10)[labels] if one_hot else labels
        self.num_examples: int = len(images)
        self.epochs_completed = 0
        self._rng = np.random.default_rng(seed)
        self._order = self._rng.permutation(self.num_examples)
        self._next = 0

    def next_batch(self, batch_size: int, fake_data: bool = False, shuffle: bool = True) -> tuple[Any, Any]:
        """The next images and labels."""
        places: list[Any] = []
        while len(places) < batch_size:
            if self._next == self.num_examples:
                self._order = self._rng.permutation(self.num_examples)
                self._next = 0
                self.epochs_completed += 1
            taken = self._order[self._next : self._next + batch_size - len(places)]
            self._next += len(taken)
            places.extend(taken if shuffle else np.sort(taken))
        return self.images[places], self.labels[places]


class Datasets(NamedTuple):
    """The three parts."""

    train: DataSet
    validation: DataSet
    test: DataSet


def read_data_sets(
    train_dir: Any, fake_data: bool = False, one_hot: bool = False, dtype: Any = "float32", reshape: bool = True,
    validation_size: int = 5000, seed: int | None = None, source_url: str = "",
) -> Datasets:  # fmt: skip
    """MNIST in three parts: from a folder with its files, else from the cache of :mod:`tapeviz.keras.datasets`.

    Args:
        train_dir: a folder with MNIST's IDX files; where they are not there the cache is used.
        fake_data: accepted as TensorFlow does.
        one_hot: whether labels are rows of ten numbers.
        dtype: float32 for numbers from 0 to 1, uint8 for 0 to 255.
        reshape: whether an image is a row of 784 numbers, or 28 by 28 and one channel.
        validation_size: how many of the training examples are for validation; a fifth where there are too few.
        seed: of the order of batches.
        source_url: accepted as TensorFlow does.

    Raises:
        ConnectionError: the data are nowhere, and cannot be downloaded.
    """
    own = train_dir and any(Path(os.fspath(train_dir)).glob("*idx3-ubyte*"))
    (x, y), (x_test, y_test) = mnist.load_data(train_dir) if own else mnist.load_data()
    held = min(validation_size, len(x) // 5)
    x, x_test = (part.reshape(-1, 28, 28, 1) for part in (x, x_test))
    made = [
        DataSet(images, labels, False, one_hot, dtype, reshape, seed)
        for images, labels in ((x[held:], y[held:]), (x[:held], y[:held]), (x_test, y_test))
    ]
    return Datasets(*made)
