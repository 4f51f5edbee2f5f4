"""CIFAR-10: small colour photographs of ten things."""

from __future__ import annotations

from typing import Any, Final

from tapeviz.keras.datasets.download import Remote, cached, given_path
from tapeviz.keras.datasets.formats import Split, cifar, is_npz
from tapeviz.keras.datasets.mnist import read

__all__ = ["load_data"]

_FILE: Final = Remote(
    "cifar-10-binary.tar.gz",
    "https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz",
    "c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd",
)


def load_data(path: Any = None) -> Split:
    """50,000 photographs to train with and 10,000 to test, 32 by 32 in three colours, values from 0 to 255.

    The classes: airplane, automobile, bird, cat, deer, dog, frog, horse, ship, truck. They are read from ``path``, else
    from the cache, else downloaded (170 MB), as :func:`tapeviz.keras.datasets.mnist.load_data` does.

    Args:
        path: the archive of the binary version, a folder with its files, or an npz file with ``x_train``, ``y_train``,
            ``x_test`` and ``y_test``. The version for Python is refused: its files can run any code.

    Returns:
        ``(x_train, y_train), (x_test, y_test)``: images ``(count, 32, 32, 3)`` and labels ``(count, 1)``, uint8.

    Raises:
        FileNotFoundError: there is nothing at ``path``.
        ConnectionError: they are not in the cache and cannot be downloaded.
        ValueError: a file is damaged.

    >>> import tapeviz as tf
    >>> try:
    ...     tf.keras.datasets.cifar10.load_data(path="/no/such/archive.tar.gz")
    ... except FileNotFoundError as error:
    ...     print(str(error).partition(",")[0])
    path='/no/such/archive.tar.gz': there is no such file or folder
    """
    named = given_path(path, _FILE.name)
    if named is None:
        return cifar(cached("cifar10", [_FILE])[0])
    return read(named) if is_npz(named) or named.suffix == ".npz" else cifar(named)
