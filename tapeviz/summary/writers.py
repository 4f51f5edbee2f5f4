"""Writers of summaries: which one is the default, which step it is, and whether anything is written now."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from tapeviz.engine.scopes import name_scope
from tapeviz.engine.state import local
from tapeviz.engine.tensor import Tensor
from tapeviz.engine.variable import Variable
from tapeviz.summary.records import EventFile

__all__ = [
    "SummaryWriter", "create_file_writer", "create_noop_writer", "default_writer", "flush", "get_step", "record_if",
    "recording", "set_step", "should_record_summaries", "summary_scope",
]  # fmt: skip


class _Here(threading.local):
    """What holds in this thread."""

    def __init__(self) -> None:
        self.writer: SummaryWriter | None = None
        self.step: Any = None
        self.condition: Any = True


_here = _Here()


class SummaryWriter:
    """Writes summaries into a file of a folder, which TensorBoard reads while it grows.

    Each summary is with the operating system when the call that wrote it returns. A kernel that dies loses none, and
    nothing has to be flushed for TensorBoard to see it; :meth:`flush` waits for the disk itself.

    >>> import tempfile, tapeviz as tf
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     writer = tf.summary.create_file_writer(folder)
    ...     with writer.as_default(step=1):
    ...         tf.summary.scalar("loss", 0.5)
    ...     writer.close()
    True
    """

    def __init__(self, file: EventFile | None) -> None:
        self._file = file

    def set_as_default(self, step: Any = None) -> None:
        """Have summaries of this thread go here from now on.

        Args:
            step: the step that they are of unless they say one; that of before when None.

        Raises:
            RuntimeError: the writer is closed.
        """
        self._check_open()
        _here.writer = self
        if step is not None:
            _here.step = step

    @contextmanager
    def as_default(self, step: Any = None) -> Iterator[Self]:
        """A block in which summaries go here.

        Args:
            step: the step that they are of unless they say one; that of before when None.

        Raises:
            RuntimeError: the writer is closed.
        """
        self._check_open()
        before = _here.writer, _here.step
        _here.writer = self
        if step is not None:
            _here.step = step
        try:
            yield self
        finally:
            self.flush()
            # The step of now stays, unless this block said one: set_step inside is for what follows, too.
            _here.writer, _here.step = before[0], _here.step if step is None else before[1]

    def init(self) -> None:
        """Do nothing: the file is there already."""

    def add(self, event: Any) -> None:
        """Write an event.

        Raises:
            RuntimeError: the writer is closed.
        """
        self._check_open()
        if self._file is not None:
            self._file.add(event)

    def flush(self) -> None:
        """Wait until all is on the disk."""
        if self._file is not None:
            self._file.flush()

    def close(self) -> None:
        """Write all to the disk, and let go of the file. Where it was the default, there is none from then on."""
        if self._file is not None:
            self._file.close()
        if _here.writer is self:
            _here.writer = None

    @property
    def closed(self) -> bool:
        """Whether nothing can be written any more."""
        return self._file is not None and self._file.closed

    def _check_open(self) -> None:
        if self.closed:
            raise RuntimeError("SummaryWriter is already closed")

    def __repr__(self) -> str:
        where = "nowhere" if self._file is None else self._file.path
        return f"<SummaryWriter to {where}{', closed' if self.closed else ''}>"


def create_file_writer(
    logdir: str | os.PathLike[str],
    max_queue: int | None = None,
    flush_millis: int | None = None,
    filename_suffix: str | None = None,
    name: str | None = None,
    experimental_trackable: bool = False,
    experimental_mesh: Any = None,
) -> SummaryWriter:
    """A writer into a new file of a folder.

    Args:
        logdir: the folder; it is made where there is none.
        max_queue: accepted as TensorFlow does, like ``flush_millis``: nothing waits in a queue, each summary is with
            the operating system at once.
        flush_millis: accepted as TensorFlow does.
        filename_suffix: what the name of the file ends with; ``".v2"`` by default.
        name: accepted as TensorFlow does, like the next two.
        experimental_trackable: accepted.
        experimental_mesh: accepted.

    Raises:
        ValueError: ``logdir`` is None.
        PermissionDeniedError, NotFoundError, FailedPreconditionError, ResourceExhaustedError, UnknownError: the file
            cannot be made.

    >>> import os, tempfile, tapeviz as tf
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tf.summary.create_file_writer(folder).close()
    ...     [name.startswith("events.out.tfevents.") for name in os.listdir(folder)]
    [True]
    """
    if logdir is None:
        raise ValueError("Argument `logdir` cannot be None")
    return SummaryWriter(EventFile(Path(os.fspath(logdir)), ".v2" if filename_suffix is None else filename_suffix))


def create_noop_writer() -> SummaryWriter:
    """A writer that takes summaries and writes none: one program for runs that are watched and runs that are not.

    >>> import tapeviz as tf
    >>> with tf.summary.create_noop_writer().as_default():
    ...     tf.summary.scalar("loss", 0.5, step=1)
    True
    """
    return SummaryWriter(None)


def default_writer() -> SummaryWriter | None:
    """The writer that summaries of this thread go to; None where there is none."""
    return _here.writer


def flush(writer: SummaryWriter | None = None, name: str | None = None) -> None:
    """Wait until all that a writer has written is on the disk.

    Args:
        writer: the default one where it is None.
        name: accepted as TensorFlow does.

    >>> import tapeviz as tf
    >>> tf.summary.flush()
    """
    chosen = _here.writer if writer is None else writer
    if chosen is not None:
        chosen.flush()


def get_step() -> Any:
    """The step that summaries are of unless they say one; None where none was set.

    >>> import tapeviz as tf
    >>> tf.summary.experimental.set_step(7)
    >>> tf.summary.experimental.get_step()
    7
    >>> tf.summary.experimental.set_step(None)
    """
    return _here.step


def set_step(step: Any) -> None:
    """Say which step summaries of this thread are of unless they say one.

    Args:
        step: a whole number; a variable, whose value then counts, inside traced functions too; or None.

    >>> import tapeviz as tf
    >>> step = tf.Variable(0, dtype=tf.int64)
    >>> tf.summary.experimental.set_step(step)
    >>> tf.summary.experimental.set_step(None)
    """
    _here.step = step


@contextmanager
def record_if(condition: Any) -> Iterator[None]:
    """A block in which summaries are written only if a condition holds.

    Args:
        condition: a truth value, a tensor or variable of one, or a function that gives one, asked at each summary.

    >>> import tapeviz as tf
    >>> with tf.summary.record_if(False):
    ...     tf.summary.should_record_summaries()
    False
    """
    before = _here.condition
    _here.condition = condition
    try:
        yield
    finally:
        _here.condition = before


def recording() -> Any:
    """The condition of now: a truth value, or a tensor of one."""
    condition: Any = _here.condition
    found = condition() if callable(condition) else condition
    return found if isinstance(found, (Tensor, Variable)) else bool(found)


def should_record_summaries() -> Any:
    """Whether a summary would be written now: there is a writer, and the condition of :func:`record_if` holds.

    >>> import tapeviz as tf
    >>> tf.summary.should_record_summaries()
    False
    """
    if _here.writer is None:
        return False
    found = recording()
    if isinstance(found, (Tensor, Variable)) and local.state.graph is None:
        return bool(found)
    return found


@contextmanager
def summary_scope(name: str | None, default_name: str = "summary", values: Any = None) -> Iterator[tuple[str, str]]:
    """A name scope for a summary; what it gives is the summary's name, with the scopes around it, and the scope.

    Args:
        name: the summary's name.
        default_name: the name where that is None.
        values: accepted as TensorFlow does.

    >>> import tapeviz as tf
    >>> with tf.name_scope("layer"), tf.summary.experimental.summary_scope("loss") as (tag, scope):
    ...     tag
    'layer/loss'
    """
    with name_scope(name or default_name) as scope:
        yield scope.rstrip("/"), scope
