"""``tf.contrib.seq2seq``: the loss of sequences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapeviz.compat.v1.graph.graph_functions import in_graph
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.ops.array.creation import shape
from tapeviz.ops.array.reshape import reshape
from tapeviz.ops.math.reductions import reduce_sum
from tapeviz.ops.nn.losses import sparse_softmax_cross_entropy_with_logits

__all__ = ["sequence_loss"]


@in_graph
def sequence_loss(
    logits: Any, targets: Any, weights: Any, average_across_timesteps: bool = True, average_across_batch: bool = True,
    softmax_loss_function: Callable[..., Any] | None = None, name: str | None = None,
) -> Any:  # fmt: skip
    """The weighted cross entropy of sequences of classes.

    Args:
        logits: ``(batch, time, classes)``.
        targets: whole numbers ``(batch, time)``, the classes.
        weights: ``(batch, time)``: what each step counts.
        average_across_timesteps: whether the sum over steps is divided by their weights.
        average_across_batch: whether the sum over examples is.
        softmax_loss_function: another loss, of ``labels`` and ``logits``.
        name: accepted as TensorFlow does.

    Raises:
        ValueError: the logits have not three axes, or targets or weights not two.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Session() as session:
    ...     loss = tf.contrib.seq2seq.sequence_loss(tf.zeros([1, 2, 4]), tf.constant([[0, 3]]), tf.ones([1, 2]))
    ...     print(round(float(session.run(loss)), 4))
    1.3863
    """
    logits, targets, weights = map(convert_to_tensor, (logits, targets, weights))
    for what, tensor, rank in (("Logits", logits, 3), ("Targets", targets, 2), ("Weights", weights, 2)):
        if tensor.shape.rank != rank:
            raise ValueError(f"{what} must be a {rank}-dimensional tensor, got {tensor.shape}")
    loss = softmax_loss_function or sparse_softmax_cross_entropy_with_logits
    flat = loss(labels=reshape(targets, [-1]), logits=reshape(logits, [-1, shape(logits)[2]]))
    found = reshape(flat * reshape(weights, [-1]), shape(targets))
    axes = [axis for axis, averaged in ((0, average_across_batch), (1, average_across_timesteps)) if averaged]
    if not axes:
        return found
    return reduce_sum(found, axes) / (reduce_sum(weights, axes) + 1e-12)
