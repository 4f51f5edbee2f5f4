"""Formats of files with data: npz of NumPy, IDX of MNIST, the binary form of CIFAR. None of them runs code."""

from __future__ import annotations

import gzip
import math
import tarfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final
from zipfile import BadZipFile

import numpy as np

__all__ = ["Split", "cifar", "idx", "idx_folder", "is_npz", "npz"]

Split = tuple[tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]

_IDX_TYPES: Final = {0x08: "u1", 0x09: "i1", 0x0B: ">i2", 0x0C: ">i4", 0x0D: ">f4", 0x0E: ">f8"}
_GZIP: Final = b"\x1f\x8b"
_ZIP: Final = b"PK"
_PARTS: Final = ("train-images", "train-labels", "t10k-images", "t10k-labels")
_CIFAR_SHAPE: Final = (3, 32, 32)
_CIFAR_FILES: Final = (*(f"data_batch_{part}.bin" for part in range(1, 6)), "test_batch.bin")


def is_npz(path: Path) -> bool:
    """Whether a file is NumPy's npz."""
    return path.is_file() and _head(path, len(_ZIP)) == _ZIP


def _head(path: Path, count: int) -> bytes:
    with path.open("rb") as file:
        return file.read(count)


def npz(path: Path, names: Sequence[str]) -> list[np.ndarray]:
    """Arrays of an npz file.

    Raises:
        ValueError: it is none, it is damaged, or it lacks one.
    """
    if not is_npz(path):
        raise ValueError(f"{path} is not an npz file")
    try:
        with path.open("rb") as opened, np.load(opened, allow_pickle=False) as file:
            lacking = [name for name in names if name not in file.files]
            if not lacking:
                return [np.array(file[name]) for name in names]
            there = file.files
    except (BadZipFile, EOFError, OSError, ValueError, zlib.error) as error:
        raise ValueError(f"{path} is damaged or not an npz file: {error}") from error
    raise ValueError(f"{path} has the arrays {there}, and lacks {lacking}")


def idx(path: Path) -> np.ndarray:
    """The array of an IDX file, compressed by gzip or not.

    Raises:
        ValueError: it is none, or damaged.
    """
    try:
        data = path.read_bytes()
        if data[:2] == _GZIP:
            data = gzip.decompress(data)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise ValueError(f"{path} is damaged: {error}") from error
    if data[:2] != b"\0\0" or len(data) < 4 or data[2] not in _IDX_TYPES:  # noqa: PLR2004
        raise ValueError(f"{path} is not an IDX file: it begins with {data[:4].hex(' ')}")
    dtype, rank = np.dtype(_IDX_TYPES[data[2]]), data[3]
    start = 4 + 4 * rank
    shape = tuple(np.frombuffer(data[4:start], ">u4").tolist())
    expected = start + math.prod(shape) * dtype.itemsize
    if len(shape) != rank or len(data) != expected:
        raise ValueError(f"{path} is damaged: it says that its shape is {shape}, and has {len(data)} bytes, not "
                         f"{expected}")  # fmt: skip
    array = np.frombuffer(data, dtype, offset=start).reshape(shape)
    return array.astype(dtype.newbyteorder("="))


def idx_folder(folder: Path) -> Split:
    """Training and test data of a folder with MNIST's four files.

    Raises:
        FileNotFoundError: one is not there.
        ValueError: one is damaged, or images and labels are not as many.
    """
    found = []
    for part in _PARTS:
        paths = sorted(path for path in folder.glob(f"{part}*idx*") if path.suffix != ".partial")
        if not paths:
            raise FileNotFoundError(
                f"{folder} has no file {part}-idx{3 if part.endswith('images') else 1}-ubyte(.gz), and no npz file"
            )
        found.append(idx(paths[0]))
    train, test = (found[0], found[1]), (found[2], found[3])
    for part, (images, labels) in (("train", train), ("t10k", test)):
        if len(images) != len(labels):
            raise ValueError(f"{folder} has {len(images)} {part} images and {len(labels)} {part} labels")
    return train, test


def cifar(path: Path, files: Sequence[str] = _CIFAR_FILES, labels: int = 1) -> Split:
    """Training and test data of CIFAR's binary version: the archive, or a folder with its files.

    Args:
        path: the archive or folder.
        files: the names of its files, the test's last.
        labels: how many labels an image has.

    Raises:
        FileNotFoundError: a file is not there.
        ValueError: it is the version for Python, which could run any code; or it is damaged.
    """
    parts = _from_archive(path, files) if path.is_file() else _from_folder(path)
    lacking = [name for name in files if name not in parts]
    if lacking:
        raise FileNotFoundError(f"{path} has no {', '.join(lacking)}: it is not CIFAR's binary version")
    arrays = [_cifar_arrays(f"{path}: {name}", parts[name], labels) for name in files]
    images, numbers = (np.concatenate([array[k] for array in arrays[:-1]]) for k in (0, 1))
    return (images, numbers), arrays[-1]


def _from_folder(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.rglob("*.bin"))}


def _from_archive(path: Path, files: Sequence[str]) -> dict[str, bytes]:
    parts: dict[str, Any] = {}
    try:
        with tarfile.open(path, "r:*") as archive:
            for member in archive:
                name = Path(member.name).name
                if name in ("data_batch_1", "train"):
                    raise ValueError(
                        f"{path} is CIFAR's version for Python, whose files are pickles: reading them can run any "
                        "code. Give the binary version, such as cifar-10-binary.tar.gz, or an npz file."
                    )
                if name in files and (file := archive.extractfile(member)) is not None:
                    parts[name] = file.read()
    except (tarfile.TarError, EOFError, OSError, zlib.error) as error:
        raise ValueError(f"{path} is damaged or not an archive: {error}") from error
    return parts


def _cifar_arrays(name: str, data: bytes, labels: int) -> tuple[np.ndarray, np.ndarray]:
    """Images, channels last, and labels as a column."""
    size = labels + math.prod(_CIFAR_SHAPE)
    if len(data) % size:
        raise ValueError(f"{name} is damaged: {len(data)} bytes are not a whole number of images")
    rows = np.frombuffer(data, np.uint8).reshape(-1, size)
    images = rows[:, labels:].reshape(-1, *_CIFAR_SHAPE).transpose(0, 2, 3, 1)
    return np.ascontiguousarray(images), rows[:, :labels].copy()
