"""Training that goes on after a crash: :class:`BackupAndRestore`."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Any, Final

from tapeviz.engine.errors import DataLossError
from tapeviz.engine.variable import Variable
from tapeviz.keras.callbacks.callback import Callback
from tapeviz.train.checkpoint import Checkpoint
from tapeviz.train.files import remove_checkpoint
from tapeviz.train.manager import CheckpointManager

__all__ = ["BackupAndRestore"]

_NAME: Final = "backup"


class BackupAndRestore(Callback):
    """Have ``fit`` go on where it was when the process was killed, or an error ended it.

    At the end of each epoch the model, its optimizer and the number of the epoch are saved, whole or not at all. A
    ``fit`` that begins with such a backup in its folder takes over its values and goes on with the epoch after it. When
    training is over the backup is removed.

    What an epoch does by chance (the order of the data, dropout) is as in a run that begins anew, and other callbacks
    begin anew, too. A model that is not built yet gets its values as it is built.

    Args:
        backup_dir: the folder, for this training alone; it is made where there is none.
        save_freq: ``"epoch"``, or after how many batches. Training goes on at the beginning of the epoch in which such
            a backup was made, with the values of the backup.
        double_checkpoint: whether to keep the backup before the last one, too, and to take that where the last one is
            damaged.
        delete_checkpoint: whether to remove the backup when training is over; otherwise another ``fit`` to more epochs
            goes on from there.

    Raises:
        ValueError: there is no name of a folder, or ``save_freq`` is neither. While training: the backup is that of
            another model.
        DataLossError: while training: the backup is damaged.
        PermissionDeniedError, NotFoundError, FailedPreconditionError, ResourceExhaustedError: while training: the
            folder cannot be written.

    >>> import tapeviz as tf, tempfile
    >>> def interrupt(epoch, logs):
    ...     if epoch == 4:
    ...         raise KeyboardInterrupt
    >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    >>> model.compile("sgd", "mse")
    >>> backup = tf.keras.callbacks.BackupAndRestore(tempfile.mkdtemp())
    >>> interrupting = tf.keras.callbacks.LambdaCallback(on_epoch_begin=interrupt)
    >>> try:
    ...     _ = model.fit([[1.0]], [[2.0]], epochs=10, verbose=0, callbacks=[backup, interrupting])
    ... except KeyboardInterrupt:
    ...     history = model.fit([[1.0]], [[2.0]], epochs=10, verbose=0, callbacks=[backup])
    >>> history.epoch
    [4, 5, 6, 7, 8, 9]
    """

    def __init__(
        self, backup_dir: Any, save_freq: Any = "epoch", double_checkpoint: bool = False, delete_checkpoint: bool = True
    ) -> None:
        super().__init__()
        if not backup_dir:
            raise ValueError("Empty `backup_dir` argument passed")
        whole = isinstance(save_freq, int) and not isinstance(save_freq, bool) and save_freq > 0
        if save_freq != "epoch" and not whole:
            raise ValueError(
                f"Invalid value for argument `save_freq`. Received: save_freq={save_freq}. Expected either 'epoch' or "
                "a positive integer value."
            )
        self.backup_dir: str = os.fspath(backup_dir)
        self.double_checkpoint: bool
        self.delete_checkpoint: bool
        self.save_freq, self.double_checkpoint, self.delete_checkpoint = save_freq, double_checkpoint, delete_checkpoint
        self._manager: Any = None
        self._epoch: Any = None
        self._batches = 0

    def on_train_begin(self, logs: Any = None) -> None:
        """Take over the backup that is there."""
        self._epoch, self._batches = Variable(0, dtype="int64", name="epoch"), 0
        kept = Checkpoint(model=self.model, optimizer=self.model.optimizer, epoch=self._epoch)
        most = 2 if self.double_checkpoint else 1
        self._manager = CheckpointManager(kept, self.backup_dir, most, checkpoint_name=_NAME)
        backups = self._manager.checkpoints[::-1]
        for place, path in enumerate(backups):
            try:
                self._take_over(path)
            except DataLossError:
                if not self.double_checkpoint or place + 1 == len(backups):
                    raise
            else:
                return

    def _take_over(self, path: str) -> None:
        status = self._manager.checkpoint.restore(path)
        try:
            status.assert_existing_objects_matched()
        except AssertionError as error:
            raise ValueError(f"The backup in {self.backup_dir} is not of this model and optimizer: {error}") from error
        status.expect_partial()
        self.model._initial_epoch = int(self._epoch)

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        """Back up after so many batches."""
        if self.save_freq == "epoch":
            return
        before, self._batches = self._batches, self._batches + self.model.steps_per_execution
        if before // self.save_freq < self._batches // self.save_freq:
            self._manager.save()

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Know the epoch."""
        self._epoch.assign(epoch)

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Back up after an epoch."""
        self._epoch.assign(epoch + 1)
        if self.save_freq == "epoch":
            self._manager.save()

    def on_train_end(self, logs: Any = None) -> None:
        """Remove the backup, and the folder where nothing else is in it."""
        if not self.delete_checkpoint:
            return
        folder = Path(self.backup_dir)
        (folder / "checkpoint").unlink(missing_ok=True)
        for path in self._manager.checkpoints:
            remove_checkpoint(path)
        with contextlib.suppress(OSError):
            folder.rmdir()
