"""Going through data: the loops of ``fit``, ``evaluate`` and ``predict``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import chain
from typing import Any

import numpy as np

from tapeviz.engine import nest
from tapeviz.keras.callbacks.callback_list import CallbackList
from tapeviz.keras.callbacks.history import History
from tapeviz.keras.floats import floatx
from tapeviz.keras.training.arrays import split_off
from tapeviz.keras.training.feeding import Epochs, feed_for
from tapeviz.keras.training.gradient_watch import StepStopped
from tapeviz.keras.training.structures import unpack, without_tensors

__all__ = ["Fitting", "floats_of", "in_order"]


class Fitting:
    """The loops over data that a model inherits; what they call is :class:`Trainer`'s."""

    _assert_compile_called: Callable[[str], None]
    make_train_function: Callable[[], Any]
    make_predict_function: Callable[[], Any]
    reset_metrics: Callable[[], None]
    history: Any
    stop_training: bool
    stop_predicting: bool
    _initial_epoch: int

    def fit(
        self, x: Any = None, y: Any = None, batch_size: int | None = None, epochs: int = 1,
        verbose: str | int = "auto", callbacks: Any = None, validation_split: float = 0.0, validation_data: Any = None,
        shuffle: bool | str = True, class_weight: Mapping[int, float] | None = None, sample_weight: Any = None,
        initial_epoch: int = 0, steps_per_epoch: int | None = None, validation_steps: int | None = None,
        validation_batch_size: int | None = None, validation_freq: Any = 1,
    ) -> History:  # fmt: skip
        """Train the model for a number of epochs.

        Args:
            x: the inputs: an array, tensor or data frame, a list or dict of them, or what gives batches ``(x, y)`` or
                ``(x, y, sample_weight)``: a dataset, a generator or a ``keras.utils.PyDataset``.
            y: the targets, where ``x`` does not have them.
            batch_size: how many samples in a batch, 32 by default; not for what gives batches.
            epochs: the number of the epoch to stop after.
            verbose: 0 for silence, 1 for a progress bar, 2 for a line an epoch; ``"auto"``: a bar in notebooks and
                terminals, some lines elsewhere.
            callbacks: a list of callbacks, or a ``CallbackList``.
            validation_split: which share of the samples, the last ones, to keep for validation.
            validation_data: data for validation: ``(x, y)``, ``(x, y, sample_weight)`` or what gives batches.
            shuffle: whether the samples of arrays have a new order in each epoch; ``"batch"`` for whole batches.
            class_weight: weights by the numbers of classes.
            sample_weight: a weight a sample.
            initial_epoch: the number of the first epoch.
            steps_per_epoch: how many batches an epoch has; as many as there are by default.
            validation_steps: the same for validation.
            validation_batch_size: ``batch_size`` unless given.
            validation_freq: validate after each so many epochs, or after the epochs (from 1) of a list.

        Returns:
            A ``History``: ``history.history`` has a list of values an epoch for each metric.

        Raises:
            ValueError: the model is not compiled, or the data does not agree with it or in itself.

        >>> import numpy as np, tapeviz as tf
        >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="zeros")])
        >>> model.compile(tf.keras.optimizers.SGD(0.5), "mse")
        >>> x = np.linspace(-1.0, 1.0, 8)[:, None]
        >>> history = model.fit(x, 3.0 * x + 1.0, batch_size=8, epochs=50, verbose=0)
        >>> model.get_weights()[0].round(2)
        array([[3.]], dtype=float32)
        """
        self._assert_compile_called("fit")
        if validation_split and validation_data is None:
            (x, y, sample_weight), validation_data = split_off((x, y, sample_weight), validation_split)
        floats = floatx()
        feed = feed_for(x, y, sample_weight, batch_size=batch_size, shuffle=shuffle, class_weight=class_weight,
                        floats=floats)  # fmt: skip
        data = Epochs(feed, steps_per_epoch)
        called = _called(self, callbacks, verbose, epochs=epochs, steps=data.steps, history=True)
        validation = None
        if validation_data is not None:
            vx, vy, vw = _validation(validation_data)
            size = validation_batch_size or batch_size
            validation = Epochs(feed_for(vx, vy, vw, batch_size=size, floats=floats), validation_steps)
        self.stop_training, self._initial_epoch = False, initial_epoch
        with called.until_the_end(), _watching(self):
            called.on_train_begin()
            self.make_train_function()
            logs: dict[str, Any] = {}
            for epoch in range(self._initial_epoch, epochs):  # a callback may have changed where to begin
                self.reset_metrics()
                called.on_epoch_begin(epoch)
                logs = _epoch(self, data, called)
                if validation is not None and _is_due(epoch, validation_freq) and not _is_stopped_within(self):
                    found = _evaluated(self, validation, called)
                    logs = {**logs, **{f"val_{name}": value for name, value in found.items()}}
                called.on_epoch_end(epoch, logs)
                if self.stop_training or data.ran_out:
                    break
            called.on_train_end(logs)
        return self.history  # type: ignore[no-any-return]

    def evaluate(
        self, x: Any = None, y: Any = None, batch_size: int | None = None, verbose: str | int = "auto",
        sample_weight: Any = None, steps: int | None = None, callbacks: Any = None, return_dict: bool = False,
    ) -> Any:  # fmt: skip
        """The loss and the metrics on data.

        Args:
            x: the inputs, as for ``fit``.
            y: the targets.
            batch_size: how many samples in a batch, 32 by default.
            verbose: as for ``fit``.
            sample_weight: a weight a sample.
            steps: after how many batches to stop.
            callbacks: a list of callbacks.
            return_dict: whether to give a dict by name.

        Returns:
            The loss; a list of it and the metrics where there are metrics; or a dict.

        Raises:
            ValueError: as for ``fit``.

        >>> import tapeviz as tf
        >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="zeros")])
        >>> model.compile(loss="mse")
        >>> model.evaluate([[1.0], [2.0]], [[1.0], [3.0]], verbose=0)
        5.0
        """
        self._assert_compile_called("evaluate")
        feed = feed_for(x, y, sample_weight, batch_size=batch_size, floats=floatx())
        data = Epochs(feed, steps)
        called = _called(self, callbacks, verbose, epochs=1, steps=data.steps)
        with called.until_the_end():
            logs = _evaluated(self, data, called)
        return logs if return_dict else in_order(self, logs)

    def predict(
        self, x: Any, batch_size: int | None = None, verbose: str | int = "auto", steps: int | None = None,
        callbacks: Any = None,
    ) -> Any:  # fmt: skip
        """The outputs for inputs, batch by batch.

        Args:
            x: the inputs, as for ``fit``.
            batch_size: how many samples in a batch, 32 by default.
            verbose: as for ``fit``.
            steps: after how many batches to stop.
            callbacks: a list of callbacks.

        Returns:
            NumPy arrays, in the structure of the model's outputs.

        Raises:
            ValueError: there is no data, or it is of no known kind.

        >>> import tapeviz as tf
        >>> model = tf.keras.Sequential([tf.keras.layers.Dense(2, kernel_initializer="ones")])
        >>> model.predict([[1.0], [2.0]], verbose=0)
        array([[1., 1.],
               [2., 2.]], dtype=float32)
        """
        data = Epochs(feed_for(x, batch_size=batch_size, floats=floatx()), steps)
        called = _called(self, callbacks, verbose, epochs=1, steps=data.steps)
        run = self.make_predict_function()
        found: list[Any] = []
        with called.until_the_end():
            called.on_predict_begin()
            batches = data.batches()
            for step, batch in enumerate(batches):
                called.on_predict_batch_begin(step)
                outputs = without_tensors(run(chain([batch], batches)))
                found.append(outputs)
                called.on_predict_batch_end(step, {"outputs": outputs})
                if self.stop_predicting:
                    break
            called.on_predict_end()
        return _joined(found)


