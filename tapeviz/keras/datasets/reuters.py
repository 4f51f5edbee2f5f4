"""Reuters: news, as numbers of words, of 46 topics."""

from __future__ import annotations

from typing import Any, Final

from tapeviz.keras.datasets.download import Remote
from tapeviz.keras.datasets.word_lists import read_lists, word_index

__all__ = ["get_label_names", "get_word_index", "load_data"]

_FILE: Final = Remote(
    "reuters.npz",
    "https://storage.googleapis.com/tensorflow/tf-keras-datasets/reuters.npz",
    "d6586e694ee56d7a4e65172e12b3e987c03096cb01eab99753921ef915959916",
)
_TOPICS: Final = (
    "cocoa grain veg-oil earn acq wheat copper housing money-supply coffee sugar trade reserves ship cotton carcass "
    "crude nat-gas cpi money-fx interest gnp meal-feed alum oilseed gold tin strategic-metal livestock retail ipi "
    "iron-steel rubber heat jobs lei bop zinc orange pet-chem dlr gas silver wpi hog lead"
)
_WORDS: Final = "reuters_word_index.json"
_URL: Final = f"https://storage.googleapis.com/tensorflow/tf-keras-datasets/{_WORDS}"


def load_data(
    path: Any = "reuters.npz", num_words: int | None = None, skip_top: int = 0, maxlen: int | None = None,
    test_split: float = 0.2, seed: int = 113, start_char: int | None = 1, oov_char: int | None = 2, index_from: int = 3,
) -> Any:  # fmt: skip
    """11,228 pieces of news; the label is the topic's number, from 0 to 45.

    They are read from ``path``, else from the cache, else downloaded, as :func:`tapeviz.keras.datasets.mnist.load_data`
    does.

    Args, results and errors are those of :func:`tapeviz.keras.datasets.imdb.load_data`, and ``test_split`` is the share
    to test with.

    >>> import tapeviz as tf
    >>> try:
    ...     tf.keras.datasets.reuters.load_data(path="/no/such/file.npz")
    ... except FileNotFoundError as error:
    ...     print(str(error).partition(",")[0])
    path='/no/such/file.npz': there is no such file or folder
    """
    given = {"num_words": num_words, "skip_top": skip_top, "maxlen": maxlen, "seed": seed, "start_char": start_char,
             "oov_char": oov_char, "index_from": index_from}  # fmt: skip
    found, _ = read_lists(path, _FILE, given)
    ((x, y),) = found
    held = int(len(x) * (1 - test_split))
    return (x[:held], y[:held]), (x[held:], y[held:])


def get_word_index(path: Any = _WORDS) -> dict[str, int]:
    """The numbers of words, before ``index_from`` is added."""
    return word_index(path, _WORDS, _URL, "4d44cc38712099c9e383dc6e5f11a921")


def get_label_names() -> tuple[str, ...]:
    """The names of the topics, in the order of their numbers."""
    return tuple(_TOPICS.split())
