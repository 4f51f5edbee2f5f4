"""CIFAR-100: small colour photographs of a hundred things, of twenty kinds."""

from __future__ import annotations

from typing import Any, Final

from tapeviz.keras.datasets.download import Remote, cached, given_path
from tapeviz.keras.datasets.formats import Split, cifar, is_npz
from tapeviz.keras.datasets.mnist import read

__all__ = ["load_data"]

_FILE: Final = Remote(
    "cifar-100-binary.tar.gz",
    "https://www.cs.toronto.edu/~kriz/cifar-100-binary.tar.gz",
    "58a81ae192c23a4be8b1804d68e518ed807d710a4eb253b1f2a199162a40d8ec",
)
_FILES: Final = ("train.bin", "test.bin")


def load_data(label_mode: str = "fine", path: Any = None) -> Split:
    """50,000 photographs to train with and 10,000 to test, 32 by 32 in three colours, values from 0 to 255.

    They are read from ``path``, else from the cache, else downloaded, as those of
    :func:`tapeviz.keras.datasets.cifar10.load_data`.

    Args:
        label_mode: "fine" for the hundred things, "coarse" for their twenty kinds.
        path: the archive of the binary version, a folder with its files, or an npz file.

    Returns:
        ``(x_train, y_train), (x_test, y_test)``: images ``(count, 32, 32, 3)`` and labels ``(count, 1)``, uint8.

    Raises:
        FileNotFoundError: there is nothing at ``path``.
        ConnectionError: they are not in the cache and cannot be downloaded.
        ValueError: a file is damaged, or ``label_mode`` is neither.

    >>> import tapeviz as tf
    >>> try:
    ...     tf.keras.datasets.cifar100.load_data(path="/no/such/archive.tar.gz")
    ... except FileNotFoundError as error:
    ...     print(str(error).partition(",")[0])
    path='/no/such/archive.tar.gz': there is no such file or folder
    """
    if label_mode not in ("fine", "coarse"):
        raise ValueError(f"`label_mode` must be one of 'fine', 'coarse'. Received: label_mode={label_mode}")
    named = given_path(path, _FILE.name)
    if named is not None and (is_npz(named) or named.suffix == ".npz"):
        return read(named)
    parts = cifar(named or cached("cifar100", [_FILE])[0], _FILES, labels=2)
    place = slice(0, 1) if label_mode == "coarse" else slice(1, 2)
    (x, y), (x_test, y_test) = parts
    return (x, y[:, place]), (x_test, y_test[:, place])
