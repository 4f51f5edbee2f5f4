"""IMDB: reviews of films, as numbers of words."""

from __future__ import annotations

from typing import Any, Final

from tapeviz.keras.datasets.download import Remote
from tapeviz.keras.datasets.word_lists import read_lists, word_index

__all__ = ["get_word_index", "load_data"]

_FILE: Final = Remote(
    "imdb.npz",
    "https://storage.googleapis.com/tensorflow/tf-keras-datasets/imdb.npz",
    "69664113be75683a8fe16e3ed0ab59fda8886cb3cd7ada244f7d9544e4676b9f",
)
_WORDS: Final = "imdb_word_index.json"
_URL: Final = f"https://storage.googleapis.com/tensorflow/tf-keras-datasets/{_WORDS}"


def load_data(
    path: Any = "imdb.npz", num_words: int | None = None, skip_top: int = 0, maxlen: int | None = None,
    seed: int = 113, start_char: int | None = 1, oov_char: int | None = 2, index_from: int = 3,
) -> Any:  # fmt: skip
    """25,000 reviews of films to train with and 25,000 to test; the label is 1 where the review is good.

    They are read from ``path``, else from the cache, else downloaded, as :func:`tapeviz.keras.datasets.mnist.load_data`
    does.

    Args:
        path: an npz file.
        num_words: take the commonest words alone.
        skip_top: leave out the very commonest.
        maxlen: take sequences alone that are shorter.
        seed: of their order.
        start_char: what each begins with; None for nothing.
        oov_char: what stands for words left out; None to leave them out altogether.
        index_from: what is added to each word's number.

    Returns:
        ``(x_train, y_train), (x_test, y_test)``: arrays of lists of numbers, and labels.

    Raises:
        FileNotFoundError: there is nothing at ``path``.
        ConnectionError: they are not in the cache and cannot be downloaded.

    >>> import tapeviz as tf
    >>> try:
    ...     tf.keras.datasets.imdb.load_data(path="/no/such/file.npz")
    ... except FileNotFoundError as error:
    ...     print(str(error).partition(",")[0])
    path='/no/such/file.npz': there is no such file or folder
    """
    given = {"num_words": num_words, "skip_top": skip_top, "maxlen": maxlen, "seed": seed, "start_char": start_char,
             "oov_char": oov_char, "index_from": index_from}  # fmt: skip
    found, _ = read_lists(path, _FILE, given)
    return found


def get_word_index(path: Any = _WORDS) -> dict[str, int]:
    """The numbers of words, before ``index_from`` is added."""
    return word_index(path, _WORDS, _URL, "bfafd718b763782e994055a2d397834f")
