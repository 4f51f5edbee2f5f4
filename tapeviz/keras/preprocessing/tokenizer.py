"""Words of texts as numbers, by how often they occur."""

from __future__ import annotations

import hashlib
import json
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

import numpy as np

__all__ = ["Tokenizer", "hashing_trick", "one_hot", "text_to_word_sequence", "tokenizer_from_json"]

_FILTERS: Final = '!"#$%&()*+,-./:;<=>?@[\\]^_`{|}~\t\n'
_COUNTERS: Final = ("word_counts", "word_docs", "index_docs", "index_word", "word_index")


def text_to_word_sequence(input_text: str, filters: str = _FILTERS, lower: bool = True, split: str = " ") -> list[str]:
    """The words of a text.

    Args:
        input_text: the text.
        filters: characters that separate words as ``split`` does.
        lower: whether words are in small letters.
        split: what stands between words.

    >>> import tapeviz as tf
    >>> tf.keras.preprocessing.text.text_to_word_sequence("The cat, the mat.")
    ['the', 'cat', 'the', 'mat']
    """
    text = input_text.lower() if lower else input_text
    return [word for word in text.translate({ord(letter): split for letter in filters}).split(split) if word]


def one_hot(input_text: str, n: int, filters: str = _FILTERS, lower: bool = True, split: str = " ") -> list[int]:
    """The words of a text as numbers from 1 up to, not including, ``n``, by Python's hash: two words may share one.

    >>> import tapeviz as tf
    >>> first, second, third = tf.keras.preprocessing.text.one_hot("to be to", 50)
    >>> first == third
    True
    """
    return hashing_trick(input_text, n, hash, filters, lower, split)


def hashing_trick(
    text: str,
    n: int,
    hash_function: Callable[[str], int] | str | None = None,
    filters: str = _FILTERS,
    lower: bool = True,
    split: str = " ",
) -> list[int]:
    """The words of a text as numbers from 1 up to, not including, ``n``, by a hash: two words may share one.

    Args:
        text: the text.
        n: one more than the largest number.
        hash_function: Python's ``hash`` unless given, which another process has otherwise; "md5", or a function.
        filters: characters that separate words as ``split`` does.
        lower: whether words are in small letters.
        split: what stands between words.

    >>> import tapeviz as tf
    >>> tf.keras.preprocessing.text.hashing_trick("to be to", 50, "md5")
    [15, 5, 15]
    """
    if hash_function == "md5":
        hash_function = _md5
    number: Any = hash if hash_function is None else hash_function
    return [number(word) % (n - 1) + 1 for word in text_to_word_sequence(text, filters, lower, split)]


def _md5(word: str) -> int:
    return int(hashlib.md5(word.encode(), usedforsecurity=False).hexdigest(), 16)


