"""What happens at certain moments of training: :class:`Callback`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["Callback", "LambdaCallback"]


class Callback:
    """Methods that ``fit``, ``evaluate`` and ``predict`` call; subclasses override those they need.

    ``self.model`` is the model, ``self.params`` a dict of ``verbose``, ``epochs`` and ``steps``. ``logs`` are the
    results of the metrics so far, as Python numbers by name.

    >>> import tapeviz as tf
    >>> class Told(tf.keras.callbacks.Callback):
    ...     def on_epoch_end(self, epoch, logs=None):
    ...         print(epoch, sorted(logs))
    >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    >>> model.compile("sgd", "mse")
    >>> _ = model.fit([[0.0]], [[0.0]], epochs=2, verbose=0, callbacks=[Told()])
    0 ['loss']
    1 ['loss']
    """

    def __init__(self) -> None:
        self.params: Mapping[str, Any] = {}
        self._model: Any = None

    @property
    def model(self) -> Any:
        """The model."""
        return self.__dict__.get("_model")  # a subclass need not call our __init__

    def set_params(self, params: Mapping[str, Any]) -> None:
        """Called before all else, with what training was asked for."""
        self.params = params

    def set_model(self, model: Any) -> None:
        """Called before all else, with the model."""
        self._model = model

    def on_batch_begin(self, batch: int, logs: Any = None) -> None:
        """The old name of :meth:`on_train_batch_begin`."""

    def on_batch_end(self, batch: int, logs: Any = None) -> None:
        """The old name of :meth:`on_train_batch_end`."""

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Called when an epoch begins."""

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Called when an epoch is over, validation included; ``logs`` has ``val_`` results then."""

    def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
        """Called before a step of training."""
        self.on_batch_begin(batch, logs)

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        """Called after a step of training."""
        self.on_batch_end(batch, logs)

    def on_test_batch_begin(self, batch: int, logs: Any = None) -> None:
        """Called before a step of evaluation, in ``fit`` too."""

    def on_test_batch_end(self, batch: int, logs: Any = None) -> None:
        """Called after a step of evaluation, in ``fit`` too."""

    def on_predict_batch_begin(self, batch: int, logs: Any = None) -> None:
        """Called before a step of prediction."""

    def on_predict_batch_end(self, batch: int, logs: Any = None) -> None:
        """Called after a step of prediction."""

    def on_train_begin(self, logs: Any = None) -> None:
        """Called when training begins."""

    def on_train_end(self, logs: Any = None) -> None:
        """Called when training is over, but not when an error ends it."""

    def on_test_begin(self, logs: Any = None) -> None:
        """Called when evaluation begins, in ``fit`` too."""

    def on_test_end(self, logs: Any = None) -> None:
        """Called when evaluation is over, in ``fit`` too."""

    def on_predict_begin(self, logs: Any = None) -> None:
        """Called when prediction begins."""

    def on_predict_end(self, logs: Any = None) -> None:
        """Called when prediction is over."""

    def close(self, error: BaseException | None) -> None:
        """Called last, however training has ended, with the error that has ended it: let go of what is open."""


class LambdaCallback(Callback):
    """A callback of functions, each for the moment of its name.

    Args:
        on_epoch_begin: takes ``epoch`` and ``logs``, like the next one.
        on_epoch_end: see there.
        on_train_begin: takes ``logs``, like the next one.
        on_train_end: see there.
        on_train_batch_begin: takes ``batch`` and ``logs``, like the next one.
        on_train_batch_end: see there.
        **kwargs: functions for further methods of :class:`Callback`.

    >>> import tapeviz as tf
    >>> seen = []
    >>> callback = tf.keras.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: seen.append(epoch))
    >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    >>> model.compile("sgd", "mse")
    >>> _ = model.fit([[0.0]], [[0.0]], epochs=2, verbose=0, callbacks=[callback])
    >>> seen
    [0, 1]
    """

    def __init__(
        self, on_epoch_begin: Callable[..., Any] | None = None, on_epoch_end: Callable[..., Any] | None = None,
        on_train_begin: Callable[..., Any] | None = None, on_train_end: Callable[..., Any] | None = None,
        on_train_batch_begin: Callable[..., Any] | None = None, on_train_batch_end: Callable[..., Any] | None = None,
        **kwargs: Callable[..., Any],
    ) -> None:  # fmt: skip
        super().__init__()
        given = {
            "on_epoch_begin": on_epoch_begin, "on_epoch_end": on_epoch_end, "on_train_begin": on_train_begin,
            "on_train_end": on_train_end, "on_train_batch_begin": on_train_batch_begin,
            "on_train_batch_end": on_train_batch_end, **kwargs,
        }  # fmt: skip
        for name, function in given.items():
            if function is not None:
                setattr(self, name, function)
