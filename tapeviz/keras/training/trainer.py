"""The training methods of a model: ``compile``, ``fit``, ``evaluate``, ``predict`` and what they are made of."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from typing import Any, Literal, overload

import numpy as np

from tapeviz.autograph.conversion import convert
from tapeviz.engine import nest
from tapeviz.engine.scopes import name_scope, span
from tapeviz.engine.tape import GradientTape
from tapeviz.functions.function import functions_run_eagerly
from tapeviz.keras.callbacks.callback_list import CallbackList
from tapeviz.keras.callbacks.gradient_watch import StepStopped, Watch, watched
from tapeviz.keras.callbacks.history import History
from tapeviz.keras.floats import floatx
from tapeviz.keras.metrics.reduction import Mean
from tapeviz.keras.optimizers.optimizer_lookup import get as optimizer_of
from tapeviz.keras.training.arrays import split_off
from tapeviz.keras.training.compiled_losses import CompiledLoss
from tapeviz.keras.training.compiled_metrics import CompiledMetrics
from tapeviz.keras.training.data_adapter import Epochs, feed_for
from tapeviz.keras.training.structures import as_arrays, map_leaves, unpack, weights_by_class, without_tensors
from tapeviz.keras.training.traced_steps import TracedStep
from tapeviz.ops.array.creation import shape as shape_of
from tapeviz.ops.collective.replicas import here
from tapeviz.ops.math.arithmetic import add_n

__all__ = ["Trainer"]


class Trainer:
    """What a model inherits to be compiled, fitted, evaluated and asked for predictions.

    A subclass says another training by overriding ``train_step``, ``test_step`` or ``predict_step``, or only
    ``compute_loss`` or ``compute_metrics``: ``fit`` and its callbacks stay as they are.
    """

    optimizer: Any = None
    loss: Any = None
    loss_weights: Any = None
    stop_training: bool = False
    stop_evaluating: bool = False
    stop_predicting: bool = False
    _stopped: Any = None
    history: Any = None
    run_eagerly: bool = False
    steps_per_execution: int = 1
    jit_compile: Any = None
    compiled: bool = False
    train_function: Any = None
    test_function: Any = None
    predict_function: Any = None
    _compile_loss: CompiledLoss | None = None
    _compile_metrics: CompiledMetrics | None = None
    _loss_tracker: Any = None
    _compile_config: Mapping[str, Any] | None = None
    _strategy: Any = None
    _watch: Watch | None = None
    _last_batch: Any = None
    _step_loss: Any = None  # of the step that is being traced or run
    _ready = False

    def compile(
        self, optimizer: Any = "rmsprop", loss: Any = None, loss_weights: Any = None, metrics: Any = None,
        weighted_metrics: Any = None, run_eagerly: bool = False, steps_per_execution: int = 1,
        jit_compile: Any = "auto", auto_scale_loss: bool = True,
    ) -> None:  # fmt: skip
        """Say how to train.

        Args:
            optimizer: an optimizer or its name.
            loss: a loss, its name or a function of ``y_true`` and ``y_pred``; for several outputs a list or dict.
            loss_weights: what the losses of several outputs are multiplied with, a list or dict.
            metrics: a list of metrics, their names or functions; for several outputs a list or dict with an entry each.
            weighted_metrics: the same, for metrics that take the sample weights into account.
            run_eagerly: whether steps run as the Python they are, for debugging, and not as graphs.
            steps_per_execution: after how many steps callbacks of batches are called.
            jit_compile: accepted as Keras does.
            auto_scale_loss: accepted as Keras does.

        Raises:
            ValueError: there is no such optimizer, loss or metric.

        >>> import tapeviz as tf
        >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
        >>> model.compile("sgd", loss="mse", metrics=["mae"])
        >>> model.fit([[0.0], [1.0]], [[0.0], [2.0]], epochs=2, verbose=0).epoch
        [0, 1]
        """
        config = {
            "optimizer": optimizer, "loss": loss, "loss_weights": loss_weights, "metrics": metrics,
            "weighted_metrics": weighted_metrics, "run_eagerly": run_eagerly,
            "steps_per_execution": steps_per_execution, "jit_compile": jit_compile,
        }  # fmt: skip
        if not isinstance(steps_per_execution, int) or steps_per_execution < 1:
            raise ValueError(f"`steps_per_execution` must be a positive integer. Received: {steps_per_execution!r}")
        names = getattr(self, "output_names", None)
        compiled_loss = None if loss is None else CompiledLoss(loss, loss_weights, names)
        compiled_metrics = CompiledMetrics(metrics, weighted_metrics, names) if metrics or weighted_metrics else None
        self.optimizer = optimizer_of(optimizer)
        # Past what a layer does with lists and dicts in attributes: these are not parts of the model.
        vars(self).update(
            loss=loss, loss_weights=loss_weights, _compile_loss=compiled_loss, _compile_metrics=compiled_metrics,
            _loss_tracker=Mean(name="loss"), run_eagerly=run_eagerly, steps_per_execution=steps_per_execution,
            jit_compile=jit_compile, _compile_config=config, compiled=True, stop_training=False, _ready=False,
            train_function=None, test_function=None, predict_function=None, _traced={}, _strategy=here.strategy,
        )  # fmt: skip

    def get_compile_config(self) -> dict[str, Any] | None:
        """The arguments of ``compile`` as they were given; None for a model that is not compiled."""
        return None if self._compile_config is None else dict(self._compile_config)

    # Metrics.

    @property
    def metrics(self) -> list[Any]:
        """The loss's mean, the metrics of layers, and those of ``compile``."""
        found = [self._loss_tracker] if self.compiled else []
        for layer in self._all_layers():
            if layer is self or not getattr(layer, "compiled", False):
                found += layer._own_metrics()
        if self._compile_loss is not None:
            found += self._compile_loss.trackers
        if self._compile_metrics is not None:
            found += self._compile_metrics.metrics
        return found

    def _all_layers(self) -> list[Any]:
        flatten = getattr(self, "_flatten_layers", None)
        return [] if flatten is None else list(flatten())

    @property
    def metrics_names(self) -> list[str]:
        """The names of the metrics."""
        return [metric.name for metric in self.metrics]

    def reset_metrics(self) -> None:
        """Have all metrics begin anew."""
        for metric in self.metrics:
            metric.reset_state()

    def get_metrics_result(self) -> dict[str, Any]:
        """What the metrics have found so far, by name."""
        found: dict[str, Any] = {}
        own = self._compile_metrics
        of_compile = set() if own is None else {id(metric) for metric in own.metrics}
        for metric in self.metrics:
            if id(metric) not in of_compile:
                with name_scope(metric.name):
                    result = metric.result()
                found.update(result if isinstance(result, dict) else {metric.name: result})
        return found if own is None else {**found, **own.result()}

    # What a step does. These are there to be overridden.

    def compute_loss(
        self, x: Any = None, y: Any = None, y_pred: Any = None, sample_weight: Any = None, training: bool = True
    ) -> Any:
        """The loss of a batch: that of ``compile``, and what layers add.

        Args:
            x: the inputs.
            y: the targets.
            y_pred: the outputs.
            sample_weight: the weights of the samples, or None.
            training: whether this is training.

        Raises:
            ValueError: there is none.
        """
        found = [] if self._compile_loss is None or y is None else [self._compile_loss(y, y_pred, sample_weight)]
        total: Any = None
        for loss in [*found, *getattr(self, "losses", ())]:
            if loss is not None:
                total = loss if total is None else total + loss
        if total is None:
            if self._compile_loss is not None and y is None:
                raise ValueError(
                    "There are no targets to compute the loss with: `y` is None. Pass `y`, or data of pairs (x, y)."
                )
            raise ValueError("No loss to compute. Provide a `loss` argument in `compile()`.")
        return total

    def compute_metrics(self, x: Any, y: Any, y_pred: Any, sample_weight: Any = None) -> dict[str, Any]:
        """Take a batch into account in the metrics of ``compile``, and say what all metrics have found."""
        if self._compile_metrics is not None and y is not None:
            self._compile_metrics.update_state(y, y_pred, sample_weight)
        return self.get_metrics_result()

    def compiled_loss(
        self, y_true: Any, y_pred: Any, sample_weight: Any = None, regularization_losses: Any = None
    ) -> Any:
        """The loss of a batch as train steps of Keras 2 ask for it; the mean of ``loss`` takes it into account.

        Args:
            y_true: the targets.
            y_pred: the outputs.
            sample_weight: the weights of the samples.
            regularization_losses: what layers add.

        Raises:
            ValueError: there is none.

        >>> import tapeviz as tf
        >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
        >>> model.compile("sgd", "mse")
        >>> model.compiled_loss(tf.constant([[1.0]]), tf.constant([[3.0]])).numpy()
        np.float32(4.0)
        """
        found = [] if self._compile_loss is None else [self._compile_loss(y_true, y_pred, sample_weight)]
        losses = [loss for loss in [*found, *(regularization_losses or ())] if loss is not None]
        if not losses:
            raise ValueError("No loss to compute. Provide a `loss` argument in `compile()`.")
        total = losses[0] if len(losses) == 1 else add_n(losses)
        self._track_loss(total, y_pred)
        return total

    @property
    def compiled_metrics(self) -> CompiledMetrics:
        """The metrics of ``compile``, whose ``update_state`` train steps of Keras 2 call."""
        return self._compile_metrics or CompiledMetrics(None, None)

    def train_step(self, data: Any) -> dict[str, Any]:
        """One step of training: outputs, loss, gradients, update, metrics.

        Args:
            data: a batch: ``x``, ``(x, y)`` or ``(x, y, sample_weight)``.

        Returns:
            The results of the metrics by name.
        """
        x, y, sample_weight = unpack(data)
        with GradientTape() as tape:
            y_pred = self(x, training=True)  # type: ignore[operator]
            loss = self.compute_loss(x=x, y=y, y_pred=y_pred, sample_weight=sample_weight, training=True)
            scaled = self.optimizer.scale_loss(loss)
        self._track_loss(loss, x)
        variables = self.trainable_variables  # type: ignore[attr-defined]
        if variables:
            self.optimizer.apply_gradients(zip(tape.gradient(scaled, variables), variables, strict=True))
        return self.compute_metrics(x, y, y_pred, sample_weight)

    def test_step(self, data: Any) -> dict[str, Any]:
        """One step of evaluation: outputs, loss, metrics; arguments and result as of :meth:`train_step`."""
        x, y, sample_weight = unpack(data)
        y_pred = self(x, training=False)  # type: ignore[operator]
        loss = self.compute_loss(x=x, y=y, y_pred=y_pred, sample_weight=sample_weight, training=False)
        self._track_loss(loss, x)
        return self.compute_metrics(x, y, y_pred, sample_weight)

    def predict_step(self, data: Any) -> Any:
        """The outputs for a batch."""
        return self(unpack(data)[0], training=False)  # type: ignore[operator]

    def _track_loss(self, loss: Any, x: Any) -> None:
        if self._watch is not None:
            self._step_loss = loss
        with name_scope(self._loss_tracker.name):
            self._loss_tracker.update_state(loss, sample_weight=shape_of(nest.flatten(x)[0])[0])

    # Functions of a step.

    def make_train_function(self, force: bool = False) -> Any:
        """The function that takes an iterator of batches and does ``steps_per_execution`` steps of training."""
        if self.train_function is None or force:
            self.train_function = self._function("train", self._train)
        return self.train_function

    def make_test_function(self, force: bool = False) -> Any:
        """The same for evaluation."""
        if self.test_function is None or force:
            self.test_function = self._function("test", lambda data: self._run("test", self.test_step, data))
        return self.test_function

    def make_predict_function(self, force: bool = False) -> Any:
        """The same for prediction."""
        if self.predict_function is None or force:
            self.predict_function = self._function(
                "predict", lambda data: self._run("predict", self.predict_step, data)
            )
        return self.predict_function

    def _function(self, sort: str, one: Callable[[Any], Any]) -> Callable[[Iterator[Any]], Any]:
        def steps(iterator: Iterator[Any]) -> Any:
            result = one(next(iterator))
            if sort == "predict":
                return result
            for _ in range(self.steps_per_execution - 1):
                data = next(iterator, None)
                if data is None:
                    break
                result = one(data)
            return result

        return steps

    def _train(self, data: Any) -> Any:
        if not self._ready:
            self._prepare(data)
        watch = self._watch
        if watch is None:
            return self._run("train", self.train_step, data)
        self.__dict__["_last_batch"] = data  # past what a layer looks for in its attributes
        return watch.step(self._run_watched, data)

    def _run_watched(self, data: Any, measuring: bool) -> Any:
        if measuring:
            return self._run("train measured", self._watched_train_step, data)
        return self._run("train guarded", self._guarded_train_step, data)

    def _guarded_train_step(self, data: Any) -> Any:
        return self._watched_train_step(data, measuring=False)

    def _watched_train_step(self, data: Any, measuring: bool = True) -> Any:
        self._step_loss = None
        try:
            with watched(self.optimizer, lambda: self._watch, lambda: self._step_loss, measuring=measuring):
                return convert(self.train_step)[0](data)
        finally:
            self._step_loss = None

    def _run(self, sort: str, step: Callable[[Any], Any], data: Any) -> Any:
        """A step, traced unless it is to run eagerly."""
        if self.run_eagerly or functions_run_eagerly():
            with span("step", sort.partition(" ")[0]):
                return step(data)
        traced = self._steps_traced.get(sort)
        if traced is None:
            traced = self._steps_traced[sort] = TracedStep(step, f"{sort.partition(' ')[0]}_step")
        return traced(data)

    def _step_graph(self) -> Any:
        """The graph of a step of training; None before the first one, and of a model that runs eagerly."""
        for sort in ("train", "train measured", "train guarded"):
            traced = self._steps_traced.get(sort)
            if traced is not None and (found := traced.graph) is not None:
                return found
        return None

    @property
    def _steps_traced(self) -> dict[str, TracedStep]:
        found: dict[str, TracedStep] = vars(self).setdefault("_traced", {})
        return found

    def _prepare(self, data: Any) -> None:
        """Make what training needs before the first trace, so that no trace has to be made twice."""
        self._ready = True
        if type(self).train_step is not Trainer.train_step or type(self).compute_loss is not Trainer.compute_loss:
            return
        x, y, _ = unpack(data)
        y_pred = self(x, training=False)  # type: ignore[operator]
        for layer in self._all_layers():  # whose metrics have counted this call
            for metric in layer._own_metrics():
                metric.reset_state()
        if y is not None and self._compile_loss is not None and not self._compile_loss.built:
            self._compile_loss.build(y, y_pred)
        if y is not None and self._compile_metrics is not None and not self._compile_metrics.built:
            self._compile_metrics.build(y, y_pred)
        if self.optimizer is not None:
            self.optimizer.build(list(self.trainable_variables))  # type: ignore[attr-defined]

    # One batch at a time.

    @overload
    def train_on_batch(
        self, x: Any, y: Any = None, sample_weight: Any = None, class_weight: Mapping[int, float] | None = None, *,
        return_dict: Literal[True],
    ) -> dict[str, Any]: ...  # fmt: skip
    @overload
    def train_on_batch(
        self, x: Any, y: Any = None, sample_weight: Any = None, class_weight: Mapping[int, float] | None = None,
        return_dict: bool = False,
    ) -> Any: ...  # fmt: skip
    def train_on_batch(
        self, x: Any, y: Any = None, sample_weight: Any = None, class_weight: Mapping[int, float] | None = None,
        return_dict: bool = False,
    ) -> Any:  # fmt: skip
        """One step of training on a batch.

        Returns:
            The loss, or a list of it and the metrics; with ``return_dict`` a dict.

        Raises:
            ValueError: both kinds of weights are given; the model is not compiled.
        """
        self._assert_compile_called("train_on_batch")
        if class_weight is not None:
            if sample_weight is not None:
                raise ValueError(f"Arguments `sample_weight` and `class_weight` cannot be specified at the same time. "
                                 f"Received: sample_weight={sample_weight}, class_weight={class_weight}")  # fmt: skip
            sample_weight = weights_by_class(as_arrays(y), class_weight)
        logs = self.make_train_function()(iter([_batch(x, y, sample_weight)]))
        return self._results(logs, return_dict)

    @overload
    def test_on_batch(
        self, x: Any, y: Any = None, sample_weight: Any = None, *, return_dict: Literal[True]
    ) -> dict[str, Any]: ...
    @overload
    def test_on_batch(self, x: Any, y: Any = None, sample_weight: Any = None, return_dict: bool = False) -> Any: ...
    def test_on_batch(self, x: Any, y: Any = None, sample_weight: Any = None, return_dict: bool = False) -> Any:
        """The loss and metrics of a batch; as :meth:`train_on_batch`, without changing the model."""
        self._assert_compile_called("test_on_batch")
        return self._results(self.make_test_function()(iter([_batch(x, y, sample_weight)])), return_dict)

    def predict_on_batch(self, x: Any) -> Any:
        """The outputs for a batch, as NumPy arrays."""
        return without_tensors(self.make_predict_function()(iter([_batch(x, None, None)])))

    def _results(self, logs: Any, return_dict: bool) -> Any:
        floats = {name: np.asarray(value)[()] for name, value in sorted(without_tensors(logs).items())}
        return floats if return_dict else _in_order(self, floats)

    def _assert_compile_called(self, method: str) -> None:
        if not self.compiled:
            raise ValueError(f"You must call `compile()` before calling `{method}()`.")

    # Loops over data.

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
        if self._strategy is not None:
            _check_plain(
                validation_split=validation_split, validation_data=validation_data, class_weight=class_weight,
                sample_weight=sample_weight, initial_epoch=initial_epoch, steps_per_epoch=steps_per_epoch,
            )  # fmt: skip
            self._strategy.fit(
                self, x, y, batch_size=batch_size, epochs=epochs, shuffle=shuffle, callbacks=callbacks or ()
            )
            _say_history(self, verbose, epochs)
            return self.history  # type: ignore[no-any-return]
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

    @overload
    def evaluate(
        self, x: Any = None, y: Any = None, batch_size: int | None = None, verbose: str | int = "auto",
        sample_weight: Any = None, steps: int | None = None, callbacks: Any = None, *, return_dict: Literal[True],
    ) -> dict[str, Any]: ...  # fmt: skip
    @overload
    def evaluate(
        self, x: Any = None, y: Any = None, batch_size: int | None = None, verbose: str | int = "auto",
        sample_weight: Any = None, steps: int | None = None, callbacks: Any = None, return_dict: bool = False,
    ) -> Any: ...  # fmt: skip
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
        return logs if return_dict else _in_order(self, logs)

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
            logs = _floats_of(model.train_function(chain([batch], batches)))
        except StepStopped as stopped:
            model._stopped, model.stop_training = stopped, True
            logs = _floats_of(model.get_metrics_result())
        step += model.steps_per_execution
        called.on_train_batch_end(step - 1, logs)
        if model.stop_training:
            break
    return logs


