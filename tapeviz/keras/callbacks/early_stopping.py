"""Ending training early: when nothing improves any more, or the loss is not a number."""

from __future__ import annotations

import math
from typing import Any

from tapeviz.keras.callbacks.callback import Callback
from tapeviz.keras.callbacks.monitor import Monitor

__all__ = ["EarlyStopping", "TerminateOnNaN"]


class EarlyStopping(Callback):
    """Stop when a result has not become better for some epochs.

    Args:
        monitor: the result.
        min_delta: what counts as better at least.
        patience: so many epochs without an improvement are let pass.
        verbose: whether to say that training stops.
        mode: ``"min"``, ``"max"`` or ``"auto"``: whether less or more is better.
        baseline: improvement means to be better than this.
        restore_best_weights: whether the model gets the weights of its best epoch at the end.
        start_from_epoch: how many epochs are not looked at.

    >>> import tapeviz as tf
    >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="zeros")])
    >>> model.compile(tf.keras.optimizers.SGD(0.0), "mse")
    >>> stopping = tf.keras.callbacks.EarlyStopping("loss", patience=2)
    >>> len(model.fit([[0.0]], [[1.0]], epochs=9, verbose=0, callbacks=[stopping]).epoch)
    3
    """

    def __init__(
        self, monitor: str = "val_loss", min_delta: float = 0, patience: int = 0, verbose: int = 0, mode: str = "auto",
        baseline: float | None = None, restore_best_weights: bool = False, start_from_epoch: int = 0,
    ) -> None:  # fmt: skip
        super().__init__()
        self.monitor = monitor
        self.patience: int
        self.verbose: int
        self.baseline: float | None
        self.patience, self.verbose, self.baseline = patience, verbose, baseline
        self.restore_best_weights: bool
        self.start_from_epoch: int
        self.restore_best_weights, self.start_from_epoch = restore_best_weights, start_from_epoch
        self._followed = Monitor(monitor, mode, min_delta, "Early stopping")
        self.wait: int
        self.stopped_epoch: int
        self.best_epoch: int
        self.wait = self.stopped_epoch = self.best_epoch = 0
        self.best_weights: Any = None

    @property
    def best(self) -> float:
        """The best result so far."""
        return self._followed.best

    def on_train_begin(self, logs: Any = None) -> None:
        """Begin with no best."""
        self.wait = self.stopped_epoch = self.best_epoch = 0
        self.best_weights = None
        self._followed.reset()

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Look whether the result has become better."""
        current = self._followed.value(logs)
        if current is None or epoch < self.start_from_epoch:
            return
        if self.restore_best_weights and self.best_weights is None:
            self.best_weights, self.best_epoch = self.model.get_weights(), epoch
        self.wait += 1
        if self._followed.is_better(current):
            self.best_epoch = epoch
            if self.restore_best_weights:
                self.best_weights = self.model.get_weights()
            if self.baseline is None or self._followed.exceeds(current, self.baseline):
                self.wait = 0
            return
        if self.wait >= self.patience and epoch > 0:
            self.stopped_epoch = epoch
            self.model.stop_training = True

    def on_train_end(self, logs: Any = None) -> None:
        """Say that training has stopped, and put the best weights back."""
        if self.stopped_epoch > 0 and self.verbose > 0:
            print(f"Epoch {self.stopped_epoch + 1}: early stopping")  # noqa: T201 - what verbose asks for
        if self.restore_best_weights and self.best_weights is not None:
            if self.verbose > 0:
                print(f"Restoring model weights from the end of the best epoch: {self.best_epoch + 1}.")  # noqa: T201
            self.model.set_weights(self.best_weights)


class TerminateOnNaN(Callback):
    """Stop when the loss is NaN or infinite. ``LiveTape`` does that too, and shows where it comes from.

    >>> import tapeviz as tf
    >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    >>> model.compile("sgd", "mse")
    >>> stopping = tf.keras.callbacks.TerminateOnNaN()
    >>> len(model.fit([[float("nan")]], [[1.0]], epochs=9, verbose=0, callbacks=[stopping]).epoch)
    Batch 0: Invalid loss, terminating training
    1
    """

    def on_batch_end(self, batch: int, logs: Any = None) -> None:
        """Look at the loss."""
        loss = (logs or {}).get("loss")
        if loss is not None and not math.isfinite(loss):
            print(f"Batch {batch}: Invalid loss, terminating training")  # noqa: T201 - as Keras does
            self.model.stop_training = True
