"""What ``fit`` gives: the results of each epoch."""

from __future__ import annotations

from typing import Any

from tapeviz.keras.callbacks.callback import Callback

__all__ = ["History"]


class History(Callback):
    """Keeps the results of each epoch: ``history`` has a list for each metric, ``epoch`` the numbers of the epochs.

    Every ``fit`` has one and returns it; it is ``model.history`` too, which is there when ``fit`` is interrupted.

    >>> import tapeviz as tf
    >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="zeros")])
    >>> model.compile("sgd", "mse")
    >>> model.fit([[0.0]], [[1.0]], epochs=2, verbose=0).history.keys()
    dict_keys(['loss'])
    """

    def __init__(self) -> None:
        super().__init__()
        self.history: dict[str, list[Any]] = {}
        self.epoch: list[int] = []

    def on_train_begin(self, logs: Any = None) -> None:
        """Begin with no epochs."""
        self.epoch, self.history = [], {}

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Keep the results."""
        self.epoch.append(epoch)
        for name, value in (logs or {}).items():
            self.history.setdefault(name, []).append(value)
