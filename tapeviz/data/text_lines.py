"""Lines of text files, and the names of files, as steps."""

from __future__ import annotations

import glob
import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np

from tapeviz.data.nodes import Element, Node, Run
from tapeviz.data.structures import component
from tapeviz.engine.errors import DataLossError, InvalidArgumentError, NotFoundError
from tapeviz.engine.scopes import TensorSpec
from tapeviz.engine.symbolic import SymbolicTensor

__all__ = ["LinesNode", "files_matching"]

_COMPRESSIONS: Final = ("", "GZIP")


def files_matching(pattern: Any) -> list[str]:
    """The names of the files that fit a pattern, or one of several, sorted.

    Raises:
        InvalidArgumentError: there are none.
    """
    texts = [pattern] if isinstance(pattern, (str, bytes)) else list(np.atleast_1d(component(pattern)))
    patterns = [text.decode() if isinstance(text, bytes) else str(text) for text in texts]
    found = sorted({name for one in patterns for name in glob.glob(one)})  # noqa: PTH207 - whole patterns, as they are
    if not found:
        raise InvalidArgumentError(f"No files matched pattern: {', '.join(patterns)}")
    return found


class LinesNode(Node):
    """The lines of files, without what ends them.

    Raises:
        InvalidArgumentError: the compression is none that there is.
    """

    name = "TextLine"

    def __init__(self, filenames: Any, compression: str) -> None:
        if compression not in _COMPRESSIONS:
            raise InvalidArgumentError(f"Unsupported compression_type {compression!r}; choose '' or 'GZIP'")
        self._names = component(filenames)
        self.symbols: tuple[Any, ...] = (self._names,) if isinstance(self._names, SymbolicTensor) else ()
        self._open = gzip.open if compression else open
        self.spec: Any = TensorSpec((), "string")

    def open(self, run: Run) -> Iterator[Element]:
        """Give them.

        Raises:
            NotFoundError: a file is not there.
            DataLossError: it is not compressed as was said.
        """
        for name in np.atleast_1d(run.value(self._names)):
            path = Path(name.decode())
            if not path.is_file():
                raise NotFoundError(f"{path}; No such file or directory", "IteratorGetNext")
            with self._open(path, "rb") as file:
                try:
                    for line in file:
                        made = np.empty((), object)
                        made[()] = bytes(line).removesuffix(b"\n").removesuffix(b"\r")
                        yield (made,)
                except (gzip.BadGzipFile, EOFError, zlib.error) as error:
                    raise DataLossError(f"{path}: {error}") from error