def _check_plain(**given: Any) -> None:
    """Raise ValueError where ``fit`` is given what it does not take under a strategy."""
    if refused := [name for name, value in given.items() if value is not None and value != 0]:
        raise ValueError(f"fit under a strategy takes no {', '.join(refused)}: evaluate the model afterwards")


def _called(model: Any, callbacks: Any, verbose: str | int, **params: Any) -> CallbackList:
    if isinstance(callbacks, CallbackList):
        return callbacks
    return CallbackList(callbacks, model=model, verbose=verbose, **params)


def _say_history(model: Any, verbose: str | int, epochs: int) -> None:
    """Print what ``verbose`` asks for of epochs that engines have done."""
    history = model.history
    told = _called(model, (), verbose, epochs=epochs, steps=None, history=False)
    told.on_train_begin()
    for place, epoch in enumerate(history.epoch):
        told.on_epoch_begin(epoch)
        told.on_epoch_end(epoch, {name: values[place] for name, values in history.history.items()})
    told.on_train_end()


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


def _floats_of(logs: Any) -> dict[str, Any]:
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
            found.update(_floats_of(value))
            continue
        try:
            found[name] = float(value)
        except (TypeError, ValueError):  # several numbers
            found[name] = value.numpy() if hasattr(value, "numpy") else value
    return found


def _in_order(model: Any, logs: dict[str, Any]) -> Any:
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
        logs = _floats_of(run(chain([batch], batches)))
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


def _batch(x: Any, y: Any, sample_weight: Any) -> tuple[Any, ...]:
    parts = [map_leaves(lambda leaf: leaf, part) for part in (x, y, sample_weight)]
    last = max(place + 1 for place in range(3) if parts[place] is not None or place == 0)
    return tuple(as_arrays(part) for part in parts[:last])
