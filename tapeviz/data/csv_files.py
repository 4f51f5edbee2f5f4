"""Datasets of the rows of CSV files."""

from __future__ import annotations

import csv
import gzip
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import Any, Final

import numpy as np

from tapeviz.data.dataset import Dataset
from tapeviz.data.text_lines import files_matching
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.dtypes import DType, as_dtype
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.scopes import TensorSpec
from tapeviz.ops.files.contents import csv_field

__all__ = ["CsvDataset", "make_csv_dataset"]

_KINDS: Final = ("int32", "int64", "float32", "float64", "string")
"""What a column may be, the narrowest first."""


def CsvDataset(
    filenames: Any, record_defaults: Sequence[Any], compression_type: str | None = None, buffer_size: int | None = None,
    header: bool = False, field_delim: str = ",", use_quote_delim: bool = True, na_value: str = "",
    select_cols: Sequence[int] | None = None, exclude_cols: Sequence[int] | None = None,
) -> Dataset:  # fmt: skip
    r"""The rows of CSV files, each a tuple of scalars.

    Args:
        filenames: a name, or several.
        record_defaults: for each column its dtype, where a row must have something, or what stands for nothing.
        compression_type: "GZIP", or "" for none.
        buffer_size: accepted as TensorFlow does.
        header: whether the first row of each file is left out.
        field_delim: what stands between two fields.
        use_quote_delim: whether quotes hold a field together.
        na_value: a field that stands for nothing.
        select_cols: the columns to take.
        exclude_cols: the columns to leave out.

    Raises:
        InvalidArgumentError: in a pass: a row has another number of fields, or a field does not fit.

    >>> import os, tempfile, tapeviz as tf
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "rows.csv")
    ...     with open(path, "w") as file:
    ...         _ = file.write("1,2.5\n3,\n")
    ...     rows = tf.data.experimental.CsvDataset(path, [tf.int32, [0.0]])
    ...     print(list(rows.as_numpy_iterator()))
    [(np.int32(1), np.float32(2.5)), (np.int32(3), np.float32(0.0))]
    """
    names = [filenames] if isinstance(filenames, (str, bytes, Path)) else filenames
    files = [name.decode() if isinstance(name, bytes) else str(name) for name in np.atleast_1d(np.asarray(names))]
    defaults = [_default(one) for one in record_defaults]
    read = _reader(compression_type, field_delim, use_quote_delim)

    def rows() -> Iterator[tuple[Any, ...]]:
        for file in files:
            for row in islice(read(file), int(header), None):
                kept = list(range(len(row))) if select_cols is None else list(select_cols)
                fields = [row[place] for place in kept if place not in (exclude_cols or ())]
                if len(fields) != len(defaults):
                    raise InvalidArgumentError(f"Expect {len(defaults)} fields but have {len(fields)} in record")
                yield tuple(csv_field(text, one, na_value) for text, one in zip(fields, defaults, strict=True))

    return Dataset.from_generator(rows, output_signature=tuple(TensorSpec((), one.dtype) for one in defaults))


def _default(given: Any) -> Any:
    try:
        dtype = as_dtype(given)
    except (TypeError, ValueError):
        return convert_to_tensor(given)
    return convert_to_tensor(np.zeros(0, dtype.numpy), dtype=dtype)  # empty: there must be something


def _reader(compression: str | None, delimiter: str, quotes: bool) -> Callable[[str], Iterator[list[str]]]:
    """What gives the rows of a file."""
    if compression not in (None, "", "GZIP"):
        raise InvalidArgumentError(f"Unsupported compression_type {compression!r}; choose '' or 'GZIP'")
    opened: Any = gzip.open if compression else open
    quoting: Any = csv.QUOTE_MINIMAL if quotes else csv.QUOTE_NONE

    def read(file: str) -> Iterator[list[str]]:
        with opened(file, "rt", encoding="utf-8", newline="") as lines:
            yield from csv.reader(lines, delimiter=delimiter, quoting=quoting)

    return read


def _kind(texts: Sequence[str], nothing: str) -> DType:
    """The narrowest dtype of all the fields of a column."""
    present = [text for text in texts if text not in ("", nothing)]
    for name in _KINDS:
        kind = as_dtype(name)
        if all(_fits(text, kind) for text in present):
            return kind
    raise AssertionError("every field is a string")


def _fits(text: str, kind: DType) -> bool:
    if kind == "string":
        return True
    try:
        number = float(text) if kind.is_floating else int(text)
    except ValueError:
        return False
    largest = np.finfo(kind.numpy).max if kind.is_floating else np.iinfo(kind.numpy).max
    return not abs(number) > (float(largest) if kind.is_floating else int(largest))  # NaN fits


