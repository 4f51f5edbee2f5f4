"""Datasets of files of records."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from tapeviz.data.dataset import Dataset
from tapeviz.data.nodes import Element, Node, Run
from tapeviz.data.structures import component
from tapeviz.engine.errors import InvalidArgumentError, NotFoundError
from tapeviz.engine.scopes import TensorSpec
from tapeviz.engine.symbolic import SymbolicTensor
from tapeviz.io.record_files import TFRecordWriter, checked_compression, records_of

__all__ = ["RecordsNode", "RecordsWriter", "TFRecordDataset"]


def TFRecordDataset(
    filenames: Any, compression_type: str | None = None, buffer_size: int | None = None,
    num_parallel_reads: int | None = None, name: str | None = None,
) -> Dataset:  # fmt: skip
    """The records of files that :class:`tf.io.TFRecordWriter` or TensorFlow has written, as strings of bytes.

    Args:
        filenames: a name, several, or a dataset of names.
        compression_type: "GZIP", "ZLIB", or "" for none.
        buffer_size: accepted as TensorFlow does, like the next two.
        num_parallel_reads: accepted.
        name: accepted.

    Raises:
        InvalidArgumentError: there is no such compression.
        NotFoundError: in a pass: a file is not there.
        DataLossError: in a pass: a record is damaged, or a file ends within one: which file, and at which byte. The
            records before it are given.

    >>> import os, tempfile, tapeviz as tf
    >>> path = os.path.join(tempfile.mkdtemp(), "numbers.tfrecord")
    >>> with tf.io.TFRecordWriter(path) as writer:
    ...     for number in range(3):
    ...         writer.write(str(number))
    >>> list(tf.data.TFRecordDataset([path, path]).take(4).as_numpy_iterator())
    [b'0', b'1', b'2', b'0']
    """
    kind = compression_type or ""
    if isinstance(filenames, Dataset):
        return filenames.flat_map(lambda one: Dataset._of(RecordsNode(one, kind)))
    return Dataset._of(RecordsNode(filenames, kind))


class RecordsWriter:
    """``tf.data.experimental.TFRecordWriter``: a file of the elements of a dataset, which are strings.

    Args:
        filename: the file.
        compression_type: "GZIP", "ZLIB", or "" for none.

    >>> import os, tempfile, tapeviz as tf
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "words")
    ...     tf.data.experimental.TFRecordWriter(path).write(tf.data.Dataset.from_tensor_slices(["a", "b"]))
    ...     list(tf.data.TFRecordDataset(path).as_numpy_iterator())
    [b'a', b'b']
    """

    def __init__(self, filename: Any, compression_type: str | None = None) -> None:
        self._filename, self._compression = filename, compression_type

    def write(self, dataset: Dataset) -> None:
        """Write them all.

        Raises:
            TypeError: it is no dataset, or its elements are no strings.
        """
        if not isinstance(dataset, Dataset):
            raise TypeError(f"Invalid `dataset.` Expected a `tf.data.Dataset` object but got {type(dataset)}.")
        if not isinstance(dataset.element_spec, TensorSpec) or dataset.element_spec.dtype != "string":
            raise TypeError(f"Elements of `dataset` must be scalar strings, not {dataset.element_spec}")
        with TFRecordWriter(self._filename, self._compression) as writer:
            for record in dataset.as_numpy_iterator():
                writer.write(record)


class RecordsNode(Node):
    """The records of files.

    Raises:
        InvalidArgumentError: the compression is none that there is.
    """

    name = "TFRecord"
    spec: Any = TensorSpec((), "string")

    def __init__(self, filenames: Any, compression: str) -> None:
        try:
            self._compression = checked_compression(compression)
        except ValueError as error:
            raise InvalidArgumentError(str(error)) from None
        self._names = component(filenames)
        self.symbols: tuple[Any, ...] = (self._names,) if isinstance(self._names, SymbolicTensor) else ()

    def open(self, run: Run) -> Iterator[Element]:
        """Give them.

        Raises:
            NotFoundError: a file is not there.
            DataLossError: a record is damaged, or the file is not compressed as was said.
        """
        for name in np.atleast_1d(run.value(self._names)):
            path = Path(name.decode())
            if not path.is_file():
                raise NotFoundError(f"{path}; No such file or directory", "IteratorGetNext")
            for record in records_of(path, self._compression):
                made = np.empty((), object)
                made[()] = record
                yield (made,)
