"""Checkpoint files: tensors in a safetensors file, under an index that says what each of them must be.

Under a prefix such as ``model-3`` there are ``model-3.index``, JSON, and ``model-3.<token>.safetensors``. Each writing
makes a data file with a token of its own, and then replaces the index, in one step of the file system: killed at any
moment, what is found under the prefix is the last checkpoint that was whole. Every byte of both files is covered by a
checksum, and none is run: damage is found when reading, and said with its place.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import math
import mmap
import os
import re
import secrets
import zlib
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import save_file

from tapeviz.engine.dtypes import as_dtype
from tapeviz.engine.errors import DataLossError, FailedPreconditionError, NotFoundError
from tapeviz.engine.os_errors import translate_os_errors
from tapeviz.files import atomic_path, write_atomic
from tapeviz.files.locks import hold, let_go, remove_abandoned
from tapeviz.train.codec import from_stored, in_memory_order, to_stored

__all__ = [
    "CheckpointReader",
    "MissingFileError",
    "checkpoint_exists",
    "remove_checkpoint",
    "remove_strays",
    "write_checkpoint",
]  # fmt: skip

_INDEX: Final = ".index"
_DATA: Final = ".safetensors"
_FORMAT: Final = "tapeviz checkpoint"
_VERSION: Final = 1
_HEAD: Final = re.compile(rb'\{"sha256": "([0-9a-f]{64})", "index":\n')
_TAIL: Final = b"\n}\n"
_LENGTH_BYTES: Final = 8
_LARGEST: Final = 1 << 62
_ATTEMPTS: Final = 20  # to read what others replace at the same time


class MissingFileError(NotFoundError, FileNotFoundError):
    """There is no file: TensorFlow's error, and Python's."""

    def __str__(self) -> str:
        return self.message


def checkpoint_exists(checkpoint_prefix: Any) -> bool:
    """Whether there is a checkpoint under a prefix."""
    return Path(f"{os.fspath(checkpoint_prefix)}{_INDEX}").is_file()


# Writing.


def write_checkpoint(prefix: str, values: Mapping[str, Any], objects: Any = None) -> None:
    """Write arrays under a prefix. The checkpoint is there whole or not at all; one that was there before stays so.

    Args:
        prefix: of the files.
        values: the arrays, by key.
        objects: what else the index is to say: anything that JSON knows.

    Raises:
        PermissionDeniedError, NotFoundError, FailedPreconditionError, ResourceExhaustedError, UnknownError: the files
            cannot be written.
    """
    arrays = {key: in_memory_order(value) for key, value in values.items()}
    stored = {key: to_stored(array) for key, array in arrays.items()}
    data = Path(f"{prefix}.{secrets.token_hex(4)}{_DATA}")
    with translate_os_errors(f"Cannot write a checkpoint under {prefix}"), ThreadPoolExecutor(1) as aside:
        checksums = aside.submit(lambda: {key: _crc(array) for key, array in stored.items()})  # while the disk is busy
        try:
            header, held = _write_data(data, stored)
        except BaseException:
            data.unlink(missing_ok=True)
            raise
        try:
            index = {
                "format": _FORMAT, "version": _VERSION, "data": data.name, "bytes": data.stat().st_size,
                "header": [len(header), zlib.crc32(header)], "tensors": _index_of(arrays, header, checksums.result()),
                "objects": objects,
            }  # fmt: skip
            write_atomic(f"{prefix}{_INDEX}", [_rendered(index)])
        except BaseException:
            _unlink_unless_spoken_of(data, prefix)  # an interrupt may come when the index is in its place
            raise
        finally:
            let_go(held)
    _clear(prefix)


def _write_data(path: Path, stored: Mapping[str, np.ndarray]) -> tuple[bytes, int]:
    """Write the data file: what comes before the data in it, and the file, locked so that no other writer clears it."""
    # The library may put a file of its own in the place of the locked one, which somebody who clears up then takes for
    # left behind.
    for attempt in range(_ATTEMPTS):
        try:
            _save(path, stored)
        except FileNotFoundError:
            if attempt == _ATTEMPTS - 1 or not path.parent.is_dir():
                raise
            continue
        if (held := hold(path)) is not None:
            with path.open("rb") as file:
                length = file.read(_LENGTH_BYTES)
                return length + file.read(int.from_bytes(length, "little")), held
    raise FileNotFoundError(errno.ENOENT, "others remove it again and again", str(path))


def _save(path: Path, stored: Mapping[str, np.ndarray]) -> None:
    with atomic_path(path) as beside:
        try:
            save_file(dict(stored), beside)
        except SafetensorError as error:  # the library folds what the system refuses into an error of its own
            number = _number_in(str(error))
            raise OSError(number, os.strerror(number), str(path)) from error


def _number_in(text: str) -> int:
    """The system's number of an error that the library tells."""
    found = re.search(r"code: (\d+)|os error (\d+)", text)
    return int(found[1] or found[2]) if found else errno.EIO


