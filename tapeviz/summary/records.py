"""Files of events: written record by record, each of them at once, and read back."""

from __future__ import annotations

import contextlib
import errno
import io
import itertools
import os
import socket
import threading
import time
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from google.protobuf.message import DecodeError
from tensorboardX.proto.event_pb2 import Event

from tapeviz.engine.errors import (
    DataLossError,
    FailedPreconditionError,
    NotFoundError,
    OpError,
    PermissionDeniedError,
    ResourceExhaustedError,
    UnknownError,
)
from tapeviz.io.framing import framed, records

__all__ = ["EventFile", "events"]

_ERRORS: Final[dict[int | None, type[OpError]]] = {
    errno.EACCES: PermissionDeniedError, errno.EPERM: PermissionDeniedError, errno.EROFS: PermissionDeniedError,
    errno.ENOENT: NotFoundError, errno.ENOTDIR: FailedPreconditionError, errno.EEXIST: FailedPreconditionError,
    errno.EISDIR: FailedPreconditionError, errno.ENOSPC: ResourceExhaustedError, errno.EDQUOT: ResourceExhaustedError,
}  # fmt: skip
_VERSION: Final = "brain.Event:2"
_next: Final = itertools.count().__next__


def _failed(what: str, path: Path, error: OSError) -> OpError:
    return _ERRORS.get(error.errno, UnknownError)(f"{what} {path}: {error.strerror or error}")


class EventFile:
    """A new file of events in a folder, which is made where there is none.

    Each event is with the operating system when :meth:`add` returns: a process that is killed loses none.

    Args:
        folder: where.
        suffix: what the name of the file ends with.

    Raises:
        PermissionDeniedError, NotFoundError, FailedPreconditionError, ResourceExhaustedError, UnknownError: the file
            cannot be made.
    """

    def __init__(self, folder: Path, suffix: str = "") -> None:
        # TensorFlow's name. The process and a count keep two writers of one second apart.
        name = f"events.out.tfevents.{int(time.time())}.{socket.gethostname()}.{os.getpid()}.{_next()}{suffix}"
        self.path = folder / name
        self._lock = threading.Lock()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._number = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        except OSError as error:
            raise _failed("Cannot make the event file", self.path, error) from error
        self._let_go = weakref.finalize(self, os.close, self._number)  # with the last writer, whoever forgot it
        self.add(Event(file_version=_VERSION))

    @property
    def closed(self) -> bool:
        """Whether nothing can be added any more."""
        return not self._let_go.alive

    def add(self, event: Any) -> None:
        """Add an event, of now unless it says another time.

        Raises:
            ResourceExhaustedError, UnknownError: it could not be written. The file is whole up to the event before.
        """
        if not event.wall_time:
            event.wall_time = time.time()
        record = framed(event.SerializeToString())
        with self._lock:
            before = os.lseek(self._number, 0, os.SEEK_CUR)
            try:
                rest = memoryview(record)
                while rest:
                    rest = rest[os.write(self._number, rest) :]
            except OSError as error:
                with contextlib.suppress(OSError):  # what is half written would hide all that comes after
                    os.ftruncate(self._number, before)
                    os.lseek(self._number, before, os.SEEK_SET)
                raise _failed("Cannot write to the event file", self.path, error) from error

    def flush(self) -> None:
        """Wait until the events are on the disk itself."""
        with self._lock:
            if not self.closed:
                with contextlib.suppress(OSError):  # a file system that has no such thing
                    os.fsync(self._number)

    def close(self) -> None:
        """Write all to the disk, and let go of the file."""
        self.flush()
        self._let_go()


def events(path: str | os.PathLike[str]) -> Iterator[Any]:
    """The events in a file, one after the other.

    Args:
        path: the file.

    Raises:
        NotFoundError: there is no such file.
        DataLossError: the file is damaged, or ends within an event: where. The events before have been given.

    >>> import tempfile, tapeviz as tf
    >>> from tapeviz.summary.records import events
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     writer = tf.summary.create_file_writer(folder)
    ...     with writer.as_default():
    ...         _ = tf.summary.scalar("loss", 0.5, step=3)
    ...     writer.close()
    ...     [(event.step, [value.tag for value in event.summary.value]) for event in events(*Path(folder).iterdir())]
    [(0, []), (3, ['loss'])]
    """
    path = Path(path)
    try:
        file = io.BytesIO(path.read_bytes())
    except OSError as error:
        raise _failed("Cannot read the event file", path, error) from error
    for at, record in records(file.read, str(path)):
        try:
            yield Event.FromString(record)
        except DecodeError as error:
            raise DataLossError(f"{path}: the record at byte {at} is no event: {error}") from error
