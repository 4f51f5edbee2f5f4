"""MNIST: handwritten digits, 28 by 28."""

from __future__ import annotations

from typing import Any, Final

from tapeviz.keras.datasets.download import Remote, cached, given_path
from tapeviz.keras.datasets.formats import Split, idx_folder, is_npz, npz

__all__ = ["load_data", "read"]

_NAMES: Final = ("x_train", "y_train", "x_test", "y_test")
_FILE: Final = Remote(
    "mnist.npz",
    "https://storage.googleapis.com/tensorflow/tf-keras-datasets/mnist.npz",
    "731c5ac602752760c8e48fbffcf8c3b850d9dc2a2aedcf2cc48468fc17b673d1",
)


def read(path: Any) -> Split:
    """Training and test data of an npz file, or of four IDX files: of their folder, or that of the one named.

    Raises:
        FileNotFoundError: a file is not there.
        ValueError: one is damaged, or lacks an array.
    """
    if is_npz(path) or path.suffix == ".npz":
        x_train, y_train, x_test, y_test = npz(path, _NAMES)
        return (x_train, y_train), (x_test, y_test)
    return idx_folder(path if path.is_dir() else path.parent)


def load_data(path: Any = "mnist.npz") -> Split:
    """60,000 handwritten digits to train with and 10,000 to test, as images of 28 by 28 with values from 0 to 255.

    They are read from ``path``; else from the cache (``datasets`` in the folder of the variable TAPEVIZ_HOME or in
    ``~/.tapeviz``); else they are downloaded (11 MB), which is announced, and their checksum is compared.

    Args:
        path: an npz file with ``x_train``, ``y_train``, ``x_test`` and ``y_test``; or a folder with MNIST's four IDX
            files, compressed or not.

    Returns:
        ``(x_train, y_train), (x_test, y_test)``: images ``(count, 28, 28)`` and labels ``(count,)``, uint8.

    Raises:
        FileNotFoundError: there is nothing at ``path``.
        ConnectionError: they are not in the cache and cannot be downloaded.
        ValueError: a file is damaged.

    >>> import os, tempfile, numpy as np, tapeviz as tf
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "mine.npz")
    ...     images, labels = np.zeros([3, 28, 28], np.uint8), np.arange(3, dtype=np.uint8)
    ...     np.savez(path, x_train=images, y_train=labels, x_test=images[:1], y_test=labels[:1])
    ...     (x_train, y_train), (x_test, y_test) = tf.keras.datasets.mnist.load_data(path)
    >>> x_train.shape, y_test
    ((3, 28, 28), array([0], dtype=uint8))
    """
    named = given_path(path, _FILE.name)
    return read(cached("mnist", [_FILE])[0] if named is None else named)
