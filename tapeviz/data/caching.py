"""Elements kept from the first whole pass: in memory, or in a file."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np

from tapeviz.data.nodes import Element, Node, Run
from tapeviz.data.structures import DatasetSpec
from tapeviz.engine import nest
from tapeviz.engine.dtypes import as_dtype
from tapeviz.engine.errors import DataLossError, InvalidArgumentError, PermissionDeniedError

__all__ = ["CacheNode"]

_MAGIC: Final = b"tapeviz cache 1\n"
_SUFFIX: Final = ".cache"
_END: Final = b"END!"
_NEXT: Final = b"ELEM"


class CacheNode(Node):
    """The elements of the first pass that goes to the end, in all passes after it.

    Args:
        source: where they come from.
        filename: the beginning of a file's name; empty for memory.
    """

    name = "Cache"

    def __init__(self, source: Node, filename: str) -> None:
        self.inputs = (source,)
        self.spec = source.spec
        if filename and any(isinstance(leaf, DatasetSpec) for leaf in nest.flatten(source.spec)):
            raise TypeError(f"datasets cannot be kept in a file: the elements are {source.spec}")
        # Slices in their own order are in memory already.
        self.by_rows = self.plain = source.plain and not filename
        self._path = Path(f"{filename}{_SUFFIX}") if filename else None
        self._kept: list[Element] | None = None
        self._lock = threading.Lock()

    def cardinality(self) -> int:
        """As many as come in."""
        return self.inputs[0].cardinality()

    def open_rows(self, run: Run) -> tuple[Any, Iterator[Any]]:
        """The same as rows."""
        return self.inputs[0].open_rows(run.input())

    def open(self, run: Run) -> Iterator[Element]:
        """Give them."""
        if self.by_rows:
            return super().open(run)
        if self._path is not None:
            return _stored(self._path, self.spec) if self._path.exists() else self._storing(run, self._path)
        return self._keeping(run) if self._kept is None else iter(self._kept)

    def _keeping(self, run: Run) -> Iterator[Element]:
        found = []
        for element in self.inputs[0].open(run.input()):
            found.append(element)
            yield element
        with self._lock:
            if self._kept is None:
                self._kept = found

    def _storing(self, run: Run, path: Path) -> Iterator[Element]:
        """Write them to a file of another name, which gets its name when it is whole."""
        partial = path.with_name(f"{path.name}.{os.getpid()}.{threading.get_ident()}.partial")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            file = partial.open("wb")
        except OSError as error:
            raise PermissionDeniedError(f"the cache {path} cannot be written: {error}") from error
        try:
            with file:
                file.write(_MAGIC + json.dumps(_form(self.spec)).encode() + b"\n")
                for element in self.inputs[0].open(run.input()):
                    file.write(_NEXT)
                    for part in element:
                        _write(file, part)
                    yield element
                file.write(_END)
                file.flush()
                os.fsync(file.fileno())
            partial.replace(path)
        finally:
            partial.unlink(missing_ok=True)


def _form(spec: Any) -> list[Any]:
    return [[leaf.dtype.name, None if leaf.shape.dims is None else list(leaf.shape.dims)]
            for leaf in nest.flatten(spec)]  # fmt: skip


def _write(file: BinaryIO, array: np.ndarray) -> None:
    if array.dtype.kind != "O":
        # What NumPy does not know, such as bfloat16, goes as bytes; the spec says what they are.
        plain = array if array.dtype.kind in "biufc" else array.view(f"V{array.itemsize}")
        np.lib.format.write_array(file, np.asarray(plain), allow_pickle=False)
        return
    texts = [text if isinstance(text, bytes) else str(text).encode() for text in array.ravel()]
    np.lib.format.write_array(file, np.array(array.shape, np.int64), allow_pickle=False)
    np.lib.format.write_array(file, np.array([len(text) for text in texts], np.int64), allow_pickle=False)
    np.lib.format.write_array(file, np.frombuffer(b"".join(texts), np.uint8), allow_pickle=False)


def _read(file: BinaryIO, dtype: np.dtype) -> np.ndarray:
    first = np.lib.format.read_array(file, allow_pickle=False)
    if dtype.kind != "O":
        return first if first.dtype == dtype else first.view(dtype)
    lengths = np.lib.format.read_array(file, allow_pickle=False)
    data = np.lib.format.read_array(file, allow_pickle=False).tobytes()
    ends = np.cumsum(lengths)
    made = np.empty(len(lengths), object)
    made[:] = [data[end - length : end] for end, length in zip(ends, lengths, strict=True)]
    return made.reshape(first)


def _stored(path: Path, spec: Any) -> Iterator[Element]:
    """The elements in a file.

    Raises:
        DataLossError: it is no cache, or not whole.
        InvalidArgumentError: it is that of other elements.
    """
    wanted = _form(spec)
    dtypes = [as_dtype(name).numpy for name, _ in wanted]
    with path.open("rb") as file:
        if file.readline() != _MAGIC:
            raise DataLossError(f"{path} is no cache of a dataset")
        try:
            form = json.loads(file.readline())
        except ValueError as error:
            raise DataLossError(f"the cache {path} is damaged at its beginning: {error}") from error
        if form != wanted:
            raise InvalidArgumentError(
                f"the cache {path} is that of another dataset: its elements are {form}, these are {wanted}; "
                "remove the file, or give it another name"
            )
        number = 0
        while (mark := file.read(len(_NEXT))) == _NEXT:
            try:
                element = tuple([_read(file, dtype) for dtype in dtypes])
            except (ValueError, EOFError, OSError, IndexError) as error:
                raise DataLossError(f"the cache {path} is damaged at element {number}: {error}") from error
            yield element
            number += 1
        if mark != _END:
            raise DataLossError(f"the cache {path} ends after {number} elements, in the middle")
