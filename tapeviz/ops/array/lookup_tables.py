"""Tables of keys and values: words or numbers, each with another. They are on the host, and no gradient passes."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any, Final

import numpy as np

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.dtypes import DType, as_dtype
from tapeviz.engine.tensor import Tensor
from tapeviz.ops.runtime_calls import by_values, open_sizes

__all__ = [
    "KeyValueTensorInitializer", "MutableHashTable", "StaticHashTable", "StaticVocabularyTable", "TextFileIndex",
    "TextFileInitializer",
]  # fmt: skip


class TextFileIndex:
    """What :class:`TextFileInitializer` takes of a line: the whole of it, or its number; else a column's number."""

    WHOLE_LINE: Final = -2
    LINE_NUMBER: Final = -1


class KeyValueTensorInitializer:
    """The keys and values of a table.

    Args:
        keys: the keys, one of each.
        values: what belongs to each.
        key_dtype: the dtype of the keys.
        value_dtype: the dtype of the values.
        name: accepted as TensorFlow does.

    Raises:
        ValueError: there are more of the ones than of the others.

    >>> import tapeviz as tf
    >>> table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2]), -1)
    >>> table.lookup(tf.constant(["b", "x"])).numpy()
    array([ 2, -1], dtype=int32)
    """

    def __init__(
        self, keys: Any, values: Any, key_dtype: Any = None, value_dtype: Any = None, name: str | None = None
    ) -> None:
        self.keys: Tensor = convert_to_tensor(keys, dtype=key_dtype)
        self.values: Tensor = convert_to_tensor(values, dtype=value_dtype)
        if self.keys.shape != self.values.shape:
            raise ValueError(f"There are keys of shape {self.keys.shape} and values of shape {self.values.shape}")

    @property
    def key_dtype(self) -> DType:
        """The dtype of the keys."""
        return self.keys.dtype

    @property
    def value_dtype(self) -> DType:
        """The dtype of the values."""
        return self.values.dtype


class TextFileInitializer(KeyValueTensorInitializer):
    """The keys and values of a table, from the lines of a text file.

    Args:
        filename: the file.
        key_dtype: the dtype of the keys.
        key_index: what of a line is the key: a column's number, or one of :class:`TextFileIndex`.
        value_dtype: the dtype of the values.
        value_index: what of a line is the value.
        vocab_size: how many lines to read; all unless given.
        delimiter: what stands between columns.
        name: accepted as TensorFlow does.
        value_index_offset: what is added to the numbers of lines.

    Raises:
        FileNotFoundError: there is no such file.
    """

    def __init__(
        self, filename: Any, key_dtype: Any, key_index: int, value_dtype: Any, value_index: int,
        vocab_size: int | None = None, delimiter: str = "\t", name: str | None = None, value_index_offset: int = 0,
    ) -> None:  # fmt: skip
        lines = Path(filename).read_text(encoding="utf-8").splitlines()[:vocab_size]

        def column(index: int, dtype: Any) -> Any:
            if index == TextFileIndex.LINE_NUMBER:
                return np.arange(len(lines)) + value_index_offset
            found = lines if index == TextFileIndex.WHOLE_LINE else [line.split(delimiter)[index] for line in lines]
            return np.array(found, object) if as_dtype(dtype) == "string" else np.array(found).astype(float)

        keys, values = (
            convert_to_tensor(column(index, dtype).astype(as_dtype(dtype).numpy), dtype=dtype)
            for index, dtype in ((key_index, key_dtype), (value_index, value_dtype))
        )
        super().__init__(keys, values)


def _value_form(keys: Any, table: Any) -> Any:
    return open_sizes(convert_to_tensor(keys)), table.value_dtype


@by_values(form=_value_form)
def _found(keys: Any, table: Any) -> Tensor:
    given = convert_to_tensor(keys)
    if given.dtype != table.key_dtype:
        raise TypeError(f"Dtype of argument `keys` must be {table.key_dtype}, received: {given.dtype}")
    array = np.asarray(given.numpy())
    made = np.empty(array.size, as_dtype(table.value_dtype).numpy)
    made[:] = [table._value_of(key) for key in array.ravel().tolist()]
    return convert_to_tensor(made.reshape(array.shape), dtype=table.value_dtype)


def _plain(value: Any) -> Any:
    """A key or value as the dict has it."""
    return value.encode() if isinstance(value, str) else value


class _Table:
    """Keys with values, in a dict."""

    key_dtype: DType
    value_dtype: DType
    _items: dict[Any, Any]

    def _value_of(self, key: Any) -> Any:
        raise NotImplementedError

    def lookup(self, keys: Any, name: str | None = None) -> Tensor:
        """The values of keys.

        Raises:
            TypeError: the keys are of another dtype than those of the table.
        """
        found: Tensor = _found(keys, self)
        return found

    def __getitem__(self, keys: Any) -> Tensor:
        return self.lookup(keys)

    def size(self, name: str | None = None) -> Tensor:
        """How many keys there are."""
        return convert_to_tensor(np.int64(len(self._items)))

    def export(self, name: str | None = None) -> tuple[Tensor, Tensor]:
        """All keys, and all values."""
        keys, values = np.array(list(self._items)), np.array(list(self._items.values()))
        return convert_to_tensor(keys, dtype=self.key_dtype), convert_to_tensor(values, dtype=self.value_dtype)


