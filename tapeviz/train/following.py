"""Following the checkpoints that another process writes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any, Final

from tapeviz.train.states import latest_checkpoint

__all__ = ["checkpoints_iterator"]

_PAUSE: Final = 1.0


def checkpoints_iterator(
    checkpoint_dir: Any, min_interval_secs: float = 0, timeout: float | None = None,
    timeout_fn: Callable[[], bool] | None = None,
) -> Iterator[str]:  # fmt: skip
    """Each new checkpoint of a folder as it is there: for a process that evaluates what another one trains.

    Args:
        checkpoint_dir: the folder.
        min_interval_secs: the least time between two; those in between are left out.
        timeout: how many seconds to wait for a new one; None waits without end.
        timeout_fn: called when that time is over; where it gives False, waiting goes on.

    Yields:
        The prefix of a checkpoint that is the latest.

    Raises:
        DataLossError: the file that says which is the latest is damaged.

    >>> import tapeviz as tf, tempfile
    >>> path = tf.train.Checkpoint(x=tf.Variable(1.0)).save(tempfile.mkdtemp() + "/ckpt")
    >>> [found == path for found in tf.train.checkpoints_iterator(path.removesuffix("ckpt-1"), timeout=0)]
    [True]
    """
    last: str | None = None
    while True:
        found = _new(checkpoint_dir, last, timeout)
        if found is None:
            if timeout_fn is None or timeout_fn():
                return
            continue
        began, last = time.monotonic(), found
        yield found
        time.sleep(max(0.0, began + min_interval_secs - time.monotonic()))


def _new(folder: Any, last: str | None, timeout: float | None) -> str | None:
    """The latest checkpoint, once it is another than the last one; None when that takes too long."""
    end = None if timeout is None else time.monotonic() + timeout
    while (found := latest_checkpoint(folder)) is None or found == last:
        left = _PAUSE if end is None else end - time.monotonic()
        if left <= 0:
            return None
        time.sleep(min(_PAUSE, left))
    return found
