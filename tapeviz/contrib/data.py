"""``tf.contrib.data``: functions for ``Dataset.apply``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapeviz.data.experimental_functions import shuffle_and_repeat, unbatch
from tapeviz.data.options import AUTOTUNE

__all__ = [
    "AUTOTUNE", "batch_and_drop_remainder", "map_and_batch", "parallel_interleave",
    "prefetch_to_device", "shuffle_and_repeat", "unbatch",
]  # fmt: skip

Transformation = Callable[[Any], Any]


def batch_and_drop_remainder(batch_size: Any) -> Transformation:
    """Whole batches alone."""
    return lambda dataset: dataset.batch(batch_size, drop_remainder=True)


def map_and_batch(
    map_func: Callable[..., Any], batch_size: Any, num_parallel_batches: Any = None, drop_remainder: bool = False,
    num_parallel_calls: Any = None,
) -> Transformation:  # fmt: skip
    """A function of each element, then batches.

    >>> import tapeviz as tf
    >>> batches = tf.data.Dataset.range(4).apply(tf.contrib.data.map_and_batch(lambda x: 2 * x, 2))
    >>> [batch.numpy().tolist() for batch in batches]
    [[0, 2], [4, 6]]
    """
    return lambda dataset: dataset.map(map_func, num_parallel_calls).batch(batch_size, drop_remainder)


def parallel_interleave(
    map_func: Callable[..., Any], cycle_length: int, block_length: int = 1, sloppy: bool = False,
    buffer_output_elements: Any = None, prefetch_input_elements: Any = None,
) -> Transformation:  # fmt: skip
    """The elements of several datasets in turn."""
    return lambda dataset: dataset.interleave(map_func, cycle_length, block_length)


def prefetch_to_device(device: str, buffer_size: Any = None) -> Transformation:
    """Elements made ahead."""
    return lambda dataset: dataset.prefetch(AUTOTUNE if buffer_size is None else buffer_size)
