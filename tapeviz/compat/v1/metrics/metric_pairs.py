"""Metrics of TensorFlow 1 as pairs: the value of what was counted so far, and an op that counts a batch more."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from tapeviz.compat.v1.graph.default_graph import current_graph
from tapeviz.compat.v1.graph.graph import entered
from tapeviz.compat.v1.graph.graph_functions import in_graph
from tapeviz.compat.v1.graph.graph_keys import GraphKeys
from tapeviz.compat.v1.losses.loss_weights import spread_weights
from tapeviz.compat.v1.variables.variable_scope import variable_scope
from tapeviz.compat.v1.variables.variables import new_variable
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.ops.array.cast import cast
from tapeviz.ops.array.creation import size, zeros
from tapeviz.ops.array.identity import identity
from tapeviz.ops.array.reshape import expand_dims, squeeze
from tapeviz.ops.math.division import divide_no_nan
from tapeviz.ops.math.reductions import reduce_sum

__all__ = ["Counted", "aligned", "averaged", "metric"]

_COLLECTIONS: Final = (GraphKeys.LOCAL_VARIABLES, GraphKeys.METRIC_VARIABLES)
Counted = Mapping[str, Any]


def metric(
    what: str, count: Callable[[], Counted], result: Callable[..., Any], collections: tuple[Any, Any],
    name: str | None = None, label: str = "", after: Callable[..., Any] | None = None,
) -> tuple[Any, Any]:  # fmt: skip
    """A metric.

    Args:
        what: the function's name, for errors.
        count: gives what a batch adds to each variable, by the variables' names.
        result: a function of the values of all variables, in that order.
        collections: the collections to add the value and the update to; None for none.
        name: the scope of its variables.
        label: the scope where that is None, ``what`` by default.
        after: the same as ``result`` for what the update gives, where that is another.

    Returns:
        The value of what was counted so far, and the op that counts a batch more, which gives the value after it.

    Raises:
        RuntimeError: eager execution is on.
    """
    graph = current_graph()
    if graph is None:
        raise RuntimeError(f"tf.metrics.{what} is not supported when eager execution is enabled: the objects of "
                           "tf.keras.metrics count there.")  # fmt: skip
    with entered(graph), variable_scope(name, default_name=label or what):
        kept, updated = [], []
        for key, amount in count().items():
            kept.append(_local(key, amount))
            updated.append(kept[-1].assign_add(amount))
        value = _named(result(*(convert_to_tensor(one) for one in kept)), name="value")
        update = _named((after or result)(*updated), name="update_op")
    for places, tensor in zip(collections, (value, update), strict=True):
        for place in places or ():
            graph.add_to_collection(place, tensor)
    return value, update


@in_graph
def _named(tensor: Any, name: str) -> Any:
    return identity(tensor)


def _local(name: str, amount: Any) -> Any:
    """A variable of numbers that begin with 0, of the form of what is added to it."""
    sizes, dtype = amount.shape.dims, amount.dtype
    if sizes is None or None in sizes:
        raise ValueError(f"What is counted as {name!r} must be of a known shape. Received: {amount.shape}")
    return new_variable(lambda: zeros(sizes, dtype), trainable=False, collections=_COLLECTIONS, name=name)


def averaged(
    what: str, values: Callable[[], tuple[Any, Any]], collections: tuple[Any, Any], name: str | None = None,
    label: str = "",
) -> tuple[Any, Any]:  # fmt: skip
    """A metric that is the mean of numbers, weighted. ``values`` gives them and their weights, or None for those."""

    def count() -> Counted:
        found, weights = values()
        found = cast(found, "float32")
        if weights is None:
            return {"total": reduce_sum(found), "count": cast(size(found), "float32")}
        found, _, weights = aligned(found, None, weights)
        weights = spread_weights(weights, found)
        return {"total": reduce_sum(found * weights), "count": reduce_sum(weights)}

    return metric(what, count, divide_no_nan, collections, name, label)


def aligned(predictions: Any, labels: Any, weights: Any) -> tuple[Any, Any, Any]:
    """All as tensors, of one rank where they differ by a last axis of size 1.

    Raises:
        ValueError: the shapes differ otherwise.
    """
    predictions = convert_to_tensor(predictions)
    if labels is not None:
        labels = convert_to_tensor(labels)
        ranks = predictions.shape.rank, labels.shape.rank
        if None not in ranks:
            if ranks[0] - ranks[1] == 1 and predictions.shape[-1] in (1, None):
                predictions = squeeze(predictions, -1)
            elif ranks[1] - ranks[0] == 1 and labels.shape[-1] in (1, None):
                labels = squeeze(labels, -1)
        if not predictions.shape.is_compatible_with(labels.shape):
            raise ValueError(
                f"Shapes {predictions.shape} and {labels.shape} are incompatible: those of predictions and labels"
            )
    if weights is None:
        return predictions, labels, None
    weights = convert_to_tensor(weights)
    if weights.shape.rank and predictions.shape.rank is not None:
        if weights.shape.rank - predictions.shape.rank == 1:
            weights = squeeze(weights, -1)
        elif predictions.shape.rank - weights.shape.rank == 1:
            weights = expand_dims(weights, -1)
    return predictions, labels, weights
