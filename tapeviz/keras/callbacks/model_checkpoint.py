"""Keeping a model, or its weights, while it is trained: the best one, or that of each epoch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tapeviz.keras.callbacks.callback import Callback
from tapeviz.keras.callbacks.monitor import Monitor

__all__ = ["ModelCheckpoint"]


class ModelCheckpoint(Callback):
    """Save the model, or its weights, while it is trained.

    Args:
        filepath: where to; may name the epoch and results, as in ``"{epoch:02d}-{val_loss:.2f}.keras"``.
        monitor: the result by which one model is better than another one.
        verbose: whether to say what is saved.
        save_best_only: whether to save only what is better than all before.
        save_weights_only: whether to save the weights alone (``save_weights``), and not the model (``save``).
        mode: ``"min"``, ``"max"`` or ``"auto"``: whether less or more is better.
        save_freq: ``"epoch"``, or after how many batches.
        initial_value_threshold: the first one saved has to be better than this.

    Raises:
        ValueError: the file's name does not fit what is saved; while training: it names a result that there is not.
        OSError: while training: the folder cannot be written.

    >>> import pathlib, tempfile, tapeviz as tf
    >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    >>> model.compile("sgd", "mse")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "best.weights.h5")
    ...     best = tf.keras.callbacks.ModelCheckpoint(path, "loss", save_best_only=True, save_weights_only=True)
    ...     _ = model.fit([[1.0]], [[0.0]], epochs=2, verbose=0, callbacks=[best])
    ...     _ = model.load_weights(path)
    """

    def __init__(
        self, filepath: Any, monitor: str = "val_loss", verbose: int = 0, save_best_only: bool = False,
        save_weights_only: bool = False, mode: str = "auto", save_freq: Any = "epoch",
        initial_value_threshold: float | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        if save_freq != "epoch" and not isinstance(save_freq, int):
            raise ValueError(f"Unrecognized save_freq: {save_freq}. Expected save_freq are 'epoch' or integer values")
        self.filepath: str
        self.monitor: str
        self.verbose: int
        self.filepath, self.monitor, self.verbose = str(filepath), monitor, verbose
        self.save_best_only: bool
        self.save_weights_only: bool
        self.save_best_only, self.save_weights_only, self.save_freq = save_best_only, save_weights_only, save_freq
        self._followed = Monitor(monitor, mode, 0.0, "Can save best model only with a metric: it")
        self._followed.reset(initial_value_threshold)
        self._epoch = self._batches = 0

    @property
    def best(self) -> float:
        """The best result so far."""
        return self._followed.best

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Know the epoch."""
        self._epoch = epoch

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        """Save after so many batches."""
        self._batches += 1
        if self.save_freq != "epoch" and self._batches % self.save_freq == 0:
            self._save(self._epoch, batch, logs or {})

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Save after an epoch."""
        if self.save_freq == "epoch":
            self._save(epoch, None, logs or {})

    def _save(self, epoch: int, batch: int | None, logs: dict[str, Any]) -> None:
        path = self._path(epoch, batch, logs)
        if self.save_best_only:
            current, before = self._followed.value(logs), self._followed.best
            if current is None:
                return
            if not self._followed.is_better(current):
                self._say(f"Epoch {epoch + 1}: {self.monitor} did not improve from {before:.5f}")
                return
            self._say(f"Epoch {epoch + 1}: {self.monitor} improved from {before:.5f} to {current:.5f}, saving model to "
                      f"{path}")  # fmt: skip
        else:
            self._say(f"Epoch {epoch + 1}: saving model to {path}")
        path.parent.mkdir(parents=True, exist_ok=True)
        if self.save_weights_only:
            self.model.save_weights(path, overwrite=True)
        else:
            self.model.save(path, overwrite=True)

    def _say(self, text: str) -> None:
        if self.verbose > 0:
            print(f"\n{text}")  # noqa: T201 - what verbose asks for

    def _path(self, epoch: int, batch: int | None, logs: dict[str, Any]) -> Path:
        named = {"epoch": epoch + 1, **({} if batch is None else {"batch": batch + 1}), **logs}
        try:
            return Path(self.filepath.format(**named))
        except KeyError as error:
            raise KeyError(
                f'Failed to format this callback filepath: "{self.filepath}". Reason: {error}; the results are '
                f"{sorted(named)}"
            ) from error
