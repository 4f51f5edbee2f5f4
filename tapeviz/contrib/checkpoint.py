"""``tf.contrib.checkpoint``: lists, dicts and objects whose parts checkpoints find. Plain ones are found as well."""

from __future__ import annotations

from tapeviz.engine.scopes import Module
from tapeviz.train.containers import AwaitedDict, AwaitedList
from tapeviz.train.manager import CheckpointManager

__all__ = ["CheckpointManager", "Checkpointable", "List", "Mapping"]

List = AwaitedList
Mapping = AwaitedDict


class Checkpointable(Module):
    """An object whose attributes are saved and restored with it.

    >>> import tapeviz as tf
    >>> parts = tf.contrib.checkpoint.Checkpointable()
    >>> parts.weights = tf.Variable([1.0])
    >>> tf.train.Checkpoint(parts=parts).parts.weights.numpy()
    array([1.], dtype=float32)
    """
