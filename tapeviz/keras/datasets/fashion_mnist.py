"""Fashion-MNIST: articles of clothing, 28 by 28."""

from __future__ import annotations

from typing import Any, Final

from tapeviz.keras.datasets.download import Remote, cached, given_path
from tapeviz.keras.datasets.formats import Split
from tapeviz.keras.datasets.mnist import read

__all__ = ["load_data"]

_FOLDER: Final = "fashion-mnist"
_ORIGIN: Final = "https://storage.googleapis.com/tensorflow/tf-keras-datasets/"
_FILES: Final = tuple(
    Remote(name, _ORIGIN + name, digest)
    for name, digest in (
        ("train-images-idx3-ubyte.gz", "3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84"),
        ("train-labels-idx1-ubyte.gz", "a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845"),
        ("t10k-images-idx3-ubyte.gz", "346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073"),
        ("t10k-labels-idx1-ubyte.gz", "67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5"),
    )
)


def load_data(path: Any = None) -> Split:
    """60,000 articles of clothing to train with and 10,000 to test, as images of 28 by 28 with values from 0 to 255.

    The classes: T-shirt, trousers, pullover, dress, coat, sandal, shirt, sneaker, bag, ankle boot. They are read from
    ``path``, else from the cache, else downloaded (30 MB), as :func:`tapeviz.keras.datasets.mnist.load_data` does.

    Args:
        path: a folder with the four IDX files, compressed or not; or an npz file with ``x_train``, ``y_train``,
            ``x_test`` and ``y_test``.

    Returns:
        ``(x_train, y_train), (x_test, y_test)``: images ``(count, 28, 28)`` and labels ``(count,)``, uint8.

    Raises:
        FileNotFoundError: there is nothing at ``path``.
        ConnectionError: they are not in the cache and cannot be downloaded.
        ValueError: a file is damaged.

    >>> import tapeviz as tf
    >>> try:
    ...     tf.keras.datasets.fashion_mnist.load_data(path="/no/such/folder")
    ... except FileNotFoundError as error:
    ...     print(str(error).partition(",")[0])
    path='/no/such/folder': there is no such file or folder
    """
    named = given_path(path, _FOLDER)
    return read(cached("fashion_mnist", _FILES, _FOLDER)[0] if named is None else named)
