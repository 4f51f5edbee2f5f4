"""``Evaluator``: the metrics of a run over data, as one object."""

from __future__ import annotations

from typing import Any

from tapeviz.compat.v1.graph.default_graph import executing_eagerly
from tapeviz.compat.v1.graph.graph_blocks import group
from tapeviz.compat.v1.graph.graph_functions import Entering
from tapeviz.compat.v1.session.session import get_default_session
from tapeviz.contrib.eager.dataset_iterator import Iterator
from tapeviz.contrib.eager.metrics import Accuracy, Mean, Metric
from tapeviz.contrib.eager.traced_functions import defun
from tapeviz.contrib.summary import always_record_summaries, create_file_writer, never_record_summaries
from tapeviz.engine.errors import OutOfRangeError

__all__ = ["Evaluator", "SparseSoftmaxEvaluator"]


class Evaluator:
    """Metrics that are updated by what a model says of examples.

    One's own gives its metrics to :meth:`track_metric` in ``__init__``, and calls them in ``call``.

    Args:
        model: has a method ``eval_data``, which makes of examples what ``call`` takes.

    >>> import tapeviz as tf, tapeviz.compat.v1 as tf1
    >>> from tapeviz.contrib.eager.evaluator import Evaluator
    >>> tf1.enable_eager_execution()
    >>> class Model:
    ...     def eval_data(self, x):
    ...         return 2.0 * x
    >>> class MeanEvaluator(Evaluator):
    ...     def __init__(self, model):
    ...         super().__init__(model)
    ...         self.mean = self.track_metric(tf.contrib.eager.metrics.Mean("mean"))
    ...     def call(self, eval_data):
    ...         self.mean(eval_data)
    >>> dataset = tf.data.Dataset.from_tensor_slices([1.0, 2.0])
    >>> float(MeanEvaluator(Model()).evaluate_on_dataset(dataset)["mean"])
    3.0
    """

    def __init__(self, model: Any) -> None:
        self._model = model
        self._metrics: dict[str, Metric] = {}
        self._evaluators: dict[str, Evaluator] = {}
        if not executing_eagerly():
            update: Any = Entering(defun(self.call, autograph=False))  # all that it changes is one operation
            self.__dict__["call"] = update

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Update the metrics by examples: at once, or by the operation that is returned."""
        return self.call(self._model.eval_data(*args, **kwargs))

    def call(self, eval_data: Any) -> Any:
        """Update the metrics by what the model's ``eval_data`` gives."""
        raise NotImplementedError("Evaluators must define a call member function.")

    @property
    def model(self) -> Any:
        """The model."""
        return self._model

    @property
    def metrics(self) -> list[tuple[str, Metric]]:
        """Prefixes and metrics, those of tracked evaluators among them."""
        inner = [(f"{prefix}/{within}", metric) for prefix, evaluator in self._evaluators.items()
                 for within, metric in evaluator.metrics]  # fmt: skip
        return [*(("", metric) for metric in self._metrics.values()), *inner]

    @property
    def metric_variables(self) -> list[Any]:
        """The variables of all metrics."""
        return [variable for _, metric in self.metrics for variable in metric.variables]

    def track_metric(self, metric: Metric) -> Metric:
        """Make a metric one of this evaluator's, and give it back.

        Raises:
            RuntimeError: ``Evaluator.__init__`` was not called before.
            TypeError: it is no metric.
            ValueError: another one has its name, or it is another evaluator's.
        """
        if not hasattr(self, "_metrics"):
            raise RuntimeError("Need to call Evaluator.__init__ before adding metrics")
        if not isinstance(metric, Metric):
            raise TypeError(f"Evaluator.track_metric() passed type {type(metric)}, not a tfe.metrics.Metric")
        known = self._metrics.get(metric.name)
        if known is not None and known is not metric:
            raise ValueError(
                f"Attempt to add two Metrics with the name '{metric.name}' to the same Evaluator "
                f"'{type(self).__name__}'"
            )
        if known is None and metric.evaluator is not None:
            raise ValueError(f"Metric {metric.name} already added to Evaluator {metric.evaluator}")
        metric.evaluator = type(self).__name__
        self._metrics[metric.name] = metric
        return metric

    def track_evaluator(self, prefix: str, evaluator: Evaluator) -> Evaluator:
        """Make another evaluator's metrics parts of this one's results, and give it back.

        Args:
            prefix: what their names in the results begin with, before a slash.
            evaluator: the other one.

        Raises:
            RuntimeError: ``Evaluator.__init__`` was not called before, or another one has the prefix.
            TypeError: it is no evaluator.
        """
        if not hasattr(self, "_evaluators"):
            raise RuntimeError("Need to call Evaluator.__init__ before adding evaluators")
        if not isinstance(evaluator, Evaluator):
            raise TypeError(f"Evaluator.track_evaluator() passed type {type(evaluator)}, not a tfe.Evaluator.")
        if self._evaluators.setdefault(prefix, evaluator) is not evaluator:
            raise RuntimeError(f"Attempt to add two Evaluators with the same prefix '{prefix}'.")
        return evaluator

    def init_variables(self) -> Any:
        """An operation that initializes the variables of all metrics.

        Raises:
            RuntimeError: eager execution is on.
        """
        if executing_eagerly():
            raise RuntimeError("Evaluator.init_variables() not needed when eager execution is enabled.")
        return group(*(metric.init_variables() for _, metric in self.metrics))

    def all_metric_results(self, summary_logdir: str | None = None) -> Any:
        """The results of all metrics by their names.

        Args:
            summary_logdir: a folder to write them to as summaries; nowhere unless given.
        """
        if summary_logdir is None:
            with never_record_summaries():
                return self._results()

        def written() -> Any:
            with create_file_writer(summary_logdir).as_default(), always_record_summaries():
                return self._results()

        return written() if executing_eagerly() else Entering(defun(written, autograph=False))()

    def _results(self) -> dict[str, Any]:
        return {f"{prefix}{metric.name}": metric.result() for prefix, metric in self.metrics}

    def evaluate_on_dataset(self, dataset: Any, *args: Any, **kwargs: Any) -> Any:
        """Evaluate on all elements of a dataset.

        Args:
            dataset: the dataset.
            *args: further arguments of the call.
            **kwargs: likewise; ``summary_logdir`` is that of :meth:`all_metric_results`.

        Returns:
            The results; in a graph the operations to initialize, to update by the next element, and the results, which
            :meth:`run_evaluation` takes.
        """
        summary_logdir = kwargs.pop("summary_logdir", None)
        if executing_eagerly():
            for example in Iterator(dataset):
                self(example, *args, **kwargs)
            return self.all_metric_results(summary_logdir)
        update = self(dataset.make_one_shot_iterator().get_next(), *args, **kwargs)
        return self.init_variables(), update, self.all_metric_results(summary_logdir)

    @staticmethod
    def run_evaluation(init_op: Any, call_op: Any, results_op: Any, sess: Any = None) -> Any:
        """Run what :meth:`evaluate_on_dataset` gave in a graph, in ``sess`` or the default session: the results.

        Raises:
            RuntimeError: eager execution is on.
        """
        if executing_eagerly():
            raise RuntimeError("Evaluator.run_evaluation() not supported when eager execution is enabled.")
        session = sess or get_default_session()
        session.run(init_op)
        try:
            while True:
                session.run(call_op)
        except OutOfRangeError:
            return session.run(results_op)


class SparseSoftmaxEvaluator(Evaluator):
    """Mean loss and accuracy of a model that chooses one of several classes.

    Args:
        model: its ``eval_data`` gives a dict.
        loss_key: the key of the losses in it.
        label_key: that of the labels.
        predicted_class_key: that of the predicted classes.
        weights_key: that of weights, which need not be there.
    """

    def __init__(
        self, model: Any, loss_key: str = "loss", label_key: str = "label",
        predicted_class_key: str = "predicted_class", weights_key: str = "weights",
    ) -> None:  # fmt: skip
        super().__init__(model)
        self.avg_loss = self.track_metric(Mean("Avg Loss"))
        self.accuracy = self.track_metric(Accuracy())
        self.loss_key = loss_key
        self.label_key = label_key
        self.predicted_class_key = predicted_class_key
        self.weights_key = weights_key

    def call(self, eval_data: Any) -> None:
        """Update both by the losses, labels and predictions of the dict."""
        weights = eval_data.get(self.weights_key)
        self.avg_loss(eval_data[self.loss_key], weights=weights)
        self.accuracy(eval_data[self.label_key], eval_data[self.predicted_class_key], weights=weights)
