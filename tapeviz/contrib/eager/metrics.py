"""``tfe.metrics``: values of a run over data, in variables that a call updates."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from typing import Any, Final

from tapeviz.compat.v1.graph.default_graph import at_once, executing_eagerly, get_default_graph
from tapeviz.compat.v1.graph.graph_blocks import group
from tapeviz.compat.v1.graph.graph_functions import Entering
from tapeviz.compat.v1.graph.graph_keys import GraphKeys
from tapeviz.compat.v1.variables.graph_initializers import Zeros
from tapeviz.compat.v1.variables.variable_scope import get_variable, variable_scope
from tapeviz.contrib.eager.traced_functions import defun
from tapeviz.contrib.summary import scalar
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.dtypes import as_dtype
from tapeviz.engine.scopes import Module
from tapeviz.ops.array.cast import cast
from tapeviz.ops.array.creation import shape as shape_of
from tapeviz.ops.array.creation import size
from tapeviz.ops.debugging.assertions import assert_equal
from tapeviz.ops.math.arithmetic import add_n
from tapeviz.ops.math.comparison import equal
from tapeviz.ops.math.reductions import reduce_sum
from tapeviz.ops.math.statistics import argmax

__all__ = ["Accuracy", "BinaryAccuracy", "CategoricalAccuracy", "Mean", "Metric", "SparseAccuracy"]

_NO_SCOPE: Final = re.compile(r"[^A-Za-z0-9.]")


def _once(build: Callable[..., None]) -> Callable[..., None]:
    """A ``build`` after which the metric has its variables, whoever called it."""

    @functools.wraps(build)
    def building(self: Metric, *args: Any, **kwargs: Any) -> None:
        build(self, *args, **kwargs)
        self._built = True

    return building


class Metric(Module):
    """A value that is made up of many batches. One's own makes variables in ``build`` and changes them in ``call``.

    Args:
        name: its name, the class's by default.
        use_global_variables: whether a graph's variables are global ones, not local ones.

    >>> import tapeviz as tf, tapeviz.compat.v1 as tf1, tapeviz.contrib.eager as tfe
    >>> tf1.enable_eager_execution()
    >>> class Count(tfe.metrics.Metric):
    ...     def build(self, values):
    ...         self.count = self.add_variable("count", shape=())
    ...     def call(self, values):
    ...         self.count.assign_add(tf.cast(tf.size(values), tf.float32))
    ...     def result(self):
    ...         return self.count + 0.0
    >>> count = Count()
    >>> count([1, 2]), count([3])
    (None, None)
    >>> count.result().numpy()
    np.float32(3.0)
    """

    def __init__(self, name: str | None = None, use_global_variables: bool = False) -> None:
        self._label = name or type(self).__name__
        self._made: list[Any] = []
        self._initial: list[Any] = []
        self._built = False
        self.evaluator: str | None = None  # the class of the one that tracks it
        self._graph = None if executing_eagerly() else get_default_graph()
        with variable_scope(_NO_SCOPE.sub("_", self._label), reuse=False) as scope:
            self._scope = scope
        self._collections: list[str] | None = None
        if self._graph is not None:
            kind = GraphKeys.GLOBAL_VARIABLES if use_global_variables else GraphKeys.LOCAL_VARIABLES
            self._collections = [kind, GraphKeys.METRIC_VARIABLES]
            update: Any = Entering(defun(self.call, autograph=False))  # all that it changes is one operation
            self.__dict__["call"] = update

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "build" in vars(cls):
            cls.build = _once(vars(cls)["build"])  # type: ignore[method-assign]

    @property
    def name(self) -> str:
        """Its name."""
        return self._label

    @property
    def variables(self) -> Any:
        """Its variables."""
        return list(self._made)

    def build(self, *args: Any, **kwargs: Any) -> None:
        """Make the variables, knowing what the first call got."""
        raise NotImplementedError("Metrics must define a build() member function")

    def call(self, *args: Any, **kwargs: Any) -> Any:
        """Change the variables by a batch."""
        raise NotImplementedError("Metrics must define a call() member function")

    def result(self) -> Any:
        """The value of all batches so far."""
        raise NotImplementedError("Metrics must define a result() member function")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Take a batch in: at once, or as an operation of a graph."""
        if not self._built:
            with at_once() if self._graph is None else self._graph.as_default(), variable_scope(self._scope):
                self.build(*args, **kwargs)
        return self.call(*args, **kwargs)

    def add_variable(self, name: str, shape: Any = None, dtype: Any = None, initializer: Any = None) -> Any:
        """A variable that begins with zeros, or as the initializer says.

        Raises:
            RuntimeError: this is not in ``build``.
        """
        if self._built:
            raise RuntimeError("Can't call add_variable() except in build().")
        made = get_variable(name, shape, dtype or "float32", initializer or Zeros(), trainable=False,
                            collections=self._collections)  # fmt: skip
        self._made.append(made)
        if self._graph is None:
            self._initial.append(made.value())
        return made

    def init_variables(self) -> Any:
        """Begin anew: at once, or as an operation of a graph."""
        if self._graph is not None:
            return group(*(variable.initializer for variable in self._made))
        for variable, value in zip(self._made, self._initial, strict=True):
            variable.assign(value)
        return None

    def value(self) -> Any:
        """In a graph the result, else what gives it."""
        return self.result if executing_eagerly() else self.result()

    def aggregate(self, metrics: Sequence[Metric]) -> None:
        """Add the variables of other metrics of this kind to its own.

        Raises:
            TypeError: one is of another kind.
            ValueError: the variables of one have other names.
        """
        for metric in metrics:
            if type(metric) is not type(self):
                raise TypeError(f"All metrics must be the same type, '{type(self)}' != '{type(metric)}'.")
        for variable, *others in zip(self._made, *(metric._made for metric in metrics), strict=True):
            if any(other.name != variable.name for other in others):
                raise ValueError("All metrics must have variables in the same order.")
            variable.assign_add(add_n([other.value() for other in others]))