def make_csv_dataset(
    file_pattern: Any, batch_size: int, column_names: Sequence[str] | None = None,
    column_defaults: Sequence[Any] | None = None, label_name: str | None = None,
    select_columns: Sequence[Any] | None = None, field_delim: str = ",", use_quote_delim: bool = True,
    na_value: str = "", header: bool = True, num_epochs: int | None = None, shuffle: bool = True,
    shuffle_buffer_size: int = 10000, shuffle_seed: int | None = None, prefetch_buffer_size: int | None = None,
    num_parallel_reads: int | None = None, sloppy: bool = False, num_rows_for_inference: int | None = 100,
    compression_type: str | None = None, ignore_errors: bool = False, encoding: str = "utf-8",
) -> Dataset:  # fmt: skip
    r"""Batches of the rows of CSV files: a dict of columns by name, or a pair of it and the labels.

    Args:
        file_pattern: files, or patterns of their names.
        batch_size: how many rows a batch has.
        column_names: the names of all columns; those of the first row where None.
        column_defaults: for each selected column its dtype, or what stands for nothing; by default what the first rows
            suggest.
        label_name: the column of labels.
        select_columns: the columns to take, by name or number.
        field_delim: what stands between two fields.
        use_quote_delim: whether quotes hold a field together.
        na_value: a field that stands for nothing.
        header: whether the first row of each file has names.
        num_epochs: how often the rows come; without end where None.
        shuffle: whether they come in a random order.
        shuffle_buffer_size: among how many the next one is drawn.
        shuffle_seed: of these draws.
        prefetch_buffer_size: accepted as TensorFlow does, like the next two.
        num_parallel_reads: accepted.
        sloppy: accepted.
        num_rows_for_inference: from how many rows the dtypes are found; all where None.
        compression_type: "GZIP", or "" for none.
        ignore_errors: must be False.
        encoding: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: there are no files, or in a pass: a row does not fit.
        NotImplementedError: ``ignore_errors`` is True.
        ValueError: a name is there twice, or is no column's.

    >>> import os, tempfile, tapeviz as tf
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "rows.csv")
    ...     with open(path, "w") as file:
    ...         _ = file.write("size,name\n1,a\n2,b\n")
    ...     made = tf.data.experimental.make_csv_dataset(path, 2, label_name="name", num_epochs=1, shuffle=False)
    ...     features, labels = next(made.as_numpy_iterator())
    >>> features["size"], labels
    (array([1, 2], dtype=int32), array([b'a', b'b'], dtype=object))
    """
    if ignore_errors:
        raise NotImplementedError(
            "make_csv_dataset has no ignore_errors: take the rows that do not fit out of the files"
        )
    files, read = files_matching(file_pattern), _reader(compression_type, field_delim, use_quote_delim)
    first = list(islice(read(files[0]), None if num_rows_for_inference is None else num_rows_for_inference + header))
    names = list(first[0] if column_names is None else column_names)
    if len(set(names)) != len(names):
        raise ValueError(f"Either `column_names` argument or CSV header row contains duplicate column names: {names}")
    chosen = [_place(one, names) for one in (names if select_columns is None else select_columns)]
    kinds = column_defaults or [_filled(_kind([row[at] for row in first[header:]], na_value)) for at in chosen]
    of_place = dict(sorted(zip(chosen, kinds, strict=True), key=itemgetter(0)))  # a row is read from left to right
    rows = CsvDataset(
        files, list(of_place.values()), compression_type, None, header, field_delim, use_quote_delim, na_value,
        list(of_place),
    )  # fmt: skip
    labels = [names[at] for at in of_place]
    if label_name is not None and label_name not in labels:
        raise ValueError(f"`label_name` provided must be one of the columns: {labels}")

    def by_name(*columns: Any) -> Any:
        found = OrderedDict(zip(labels, columns, strict=True))
        return found if label_name is None else (found, found.pop(label_name))

    if shuffle:
        rows = rows.shuffle(shuffle_buffer_size, shuffle_seed)
    return rows.repeat(num_epochs).batch(batch_size, drop_remainder=num_epochs is None).map(by_name)


def _place(column: Any, names: list[str]) -> int:
    if isinstance(column, str):
        if column not in names:
            raise ValueError(f"Value for `select_columns` is not a column name: {column}; there are {names}")
        return names.index(column)
    return int(column)


def _filled(kind: DType) -> Any:
    """What stands for nothing in a column: 0, or an empty string."""
    return convert_to_tensor([b""] if kind == "string" else np.zeros(1, kind.numpy), dtype=kind)
