"""Datasets of text files."""

from __future__ import annotations

from typing import Any

from tapeviz.data.dataset import Dataset
from tapeviz.data.text_lines import LinesNode

__all__ = ["TextLineDataset"]


def TextLineDataset(
    filenames: Any, compression_type: str | None = None, buffer_size: int | None = None,
    num_parallel_reads: int | None = None, name: str | None = None,
) -> Dataset:  # fmt: skip
    r"""The lines of text files, as strings without what ends them.

    Args:
        filenames: a name, or several.
        compression_type: "GZIP", or "" for none.
        buffer_size: accepted as TensorFlow does, like the next two.
        num_parallel_reads: accepted.
        name: accepted.

    Raises:
        InvalidArgumentError: there is no such compression.
        NotFoundError: in a pass: a file is not there.

    >>> import os, tempfile, tapeviz as tf
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "words.txt")
    ...     with open(path, "w") as file:
    ...         _ = file.write("one\ntwo\n")
    ...     list(tf.data.TextLineDataset(path).as_numpy_iterator())
    [b'one', b'two']
    """
    return Dataset._of(LinesNode(filenames, compression_type or ""))
