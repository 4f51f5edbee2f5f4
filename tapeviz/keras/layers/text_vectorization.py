"""Texts as indices or counts of words."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Final

import numpy as np

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.tensor import Tensor
from tapeviz.keras.layers.parameters import config_of
from tapeviz.keras.layers.vocabulary import VocabularyLayer
from tapeviz.ops.array.ragged_tensor import RaggedTensor
from tapeviz.ops.runtime_calls import by_values, open_sizes

__all__ = ["TextVectorization"]

_PUNCTUATION: Final = re.compile(r"[!\"#$%&()*+,\-./:;<=>?@\[\\\]^_`{|}~']")
_STANDARDIZED: Final[dict[str | None, Callable[[str], str]]] = {
    None: str,
    "lower": str.lower,
    "strip_punctuation": lambda text: _PUNCTUATION.sub("", text),
    "lower_and_strip_punctuation": lambda text: _PUNCTUATION.sub("", text.lower()),
}
_SPLIT: Final[dict[str | None, Callable[[str], list[str]]]] = {
    None: lambda text: [text], "whitespace": str.split, "character": list,
}  # fmt: skip
_RANK: Final = 2
_OLDER_MODES: Final = {"binary": "multi_hot", "tf-idf": "tf_idf"}


def _word_form(inputs: Any, layer: Any) -> Any:
    sizes = open_sizes(convert_to_tensor(inputs))
    return (None if sizes is None else (*sizes[:1], layer.output_sequence_length)), "int64"


@by_values(form=_word_form)
def _words(inputs: Any, layer: Any) -> Tensor:
    given = convert_to_tensor(inputs)
    rows = [layer._indices(words) for words in layer._documents(np.asarray(given.numpy()))]
    wanted = layer.output_sequence_length
    width = wanted if wanted is not None else max(map(len, rows), default=0)
    table = np.zeros((len(rows), width), np.int64)
    for row, indices in zip(table, rows, strict=True):
        row[: len(indices)] = indices[:width]
    return convert_to_tensor(table if given.ndim else table[0])


def _count_form(inputs: Any, layer: Any) -> Any:
    sizes = open_sizes(convert_to_tensor(inputs))
    return (None if sizes is None else (*sizes[:1], layer._depth())), "float32"


@by_values(form=_count_form)
def _counted(inputs: Any, layer: Any) -> Tensor:
    given = convert_to_tensor(inputs)
    rows = [layer._indices(words) for words in layer._documents(np.asarray(given.numpy()))]
    depth = layer._depth()
    table = np.stack([np.bincount([one for one in row if one >= 0], minlength=depth) for row in rows]).astype(
        np.float32
    )
    if layer.output_mode == "multi_hot":
        table = np.minimum(table, 1)
    if layer.output_mode == "tf_idf":
        table *= np.pad(layer._idf, (0, depth - len(layer._idf)))
    return convert_to_tensor(table if given.ndim else table[0])


class TextVectorization(VocabularyLayer):
    """Texts as indices of their words, or as how often each word of a vocabulary comes.

    In the mode ``int`` index 0 fills rows up, and 1 is that of words that are not in the vocabulary.

    Args:
        max_tokens: the most indices that there may be.
        standardize: what texts are put through first: ``"lower_and_strip_punctuation"``, ``"lower"``,
            ``"strip_punctuation"``, a function of a tensor of strings, or None.
        split: what makes words of them: ``"whitespace"``, ``"character"``, a function that gives a ragged tensor, or
            None where texts are words already.
        ngrams: also the runs of so many words, joined by spaces; or a tuple: those of these lengths alone.
        output_mode: ``"int"``, ``"multi_hot"``, ``"count"`` or ``"tf_idf"``.
        output_sequence_length: how many words a row has: others are cut off, or zeros filled up.
        pad_to_max_tokens: whether vectors are as long as ``max_tokens``.
        vocabulary: the words in order, or a text file with one in each line.
        idf_weights: in the mode ``tf_idf`` the weight of each word.
        sparse: whether to give a sparse tensor: not supported.
        ragged: whether rows are as long as their texts, in a ragged tensor. Only outside of traced functions.
        encoding: that of the texts.
        kwargs: what every layer takes.

    Raises:
        ValueError: there is no such mode or way to standardize or split, or the vocabulary is not one.

    >>> import tapeviz as tf
    >>> layer = tf.keras.layers.TextVectorization(output_sequence_length=4)
    >>> layer.adapt(["A cat, a dog."])
    >>> layer.get_vocabulary(), layer(["the cat"]).numpy()
    (['', '[UNK]', 'a', 'dog', 'cat'], array([[1, 4, 0, 0]]))
    """

    modes: ClassVar[tuple[str, ...]] = ("int", "multi_hot", "count", "tf_idf")
    mask_token = ""
    oov_token = "[UNK]"  # noqa: S105 - of words
    num_oov_indices = 1

    def __init__(
        self, max_tokens: int | None = None, standardize: Any = "lower_and_strip_punctuation",
        split: Any = "whitespace", ngrams: Any = None, output_mode: str = "int",
        output_sequence_length: int | None = None, pad_to_max_tokens: bool = False, vocabulary: Any = None,
        idf_weights: Any = None, sparse: bool = False, ragged: bool = False, encoding: str = "utf-8", **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(**kwargs)
        if not callable(standardize) and standardize not in _STANDARDIZED:
            raise ValueError(f"Unknown argument for `standardize`: {standardize!r}; there are {list(_STANDARDIZED)}")
        if not callable(split) and split not in _SPLIT:
            raise ValueError(f"Unknown argument for `split`: {split!r}; there are {list(_SPLIT)}")
        self.max_tokens, self.standardize, self.split, self.output_mode = (
            max_tokens, standardize, split, _OLDER_MODES.get(output_mode, output_mode),
        )  # fmt: skip
        self.ngrams: Any
        self.ngrams = tuple(range(1, ngrams + 1)) if isinstance(ngrams, int) else ngrams
        self.output_sequence_length: int | None
        self.ragged: bool
        self.encoding: str
        self.output_sequence_length, self.ragged, self.encoding = output_sequence_length, ragged, encoding
        self.pad_to_max_tokens, self.sparse = pad_to_max_tokens, sparse
        self._begin(vocabulary, idf_weights)

    def _token(self, value: Any) -> str:
        return value.decode(self.encoding) if isinstance(value, bytes) else str(value)

    def _documents(self, array: Any) -> list[list[Any]]:
        """The words of each text.

        Raises:
            ValueError: there are several texts in an example.
        """
        if array.ndim > _RANK or (array.ndim == _RANK and array.shape[1] != 1 and self.split is not None):
            raise ValueError(
                "When using `TextVectorization` to tokenize strings, the input rank must be 1 or the last shape "
                f"dimension must be 1. Received: inputs.shape={array.shape}"
            )
        if self.split is None and array.ndim == _RANK:
            return [self._with_ngrams(self._standard(row)) for row in array]
        texts = self._standard(array.ravel())
        if callable(self.split):
            found = self.split(convert_to_tensor(np.array(texts, object)))
            rows = found.to_list() if isinstance(found, RaggedTensor) else found.numpy().tolist()
            words = [[self._token(word) for word in row] for row in rows]
        else:
            words = [_SPLIT[self.split](text) for text in texts]
        return [self._with_ngrams(row) for row in words]

    def _standard(self, texts: Any) -> list[str]:
        if callable(self.standardize):
            return [self._token(one) for one in self.standardize(convert_to_tensor(texts)).numpy().tolist()]
        return [_STANDARDIZED[self.standardize](self._token(one)) for one in texts.tolist()]

    def _with_ngrams(self, words: Sequence[str]) -> list[str]:
        if self.ngrams is None:
            return list(words)
        return [" ".join(words[at : at + n]) for n in self.ngrams for at in range(len(words) - n + 1)]

    def call(self, inputs: Any) -> Any:
        """The indices of the words of each text, or what the mode makes of them."""
        if self.ragged and self.output_mode == "int":
            rows = [self._indices(words) for words in self._documents(np.asarray(convert_to_tensor(inputs).numpy()))]
            flat = np.array([index for row in rows for index in row], np.int64)
            return RaggedTensor.from_row_lengths(flat, [len(row) for row in rows])
        return (_words if self.output_mode == "int" else _counted)(inputs, self)

    def get_config(self) -> dict[str, Any]:
        """What the layer was made with, and the vocabulary that it has."""
        return {**super().get_config(), **config_of(
            self, "standardize split ngrams output_sequence_length ragged encoding"
        )}  # fmt: skip
