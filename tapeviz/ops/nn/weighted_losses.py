"""Losses of counts, and of labels that do not weigh alike."""

from __future__ import annotations

import math
from typing import Any

from tapeviz.engine.convert import convert_to_tensor
from tapeviz.engine.declaration import registry

__all__ = ["log_poisson_loss", "weighted_cross_entropy_with_logits"]


def _alike(first: Any, second: Any, names: str) -> None:
    if first.shape != second.shape and not first.shape.is_compatible_with(second.shape):
        raise ValueError(f"{names} must have the same shape, received ({first.shape} vs {second.shape}).")


def log_poisson_loss(targets: Any, log_input: Any, compute_full_loss: bool = False, name: str | None = None) -> Any:
    """The surprise at counts, of one who expects ``exp(log_input)`` of a Poisson distribution, element by element.

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
