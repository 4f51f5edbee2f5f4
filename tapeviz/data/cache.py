"""Elements kept from the first whole pass: in memory, or in a file."""

from __future__ import annotations

import contextlib
import json
import math
import os
import struct
import sys
import threading
import zlib
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np

from tapeviz.data.nodes import Element, Node, Run
from tapeviz.data.structures import DatasetSpec
from tapeviz.engine import nest
from tapeviz.engine.dtypes import as_dtype
from tapeviz.engine.errors import DataLossError, InvalidArgumentError
from tapeviz.engine.os_errors import translate_os_errors
from tapeviz.files import atomic_writer

__all__ = ["CacheNode"]

_FIRST_MAGIC: Final = b"tapeviz cache 1\n"
_MAGIC: Final = b"tapeviz cache 2\n"
_LONGEST_FORM: Final = 1 << 20
_SUFFIX: Final = ".cache"
_END: Final = b"END!"
_NEXT: Final = b"ELEM"
_MARK: Final = struct.Struct("<4sQI")
"""What stands before an element: its length, and the checksum of its bytes and of its number."""


class CacheNode(Node):
    """The elements of the first pass that goes to the end, in all passes after it.

    Args:
        source: where they come from.
        filename: the beginning of a file's name; empty for memory.
    """

    name = "Cache"

    def __init__(self, source: Node, filename: str) -> None:
        self.inputs: tuple[Node] = (source,)
        self.spec: Any = source.spec
        if filename and any(isinstance(leaf, DatasetSpec) for leaf in nest.flatten(source.spec)):
            raise TypeError(f"datasets cannot be kept in a file: the elements are {source.spec}")
        # Slices in their own order are in memory already.
        self.by_rows: bool
        self.plain: bool
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
            return _stored(self._path, self.spec) if _is_current(self._path) else self._storing(run, self._path)
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
        """Write them to a file, which gets its name when it is whole."""
        refused = partial(translate_os_errors, f"the cache {path} cannot be written")
        form = json.dumps(_form(self.spec)).encode()
        number = 0
        with contextlib.ExitStack() as stack:
            with refused():
                path.parent.mkdir(parents=True, exist_ok=True)
                file = stack.enter_context(atomic_writer(path))
                file.write(_MAGIC + b"%08x " % zlib.crc32(form) + form + b"\n")
            for element in self.inputs[0].open(run.input()):
                content = b"".join(piece for part in element for piece in _encoded(part))
                with refused():
                    file.write(_MARK.pack(_NEXT, len(content), zlib.crc32(content, number)) + content)
                yield element
                number += 1
            with refused():
                file.write(_MARK.pack(_END, number, zlib.crc32(_END, number)))
                stack.close()


def _form(spec: Any) -> list[Any]:
    return [sys.byteorder, *([leaf.dtype.name, None if leaf.shape.dims is None else list(leaf.shape.dims)]
                             for leaf in nest.flatten(spec))]  # fmt: skip


def _encoded(array: np.ndarray) -> Iterator[bytes]:
    """An array as its rank, its sizes and its bytes; texts as their lengths and their bytes."""
    yield struct.pack(f"<B{array.ndim}Q", array.ndim, *array.shape)
    if array.dtype.kind != "O":
        yield array.tobytes()
        return
    texts = [text if isinstance(text, bytes) else str(text).encode() for text in array.ravel()]
    yield np.array([len(text) for text in texts], np.uint64).tobytes()
    yield from texts


class _Content:
    """The bytes of an element while arrays are cut from them."""

    def __init__(self, data: bytes) -> None:
        self._rest = memoryview(data)

    def array(self, dtype: np.dtype) -> np.ndarray:
        """The next array.

        Raises:
            ValueError: there are fewer bytes than it needs.
        """
        (rank,) = self._take(1)
        shape = struct.unpack(f"<{rank}Q", self._take(8 * rank))
        count = math.prod(shape)
        if dtype.kind != "O":
            return np.frombuffer(self._take(count * dtype.itemsize), np.uint8).view(dtype).reshape(shape).copy()
        made = np.empty(count if count <= len(self._rest) else 0, object)
        for place, length in enumerate(np.frombuffer(self._take(8 * count), np.uint64).tolist()):
            made[place] = bytes(self._take(length))
        return made.reshape(shape)

    def _take(self, size: int) -> memoryview:
        if size > len(self._rest):
            raise ValueError(f"{size:,} bytes are announced where {len(self._rest):,} are left")
        taken, self._rest = self._rest[:size], self._rest[size:]
        return taken

    def end(self) -> None:
        """Nothing may be left. Raises ValueError otherwise."""
        if self._rest:
            raise ValueError(f"{len(self._rest):,} bytes are left over")


def _is_current(path: Path) -> bool:
    """Whether there is a cache of this version; one of the first, which had no checksums, is made anew."""
    try:
        with path.open("rb") as file:
            return file.readline(len(_MAGIC)) != _FIRST_MAGIC
    except (FileNotFoundError, NotADirectoryError):  # writing one will say what is wrong
        return False


def _stored(path: Path, spec: Any) -> Iterator[Element]:
    """The elements in a file.

    Raises:
        DataLossError: it is not a cache, damaged, or not whole.
        InvalidArgumentError: it is that of other elements.
    """
    dtypes = [as_dtype(leaf.dtype.name).numpy for leaf in nest.flatten(spec)]
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        _check_beginning(file, path, _form(spec))
        number = 0
        while len(mark := file.read(_MARK.size)) == _MARK.size:
            kind, length, checksum = _MARK.unpack(mark)
            if kind == _END:
                if (length, checksum) == (number, zlib.crc32(_END, number)) and not file.read(1):
                    return
                break
            if kind != _NEXT or length > size:
                break
            content = file.read(length)
            if len(content) < length:
                raise DataLossError(f"the cache {path} ends after {number} elements, in the middle")
            if zlib.crc32(content, number) != checksum:
                break
            yield _decoded(content, dtypes, path, number)
            number += 1
        if mark and len(mark) == _MARK.size:
            raise DataLossError(f"the cache {path} is damaged at element {number}: it has changed since it was written")
        raise DataLossError(f"the cache {path} ends after {number} elements, in the middle")


def _check_beginning(file: BinaryIO, path: Path, wanted: list[Any]) -> None:
    if file.readline(len(_MAGIC)) != _MAGIC:
        raise DataLossError(f"{path} is not a dataset cache")
    checksum, _, text = file.readline(_LONGEST_FORM).removesuffix(b"\n").partition(b" ")
    if checksum != b"%08x" % zlib.crc32(text):
        raise DataLossError(f"the cache {path} is damaged at its beginning: it has changed since it was written")
    form = json.loads(text)
    if form != wanted:
        raise InvalidArgumentError(
            f"the cache {path} is that of another dataset: its elements are {form[1:]}, these are {wanted[1:]}; "
            "remove the file, or give it another name"
        )


def _decoded(content: bytes, dtypes: list[np.dtype], path: Path, number: int) -> Element:
    parts = _Content(content)
    try:
        element = tuple([parts.array(dtype) for dtype in dtypes])
        parts.end()
    except (ValueError, struct.error) as error:
        raise DataLossError(f"the cache {path} is damaged at element {number}: {error}") from error
    return element
