"""From a loss for each element to the loss of a step: weights, reductions, and the collections that losses are in."""

from __future__ import annotations

from typing import Any, ClassVar

from tapeviz.compat.v1.graph.default_graph import current_graph, get_default_graph
from tapeviz.compat.v1.graph.graph_functions import in_graph
from tapeviz.compat.v1.graph.graph_keys import GraphKeys
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.kernels import recorded_ops as ops
from tapeviz.ops.array.cast import cast
from tapeviz.ops.array.creation import shape, size
from tapeviz.ops.array.reshape import broadcast_to
from tapeviz.ops.math.arithmetic import add_n
from tapeviz.ops.math.division import divide_no_nan
from tapeviz.ops.math.reductions import reduce_sum

__all__ = [
    "Reduction", "add_loss", "check_weights", "compute_weighted_loss", "get_losses", "get_regularization_loss",
    "get_regularization_losses", "get_total_loss", "noted", "present", "spread_weights",
]  # fmt: skip


class Reduction:
    """What becomes of the losses of the elements.

    ``NONE`` leaves them as they are, times their weights. ``SUM`` adds them up. ``MEAN`` divides that by the sum of the
    weights, ``SUM_OVER_BATCH_SIZE`` by the number of elements, ``SUM_BY_NONZERO_WEIGHTS``, which is the default, by how
    many of them have a weight other than 0.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     for kind in (tf.losses.Reduction.SUM, tf.losses.Reduction.SUM_BY_NONZERO_WEIGHTS):
    ...         print(session.run(tf.losses.compute_weighted_loss([2.0, 4.0, 6.0], [1.0, 0.0, 1.0], reduction=kind)))
    8.0
    4.0
    """

    NONE = "none"
    SUM = "weighted_sum"
    SUM_OVER_BATCH_SIZE = "weighted_sum_over_batch_size"
    MEAN = "weighted_mean"
    SUM_BY_NONZERO_WEIGHTS = "weighted_sum_by_nonzero_weights"
    SUM_OVER_NONZERO_WEIGHTS = SUM_BY_NONZERO_WEIGHTS
    _ALL: ClassVar[tuple[str, ...]] = (NONE, SUM, MEAN, SUM_OVER_BATCH_SIZE, SUM_BY_NONZERO_WEIGHTS)

    @classmethod
    def all(cls) -> tuple[str, ...]:
        """All of them."""
        return cls._ALL

    @classmethod
    def validate(cls, key: Any) -> None:
        """Raise where it is none of them.

        Raises:
            ValueError: it is not.
        """
        if key not in cls._ALL:
            raise ValueError(f"Invalid Reduction Key {key}. Key should be one of {cls._ALL}.")


