"""``keras.utils.get_file``: a file of the network, kept."""

from __future__ import annotations

import hashlib
import os
import shutil
import tarfile
import zipfile
from pathlib import Path
from typing import Any

from tapeviz.files import atomic_writer
from tapeviz.keras.datasets.download import cache_folder, opened

__all__ = ["get_file"]


def get_file(
    fname: Any = None, origin: str | None = None, untar: bool = False, md5_hash: str | None = None,
    file_hash: str | None = None, cache_subdir: str = "datasets", hash_algorithm: str = "auto", extract: bool = False,
    archive_format: Any = "auto", cache_dir: Any = None, force_download: bool = False,
) -> str:  # fmt: skip
    """The path of a file in the cache, which is downloaded where it is not there.

    Args:
        fname: its name in the cache, or a path; the address's last part unless given.
        origin: its address.
        untar: whether it is an archive to unpack.
        md5_hash: its MD5 in hexadecimal.
        file_hash: its SHA-256, or MD5, in hexadecimal.
        cache_subdir: the folder in the cache.
        hash_algorithm: accepted as Keras does: the length of ``file_hash`` tells.
        extract: as ``untar``.
        archive_format: accepted as Keras does: the file tells.
        cache_dir: the cache; where TAPEVIZ_HOME says, or ``~/.tapeviz``, unless given.
        force_download: whether to download it although it is there.

    Returns:
        The path of the file; of what it unpacks to, for an archive.

    Raises:
        ConnectionError: it cannot be downloaded.
        ValueError: it has another checksum, or there is neither a name nor an address.

    >>> import pathlib, tempfile, tapeviz as tf
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "a.txt").write_text("one")
    >>> pathlib.Path(tf.keras.utils.get_file("a.txt", cache_dir=folder, cache_subdir="")).read_text()
    'one'
    """
    name = os.fspath(fname or (origin or "").rpartition("/")[2].partition("?")[0])
    if not name:
        raise ValueError("get_file() needs a name, `fname`, or an address, `origin`")
    root = cache_folder().parent if cache_dir is None else Path(os.fspath(cache_dir)).expanduser()
    path = root / cache_subdir / name
    expected = file_hash or md5_hash
    if force_download or not path.exists() or (expected and path.is_file() and _sum_of(path, expected) != expected):
        _download(origin, path, expected)
    return str(_unpacked(path) if untar or extract else path)


def _download(origin: str | None, path: Path, expected: str | None) -> None:
    if origin is None:
        raise ConnectionError(f"{path} is not there, and no address, `origin`, says where it can be had")
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with opened(origin) as response, atomic_writer(path) as file:
            shutil.copyfileobj(response, file)
    except OSError as error:
        raise ConnectionError(
            f"URL fetch failure on {origin}: {error}. Put the file at {path}, and it is found there"
        ) from error
    if expected and (found := _sum_of(path, expected)) != expected:
        path.unlink()
        raise ValueError(f"Incomplete or corrupted file detected: the checksum of {origin} is {found}, not {expected}")


def _sum_of(path: Path, like: str) -> str:
    """The checksum of a file by the method that gave another one."""
    with path.open("rb") as file:
        return hashlib.file_digest(
            file, "sha256" if len(like) == hashlib.sha256().digest_size * 2 else "md5"
        ).hexdigest()


def _unpacked(path: Path) -> Path:
    """The folder or file that an archive unpacks to, beside it."""
    target = path.with_name(path.name.partition(".")[0])
    if target != path and target.exists():
        return target
    if tarfile.is_tarfile(path):
        with tarfile.open(path) as archive:
            archive.extractall(path.parent, filter="data")
            first = archive.getnames()[0].partition("/")[0]
    else:
        with zipfile.ZipFile(path) as archive:
            archive.extractall(path.parent)  # noqa: S202 - zipfile keeps names inside
            first = archive.namelist()[0].partition("/")[0]
    return path.parent / first
