"""A recording as the file it is: ``.tape``, which ``tapeviz.load`` opens again."""

from __future__ import annotations

from tapeviz.exports.target import Target, put
from tapeviz.recording import Recording
from tapeviz.recording.codec import MAGIC

__all__ = ["write"]


def write(recording: Recording, target: Target) -> None:
    """Write the recording.

    Args:
        recording: what to write.
        target: a path, or a file open for writing bytes.

    Raises:
        OSError: it cannot be written.

    Example::

        write(tape.recording, "run.tape")
        tapeviz.load("run.tape").recording
    """
    put((MAGIC, *recording.stream()), target)