def _index_of(arrays: Mapping[str, np.ndarray], header: bytes, checksums: Mapping[str, int]) -> dict[str, Any]:
    """What the index says of each tensor: its form, its place in the file, and the checksum of its bytes."""
    placed = json.loads(header[_LENGTH_BYTES:])
    return {
        key: {
            "dtype": as_dtype(array.dtype).name,
            "shape": list(array.shape),
            "at": [len(header) + place for place in placed[key]["data_offsets"]],
            "crc32": checksums[key],
        }
        for key, array in arrays.items()
    }


def _crc(array: np.ndarray) -> int:
    return zlib.crc32(array.reshape(-1).view(np.uint8).data) if array.size else 0


def _rendered(index: Mapping[str, Any]) -> bytes:
    text = json.dumps(index, indent=1, ensure_ascii=False).encode()
    return b'{"sha256": "%s", "index":\n' % hashlib.sha256(text).hexdigest().encode() + text + _TAIL


def _clear(prefix: str) -> None:
    """Remove what earlier writings under the prefix have left: data that no index speaks of, and nobody is writing."""
    path = Path(prefix)
    unfinished = r"\.[0-9a-f]{8}\.partial"
    ours = re.compile(rf"({re.escape(path.name)})(\.[0-9a-f]{{8}}{_DATA}({unfinished})?|{_INDEX}{unfinished})")
    _remove_strays(path.parent, ours)


def remove_checkpoint(prefix: str) -> None:
    """Remove the files of a checkpoint. It stops being one first."""
    with translate_os_errors(f"Cannot remove the checkpoint {prefix}"):
        Path(f"{prefix}{_INDEX}").unlink(missing_ok=True)
        _clear(prefix)


def remove_strays(prefix: str) -> None:
    """Remove data of numbered checkpoints that no index speaks of: what was left by a process that was killed."""
    path = Path(prefix)
    ours = re.compile(rf"({re.escape(path.name)}-\d+)\.[0-9a-f]{{8}}{_DATA}(\.[0-9a-f]{{8}}\.partial)?")
    _remove_strays(path.parent, ours)


def _remove_strays(folder: Path, ours: re.Pattern[str]) -> None:
    """Remove the files of these names, whose first group is a prefix, that are neither written nor spoken of."""
    with contextlib.suppress(OSError):
        for found in folder.iterdir():
            if match := ours.fullmatch(found.name):
                # Who writes a file has it locked until its index is in its place: an index read now is the last word.
                remove_abandoned(str(found), partial(_unlink_unless_spoken_of, found, str(folder / match[1])))


def _unlink_unless_spoken_of(data: Path, prefix: str) -> None:
    try:
        named = _read_index(prefix)["data"]
    except NotFoundError:
        named = None
    except DataLossError:  # whose data this was cannot be told
        return
    if data.name != named:
        data.unlink(missing_ok=True)


# Reading.


