"""Losses over many classes by some sampled ones."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.kernels import recorded_ops as ops
from tapeviz.ops.array.concat import concat
from tapeviz.ops.array.reshape import reshape
from tapeviz.ops.array.select import where
from tapeviz.ops.math.reductions import reduce_any, reduce_sum
from tapeviz.ops.nn.embedding import embedding_lookup
from tapeviz.ops.nn.losses import sigmoid_cross_entropy_with_logits, softmax_cross_entropy_with_logits
from tapeviz.ops.random.candidates import log_uniform_candidate_sampler
from tapeviz.ops.runtime_calls import open_sizes

__all__ = ["AccidentalHits", "compute_accidental_hits", "nce_loss", "sampled_softmax_loss"]

_FAR_BELOW: Final = float(np.finfo(np.float32).min)


class AccidentalHits(NamedTuple):
    """Where a sampled class is one of an example's true ones: examples, places among the sampled, and weights."""

    indices: Any
    ids: Any
    weights: Any


def compute_accidental_hits(
    true_classes: Any, sampled_candidates: Any, num_true: int, seed: int | None = None, name: str | None = None
) -> AccidentalHits:
    """Where sampled classes are true ones by chance.

    Args:
        true_classes: whole numbers of shape (batch, num_true).
        sampled_candidates: the sampled classes, a vector.
        num_true: how many true classes an example has.
        seed: accepted as TensorFlow does.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: ``true_classes`` has another shape.

    >>> import tapeviz as tf
    >>> hits = tf.nn.compute_accidental_hits([[3], [5]], [5, 3, 3], num_true=1)
    >>> hits.indices.numpy().tolist(), hits.ids.numpy().tolist()
    ([0, 0, 1], [1, 2, 0])
    """
    hits = where(_hits(_labels(true_classes, num_true), sampled_candidates))
    return AccidentalHits(
        ops.cast(hits[:, 0], np.dtype(np.int32)),
        hits[:, 1],
        ops.cast(hits[:, 0] * 0, np.dtype(np.float32)) + _FAR_BELOW,
    )


def nce_loss(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: Any = None,
    remove_accidental_hits: bool = False,
    name: str | None = None,
) -> Any:
    """Noise-contrastive estimation: each true class against ``num_sampled`` sampled ones, one number an example.

    Args:
        weights: a row for each class, or a list of such tables.
        biases: a number for each class.
        labels: the true classes, of shape (batch, num_true).
        inputs: of shape (batch, size of a row).
        num_sampled: how many classes to sample for the batch.
        num_classes: how many there are.
        num_true: how many true classes an example has.
        sampled_values: what a candidate sampler gave; that of the log-uniform one unless given.
        remove_accidental_hits: whether sampled classes that are true ones are left out.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: shapes do not fit, or there are fewer classes than ``num_sampled``.

    See Gutmann and Hyvärinen 2010, "Noise-contrastive estimation".

    >>> import tapeviz as tf
    >>> table, bias = tf.zeros([20, 3]), tf.zeros([20])
    >>> tf.nn.nce_loss(table, bias, labels=[[1], [7]], inputs=tf.ones([2, 3]), num_sampled=5, num_classes=20).shape
    TensorShape([2])
    """
    logits, targets = _sampled_logits(
        weights,
        biases,
        labels,
        inputs,
        num_sampled,
        num_classes,
        num_true,
        sampled_values,
        remove_accidental_hits,
        None,
    )
    return reduce_sum(sigmoid_cross_entropy_with_logits(targets, logits), 1)


def sampled_softmax_loss(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: Any = None,
    remove_accidental_hits: bool = True,
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """The cross-entropy of a softmax over the true classes and ``num_sampled`` sampled ones, one number an example.

    For training only: it underestimates the cross-entropy over all classes.

    Args:
        weights: a row for each class, or a list of such tables.
        biases: a number for each class.
        labels: the true classes, of shape (batch, num_true).
        inputs: of shape (batch, size of a row).
        num_sampled: how many classes to sample for the batch.
        num_classes: how many there are.
        num_true: how many true classes an example has.
        sampled_values: what a candidate sampler gave; that of the log-uniform one unless given.
        remove_accidental_hits: whether sampled classes that are true ones are left out.
        seed: with ``set_seed`` decides which classes are sampled.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: shapes do not fit, or there are fewer classes than ``num_sampled``.

    See Jean et al. 2015, "On Using Very Large Target Vocabulary for Neural Machine Translation".

    >>> import tapeviz as tf
    >>> table, bias = tf.zeros([20, 3]), tf.zeros([20])
    >>> tf.nn.sampled_softmax_loss(table, bias, [[1], [7]], tf.ones([2, 3]), num_sampled=5, num_classes=20).shape
    TensorShape([2])
    """
    logits, targets = _sampled_logits(
        weights,
        biases,
        labels,
        inputs,
        num_sampled,
        num_classes,
        num_true,
        sampled_values,
        remove_accidental_hits,
        seed,
    )
    return softmax_cross_entropy_with_logits(ops.stop_gradient(targets), logits)


def _labels(labels: Any, num_true: int) -> Any:
    classes = ops.cast(convert_to_tensor(labels), np.dtype(np.int64))
    if classes.ndim == 1 and num_true == 1:
        classes = reshape(classes, [-1, 1])
    if classes.ndim != 2 or open_sizes(classes)[1] not in (num_true, None):  # noqa: PLR2004 - examples and their classes
        raise InvalidArgumentError(f"labels must have {num_true} columns, got shape {classes.shape}")
    return classes


def _hits(labels: Any, sampled: Any) -> Any:
    """Whether each sampled class is one of each example's true ones."""
    columns = reshape(ops.cast(convert_to_tensor(sampled), np.dtype(np.int64)), [1, 1, -1])
    return reduce_any(ops.equal(ops.expand_dims(labels, 2), columns), 1)


def _sampled_logits(
    weights: Any, biases: Any, labels: Any, inputs: Any, num_sampled: int, num_classes: int, num_true: int,
    sampled_values: Any, remove_hits: bool, seed: int | None = None,
) -> tuple[Any, Any]:  # fmt: skip
    """The logits of the true and of the sampled classes beside one another, and what they should be."""
    inputs, labels = convert_to_tensor(inputs), _labels(labels, num_true)
    if sampled_values is None:
        sampled_values = log_uniform_candidate_sampler(labels, num_true, num_sampled, True, num_classes, seed)
    sampled, true_count, sampled_count = (ops.stop_gradient(convert_to_tensor(part)) for part in sampled_values)
    flat = reshape(labels, [-1])
    all_rows = embedding_lookup(weights, concat([flat, ops.cast(sampled, np.dtype(np.int64))], 0))
    all_biases = embedding_lookup(biases, concat([flat, ops.cast(sampled, np.dtype(np.int64))], 0))
    split = -sampled._a.shape[0]
    true_rows = reshape(all_rows[:split], [-1, num_true, inputs._a.shape[-1]])
    true_logits = reduce_sum(ops.expand_dims(inputs, 1) * true_rows, 2) + reshape(all_biases[:split], [-1, num_true])
    sampled_logits = ops.matmul(inputs, all_rows[split:], False, True) + all_biases[split:]
    if remove_hits:
        far = ops.cast(_hits(labels, sampled), inputs.dtype.numpy) * _FAR_BELOW
        sampled_logits = sampled_logits + far
    logits = concat([true_logits - ops.log(true_count), sampled_logits - ops.log(sampled_count)], 1)
    targets = concat([ops.ones_like(true_logits) / float(num_true), ops.zeros_like(sampled_logits)], 1)
    return logits, targets
