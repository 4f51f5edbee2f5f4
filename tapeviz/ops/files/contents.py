"""``tf.io.read_file`` and what its bytes stand for: numbers, rows of text."""

from __future__ import annotations

import csv
import io
import os
from pathlib import Path
from typing import Any

import numpy as np

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.dtypes import as_dtype
from tapeviz.engine.errors import InvalidArgumentError, NotFoundError
from tapeviz.files import gfile, write_atomic
from tapeviz.ops.runtime_calls import by_values, open_sizes

__all__ = ["csv_field", "decode_csv", "decode_raw", "matching_files", "read_file", "write_file"]


def _path(name: Any) -> str:
    given = convert_to_tensor(name).numpy() if not isinstance(name, str | os.PathLike) else name
    return os.fsdecode(given)


@by_values(form=lambda *_args, **_options: ((), "string"))
def read_file(filename: Any, name: str | None = None) -> Any:
    """The bytes of a file.

    Raises:
        NotFoundError: there is none.

    >>> import tempfile, tapeviz as tf
    >>> path = tempfile.mkdtemp() + "/a"
    >>> tf.io.write_file(path, "one")
    >>> tf.io.read_file(path).numpy()
    b'one'
    """
    path = _path(filename)
    try:
        return convert_to_tensor(Path(path).read_bytes())
    except FileNotFoundError:
        raise NotFoundError(f"{path}; No such file or directory", "ReadFile") from None


def write_file(filename: Any, contents: Any, name: str | None = None) -> None:
    """Write a file whose bytes a string has; folders are made where there are none."""
    path = _path(filename)
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    write_atomic(path, [convert_to_tensor(contents).numpy()])


def matching_files(pattern: Any, name: str | None = None) -> Any:
    """The names of the files that fit a pattern, in order.

    >>> import tapeviz as tf
    >>> tf.io.matching_files("/no/such/*").numpy().tolist()
    []
    """
    found = np.array([os.fsencode(path) for path in sorted(gfile.glob(_path(pattern)))], dtype=object)
    return convert_to_tensor(found, dtype="string")


def _raw_form(input_bytes: Any, out_type: Any, *_args: Any, **_options: Any) -> Any:
    shape = open_sizes(convert_to_tensor(input_bytes))
    return None if shape is None else (*shape, None), out_type


@by_values(form=_raw_form)
def decode_raw(input_bytes: Any, out_type: Any, little_endian: bool = True, fixed_length: Any = None,
               name: str | None = None) -> Any:  # fmt: skip
    r"""The bytes of strings as numbers.

    Raises:
        InvalidArgumentError: the bytes are no whole number of numbers, or strings have different lengths.

    >>> import tapeviz as tf
    >>> tf.io.decode_raw(b"\x01\x02", tf.uint8).numpy()
    array([1, 2], dtype=uint8)
    """
    texts = convert_to_tensor(input_bytes).numpy()
    dtype = as_dtype(out_type).numpy.newbyteorder("<" if little_endian else ">")
    rows = [texts] if isinstance(texts, bytes) else list(texts.ravel())
    if len({len(row) for row in rows}) > 1 or any(len(row) % dtype.itemsize for row in rows):
        raise InvalidArgumentError(
            f"DecodeRaw requires input strings to all be the same size, of whole elements of {dtype.itemsize} bytes",
            "DecodeRaw",
        )
    found = np.array([np.frombuffer(row, dtype) for row in rows]).astype(as_dtype(out_type).numpy)
    return convert_to_tensor(found.reshape((*np.shape(texts), -1)))


def _csv_form(records: Any, record_defaults: Any, *_args: Any, **_options: Any) -> Any:
    shape = open_sizes(convert_to_tensor(records))
    return [(shape, convert_to_tensor(default).dtype) for default in record_defaults]


@by_values(form=_csv_form)
def decode_csv(records: Any, record_defaults: Any, field_delim: str = ",", use_quote_delim: bool = True,
               na_value: str = "", select_cols: Any = None, name: str | None = None) -> Any:  # fmt: skip
    """Rows of text as columns of numbers and strings.

    Args:
        records: the rows.
        record_defaults: for each column what stands for nothing, of the column's dtype; empty where there must be
            something.
        field_delim: what stands between two fields.
        use_quote_delim: whether quotes hold a field together.
        na_value: a field that stands for nothing.
        select_cols: the columns to take.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: a row has another number of fields, or a field does not fit.

    >>> import tapeviz as tf
    >>> [column.numpy() for column in tf.io.decode_csv("1,a", [0, ""])]
    [np.int32(1), b'a']
    """
    texts = convert_to_tensor(records).numpy()
    lines = [texts] if isinstance(texts, bytes) else list(texts.ravel())
    quoting: Any = csv.QUOTE_MINIMAL if use_quote_delim else csv.QUOTE_NONE
    rows = [
        next(csv.reader(io.StringIO(line.decode()), delimiter=field_delim, quoting=quoting), [""]) for line in lines
    ]
    if select_cols is not None:
        rows = [[row[place] for place in select_cols] for row in rows]
    for row in rows:
        if len(row) != len(record_defaults):
            raise InvalidArgumentError(
                f"Expect {len(record_defaults)} fields but have {len(row)} in record", "DecodeCSV"
            )
    columns = []
    for place, default in enumerate(record_defaults):
        kind = convert_to_tensor(default)
        made = np.empty(len(rows), kind.dtype.numpy)
        made[:] = [csv_field(row[place], kind, na_value) for row in rows]
        columns.append(convert_to_tensor(made.reshape(np.shape(texts)), dtype=kind.dtype))
    return columns


def csv_field(text: str, default: Any, nothing: str) -> Any:
    """What a field of a row says, in the dtype of the default, which stands for nothing.

    Raises:
        InvalidArgumentError: it does not fit, or there is nothing, and no default.
    """
    if text in ("", nothing):
        if default.shape.num_elements() == 0:
            raise InvalidArgumentError("Field is required but missing in record!", "DecodeCSV")
        return default.numpy().ravel()[0] if default.ndim else default.numpy()
    if default.dtype == "string":
        return text.encode()
    try:
        with np.errstate(over="ignore"):  # what is too large is infinite
            return default.dtype.numpy.type(float(text) if default.dtype.is_floating else int(text))
    except ValueError:
        raise InvalidArgumentError(
            f"Field in record is not a valid {default.dtype.name}: {text}", "DecodeCSV"
        ) from None