class CheckpointReader:
    """The tensors of a checkpoint, read as they are asked for. Made by :func:`load_checkpoint`.

    Args:
        prefix: of the files.

    Raises:
        NotFoundError: there is no checkpoint under the prefix.
        DataLossError: a file is damaged or cut.
    """

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        for attempt in range(_ATTEMPTS):
            try:
                self._open(_read_index(prefix), last=attempt == _ATTEMPTS - 1)
                break
            except _ReplacedError:  # somebody has written another checkpoint under the prefix in between
                continue

    def _open(self, index: dict[str, Any], *, last: bool = False) -> None:
        self.objects: Any = index["objects"]
        self._tensors: dict[str, Any] = index["tensors"]
        self._path = Path(self.prefix).parent / index["data"]
        try:
            with translate_os_errors(f"Cannot read the checkpoint {self.prefix}"), self._path.open("rb") as file:
                size = os.fstat(file.fileno()).st_size
                # The map outlives the file's name: what waits to be restored is there when others remove it.
                self._bytes = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if size else b"")
        except NotFoundError:
            if not last:
                raise _ReplacedError from None
            raise DataLossError(f"Damaged checkpoint {self.prefix}: its data file {self._path} is gone") from None
        if size != index["bytes"]:
            raise DataLossError(f"Damaged checkpoint: {self._path} has {size} bytes and must have {index['bytes']}")
        end, checksum = index["header"]
        if zlib.crc32(self._bytes[:end]) != checksum:
            raise DataLossError(f"Damaged checkpoint: {self._path} has changed in its header since it was written")

    def get_variable_to_shape_map(self) -> dict[str, list[int]]:
        """Shapes by key."""
        return {key: list(told["shape"]) for key, told in self._tensors.items()}

    def get_variable_to_dtype_map(self) -> dict[str, Any]:
        """Dtypes by key."""
        return {key: as_dtype(told["dtype"]) for key, told in self._tensors.items()}

    def has_tensor(self, tensor_str: str) -> bool:
        """Whether it has a tensor of this key."""
        return tensor_str in self._tensors

    def get_tensor(self, tensor_str: str) -> Any:
        """The tensor of this key, as an array.

        Raises:
            NotFoundError: there is none.
            DataLossError: its bytes are not those that were written.
        """
        told = self._tensors.get(tensor_str)
        if told is None:
            raise NotFoundError(f"Key {tensor_str} not found in checkpoint")
        try:
            return from_stored(self._checked(tensor_str, told), told["dtype"], told["shape"])
        except ValueError as error:
            raise DataLossError(f"Damaged checkpoint: tensor {tensor_str} in {self._path}: {error}") from error

    def _checked(self, key: str, told: Mapping[str, Any]) -> memoryview:
        begin, end = told["at"]
        data = self._bytes[begin:end]
        if zlib.crc32(data) != told["crc32"]:
            raise DataLossError(
                f"Damaged checkpoint: tensor {key} in {self._path} has changed since it was written (bytes {begin} to "
                f"{end})"
            )
        return data

    def check(self) -> None:
        """Look at every byte. Raises DataLossError: some are not those that were written."""
        for key, told in self._tensors.items():
            self._checked(key, told)

    def debug_string(self) -> bytes:
        """What it has, for people: a line a tensor."""
        lines = [f"{key} (DT_{told['dtype'].upper()}) {told['shape']}" for key, told in sorted(self._tensors.items())]
        return "\n".join(lines).encode()


class _ReplacedError(Exception):
    """An index speaks of data that is not there."""


def _read_index(prefix: str) -> dict[str, Any]:
    path = Path(f"{prefix}{_INDEX}")
    try:
        with translate_os_errors("Cannot read a checkpoint"):
            content = path.read_bytes()
    except (NotFoundError, FailedPreconditionError):
        raise NotFoundError(
            f"Unsuccessful TensorSliceReader constructor: Failed to find any matching files for {prefix}"
        ) from None
    head = _HEAD.match(content)
    text = content[head.end() : -len(_TAIL)] if head else b""
    if head is None or content[-len(_TAIL) :] != _TAIL or hashlib.sha256(text).hexdigest().encode() != head[1]:
        raise DataLossError(f"Damaged checkpoint: {path} is not as it was written")
    index: dict[str, Any] = json.loads(text)
    if index["format"] != _FORMAT or index["version"] > _VERSION:
        raise DataLossError(f"{path} is of version {index['version']}; this tapeviz reads {_FORMAT}s up to {_VERSION}")
    _check_index(index, path)
    return index


def _check_index(index: Mapping[str, Any], path: Path) -> None:
    """Whether an index says what this module writes: whoever forges one can compute its checksum.

    Raises:
        DataLossError: it does not; such as one that speaks of a file in another folder.
    """
    data, size, header, tensors = (index.get(key) for key in ("data", "bytes", "header", "tensors"))
    if not isinstance(data, str) or Path(data).name != data or not data.endswith(_DATA) or set(data) & set("/\\:\0"):
        raise DataLossError(f"Damaged checkpoint: {path} refers to the file {data!r}, which is not in its folder")
    sound = _are_sizes([size]) and _are_sizes(header, 2) and isinstance(tensors, dict) and "objects" in index
    if not sound or not all(_is_tensor(told, index["bytes"]) for told in index["tensors"].values()):
        raise DataLossError(f"Damaged checkpoint: {path} has contents that no writer produces")


def _is_tensor(told: Any, size: int) -> bool:
    if not isinstance(told, dict) or not {"dtype", "shape", "at", "crc32"} <= told.keys():
        return False
    known = isinstance(told["dtype"], str) and _are_sizes(told["shape"]) and _are_sizes(told["at"], 2)
    if not known or not told["at"][0] <= told["at"][1] <= size:
        return False
    try:
        dtype = as_dtype(told["dtype"])
    except TypeError:
        return False
    # Texts are as long as they are; the others as their shape says.
    return dtype.name == "string" or math.prod(told["shape"]) * dtype.size == told["at"][1] - told["at"][0]


def _are_sizes(values: Any, count: int | None = None) -> bool:
    if not isinstance(values, list) or (count is not None and len(values) != count):
        return False
    return all(type(value) is int and 0 <= value < _LARGEST for value in values)