class Mean(Metric):
    """The mean of values, with weights if given.

    >>> import tapeviz as tf, tapeviz.compat.v1 as tf1, tapeviz.contrib.eager as tfe
    >>> tf1.enable_eager_execution()
    >>> mean = tfe.metrics.Mean()
    >>> _ = mean([1.0, 3.0]), mean(8.0)
    >>> mean.result().numpy()
    np.float64(4.0)
    """

    def __init__(self, name: str | None = None, dtype: Any = "float64", use_global_variables: bool = False) -> None:
        super().__init__(name, use_global_variables)
        self.dtype: Any = as_dtype(dtype)

    def build(self, *_args: Any, **_kwargs: Any) -> None:
        """Make the sum and the weight of what was summed."""
        self.numer = self.add_variable("numer", (), self.dtype)
        self.denom = self.add_variable("denom", (), self.dtype)

    def call(self, values: Any, weights: Any = None) -> Any:
        """Take values in; they are given back, with the weights where there are any."""
        self._add(convert_to_tensor(values), weights)
        return values if weights is None else (values, weights)

    def _add(self, values: Any, weights: Any) -> None:
        given = cast(values, self.dtype)
        if weights is None:
            self.denom.assign_add(cast(size(given), self.dtype))
        else:
            factors = cast(convert_to_tensor(weights), self.dtype)
            self.denom.assign_add(reduce_sum(factors))
            given = given * factors
        self.numer.assign_add(reduce_sum(given))

    def result(self) -> Any:
        """The mean. Where summaries are written, it becomes one."""
        mean = self.numer / self.denom
        scalar(self.name, mean)
        return mean


class Accuracy(Mean):
    """The share of predictions that are equal to the labels.

    >>> import tapeviz as tf, tapeviz.compat.v1 as tf1, tapeviz.contrib.eager as tfe
    >>> tf1.enable_eager_execution()
    >>> accuracy = tfe.metrics.Accuracy()
    >>> _ = accuracy(labels=[1, 2], predictions=[1, 3])
    >>> accuracy.result().numpy()
    np.float64(0.5)
    """

    def call(self, labels: Any, predictions: Any, weights: Any = None) -> Any:  # type: ignore[override]
        """Take a batch in; it is given back."""
        truth, predicted = convert_to_tensor(labels), convert_to_tensor(predictions)
        self._check_shapes(shape_of(truth), shape_of(predicted))
        self._add(self.matches(truth, predicted), weights)
        return (labels, predictions) if weights is None else (labels, predictions, weights)

    def _check_shapes(self, labels: Any, predictions: Any) -> None:
        assert_equal(labels, predictions, message="Shapes of labels and predictions are unequal")

    def matches(self, labels: Any, predictions: Any) -> Any:
        """Which predictions are right."""
        return equal(cast(predictions, labels.dtype), labels)


class CategoricalAccuracy(Accuracy):
    """The share of rows whose largest element is where that of the labels is.

    >>> import tapeviz as tf, tapeviz.compat.v1 as tf1, tapeviz.contrib.eager as tfe
    >>> tf1.enable_eager_execution()
    >>> accuracy = tfe.metrics.CategoricalAccuracy()
    >>> _ = accuracy([[0.0, 1.0]], [[0.3, 0.7]])
    >>> accuracy.result().numpy()
    np.float64(1.0)
    """

    def matches(self, labels: Any, predictions: Any) -> Any:
        """Which predictions are right."""
        return equal(argmax(labels, -1), argmax(predictions, -1))


class BinaryAccuracy(Accuracy):
    """The share of predictions on the same side of a threshold as the labels.

    >>> import tapeviz as tf, tapeviz.compat.v1 as tf1, tapeviz.contrib.eager as tfe
    >>> tf1.enable_eager_execution()
    >>> accuracy = tfe.metrics.BinaryAccuracy(threshold=0.5)
    >>> _ = accuracy([0.0, 1.0], [0.2, 0.4])
    >>> accuracy.result().numpy()
    np.float64(0.5)
    """

    def __init__(self, threshold: float, name: str | None = None, dtype: Any = "float64") -> None:
        super().__init__(name, dtype)
        self.threshold = threshold

    def matches(self, labels: Any, predictions: Any) -> Any:
        """Which predictions are right."""
        return equal(cast(labels, "bool"), predictions > self.threshold)


class SparseAccuracy(Accuracy):
    """The share of rows whose largest element is at the label.

    >>> import tapeviz as tf, tapeviz.compat.v1 as tf1, tapeviz.contrib.eager as tfe
    >>> tf1.enable_eager_execution()
    >>> accuracy = tfe.metrics.SparseAccuracy()
    >>> _ = accuracy([1], [[0.3, 0.7]])
    >>> accuracy.result().numpy()
    np.float64(1.0)
    """

    def _check_shapes(self, labels: Any, predictions: Any) -> None:
        assert_equal(labels, predictions[:-1], message="First axis of labels and predictions is unequal")

    def matches(self, labels: Any, predictions: Any) -> Any:
        """Which predictions are right."""
        return equal(cast(labels, "int64"), argmax(predictions, -1))
