"""``tf.train.ExponentialMovingAverage``, in a session's graph too."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tapeviz.compat.v1.graph.default_graph import executing_eagerly
from tapeviz.compat.v1.graph.graph_functions import in_graph
from tapeviz.compat.v1.graph.graph_keys import GraphKeys
from tapeviz.compat.v1.variables.variables import Variable, add_to_collection, global_variables, trainable_variables
from tapeviz.train import moving_average

__all__ = ["ExponentialMovingAverage"]


class ExponentialMovingAverage(moving_average.ExponentialMovingAverage):
    """Averages of variables in which a value counts ``decay`` times as much as the next one: see the newer class.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Session() as session:
    ...     weight = tf.Variable(8.0)
    ...     averages = tf.train.ExponentialMovingAverage(0.5)
    ...     update = averages.apply([weight])
    ...     session.run(tf.global_variables_initializer())
    ...     session.run(weight.assign(0.0))
    ...     session.run(update)
    ...     session.run(averages.average(weight)).item()
    np.float32(0.0)
    4.0
    """

    def apply(self, var_list: Iterable[Any] | None = None) -> Any:
        """Bring the averages up to date: now, or when a session runs the operation that this is."""
        watched = list(self._default() if var_list is None else var_list)
        if not executing_eagerly():
            for one in watched:
                if hasattr(one, "assign"):
                    add_to_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, one)
        update = super().apply
        return in_graph(update, self.name)(watched)

    def _default(self) -> Iterable[Any]:
        return trainable_variables()

    def _others(self) -> Iterable[Any]:
        return global_variables()

    def _new(self, value: Any, name: str) -> Any:
        made: Any = Variable
        return made(value, trainable=False, name=name)

    def _first_value(self, var: Any) -> Any:
        return var.initialized_value() if hasattr(var, "initialized_value") else super()._first_value(var)
