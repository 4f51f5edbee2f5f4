"""``tfe.metrics``: values of a run over data, in variables that a call updates."""

from __future__ import annotations

from typing import Any

from tapeviz import math
from tapeviz.compat.v1.variables.graph_initializers import Zeros
from tapeviz.compat.v1.variables.variable_scope import get_variable, variable_scope
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.scopes import Module
from tapeviz.engine.state import local
from tapeviz.ops.array.cast import cast
from tapeviz.ops.array.creation import shape as shape_of
from tapeviz.ops.array.creation import size
from tapeviz.ops.array.identity import identity
from tapeviz.ops.array.reshape import reshape
from tapeviz.ops.control.execution_order import control_dependencies, group
from tapeviz.ops.math.comparison import equal
from tapeviz.ops.math.reductions import reduce_sum
from tapeviz.ops.math.statistics import argmax

__all__ = ["Accuracy", "BinaryAccuracy", "CategoricalAccuracy", "Mean", "Metric", "SparseAccuracy"]


class Metric(Module):
    """A value that is made up of many batches. One's own makes variables in ``build`` and changes them in ``call``.

    Args:
        name: its name, the class's by default.
        use_global_variables: accepted as TensorFlow does.

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
        if not self._made:
            with variable_scope(None, default_name=self._label):
                self.build(*args, **kwargs)
        return self.call(*args, **kwargs)

    def add_variable(self, name: str, shape: Any = None, dtype: Any = None, initializer: Any = None) -> Any:
        """A variable that begins with zeros, or as the initializer says."""
        made = get_variable(name, shape, dtype or "float32", initializer or Zeros(), trainable=False)
        self._made.append(made)
        return made

    def init_variables(self) -> Any:
        """Begin anew: at once, or as an operation of a graph."""
        if hasattr(next(iter(self._made), None), "initializer"):
            return group(*(variable.initializer for variable in self._made))
        for variable in self._made:
            variable.assign(variable.value() * 0)
        return None

    def value(self) -> Any:
        """In a graph the result, else what gives it."""
        return self.result() if local.state.graph is not None else self.result


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
        self.dtype = dtype

    def build(self, *_args: Any, **_kwargs: Any) -> None:
        """Make the sum and the weight of what was summed."""
        self.numer = self.add_variable("numer", (), self.dtype)
        self.denom = self.add_variable("denom", (), self.dtype)

    def call(self, values: Any, weights: Any = None) -> Any:
        """Take values in; they are given back, with the weights where there are any."""
        changes = self._changes(convert_to_tensor(values), weights)
        return _after(changes, values if weights is None else (values, weights))

    def _changes(self, values: Any, weights: Any) -> list[Any]:
        given = cast(values, self.dtype)
        if weights is None:
            count: Any = cast(size(given), self.dtype)
            return [self.denom.assign_add(count), self.numer.assign_add(reduce_sum(given))]
        factors = cast(convert_to_tensor(weights), self.dtype)
        return [self.denom.assign_add(reduce_sum(factors)), self.numer.assign_add(reduce_sum(given * factors))]

    def result(self) -> Any:
        """The mean."""
        return self.numer / self.denom


def _after(changes: list[Any], values: Any) -> Any:
    """The values: in a graph once the changes are done."""
    if local.state.graph is None:
        return values
    with control_dependencies(changes):
        if isinstance(values, tuple):
            return tuple(identity(convert_to_tensor(value)) for value in values)
        return identity(convert_to_tensor(values))


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
        """Take a batch in."""
        given = (labels, predictions) if weights is None else (labels, predictions, weights)
        right = self.matches(convert_to_tensor(labels), convert_to_tensor(predictions))
        return _after(self._changes(right, weights), given)

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
        return equal(labels > self.threshold, predictions > self.threshold)


class SparseAccuracy(Accuracy):
    """The share of rows whose largest element is at the label.

    >>> import tapeviz as tf, tapeviz.compat.v1 as tf1, tapeviz.contrib.eager as tfe
    >>> tf1.enable_eager_execution()
    >>> accuracy = tfe.metrics.SparseAccuracy()
    >>> _ = accuracy([1], [[0.3, 0.7]])
    >>> accuracy.result().numpy()
    np.float64(1.0)
    """

    def matches(self, labels: Any, predictions: Any) -> Any:
        """Which predictions are right."""
        flat = math.argmax(predictions, -1)
        return equal(flat, cast(reshape(labels, shape_of(flat)), flat.dtype))
