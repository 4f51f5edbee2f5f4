"""``tf.train.CheckpointManager``: the last few checkpoints of a training run, in a folder."""

from __future__ import annotations

import os
import time
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from tapeviz.train.checkpoint import Checkpoint, CheckpointOptions
from tapeviz.train.files import checkpoint_exists, remove_checkpoint, remove_strays
from tapeviz.train.states import CheckpointState, get_checkpoint_state, update_checkpoint_state

__all__ = ["CheckpointManager"]

_HOUR: Final = 3600.0


class CheckpointManager:
    """Numbers checkpoints, keeps the last of them, and removes those before.

    Args:
        checkpoint: what to save.
        directory: where. A folder that has checkpoints of an earlier run goes on with them.
        max_to_keep: how many; None keeps all.
        keep_checkpoint_every_n_hours: keep one for good where the last such is at least this old.
        checkpoint_name: what comes before the number.
        step_counter: the variable that counts the steps of training.
        checkpoint_interval: save no more often than each so many steps.
        init_fn: called by :meth:`restore_or_initialize` where there is nothing to restore.
        last_checkpoint_step: the step of the last checkpoint, where it is known.

    Raises:
        ValueError: ``max_to_keep`` is not positive, or there is an interval without a counter.

    >>> import tapeviz as tf, tempfile
    >>> checkpoint = tf.train.Checkpoint(x=tf.Variable(1.0))
    >>> manager = tf.train.CheckpointManager(checkpoint, tempfile.mkdtemp(), max_to_keep=2)
    >>> for step in range(3):
    ...     path = manager.save()
    >>> [path[-6:] for path in manager.checkpoints]
    ['ckpt-2', 'ckpt-3']
    """

    def __init__(
        self, checkpoint: Checkpoint, directory: Any, max_to_keep: int | None,
        keep_checkpoint_every_n_hours: float | None = None, checkpoint_name: str = "ckpt", step_counter: Any = None,
        checkpoint_interval: int | None = None, init_fn: Callable[[], Any] | None = None,
        last_checkpoint_step: int | None = None,
    ) -> None:  # fmt: skip
        if max_to_keep is not None and max_to_keep <= 0:
            raise ValueError(f"Expected a positive integer or `None` for `max_to_keep`, got {max_to_keep}.")
        if checkpoint_interval is not None and step_counter is None:
            raise ValueError("`step_counter` should be passed if `checkpoint_interval` is not None.")
        self._checkpoint = checkpoint
        self._folder = Path(os.fspath(directory))
        self._prefix = os.path.join(os.fspath(directory), checkpoint_name)  # noqa: PTH118 - as users write it
        self._most = max_to_keep
        self._hours = keep_checkpoint_every_n_hours
        self._step_counter = step_counter
        self._interval = checkpoint_interval
        self._last_step = last_checkpoint_step
        self._init_fn = init_fn
        self._recover()

    def _recover(self) -> None:
        """Go on with what an earlier one has written."""
        self._kept: OrderedDict[str, float] = OrderedDict()
        self._preserved = time.time()
        self._latest: str | None = None
        state = get_checkpoint_state(self._folder)
        if state is None:
            return
        paths = state.all_model_checkpoint_paths
        times = state.all_model_checkpoint_timestamps
        if len(times) != len(paths):
            times = [time.time()] * len(paths)
        self._kept.update((path, at) for path, at in zip(paths, times, strict=True) if checkpoint_exists(path))
        self._preserved = state.last_preserved_timestamp or self._preserved
        self._latest = state.model_checkpoint_path

    @property
    def directory(self) -> str:
        """The folder."""
        return str(self._folder)

    @property
    def checkpoint(self) -> Checkpoint:
        """What is saved."""
        return self._checkpoint

    @property
    def checkpoint_interval(self) -> int | None:
        """The least number of steps between two."""
        return self._interval

    @property
    def latest_checkpoint(self) -> str | None:
        """The prefix of the last one; None where there is none. :meth:`Checkpoint.restore` takes it."""
        return self._latest

    @property
    def checkpoints(self) -> list[str]:
        """The prefixes of those that are kept and may go, the oldest first."""
        return list(self._kept)

    def save(
        self, checkpoint_number: Any = None, check_interval: bool = True, options: CheckpointOptions | None = None
    ) -> str | None:
        """Write one, and remove those that are too many.

        Args:
            checkpoint_number: the number to give it; the checkpoint's own count by default.
            check_interval: whether to leave it where the last one is not long enough ago.
            options: accepted.

        Returns:
            The prefix; None when it was not long enough ago.

        Raises:
            PermissionDeniedError, NotFoundError, FailedPreconditionError, ResourceExhaustedError: the files cannot be
                written. Nothing was removed.
        """
        if self._interval is not None and check_interval and not self._due():
            return None
        number = self._checkpoint._count() if checkpoint_number is None else int(checkpoint_number)
        try:
            prefix = self._checkpoint.write(f"{self._prefix}-{number}", options)
        except BaseException:
            if checkpoint_number is None:
                self._checkpoint._uncount()
            raise
        self._add(prefix)
        return prefix

    def _due(self) -> bool:
        step = int(self._step_counter)
        if self._last_step is not None and step < self._last_step + (self._interval or 0):
            return False
        self._last_step = step
        return True

    def _add(self, prefix: str) -> None:
        """Count a checkpoint among those there are. What goes is forgotten first, and removed when that is written."""
        kept = self._kept.copy()
        kept.pop(prefix, None)
        kept[prefix] = time.time()
        going, preserved = [], self._preserved
        while self._most is not None and len(kept) > self._most:
            path, at = kept.popitem(last=False)
            if self._hours is not None and at - preserved >= self._hours * _HOUR:
                preserved = at
            else:
                going.append(path)
        state = CheckpointState(prefix, list(kept), list(kept.values()), preserved)
        update_checkpoint_state(self._folder, state)
        self._kept, self._preserved, self._latest = kept, preserved, prefix
        for path in going:
            remove_checkpoint(path)
        remove_strays(self._prefix)

    def restore_or_initialize(self) -> str | None:
        """Restore the latest one; where there is none, call ``init_fn``, if it was given.

        Returns:
            The prefix of what was restored; None where there was none.
        """
        if self._latest is not None:
            self._checkpoint.restore(self._latest)
            if self._last_step is None and self._step_counter is not None:
                self._last_step = int(self._step_counter)
            return self._latest
        if self._init_fn is not None:
            self._init_fn()
        return None

    def sync(self) -> None:
        """Everything is written when :meth:`save` returns."""
