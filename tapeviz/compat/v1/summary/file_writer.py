"""``tf.summary.FileWriter``: summaries that a session has computed, in a file for TensorBoard."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Self

from tensorboardX.proto.event_pb2 import Event
from tensorboardX.proto.summary_pb2 import Summary

from tapeviz.compat.v1.graph.default_graph import executing_eagerly
from tapeviz.summary.graphs import as_message
from tapeviz.summary.records import EventFile

__all__ = ["FileWriter"]


class FileWriter:
    """Writes events into a file of a folder. Each is with the operating system at once: a kernel that dies loses none.

    Args:
        logdir: the folder; it is made where there is none.
        graph: a graph to write first.
        max_queue: accepted as TensorFlow does, like ``flush_secs``: nothing waits in a queue.
        flush_secs: accepted as TensorFlow does.
        graph_def: the old form of ``graph``.
        filename_suffix: what the name of the file ends with.
        session: accepted as TensorFlow does.

    Raises:
        PermissionDeniedError, NotFoundError, FailedPreconditionError, ResourceExhaustedError, UnknownError: the file
            cannot be made.
        RuntimeError: eager execution is on.

    >>> import os, tempfile, tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default() as graph, tempfile.TemporaryDirectory() as folder:
    ...     loss = tf.summary.scalar("loss", tf.constant(0.5))
    ...     with tf.Session() as session, tf.summary.FileWriter(folder, graph) as writer:
    ...         writer.add_summary(session.run(loss), global_step=1)
    ...     len(os.listdir(folder))
    1
    """

    def __init__(
        self,
        logdir: str | os.PathLike[str],
        graph: Any = None,
        max_queue: int = 10,
        flush_secs: int = 120,
        graph_def: Any = None,
        filename_suffix: str | None = None,
        session: Any = None,
    ) -> None:
        if executing_eagerly():
            raise RuntimeError(
                "tf.summary.FileWriter is not compatible with eager execution. Use tf.contrib.summary instead."
            )
        self._folder = Path(os.fspath(logdir))
        self._suffix = filename_suffix or ""
        self._file = EventFile(self._folder, self._suffix)
        self._given = os.fspath(logdir)
        for one in (graph, graph_def):
            if one is not None:
                self.add_graph(one)

    def get_logdir(self) -> str:
        """The folder, as it was given."""
        return self._given

    def add_summary(self, summary: Any, global_step: Any = None) -> None:
        """Write a summary.

        Args:
            summary: what a session gave for it, or a ``Summary`` message.
            global_step: which step it is of; 0 where it is None.

        Raises:
            TypeError: it is no summary.
        """
        message = Summary.FromString(bytes(summary)) if isinstance(summary, (bytes, bytearray)) else summary
        if not isinstance(message, Summary):
            raise TypeError(
                f"add_summary takes what session.run gives for a summary, or a Summary message. Received: {summary!r}"
            )
        self.add_event(Event(summary=message, step=0 if global_step is None else int(global_step)))

    def add_graph(self, graph: Any, global_step: Any = None, graph_def: Any = None) -> None:
        """Write a graph, which TensorBoard draws.

        Args:
            graph: the graph.
            global_step: which step it is of.
            graph_def: the old form of ``graph``.

        Raises:
            TypeError: it is no graph.
        """
        data = as_message(graph_def if graph is None else graph).SerializeToString()
        self.add_event(Event(graph_def=data, step=0 if global_step is None else int(global_step)))

    def add_event(self, event: Any) -> None:
        """Write an ``Event`` message; after :meth:`close`, into a new file, as after :meth:`reopen`."""
        self.reopen()
        self._file.add(event)

    def flush(self) -> None:
        """Wait until all is on the disk."""
        self._file.flush()

    def close(self) -> None:
        """Write all to the disk, and let go of the file."""
        self._file.close()

    def reopen(self) -> None:
        """Begin a new file of the folder where the writer was closed."""
        if self._file.closed:
            self._file = EventFile(self._folder, self._suffix)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *details: object) -> None:
        self.close()
