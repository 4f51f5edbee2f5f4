"""Files of data: from where the user says, then from the cache, then from the network, announced and checked.

Nothing is ever given in the place of something else: what cannot be had is an error that says what to do.
"""

from __future__ import annotations

import hashlib
import os
import sys
import urllib.error
import urllib.request
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from typing import Any, BinaryIO, Final

from tqdm.auto import tqdm

from tapeviz.files import atomic_writer

__all__ = ["Remote", "cache_folder", "cached", "given_path"]

_CHUNK: Final = 1 << 16
_SECONDS: Final = 30.0


@dataclass(frozen=True, slots=True)
class Remote:
    """A file on the network: what it is called, where it is, and its SHA-256 in hexadecimal."""

    name: str
    url: str
    sha256: str


def cache_folder() -> Path:
    """Where files are kept: ``datasets`` in the folder that TAPEVIZ_HOME names, or in ``~/.tapeviz``."""
    home = os.environ.get("TAPEVIZ_HOME")
    return (Path(home).expanduser() if home else Path.home() / ".tapeviz") / "datasets"


def given_path(path: Any, default: str) -> Path | None:
    """The file or folder that the user names; None where it is the default, which the cache has.

    Raises:
        FileNotFoundError: there is none.
    """
    if path is None or (str(path) == default and not Path(default).exists()):
        return None
    named = Path(path).expanduser()
    for found in (named, cache_folder() / named):
        if found.exists():
            return found
    raise FileNotFoundError(f"path={str(path)!r}: there is no such file or folder, nor is it in {cache_folder()}")


def cached(dataset: str, files: Sequence[Remote], folder: str = "") -> list[Path]:
    """The paths of files in the cache; those that are not there are downloaded.

    Args:
        dataset: the name for people.
        files: which.
        folder: of the cache, for several files.

    Raises:
        ConnectionError: one could not be downloaded.
        ValueError: what was downloaded is not what it should be.
        OSError: the cache cannot be written.
    """
    place = cache_folder() / folder
    paths = []
    for file in files:
        path = place / file.name
        if path.is_file() and _sum_of(path) != file.sha256:
            sys.stderr.write(f"{path} is damaged (its SHA-256 differs); downloading it again\n")
            path.unlink()
        if not path.is_file():
            _download(dataset, file, path)
        paths.append(path)
    return paths


def _sum_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _download(dataset: str, file: Remote, path: Path) -> None:
    """Download a file under another name, and give it its name when it is whole."""
    sys.stderr.write(f"Downloading {dataset} from {file.url} to {path}\n")
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_writer(path) as out:
        found = _transferred(dataset, file, path, out)
        if found != file.sha256:
            raise ValueError(
                f"Incomplete or corrupted file detected: the SHA-256 of {file.url} is {found}, and should be "
                f"{file.sha256}. Nothing was kept. {_instead(dataset, path)}"
            )


def _transferred(dataset: str, file: Remote, path: Path, out: BinaryIO) -> str:
    """Write what arrives; its SHA-256."""
    digest = hashlib.sha256()
    try:
        with closing(opened(file.url)) as response:
            size = response.headers.get("Content-Length")
            with tqdm(total=int(size) if size else None, unit="B", unit_scale=True, desc=file.name) as bar:
                while chunk := response.read(_CHUNK):
                    out.write(chunk)
                    digest.update(chunk)
                    bar.update(len(chunk))
    except (urllib.error.URLError, HTTPException, TimeoutError, ConnectionError) as error:
        if isinstance(error, urllib.error.HTTPError):
            error.close()  # it holds the answer's file
        reason = getattr(error, "reason", None) or error
        raise ConnectionError(
            f"{dataset} is not in the cache and cannot be downloaded: URL fetch failure on {file.url}: {reason}. "
            f"{_instead(dataset, path)}"
        ) from error
    return digest.hexdigest()


def _instead(dataset: str, path: Path) -> str:
    return (
        f"Give load_data(path=...) a file or folder that has {dataset}, or put the file at {path}. Without a network "
        "there is tf.keras.datasets.digits.load_data()."
    )


def opened(url: str) -> Any:
    """What can be read at an address."""
    if not url.startswith(("https://", "http://")):
        raise ValueError(f"{url} is not a web address")
    return urllib.request.urlopen(url, timeout=_SECONDS)  # noqa: S310 - it is, as was just asked
