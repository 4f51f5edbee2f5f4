"""Losses: one number for each example, from labels and what a network says."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tapeviz.backends.rows import is_large
from tapeviz.backends.softmax_rows import label_losses
from tapeviz.engine import rules
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import Spec, registry
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.op_definition import op
from tapeviz.engine.operators import public
from tapeviz.engine.samples import cases
from tapeviz.engine.types import FLOATS
from tapeviz.ops import static_shape_rules
from tapeviz.ops.math.reductions import added, largest
from tapeviz.ops.runtime_calls import by_rank

__all__ = [
    "l2_loss",
    "log_poisson_loss",
    "sigmoid_cross_entropy_with_logits",
    "softmax_cross_entropy_with_logits",
    "sparse_softmax_cross_entropy_with_logits",
    "weighted_cross_entropy_with_logits",
]


def _log_shares(xp: Any, logits: Any, axis: int) -> Any:
    below = xp.subtract(logits, largest(xp, logits, axis))
    return xp.subtract(below, xp.log(added(xp, xp.exp(below), axis=axis, keepdims=True)))


def _cross_entropy(xp: Any, labels: Any, logits: Any, *, axis: int) -> Any:
    terms = xp.multiply(labels, _log_shares(xp, logits, axis))
    # A class that cannot be (log 0) costs nothing where it need not be.
    terms = xp.where(xp.equal(labels, 0), xp.zeros((), logits.dtype), terms)
    return xp.negative(xp.add.reduce(terms, axis=axis))


def _cross_entropy_rule(labels: Spec, logits: Spec, *, axis: int) -> Spec:
    if not rules.broadcastable(labels.shape, logits.shape):
        raise InvalidArgumentError(
            f"logits and labels must be broadcastable: logits_size={rules.shape_text(logits.shape)} "
            f"labels_size={rules.shape_text(labels.shape)}"
        )
    shape = rules.broadcast_shapes(labels.shape, logits.shape)
    position = rules.axis_of(axis, len(shape))
    return Spec(shape[:position] + shape[position + 1 :], logits.dtype)


_cross_entropy_rule.broadcasts = True  # type: ignore[attr-defined]


def _labels(rng: np.random.Generator, shape: tuple[int, ...], axis: int) -> Any:
    weights = rng.uniform(0.1, 1.0, shape)
    return weights / weights.sum(axis, keepdims=True)


def _cross_entropy_samples(rng: np.random.Generator) -> list[Any]:
    return [
        ((_labels(rng, shape, axis), rng.uniform(-2, 2, shape)), {"axis": axis})
        for shape, axis in (((2, 3), -1), ((3, 2), 0), ((4,), -1))
    ]


_softmax_loss = op(
    "softmax_cross_entropy_with_logits",
    doc="The cross-entropy of softmax(logits) with labels that are distributions, one number a row.",
    family="reduction",
    tf_name="SoftmaxCrossEntropyWithLogits",
    forward=_cross_entropy,
    infer=_cross_entropy_rule,
    static=static_shape_rules.cross_entropy,
    types=FLOATS,
    vjp={
        "labels": lambda F, g, logits, axis: F.negative(
            F.multiply(F.expand_dims(g, axis=axis), F.log_softmax(logits, axis=axis))
        ),
        "logits": lambda F, g, labels, logits, axis: F.multiply(
            F.expand_dims(g, axis=axis), F.subtract(F.softmax(logits, axis=axis), labels)
        ),
    },
    formula=r"\ell = -\sum_k p_k \ln \mathrm{softmax}(x)_k",
    vjp_formula=(
        r"\bar p_k = -\bar\ell\, \ln \mathrm{softmax}(x)_k",
        r"\bar x_k = \bar\ell\, (\mathrm{softmax}(x)_k - p_k)",
    ),
    samples=_cross_entropy_samples,
    traits="logits softmax",
    hints="fresh",
)


def softmax_cross_entropy_with_logits(labels: Any, logits: Any, axis: int = -1, name: str | None = None) -> Any:
    """The cross entropy between ``labels`` and ``softmax(logits)``, one number for each row along ``axis``.

    Args:
        labels: probabilities that add up to 1 along ``axis``. (If they do not, the gradient is not that of the value.)
        logits: unscaled log probabilities, floating-point, of the same shape.
        axis: the axis of the classes.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: the shapes do not fit.

    >>> import tapeviz as tf
    >>> tf.nn.softmax_cross_entropy_with_logits(labels=[[0.0, 1.0]], logits=[[0.0, 0.0]]).numpy()
    array([0.6931472], dtype=float32)
    """
    logits = convert_to_tensor(logits)
    return _softmax_loss.run(public["cast"](labels, logits.dtype), logits, int(axis))


def _sparse_cross_entropy(xp: Any, labels: Any, logits: Any) -> Any:
    classes = logits.shape[-1]
    if labels.shape != logits.shape[:-1]:
        raise ValueError("one label a row is needed")
    if labels.size and (labels.min() < 0 or labels.max() >= classes):
        wrong = labels[xp.logical_or(xp.less(labels, 0), xp.greater_equal(labels, classes))]
        raise InvalidArgumentError(
            f"Received a label value of {int(wrong[0])} which is outside the valid range of [0, {classes}).  "
            f"Label values: {' '.join(str(int(label)) for label in xp.reshape(labels, (-1,)))}"
        )
    if is_large(logits):
        return label_losses(labels, logits)
    rows = xp.reshape(_log_shares(xp, logits, -1), (-1, classes))
    return xp.negative(xp.reshape(rows[xp.arange(labels.size), xp.reshape(labels, (-1,))], labels.shape))


def _sparse_rule(labels: Spec, logits: Spec) -> Spec:
    if labels.shape != logits.shape[:-1]:
        raise InvalidArgumentError(
            f"logits and labels must have the same first dimension, got logits shape {rules.shape_text(logits.shape)} "
            f"and labels shape {rules.shape_text(labels.shape)}"
        )
    return Spec(labels.shape, logits.dtype)


def _sparse_gradient(F: Any, g: Any, labels: Any, logits: Any, logits_spec: Any) -> Any:
    hot = F.one_hot(labels, depth=logits_spec.shape[-1], on=1.0, off=0.0, axis=-1, dtype=logits_spec.dtype)
    return F.multiply(F.expand_dims(g, axis=-1), F.subtract(F.softmax(logits, axis=-1), hot))


_sparse_loss = op(
    "sparse_softmax_cross_entropy_with_logits",
    doc="The cross-entropy of softmax(logits) with one class index a row.",
    family="reduction",
    tf_name="SparseSoftmaxCrossEntropyWithLogits",
    forward=_sparse_cross_entropy,
    infer=_sparse_rule,
    static=static_shape_rules.sparse_cross_entropy,
    types={"labels": frozenset(map(np.dtype, ("int32", "int64"))), "logits": FLOATS},
    vjp={"logits": _sparse_gradient},
    formula=r"\ell = -\ln \mathrm{softmax}(x)_c",
    vjp_formula=(r"\bar x_k = \bar\ell\, (\mathrm{softmax}(x)_k - [k = c])",),
    samples=cases(
        ([np.array([2, 0], np.int32), (2, 3)], {}), ([np.array([[1], [0]]), (2, 1, 2)], {}), ([np.array(1), (3,)], {})
    ),
    traits="indexes logits softmax",
    hints="fresh",
)


@by_rank(lambda labels, logits, name=None: (None, convert_to_tensor(logits).dtype))
def sparse_softmax_cross_entropy_with_logits(labels: Any, logits: Any, name: str | None = None) -> Any:
    """The cross entropy between one class index a row and ``softmax(logits)`` along the last axis.

    Args:
        labels: the number of the right class for each row, int32 or int64, from 0 to the number of classes.
        logits: unscaled log probabilities, floating-point, with one more axis than ``labels``.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: a label is no class, or the shapes do not fit.
        ValueError: ``logits`` does not have exactly one axis more than ``labels``.

    >>> import tapeviz as tf
    >>> tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[1], logits=[[0.0, 0.0]]).numpy()
    array([0.6931472], dtype=float32)
    """
    labels, logits = convert_to_tensor(labels), convert_to_tensor(logits)
    if labels.ndim != logits.ndim - 1:
        raise ValueError(
            "`labels.shape.rank` must equal `logits.shape.rank - 1`. "
            f"Received: labels.shape={labels.shape} of rank {labels.ndim} and logits.shape={logits.shape} of rank "
            f"{logits.ndim}"
        )
    return _sparse_loss.run(labels, logits)


def _binary_cross_entropy(xp: Any, labels: Any, logits: Any) -> Any:
    zero = xp.zeros((), logits.dtype)
    return xp.subtract(xp.logaddexp(zero, logits), xp.multiply(logits, labels))


_sigmoid_loss = op(
    "sigmoid_cross_entropy_with_logits",
    doc="The binary cross-entropy of sigmoid(logits) with labels from 0 to 1, element by element.",
    family="elementwise",
    forward=_binary_cross_entropy,
    infer=rules.broadcast,
    types=FLOATS,
    vjp={
        "labels": lambda F, g, logits: F.negative(F.multiply(g, logits)),
        "logits": lambda F, g, labels, logits: F.multiply(g, F.subtract(F.sigmoid(logits), labels)),
    },
    formula=r"\ell_i = \ln(1 + e^{x_i}) - p_i x_i",
    vjp_formula=(r"\bar p_i = -\bar\ell_i\, x_i", r"\bar x_i = \bar\ell_i\, (\sigma(x_i) - p_i)"),
    samples=cases(([(2, 3), (2, 3)], {}), ([(), ()], {})),
    traits="logits",
)


def sigmoid_cross_entropy_with_logits(labels: Any = None, logits: Any = None, name: str | None = None) -> Any:
    """The cross entropy between ``labels`` (0 to 1) and ``sigmoid(logits)``, element by element.

    Raises:
        ValueError: the shapes differ.

    >>> import tapeviz as tf
    >>> tf.nn.sigmoid_cross_entropy_with_logits(labels=[1.0], logits=[0.0]).numpy()
    array([0.6931472], dtype=float32)
    """
    logits, labels = convert_to_tensor(logits), convert_to_tensor(labels)
    if logits.shape != labels.shape and not logits.shape.is_compatible_with(labels.shape):
        raise ValueError(
            f"`logits` and `labels` must have the same shape, received ({logits.shape} vs {labels.shape})."
        )
    return _sigmoid_loss.run(labels, logits)


_half_square = op(
    "l2_loss",
    doc="Half the sum of the squares of all elements.",
    family="reduction",
    tf_name="L2Loss",
    forward=lambda xp, x: xp.multiply(xp.add.reduce(xp.square(x), axis=None), 0.5),
    infer=lambda x: Spec((), x.dtype),
    types=FLOATS,
    vjp={"x": lambda F, g, x: F.multiply(x, g)},
    formula=r"y = \tfrac{1}{2} \sum_i x_i^2",
    vjp_formula=(r"\bar x_i = \bar y\, x_i",),
    samples=cases(([(2, 3)], {}), ([()], {})),
    traits="squares",
)


def l2_loss(t: Any, name: str | None = None) -> Any:
    """Half the sum of the squares of all elements of ``t``.

    >>> import tapeviz as tf
    >>> tf.nn.l2_loss([3.0, 4.0]).numpy()
    np.float32(12.5)
    """
    return _half_square.run(t)


def _alike(first: Any, second: Any, names: str) -> None:
    if first.shape != second.shape and not first.shape.is_compatible_with(second.shape):
        raise ValueError(f"{names} must have the same shape, received ({first.shape} vs {second.shape}).")


def log_poisson_loss(targets: Any, log_input: Any, compute_full_loss: bool = False, name: str | None = None) -> Any:
    """The negative log likelihood of counts under a Poisson distribution of rate ``exp(log_input)``, elementwise.

    Args:
        targets: the counts.
        log_input: the logarithms of what is expected, of the same shape.
        compute_full_loss: add Stirling's approximation of what depends on the counts alone (for counts above 1).
        name: accepted as TensorFlow does.

    Raises:
        ValueError: the shapes differ.

    >>> import tapeviz as tf
    >>> tf.nn.log_poisson_loss([2.0], [0.0]).numpy()
    array([1.], dtype=float32)
    """
    log_input, targets = convert_to_tensor(log_input), convert_to_tensor(targets)
    _alike(log_input, targets, "`log_input` and `targets`")
    loss = registry["exp"].run(log_input) - log_input * targets
    if not compute_full_loss:
        return loss
    log = registry["log"].run
    stirling = targets * log(targets) - targets + log(targets * (2.0 * math.pi)) * 0.5
    small = registry["logical_and"].run(targets >= 0.0, targets <= 1.0)
    return loss + registry["where"].run(small, registry["zeros_like"].run(targets), stirling)


def weighted_cross_entropy_with_logits(labels: Any, logits: Any, pos_weight: Any, name: str | None = None) -> Any:
    """The cross entropy between ``labels`` (0 to 1) and ``sigmoid(logits)`` where being wrong about a 1 costs more.

    Args:
        labels: probabilities, of the shape of ``logits``.
        logits: unscaled log probabilities.
        pos_weight: what the positive labels' part is multiplied by: above 1 for fewer misses, below for fewer false
            alarms.
        name: accepted as TensorFlow does.

    Raises:
        ValueError: the shapes differ.

    >>> import tapeviz as tf
    >>> tf.nn.weighted_cross_entropy_with_logits(labels=[1.0, 0.0], logits=[0.0, 0.0], pos_weight=2.0).numpy()
    array([1.3862944, 0.6931472], dtype=float32)
    """
    logits, labels = convert_to_tensor(logits), convert_to_tensor(labels)
    _alike(logits, labels, "`logits` and `labels`")
    weights = (pos_weight - 1.0) * labels + 1.0
    # log(1 + exp(-x)), which must not overflow for any x.
    soft = registry["log1p"].run(registry["exp"].run(-registry["abs"].run(logits))) + registry["relu"].run(-logits)
    return (1.0 - labels) * logits + weights * soft
