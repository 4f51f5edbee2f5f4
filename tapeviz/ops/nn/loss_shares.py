"""The part of a loss that one of several replicas has, so that the sum over all is the loss of the whole batch."""

from __future__ import annotations

from typing import Any

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.ops.array.cast import cast
from tapeviz.ops.array.creation import shape
from tapeviz.ops.collective.replicas import here
from tapeviz.ops.math.reductions import reduce_sum

__all__ = ["compute_average_loss", "scale_regularization_loss"]


def _replicas() -> int:
    return 1 if here.replica is None else here.replica.size


def compute_average_loss(per_example_loss: Any, sample_weight: Any = None, global_batch_size: Any = None) -> Any:
    """The sum of losses over the size of the batch of all replicas.

    Args:
        per_example_loss: a loss for each example.
        sample_weight: what each counts.
        global_batch_size: the number of examples of all replicas; by default as many here as in each.

    >>> import tapeviz as tf
    >>> tf.nn.compute_average_loss([1.0, 2.0], global_batch_size=4).numpy()
    np.float32(0.75)
    """
    losses: Any = convert_to_tensor(per_example_loss)
    if sample_weight is not None:
        losses = losses * cast(sample_weight, losses.dtype)
    size = shape(losses)[0] * _replicas() if global_batch_size is None else global_batch_size
    return reduce_sum(losses) / cast(size, losses.dtype)


def scale_regularization_loss(regularization_loss: Any) -> Any:
    """The sum of penalties over the number of replicas, which all have the same.

    >>> import tapeviz as tf
    >>> tf.nn.scale_regularization_loss([1.0, 2.0]).numpy()
    np.float32(3.0)
    """
    return reduce_sum(convert_to_tensor(regularization_loss)) / float(_replicas())
