"""Changing the learning rate from epoch to epoch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeviz.keras.callbacks.callback import Callback
from tapeviz.keras.callbacks.monitor import Monitor

__all__ = ["LearningRateScheduler", "ReduceLROnPlateau"]


def _rate(model: Any) -> float:
    if not hasattr(model.optimizer, "learning_rate"):
        raise ValueError('Optimizer must have a "learning_rate" attribute.')
    rate = model.optimizer.learning_rate
    return float(rate.numpy() if hasattr(rate, "numpy") else rate)


class LearningRateScheduler(Callback):
    """Have a function say the learning rate of each epoch.

    Args:
        schedule: takes the number of an epoch, from 0, and the rate so far; gives the rate, a float.
        verbose: whether to say the rate of each epoch.

    Raises:
        ValueError: while training: the function gives no float.

    >>> import tapeviz as tf
    >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    >>> model.compile(tf.keras.optimizers.SGD(0.1), "mse")
    >>> halving = tf.keras.callbacks.LearningRateScheduler(lambda epoch, rate: rate / 2)
    >>> _ = model.fit([[0.0]], [[0.0]], epochs=2, verbose=0, callbacks=[halving])
    >>> round(float(model.optimizer.learning_rate), 4)
    0.025
    """

    def __init__(self, schedule: Callable[..., float], verbose: int = 0) -> None:
        super().__init__()
        self.verbose: int
        self.schedule: Callable[..., float]
        self.schedule, self.verbose = schedule, verbose

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Ask for the rate."""
        rate = _rate(self.model)
        try:
            rate = self.schedule(epoch, rate)
        except TypeError:  # the old form takes the epoch alone
            rate = self.schedule(epoch)
        if not isinstance(rate, (float, np.floating)):
            raise ValueError(  # noqa: TRY004 - Keras' error
                f"The output of the `schedule` function should be a float. Got: {rate}"
            )
        self.model.optimizer.learning_rate = rate
        if self.verbose > 0:
            print(f"\nEpoch {epoch + 1}: LearningRateScheduler setting learning rate to {rate}.")  # noqa: T201

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Tell the rate among the results."""
        if logs is not None:
            logs["learning_rate"] = _rate(self.model)


class ReduceLROnPlateau(Callback):
    """Make the learning rate smaller when a result has not become better for some epochs.

    Args:
        monitor: the result.
        factor: what the rate is multiplied with, below 1.
        patience: so many epochs without an improvement are let pass.
        verbose: whether to say so.
        mode: ``"min"``, ``"max"`` or ``"auto"``: whether less or more is better.
        min_delta: what counts as better at least.
        cooldown: how many epochs to wait after a change before looking again.
        min_lr: the smallest rate.

    Raises:
        ValueError: ``factor`` is 1 or more.

    >>> import tapeviz as tf
    >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    >>> model.compile(tf.keras.optimizers.SGD(0.1), lambda y, p: tf.reduce_mean(0.0 * p, -1) + 1.0)
    >>> smaller = tf.keras.callbacks.ReduceLROnPlateau("loss", factor=0.5, patience=2)
    >>> _ = model.fit([[0.0]], [[0.0]], epochs=3, verbose=0, callbacks=[smaller])
    >>> round(float(model.optimizer.learning_rate), 4)
    0.05
    """

    def __init__(
        self, monitor: str = "val_loss", factor: float = 0.1, patience: int = 10, verbose: int = 0, mode: str = "auto",
        min_delta: float = 1e-4, cooldown: int = 0, min_lr: float = 0.0,
    ) -> None:  # fmt: skip
        super().__init__()
        if factor >= 1.0:
            raise ValueError(f"ReduceLROnPlateau does not support a factor >= 1.0. Received factor={factor}")
        self.monitor = monitor
        self.factor: float
        self.patience: int
        self.verbose: int
        self.factor, self.patience, self.verbose = factor, patience, verbose
        self.cooldown: int
        self.min_lr: float
        self.cooldown, self.min_lr = cooldown, min_lr
        self._followed = Monitor(monitor, mode, min_delta, "Learning rate reduction")
        self.cooldown_counter: int
        self.wait: int
        self.cooldown_counter = self.wait = 0

    @property
    def best(self) -> float:
        """The best result so far."""
        return self._followed.best

    def on_train_begin(self, logs: Any = None) -> None:
        """Begin with no best."""
        self._followed.reset()
        self.cooldown_counter = self.wait = 0

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Look whether the result has become better."""
        if logs is not None:
            logs["learning_rate"] = _rate(self.model)
        current = self._followed.value(logs)
        if current is None:
            return
        if self.cooldown_counter > 0:
            self.cooldown_counter -= 1
            self.wait = 0
        if self._followed.is_better(current):
            self.wait = 0
        elif self.cooldown_counter <= 0:
            self.wait += 1
            if self.wait >= self.patience:
                self._reduce(epoch)

    def _reduce(self, epoch: int) -> None:
        rate = _rate(self.model)
        if rate <= float(np.float32(self.min_lr)):
            return
        rate = max(rate * self.factor, self.min_lr)
        self.model.optimizer.learning_rate = rate
        if self.verbose > 0:
            print(f"\nEpoch {epoch + 1}: ReduceLROnPlateau reducing learning rate to {rate}.")  # noqa: T201
        self.cooldown_counter, self.wait = self.cooldown, 0