def compute_weighted_loss(
    losses: Any, weights: Any = 1.0, scope: str | None = None, loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Any:  # fmt: skip
    """The loss of a step from the losses of its elements. It is computed in float32, as TensorFlow 1 does.

    Args:
        losses: a number for each element.
        weights: what to multiply them with: a number, or a tensor of the same rank whose sizes are the same or 1.
        scope: the name of what is computed.
        loss_collection: the collection to add the loss to; None for none. Eagerly it is added to none.
        reduction: one of :class:`Reduction`.

    Returns:
        A number, or with ``Reduction.NONE`` one for each element, of the dtype of ``losses``.

    Raises:
        ValueError: the weights do not go with the losses, or there is no such reduction.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     session.run(tf.losses.compute_weighted_loss([1.0, 3.0], weights=2.0))
    np.float32(4.0)
    """
    Reduction.validate(reduction)
    return noted(_weighted(losses, weights, reduction, name=scope or "weighted_loss"), loss_collection)


@in_graph
def _weighted(losses: Any, weights: Any, reduction: str, name: str | None = None) -> Any:
    return weighted(losses, weights, reduction)


def weighted(losses: Any, weights: Any, reduction: str) -> Any:
    """What the losses of elements become."""
    given = convert_to_tensor(losses)
    weights = cast(weights, "float32")
    check_weights(weights, given)
    each = cast(given, "float32")
    found = each * weights
    if reduction != Reduction.NONE:
        found = reduce_sum(found)
        if reduction == Reduction.MEAN:
            found = divide_no_nan(found, reduce_sum(spread_weights(weights, each)))
        elif reduction == Reduction.SUM_BY_NONZERO_WEIGHTS:
            found = divide_no_nan(found, reduce_sum(present(weights, each)))
        elif reduction == Reduction.SUM_OVER_BATCH_SIZE:
            found = divide_no_nan(found, cast(size(each), "float32"))
    return cast(found, given.dtype)


def check_weights(weights: Any, values: Any) -> None:
    """Raise where weights are known not to go with values: they have neither no axis, nor the same ones.

    Raises:
        ValueError: they do not.
    """
    small, whole = weights.shape, values.shape
    if small.rank in (None, 0) or whole.rank is None:
        return
    pairs = zip(small.dims, whole.dims, strict=False)
    if small.rank != whole.rank or any(None not in pair and pair[0] not in (1, pair[1]) for pair in pairs):
        raise ValueError(
            f"weights can not be broadcast to values. values.rank={whole.rank}. weights.rank={small.rank}. "
            f"values.shape={whole}. weights.shape={small}. They need one number, or a size of 1 or that of the values "
            "for each axis."
        )


def spread_weights(weights: Any, values: Any) -> Any:
    """A weight for each value."""
    weights = cast(weights, "float32")
    check_weights(weights, values)
    return broadcast_to(weights, shape(values))


def present(weights: Any, values: Any) -> Any:
    """1 for each value whose weight is not 0, and 0 for the others."""
    return spread_weights(cast(ops.not_equal(cast(weights, "float32"), 0.0), "float32"), values)


# Collections.


def noted(loss: Any, collection: str | None) -> Any:
    """A loss, which is in a collection from now on."""
    add_loss(loss, collection)
    return loss


def add_loss(loss: Any, loss_collection: str | None = GraphKeys.LOSSES) -> None:
    """Add a loss to a collection of the graph, from which :func:`get_total_loss` takes it. Eagerly there is none.

    Args:
        loss: a tensor.
        loss_collection: the collection.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default():
    ...     tf.losses.add_loss(tf.constant(1.0))
    ...     len(tf.losses.get_losses())
    1
    """
    if loss_collection and current_graph() is not None:
        get_default_graph().add_to_collection(loss_collection, loss)


def get_losses(scope: str | None = None, loss_collection: str = GraphKeys.LOSSES) -> list[Any]:
    """The losses of a collection.

    Args:
        scope: what their names begin with; all by default.
        loss_collection: the collection.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default():
    ...     loss = tf.losses.mean_squared_error([1.0], [3.0])
    ...     tf.losses.get_losses() == [loss]
    True
    """
    return get_default_graph().get_collection(loss_collection, scope)


def get_regularization_losses(scope: str | None = None) -> list[Any]:
    """The penalties that regularizers of variables have added.

    Args:
        scope: what their names begin with; all by default.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default():
    ...     w = tf.get_variable("w", [2], regularizer=lambda w: tf.reduce_sum(w * w))
    ...     len(tf.losses.get_regularization_losses())
    1
    """
    return get_default_graph().get_collection(GraphKeys.REGULARIZATION_LOSSES, scope)


def get_regularization_loss(scope: str | None = None, name: str = "total_regularization_loss") -> Any:
    """The sum of the penalties; 0 where there are none.

    Args:
        scope: what their names begin with; all by default.
        name: the node's name.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     session.run(tf.losses.get_regularization_loss())
    np.float32(0.0)
    """
    found = get_regularization_losses(scope)
    return _sum(found, name=name) if found else _constant(0.0)


def get_total_loss(add_regularization_losses: bool = True, name: str = "total_loss", scope: str | None = None) -> Any:
    """The sum of all losses of the collection, which an optimizer is given.

    Args:
        add_regularization_losses: whether the penalties of regularizers are in it.
        name: the node's name.
        scope: what the names of losses begin with; all by default.

    Raises:
        ValueError: there are none.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     w = tf.get_variable("w", [], initializer=tf.ones_initializer(), regularizer=lambda w: 0.5 * w * w)
    ...     error = tf.losses.mean_squared_error([3.0], [w])
    ...     session.run(tf.global_variables_initializer())
    ...     session.run([error, tf.losses.get_total_loss()])
    [np.float32(4.0), np.float32(4.5)]
    """
    found = get_losses(scope)
    if add_regularization_losses:
        found = [*found, *get_regularization_losses(scope)]
    return _sum(found, name=name)


@in_graph
def _sum(parts: list[Any], name: str | None = None) -> Any:
    return add_n(parts)


@in_graph
def _constant(value: float, name: str | None = None) -> Any:
    return convert_to_tensor(value)
