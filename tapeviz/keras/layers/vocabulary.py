"""Words and whole numbers as indices of a vocabulary, which a layer is given or learns from data beforehand."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, ClassVar, Final

import numpy as np

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.tensor import Tensor
from tapeviz.keras.layers.category_vectors import check_mode, encoded, whole_array
from tapeviz.keras.layers.layer import Layer
from tapeviz.keras.layers.parameters import config_of
from tapeviz.ops.array.ragged_tensor import RaggedTensor
from tapeviz.ops.runtime_calls import by_values, open_sizes

__all__ = ["IntegerLookup", "StringLookup", "VocabularyLayer"]

_MODES: Final = ("int", "one_hot", "multi_hot", "count", "tf_idf")


class VocabularyLayer(Layer):
    """A layer with a vocabulary: a mask token if there is one, tokens for what is not in it, then its tokens."""

    modes: ClassVar[tuple[str, ...]] = _MODES

    max_tokens: int | None
    num_oov_indices: int
    mask_token: Any
    oov_token: Any
    output_mode: str
    pad_to_max_tokens: bool
    sparse: bool
    _tokens: list[Any] | None
    _index: dict[Any, int]
    _idf: Any

    def _begin(self, vocabulary: Any, idf_weights: Any = None) -> None:
        """Check the arguments, which are attributes by now, and take the vocabulary if it is given."""
        check_mode(type(self).__name__, self.output_mode, self.modes)
        if self.sparse:
            raise ValueError(f"{type(self).__name__} gives dense tensors: sparse=True is not supported")
        if self.max_tokens is not None and self.max_tokens <= 1:
            raise ValueError(f"If set, `max_tokens` must be greater than 1. Received: max_tokens={self.max_tokens}")
        self.autocast = False
        fields = self.__dict__  # past what a layer looks for in lists
        fields["_tokens"], fields["_idf"] = None, None
        if vocabulary is not None:
            self.set_vocabulary(vocabulary, idf_weights)

    def _token(self, value: Any) -> Any:
        """A token as the vocabulary has it."""
        raise NotImplementedError

    def _special(self) -> list[Any]:
        """The tokens before those of the vocabulary. A mask has no place among vectors."""
        masked = [self.mask_token] if self.mask_token is not None and self.output_mode == "int" else []
        return masked + [self.oov_token] * self.num_oov_indices

    def set_vocabulary(self, vocabulary: Any, idf_weights: Any = None) -> None:
        """Take a vocabulary: its tokens in order, or a text file with one in each line.

        Args:
            vocabulary: the tokens, with or without the mask and unknown tokens before them; or the file's path.
            idf_weights: in the mode ``tf_idf`` the weight of each token.

        Raises:
            ValueError: a token comes twice, there are more than ``max_tokens``, or weights are missing.
        """
        if isinstance(vocabulary, str):
            vocabulary = Path(vocabulary).read_text(encoding="utf-8").splitlines()
        tokens = [self._token(one) for one in np.asarray(vocabulary).tolist()]
        before = self._special()
        full = [self.mask_token] * (self.mask_token is not None) + [self.oov_token] * self.num_oov_indices
        given = list(np.asarray([] if idf_weights is None else idf_weights, np.float32))
        for special in (full, before):
            if special and tokens[: len(special)] == special:
                tokens, given = tokens[len(special) :], given[len(special) :] if idf_weights is not None else given
                break
        if twice := [token for token, count in Counter(tokens).items() if count > 1]:
            raise ValueError(f"The passed vocabulary has at least one repeated term: {twice[:10]}")
        if self.max_tokens is not None and len(before) + len(tokens) > self.max_tokens:
            raise ValueError(
                "Attempted to set a vocabulary larger than the maximum vocab size. "
                f"Received vocab size is {len(before) + len(tokens)}; `max_tokens` is {self.max_tokens}."
            )
        if self.output_mode == "tf_idf" and len(given) != len(tokens):
            raise ValueError("`idf_weights` must be set if output_mode is 'tf_idf': one weight for each token")
        self._take(tokens, given)

    def _take(self, tokens: Sequence[Any], weights: Sequence[float]) -> None:
        fields = self.__dict__
        fields["_tokens"] = list(tokens)
        begin = len(self._special())
        fields["_index"] = {token: begin + place for place, token in enumerate(tokens)}
        if self.output_mode == "tf_idf":
            unknown = float(np.mean(weights)) if len(weights) else 1.0
            fields["_idf"] = np.array([unknown] * begin + list(weights), np.float32)

    def adapt(self, data: Any, batch_size: int | None = None, steps: int | None = None) -> None:
        """Learn the vocabulary of data: the most frequent tokens first.

        Args:
            data: an array, or a dataset of batches.
            batch_size: accepted as Keras does.
            steps: how many batches of a dataset to take.
        """
        documents = self._documents(whole_array(data, steps))
        counts = Counter(token for document in documents for token in document)
        counts.pop(self.mask_token, None)
        counts.pop(self.oov_token, None)
        room = None if self.max_tokens is None else self.max_tokens - len(self._special())
        ordered = sorted(counts, key=lambda token: (counts[token], token), reverse=True)[:room]
        within = Counter(token for document in documents for token in set(document))
        weights = [float(np.log(1 + len(documents) / (1 + within[token]))) for token in ordered]
        self._take(ordered, weights)

    def _documents(self, array: Any) -> list[list[Any]]:
        """The tokens of each example of an array."""
        rows = array.reshape(len(array), -1) if array.ndim > 1 else array.reshape(1, -1)
        return [[self._token(one) for one in row.tolist()] for row in rows]

    def reset_state(self) -> None:
        """Forget the vocabulary."""
        self.__dict__["_tokens"] = None

    def get_vocabulary(self, include_special_tokens: bool = True) -> list[Any]:
        """The tokens in the order of their indices, with those of the mask and of what is unknown or without."""
        if self._tokens is None:
            return self._special() if include_special_tokens else []
        return (self._special() if include_special_tokens else []) + list(self._tokens)

    def vocabulary_size(self) -> int:
        """How many indices there are."""
        return len(self.get_vocabulary())

    vocab_size = vocabulary_size

    def _depth(self) -> int:
        """How long vectors are."""
        return self.max_tokens if self.pad_to_max_tokens and self.max_tokens is not None else self.vocabulary_size()

    def _indices(self, tokens: Iterable[Any]) -> list[int]:
        """The index of each token.

        Raises:
            ValueError: there is no vocabulary.
            InvalidArgumentError: a token is not in it, and there is no index for such tokens.
        """
        if self._tokens is None:
            raise ValueError(
                f"Layer '{self.name}' has no vocabulary: call `adapt(data)` or `set_vocabulary(tokens)`, or give "
                "`vocabulary=` when it is made"
            )
        known, found = self._index, []
        mask = self.mask_token
        nothing = 0 if self.output_mode == "int" else -1  # which has no place in a vector
        for token in tokens:
            index = nothing if mask is not None and token == mask else known.get(token)
            found.append(self._unknown(token) if index is None else index)
        return found

    def _unknown(self, token: Any) -> int:
        if self.num_oov_indices == 0:
            raise InvalidArgumentError(
                f"{token!r} is not in the vocabulary of layer '{self.name}', and num_oov_indices=0 leaves no index",
                "lookup",
            )
        bucket = 0
        if self.num_oov_indices > 1:
            bucket = int.from_bytes(hashlib.blake2b(f"{token}".encode(), digest_size=8).digest()) % self.num_oov_indices
        return len(self._special()) - self.num_oov_indices + bucket

    def _as_output(self, indices: Any) -> Any:
        """Indices in the output mode."""
        mode = "count" if self.output_mode == "tf_idf" else self.output_mode
        found = encoded(indices, mode, self._depth())
        if self.output_mode != "tf_idf":
            return found
        return found * np.pad(self._idf, (0, self._depth() - len(self._idf)))

    def get_config(self) -> dict[str, Any]:
        """What the layer was made with, and the vocabulary that it has."""
        special = len(self._special())
        weights = None if self._idf is None else self._idf[special:].tolist()
        return {**super().get_config(), **config_of(self, "max_tokens output_mode pad_to_max_tokens sparse"),
                "vocabulary": self._tokens, "idf_weights": weights}  # fmt: skip


def _index_form(inputs: Any, layer: Any) -> Any:
    return open_sizes(convert_to_tensor(inputs)), layer._dtype_of_results()


@by_values(form=_index_form)
def _looked_up(inputs: Any, layer: Any) -> Tensor:
    given = convert_to_tensor(inputs)
    array = np.asarray(given.numpy())
    if layer.invert:
        names = layer.get_vocabulary()
        found = [names[index] if 0 <= index < len(names) else layer.oov_token for index in array.ravel().tolist()]
        made = np.empty(len(found), object if layer._dtype_of_results() == "string" else np.int64)
        made[:] = found
        return convert_to_tensor(made.reshape(array.shape), dtype=layer._dtype_of_results())
    indices = np.array(layer._indices([layer._token(one) for one in array.ravel().tolist()]), np.int64)
    return convert_to_tensor(indices.reshape(array.shape))


class _Lookup(VocabularyLayer):
    """Tokens as indices of a vocabulary, or indices as tokens."""

    invert: bool
    _results: ClassVar[str]

    def _dtype_of_results(self) -> str:
        return self._results if self.invert else "int64"

    def call(self, inputs: Any) -> Any:
        """The indices of the tokens, in the output mode."""
        if isinstance(inputs, RaggedTensor):
            return RaggedTensor(self.call(inputs.values), inputs.row_splits)
        found = _looked_up(inputs, self)
        return found if self.invert else self._as_output(found)

    def get_config(self) -> dict[str, Any]:
        """What the layer was made with."""
        return {**super().get_config(), **config_of(self, "num_oov_indices mask_token oov_token invert")}


class StringLookup(_Lookup):
    """Strings as indices of a vocabulary, which is given or learnt by :meth:`adapt`.

    Index 0 is that of ``mask_token`` if there is one; then come those of strings that are not in the vocabulary.

    Args:
        max_tokens: the most indices that there may be.
        num_oov_indices: how many indices there are for strings that are not in the vocabulary. Of several, a hash
            chooses, another one than TensorFlow's.
        mask_token: what stands for nothing.
        oov_token: what an index of these becomes where ``invert``.
        vocabulary: the strings in order, or a text file with one in each line.
        idf_weights: in the mode ``tf_idf`` the weight of each string.
        invert: whether it gives the strings for indices.
        output_mode: ``"int"``, ``"one_hot"``, ``"multi_hot"``, ``"count"`` or ``"tf_idf"``.
        pad_to_max_tokens: whether vectors are as long as ``max_tokens``.
        sparse: whether to give a sparse tensor: not supported.
        encoding: accepted as Keras does.
        kwargs: what every layer takes.

    Raises:
        ValueError: there is no such mode, or the vocabulary is not one.

    >>> import tapeviz as tf
    >>> layer = tf.keras.layers.StringLookup(vocabulary=["a", "b"])
    >>> layer(["b", "a", "x"]).numpy(), layer.get_vocabulary()
    (array([2, 1, 0]), ['[UNK]', 'a', 'b'])
    """

    _results = "string"

    def __init__(
        self, max_tokens: int | None = None, num_oov_indices: int = 1, mask_token: str | None = None,
        oov_token: str = "[UNK]", vocabulary: Any = None, idf_weights: Any = None,  # noqa: S107 - of words
        invert: bool = False,
        output_mode: str = "int", pad_to_max_tokens: bool = False, sparse: bool = False, encoding: str = "utf-8",
        **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(**kwargs)
        self.max_tokens, self.num_oov_indices, self.mask_token, self.oov_token = (
            max_tokens, num_oov_indices, mask_token, oov_token,
        )  # fmt: skip
        self.invert, self.output_mode, self.pad_to_max_tokens, self.sparse = (
            invert, output_mode, pad_to_max_tokens, sparse,
        )  # fmt: skip
        self._begin(vocabulary, idf_weights)

    def _token(self, value: Any) -> str:
        return value.decode() if isinstance(value, bytes) else str(value)


class IntegerLookup(_Lookup):
    """Whole numbers as indices of a vocabulary. Arguments are those of :class:`StringLookup`.

    >>> import tapeviz as tf
    >>> layer = tf.keras.layers.IntegerLookup(vocabulary=[12, 36, 1138])
    >>> layer([[12, 1138], [42, 36]]).numpy()
    array([[1, 3],
           [0, 2]])
    """

    _results = "int64"

    def __init__(
        self, max_tokens: int | None = None, num_oov_indices: int = 1, mask_token: int | None = None,
        oov_token: int = -1, vocabulary: Any = None, vocabulary_dtype: str = "int64", idf_weights: Any = None,
        invert: bool = False, output_mode: str = "int", sparse: bool = False, pad_to_max_tokens: bool = False,
        **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(**kwargs)
        self.max_tokens, self.num_oov_indices, self.mask_token, self.oov_token = (
            max_tokens, num_oov_indices, mask_token, oov_token,
        )  # fmt: skip
        self.invert, self.output_mode, self.pad_to_max_tokens, self.sparse = (
            invert, output_mode, pad_to_max_tokens, sparse,
        )  # fmt: skip
        self._begin(vocabulary, idf_weights)

    def _token(self, value: Any) -> int:
        return int(value)