class _watching:  # noqa: N801 - used as a verb
    """What a callback has put on the model to watch steps is taken off at the end, however it comes."""

    def __init__(self, model: Any) -> None:
        self._model = model

    def __enter__(self) -> None:
        self._model._stopped = None

    def __exit__(self, *_: object) -> None:
        self._model._watch = None
        self._model._last_batch = None


def _is_stopped_within(model: Any) -> bool:
    """Whether the last epoch was ended by a step that a watch has stopped."""
    return getattr(model, "_stopped", None) is not None


def _epoch(model: Any, data: Epochs, called: CallbackList) -> dict[str, Any]:
    """Train on the batches of an epoch; what the metrics say at its end."""
    logs: dict[str, Any] = {}
    batches = data.batches()
    step = 0
    for batch in batches:
        called.on_train_batch_begin(step)
        try:
            logs = floats_of(model.train_function(chain([batch], batches)))
        except StepStopped as stopped:
            model._stopped, model.stop_training = stopped, True
            logs = floats_of(model.get_metrics_result())
        step += model.steps_per_execution
        called.on_train_batch_end(step - 1, logs)
        if model.stop_training:
            break
    return logs


def _called(model: Any, callbacks: Any, verbose: str | int, **params: Any) -> CallbackList:
    if isinstance(callbacks, CallbackList):
        return callbacks
    return CallbackList(callbacks, model=model, verbose=verbose, **params)


