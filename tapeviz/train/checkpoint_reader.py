"""What checkpoints hold, by key, without the objects that were saved; and those that another process writes."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from tapeviz.engine.errors import NotFoundError
from tapeviz.train.files import CheckpointReader
from tapeviz.train.states import latest_checkpoint

__all__ = ["checkpoints_iterator", "list_variables", "load_checkpoint", "load_variable"]


def load_checkpoint(ckpt_dir_or_file: Any) -> CheckpointReader:
    """A reader of a checkpoint.

    Args:
        ckpt_dir_or_file: a prefix, or a folder, whose latest checkpoint is meant.

    Raises:
        NotFoundError: there is none.
        DataLossError: a file is damaged or cut.

    >>> import tapeviz as tf, tempfile
    >>> path = tf.train.Checkpoint(x=tf.Variable([1.0, 2.0])).write(tempfile.mkdtemp() + "/values")
    >>> tf.train.load_checkpoint(path).get_tensor("x/.ATTRIBUTES/VARIABLE_VALUE")
    array([1., 2.], dtype=float32)
    """
    path = os.fspath(ckpt_dir_or_file)
    prefix = latest_checkpoint(path) if Path(path).is_dir() else path
    if prefix is None:
        raise NotFoundError(f"Couldn't find 'checkpoint' file or checkpoints in given directory {path}")
    return CheckpointReader(prefix)


def list_variables(ckpt_dir_or_file: Any) -> list[tuple[str, list[int]]]:
    """Keys and shapes of what a checkpoint holds. Arguments and errors as for :func:`load_checkpoint`."""
    return sorted(load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map().items())


def load_variable(ckpt_dir_or_file: Any, name: str) -> Any:
    """One value of a checkpoint, as an array.

    Args:
        ckpt_dir_or_file: as for :func:`load_checkpoint`.
        name: its key, as :func:`list_variables` tells it.

    Raises:
        NotFoundError: there is none of that key, or no checkpoint.
        DataLossError: a file is damaged or cut.
    """
    return load_checkpoint(ckpt_dir_or_file).get_tensor(name)


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
