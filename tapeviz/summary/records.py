"""Files of events: written record by record, each of them at once, and read back."""

from __future__ import annotations

import io
import itertools
import os
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from google.protobuf.message import DecodeError
from tensorboardX.proto.event_pb2 import Event

from tapeviz.engine.errors import DataLossError
from tapeviz.engine.os_errors import translate_os_errors
from tapeviz.files import AppendFile
from tapeviz.io.record_files import framed, records

__all__ = ["EventFile", "events"]

_VERSION: Final = "brain.Event:2"
_next: Final = itertools.count().__next__


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
        self.path: Path = folder / name
        with translate_os_errors(f"Cannot make the event file {self.path}"):
            folder.mkdir(parents=True, exist_ok=True)
            self._file = AppendFile(self.path, "x")
        self.add(Event(file_version=_VERSION))

    @property
    def closed(self) -> bool:
        """Whether nothing can be added any more."""
        return self._file.closed

    def add(self, event: Any) -> None:
        """Add an event, of now unless it says another time.

        Raises:
            ResourceExhaustedError, UnknownError: it could not be written. The file is whole up to the event before.
        """
        if not event.wall_time:
            event.wall_time = time.time()
        with translate_os_errors(f"Cannot write to the event file {self.path}"):
            self._file.append(framed(event.SerializeToString()))

    def flush(self) -> None:
        """Wait until the events are on the disk itself.

        Raises:
            ResourceExhaustedError, UnknownError: they are not.
        """
        with translate_os_errors(f"Cannot write to the event file {self.path}"):
            self._file.sync()

    def close(self) -> None:
        """Write all to the disk, and let go of the file."""
        try:
            self.flush()
        finally:
            self._file.close()


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
    with translate_os_errors(f"Cannot read the event file {path}"):
        file = io.BytesIO(path.read_bytes())
    for at, record in records(file.read, str(path)):
        try:
            yield Event.FromString(record)
        except DecodeError as error:
            raise DataLossError(f"{path}: the record at byte {at} is not an event: {error}") from error