def _validation(data: Any) -> tuple[Any, Any, Any]:
    """Inputs, targets and weights for validation.

    Raises:
        ValueError: a tuple of another length.
    """
    return unpack(data) if isinstance(data, (tuple, list)) else (data, None, None)


def _is_due(epoch: int, frequency: Any) -> bool:
    if isinstance(frequency, int):
        if frequency < 1:
            raise ValueError(f"`validation_freq` can not be less than 1. Received: {frequency}")
        return (epoch + 1) % frequency == 0
    return epoch + 1 in frequency


def floats_of(logs: Any) -> dict[str, Any]:
    """The results of metrics as Python numbers, by name.

    Raises:
        ValueError: a step gave no dict.
    """
    if not isinstance(logs, Mapping):
        raise ValueError(  # noqa: TRY004 - as for other data that is not as it should be
            "`train_step` and `test_step` must return a dict of results by name, such as `{'loss': loss}`. Received: "
            f"{type(logs).__name__}"
        )
    found: dict[str, Any] = {}
    for name, value in sorted(logs.items()):
        if isinstance(value, Mapping):
            found.update(floats_of(value))
            continue
        try:
            found[name] = float(value)
        except (TypeError, ValueError):  # several numbers
            found[name] = value.numpy() if hasattr(value, "numpy") else value
    return found


def in_order(model: Any, logs: dict[str, Any]) -> Any:
    """The loss first, then the others as the model has them; the number alone where there is one."""
    known = list(model.get_metrics_result())
    order = [name for name in known if name in logs] + [name for name in logs if name not in known]
    found = [logs[name] for name in order]
    return found[0] if len(found) == 1 else found


def _evaluated(model: Any, data: Epochs, called: CallbackList) -> dict[str, Any]:
    run = model.make_test_function()
    model.reset_metrics()
    called.on_test_begin()
    logs: dict[str, Any] = {}
    batches = data.batches()
    step = 0
    for batch in batches:
        called.on_test_batch_begin(step)
        logs = floats_of(run(chain([batch], batches)))
        step += model.steps_per_execution
        called.on_test_batch_end(step - 1, logs)
        if model.stop_evaluating:
            break
    called.on_test_end(logs)
    return logs


def _joined(found: list[Any]) -> Any:
    if not found:
        raise ValueError("There was no batch to predict for.")
    leaves = [nest.flatten(outputs) for outputs in found]
    return nest.pack(found[0], [np.concatenate(parts) for parts in zip(*leaves, strict=True)])
