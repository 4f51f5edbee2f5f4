"""Writing a recording to a file while it is made."""

from __future__ import annotations

import os
import warnings
from types import TracebackType
from typing import Self

from tapeviz.files import AppendFile
from tapeviz.recording.codec import MAGIC

__all__ = ["FrameWriter"]


class FrameWriter:
    """A file that grows by whole frames, so that a process that dies loses at most what came after the last one.

    A disk that gets full never stops the program that is recorded: a warning says so at once, nothing more is written
    (rows are known by their position, so a frame behind a missing one would be wrong), and closing raises the error.

    Args:
        path: the file; one that exists is replaced.

    Raises:
        OSError: the file cannot be written, or is being written by another recording.

    Example::

        with FrameWriter("run.tape") as writer:
            builder = Builder(on_frame=writer.write)
            ...
            builder.flush()
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._file = AppendFile(path, alone=True)
        self._error: OSError | None = None
        self._frames = 0
        try:
            self._file.append(MAGIC)
        except BaseException:
            self._file.close()
            raise

    def write(self, frame: bytes | memoryview) -> None:
        """Adds a frame and hands it to the operating system."""
        if self._error is not None:
            return
        try:
            self._file.append(frame)
        except OSError as error:
            text = f"{error.strerror}; it has the first {self._frames:,} frames of the recording"
            self._error = OSError(error.errno, text, error.filename)
            warnings.warn(f"{error.filename}: {text}; the rest is not written", RuntimeWarning, stacklevel=2)
        else:
            self._frames += 1

    def close(self) -> None:
        """Waits until the disk has everything, and closes the file; again is fine.

        Raises:
            OSError: the file has not got all frames.
        """
        error, self._error = self._error, None
        try:
            self._file.sync()
        finally:
            self._file.close()
        if error is not None:
            raise error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self.close()
        except OSError:
            if error is None:  # else that one is the news, and the warning has told this one
                raise
