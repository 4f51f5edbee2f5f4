"""Writing a recording to a file while it is made."""

from __future__ import annotations

import os
from pathlib import Path
from types import TracebackType
from typing import Self

from tapeviz.recording.codec import MAGIC

__all__ = ["FrameWriter"]


class FrameWriter:
    """A file that grows by whole frames, so that a process that dies loses at most what came after the last one.

    Args:
        path: the file; one that exists is replaced.

    Raises:
        OSError: the file cannot be written.

    Example::

        with FrameWriter("run.tape") as writer:
            builder = Builder(on_frame=writer.write)
            ...
            builder.flush()
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._file = Path(path).open("wb")  # noqa: SIM115  # closed by close()
        self.write(MAGIC)

    def write(self, frame: bytes | memoryview) -> None:
        """Adds a frame and hands it to the operating system."""
        self._file.write(frame)
        self._file.flush()

    def close(self) -> None:
        """Waits until the disk has everything, and closes the file; again is fine."""
        if not self._file.closed:
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
