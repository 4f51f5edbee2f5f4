"""``fit`` in each replica: its share of every batch, the metrics of all, a backup that one of them writes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tapeviz.files import scratch_folder, write_atomic
from tapeviz.keras.callbacks.backup_and_restore import BackupAndRestore
from tapeviz.keras.callbacks.callback import Callback
from tapeviz.keras.saving.model_files import load_model, save_model
from tapeviz.keras.training.py_dataset import PyDataset
from tapeviz.ops.collective.replicas import Replica, here

__all__ = ["fit_share", "packed_model", "unpacked_model"]


def packed_model(model: Any) -> bytes:
    """A model as the contents of its ``.keras`` file."""
    with scratch_folder() as folder:
        path = folder / "model.keras"
        save_model(model, path)
        return path.read_bytes()


def unpacked_model(contents: bytes) -> Any:
    """The model in the contents of a ``.keras`` file."""
    with scratch_folder() as folder:
        path = folder / "model.keras"
        write_atomic(path, [contents])
        return load_model(path)


class _Shares(PyDataset):
    """Of each batch the rows that are this replica's: every so manieth, from its rank on.

    How many replicas there are is asked for each batch: when one has died, the others share its rows from then on.
    Where shares are not equal, weights make up for it, so that the mean over replicas is that over the batch.
    """

    def __init__(self, replica: Replica, x: Any, y: Any, batch_size: int, seed: int | None) -> None:
        super().__init__()
        self._replica, self._x, self._y, self._batch_size = replica, x, y, batch_size
        self._draw = None if seed is None else np.random.default_rng(seed)
        self._order = np.arange(len(x))
        self.on_epoch_end()

    def on_epoch_end(self) -> None:
        """Put the rows in a new order, which is the same in each replica."""
        if self._draw is not None:
            self._draw.shuffle(self._order)

    def __len__(self) -> int:
        return math.ceil(len(self._order) / self._batch_size)

    def __getitem__(self, index: int) -> Any:
        """This replica's share of a batch."""
        rank, size = self._replica.rank, self._replica.size
        batch = self._order[index * self._batch_size :][: self._batch_size]
        rows = batch[rank::size]
        if len(rows) * size == len(batch):
            return self._x[rows], self._y[rows]
        weight = len(rows) * size / len(batch)
        rows = rows if len(rows) else batch[:1]  # a row of no weight, where there are more replicas than rows
        return self._x[rows], self._y[rows], np.full(len(rows), weight, "float32")


class _Means(Callback):
    """Gives the callbacks after it, and the history, the mean of each metric over the replicas."""

    def __init__(self, replica: Replica) -> None:
        super().__init__()
        self._replica = replica

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:  # noqa: ARG002 - Keras' signature
        """Put means in the place of this replica's own."""
        names = sorted(logs)
        means = self._replica.all_reduce(np.array([float(logs[name]) for name in names]), "mean")
        logs.update(zip(names, means.tolist(), strict=True))


class _Backup(BackupAndRestore):
    """Restores in every replica, and is written by the first one."""

    def __init__(self, replica: Replica, folder: str) -> None:
        super().__init__(folder, save_freq=1)
        self._replica = replica

    def _is_written_here(self) -> bool:
        return self._replica.rank == 0

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        """Write it, in the first replica."""
        if self._is_written_here():
            super().on_train_batch_end(batch, logs)

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Write it, in the first replica."""
        if self._is_written_here():
            super().on_epoch_end(epoch, logs)

    def on_train_end(self, logs: Any = None) -> None:
        """Remove it, in the first replica."""
        if self._is_written_here():
            super().on_train_end(logs)


def fit_share(
    contents: bytes, x: Any, y: Any, batch_size: int, epochs: int, seed: int | None, callbacks: Sequence[Any],
    checkpoint: str | None,
) -> tuple[bytes, Mapping[str, Any], list[int]]:  # fmt: skip
    """Fit a model in this replica.

    Returns:
        The model, its history and the epochs; only from the first replica, as all have the same.
    """
    replica: Any = here.replica
    model = unpacked_model(contents)
    backup = [] if checkpoint is None else [_Backup(replica, checkpoint)]
    history = model.fit(
        _Shares(replica, x, y, batch_size, seed), epochs=epochs, verbose=0, shuffle=False,
        callbacks=[_Means(replica), *backup, *callbacks],
    )  # fmt: skip
    return packed_model(model), history.history, history.epoch