class Tokenizer:
    """Numbers words by how often they occur in texts: the most frequent one is 1, and 0 is no word.

    Args:
        num_words: only words with a number below this one are kept.
        filters: characters that separate words as ``split`` does.
        lower: whether words are in small letters.
        split: what stands between words.
        char_level: whether each character is a word.
        oov_token: what stands for words that are not known or not kept; it is number 1.
        analyzer: a function from a text to its words, in the place of all of these.
        document_count: how many texts were seen before.

    Raises:
        TypeError: there is another argument.

    >>> import tapeviz as tf
    >>> tokenizer = tf.keras.preprocessing.text.Tokenizer(oov_token="?")
    >>> tokenizer.fit_on_texts(["The cat sat.", "The mat"])
    >>> tokenizer.texts_to_sequences(["the dog sat"])
    [[2, 1, 4]]
    """

    def __init__(
        self,
        num_words: int | None = None,
        filters: str = _FILTERS,
        lower: bool = True,
        split: str = " ",
        char_level: bool = False,
        oov_token: str | None = None,
        analyzer: Callable[[str], Iterable[str]] | None = None,
        **kwargs: Any,
    ) -> None:
        self.document_count: int = kwargs.pop("document_count", 0)
        kwargs.pop("nb_words", None)
        if kwargs:
            raise TypeError(f"Unrecognized keyword arguments: {kwargs}")
        self.num_words, self.filters, self.lower, self.split = num_words, filters, lower, split
        self.char_level, self.oov_token, self.analyzer = char_level, oov_token, analyzer
        self.word_counts: OrderedDict[str, int] = OrderedDict()
        self.word_docs: defaultdict[str, int] = defaultdict(int)
        self.index_docs: defaultdict[int, int] = defaultdict(int)
        self.word_index: dict[str, int] = {}
        self.index_word: dict[int, str] = {}

    def fit_on_texts(self, texts: Iterable[Any]) -> None:
        """Count the words of texts, which may be lists of words, and number them anew."""
        for text in texts:
            self.document_count += 1
            words = self._words(text)
            for word in words:
                self.word_counts[word] = self.word_counts.get(word, 0) + 1
            for word in dict.fromkeys(words):
                self.word_docs[word] += 1
        by_count = sorted(self.word_counts, key=self.word_counts.__getitem__, reverse=True)
        first = [] if self.oov_token is None else [self.oov_token]
        self.word_index = {word: number for number, word in enumerate([*first, *by_count], 1)}
        self.index_word = {number: word for word, number in self.word_index.items()}
        for word, count in self.word_docs.items():
            self.index_docs[self.word_index[word]] = count

    def fit_on_sequences(self, sequences: Iterable[Iterable[int]]) -> None:
        """Count in how many sequences each number occurs: for matrices of mode "tfidf" without texts."""
        for sequence in sequences:
            self.document_count += 1
            for number in dict.fromkeys(sequence):
                self.index_docs[number] += 1

    def texts_to_sequences(self, texts: Iterable[Any]) -> list[list[int]]:
        """The numbers of each text's words; words that are not known are left out, or are that of ``oov_token``."""
        return list(self.texts_to_sequences_generator(texts))

    def texts_to_sequences_generator(self, texts: Iterable[Any]) -> Iterator[list[int]]:
        """As :meth:`texts_to_sequences`, one text after the other."""
        unknown = self.word_index.get(self.oov_token) if self.oov_token is not None else None
        for text in texts:
            numbers = (self._kept(self.word_index.get(word)) or unknown for word in self._words(text))
            yield [number for number in numbers if number is not None]

    def sequences_to_texts(self, sequences: Iterable[Iterable[int]]) -> list[str]:
        """The words of sequences, with spaces between them."""
        return list(self.sequences_to_texts_generator(sequences))

    def sequences_to_texts_generator(self, sequences: Iterable[Iterable[int]]) -> Iterator[str]:
        """As :meth:`sequences_to_texts`, one sequence after the other."""
        for sequence in sequences:
            known = ((number, self.index_word.get(number)) for number in sequence)
            words = (self.oov_token if word is None or not self._kept(number) else word for number, word in known)
            yield " ".join(word for word in words if word is not None)

    def texts_to_matrix(self, texts: Iterable[Any], mode: str = "binary") -> np.ndarray:
        """A row for each text and a column for each number: see :meth:`sequences_to_matrix`."""
        return self.sequences_to_matrix(self.texts_to_sequences(texts), mode=mode)

    def sequences_to_matrix(self, sequences: Any, mode: str = "binary") -> np.ndarray:
        """A row for each sequence and a column for each number.

        Args:
            sequences: lists of numbers.
            mode: "binary", whether it occurs; "count", how often; "freq", its share of the sequence; "tfidf", how often
                by how rare it is, both in logarithms.

        Raises:
            ValueError: no text was counted and there is no ``num_words``, or ``mode`` is another.
        """
        if not self.num_words and not self.word_index:
            raise ValueError("Specify a dimension (`num_words` argument), or fit on some text data first.")
        if mode == "tfidf" and not self.document_count:
            raise ValueError("Fit the Tokenizer on some data before using tfidf mode.")
        width = self.num_words or len(self.word_index) + 1
        matrix = np.zeros((len(sequences), width))
        for row, sequence in zip(matrix, sequences, strict=True):
            for number, count in Counter(number for number in sequence if number < width).items():
                row[number] = self._weight(mode, number, count, len(sequence))
        return matrix

    def get_config(self) -> dict[str, Any]:
        """Its options and counts, the counts as text."""
        plain = ("num_words", "filters", "lower", "split", "char_level", "oov_token", "document_count")
        counters = {name: json.dumps(getattr(self, name)) for name in _COUNTERS}
        return {name: getattr(self, name) for name in plain} | counters

    def to_json(self, **kwargs: Any) -> str:
        """All of it as text, which :func:`tokenizer_from_json` reads."""
        return json.dumps({"class_name": type(self).__name__, "config": self.get_config()}, **kwargs)

    def _words(self, text: Any) -> list[str]:
        if self.char_level or isinstance(text, list):
            if not self.lower:
                return list(text)
            return [word.lower() for word in text] if isinstance(text, list) else list(text.lower())
        if self.analyzer is not None:
            return list(self.analyzer(text))
        return text_to_word_sequence(text, self.filters, self.lower, self.split)

    def _kept(self, number: int | None) -> int | None:
        return None if number is None or (self.num_words and number >= self.num_words) else number

    def _weight(self, mode: str, number: int, count: int, length: int) -> float:
        if mode == "binary":
            return 1.0
        if mode == "count":
            return float(count)
        if mode == "freq":
            return count / length
        if mode == "tfidf":
            rarity = np.log(1 + self.document_count / (1 + self.index_docs.get(number, 0)))
            return float((1 + np.log(count)) * rarity)
        raise ValueError(f"Unknown vectorization mode: {mode}")


def tokenizer_from_json(json_string: str) -> Tokenizer:
    """The tokenizer that :meth:`Tokenizer.to_json` wrote.

    >>> import tapeviz as tf
    >>> tokenizer = tf.keras.preprocessing.text.Tokenizer(num_words=9)
    >>> tf.keras.preprocessing.text.tokenizer_from_json(tokenizer.to_json()).num_words
    9
    """
    config = json.loads(json_string)["config"]
    counts = {name: json.loads(config.pop(name)) for name in _COUNTERS}
    tokenizer = Tokenizer(**config)
    tokenizer.word_counts.update(counts["word_counts"])
    tokenizer.word_docs.update(counts["word_docs"])
    tokenizer.index_docs.update((int(number), count) for number, count in counts["index_docs"].items())
    tokenizer.word_index = counts["word_index"]
    tokenizer.index_word = {int(number): word for number, word in counts["index_word"].items()}
    return tokenizer