def _items_of(initializer: Any) -> dict[Any, Any]:
    keys, values = (np.ravel(part.numpy()).tolist() for part in (initializer.keys, initializer.values))
    return dict(zip(keys, values, strict=True))


class StaticHashTable(_Table):
    """A table that does not change.

    Args:
        initializer: its keys and values.
        default_value: the value of other keys.
        name: accepted as TensorFlow does.
        experimental_is_anonymous: accepted.

    >>> import tapeviz as tf
    >>> table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer([1, 2], ["one", "two"]), "many")
    >>> table[tf.constant([2, 9])].numpy()
    array([b'two', b'many'], dtype=object)
    """

    def __init__(
        self, initializer: Any, default_value: Any, name: str | None = None, experimental_is_anonymous: bool = False
    ) -> None:
        self.key_dtype, self.value_dtype = initializer.key_dtype, initializer.value_dtype
        self._items = _items_of(initializer)
        self.default_value: Any = _plain(np.asarray(default_value).tolist())

    def _value_of(self, key: Any) -> Any:
        return self._items.get(key, self.default_value)


class StaticVocabularyTable(_Table):
    """A table from words to numbers, where other words have one of several numbers, which a hash of our own chooses.

    Args:
        initializer: its keys, and int64 values from 0; None where all are buckets.
        num_oov_buckets: how many numbers there are for other words, after those of the table.
        lookup_key_dtype: the dtype of the keys, without an initializer.
        name: accepted as TensorFlow does.
        experimental_is_anonymous: accepted.

    Raises:
        ValueError: there is no bucket.

    >>> import tapeviz as tf
    >>> words = tf.lookup.KeyValueTensorInitializer(["a", "b"], tf.constant([0, 1], tf.int64))
    >>> tf.lookup.StaticVocabularyTable(words, 1).lookup(tf.constant(["b", "x"])).numpy()
    array([1, 2])
    """

    def __init__(
        self, initializer: Any, num_oov_buckets: int, lookup_key_dtype: Any = None, name: str | None = None,
        experimental_is_anonymous: bool = False,
    ) -> None:  # fmt: skip
        if num_oov_buckets <= 0:
            raise ValueError(f"`num_oov_buckets` must be > 0; use StaticHashTable instead. Received: {num_oov_buckets}")
        self._items = {} if initializer is None else _items_of(initializer)
        self.key_dtype = as_dtype(lookup_key_dtype or (initializer.key_dtype if initializer else "string"))
        self.value_dtype, self._buckets = as_dtype("int64"), num_oov_buckets

    def _value_of(self, key: Any) -> Any:
        known = self._items.get(key)
        if known is not None:
            return known
        text = key.decode() if isinstance(key, bytes) else f"{key}"
        digest = hashlib.blake2b(text.encode(), digest_size=8).digest()
        return len(self._items) + int.from_bytes(digest) % self._buckets

    def size(self, name: str | None = None) -> Tensor:
        """How many numbers there are."""
        return convert_to_tensor(np.int64(len(self._items) + self._buckets))


class MutableHashTable(_Table):
    """A table that changes.

    Args:
        key_dtype: the dtype of the keys.
        value_dtype: the dtype of the values.
        default_value: the value of keys that are not in it.
        name: accepted as TensorFlow does.
        checkpoint: accepted; checkpoints do not have the table.
        experimental_is_anonymous: accepted.

    >>> import tapeviz as tf
    >>> table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    >>> table.insert(["a"], [5])
    >>> table.lookup(tf.constant(["a", "b"])).numpy(), table.size().numpy()
    (array([ 5, -1]), np.int64(1))
    """

    def __init__(
        self, key_dtype: Any, value_dtype: Any, default_value: Any, name: str = "MutableHashTable",
        checkpoint: bool = True, experimental_is_anonymous: bool = False,
    ) -> None:  # fmt: skip
        self.key_dtype, self.value_dtype = as_dtype(key_dtype), as_dtype(value_dtype)
        self._items = {}
        self.default_value: Any = _plain(np.asarray(default_value).tolist())

    def _value_of(self, key: Any) -> Any:
        return self._items.get(key, self.default_value)

    def insert(self, keys: Any, values: Any, name: str | None = None) -> None:
        """Put values in the places of keys."""
        self._items.update(_items_of(KeyValueTensorInitializer(keys, values, self.key_dtype, self.value_dtype)))

    def remove(self, keys: Any, name: str | None = None) -> None:
        """Take keys out."""
        for key in np.ravel(convert_to_tensor(keys, dtype=self.key_dtype).numpy()).tolist():
            self._items.pop(key, None)
