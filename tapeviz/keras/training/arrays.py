"""Batches of arrays: cut anew in each epoch, in a new order where they are shuffled."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from tapeviz.engine import nest
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.keras.training.structures import as_arrays, check_lengths, weights_by_class
from tapeviz.ops.random.random_numbers import shuffle as in_random_order

__all__ = ["ArrayFeed", "split_off"]


class ArrayFeed:
    """Batches of arrays that are in memory.

    Args:
        x: the inputs: an array, or a list or dict of arrays.
        y: the targets, or None.
        sample_weight: a weight a sample, or None.
        batch_size: how many samples in a batch; the last one has what is left.
        shuffle: whether each epoch has an order of its own; ``"batch"`` shuffles whole batches.
        class_weight: weights by the numbers of classes, or None.
        floats: the dtype that floating-point arrays get.

    Raises:
        ValueError: the arrays have different numbers of samples, or none.
    """

    repeats = True

    def __init__(
        self, x: Any, y: Any = None, sample_weight: Any = None, *, batch_size: int = 32, shuffle: bool | str = False,
        class_weight: Mapping[int, float] | None = None, floats: str = "float32",
    ) -> None:  # fmt: skip
        parts = [as_arrays(x, floats), as_arrays(y, floats), as_arrays(sample_weight, floats)]
        self.samples: int = check_lengths(*parts)
        if self.samples == 0:
            raise ValueError("Expected input data to be non-empty.")
        if class_weight is not None:
            if sample_weight is not None:
                raise ValueError("You cannot `class_weight` and `sample_weight` at the same time.")
            parts[2] = weights_by_class(parts[1], class_weight).numpy()
        # As in Keras, weights are nobody's without targets.
        self._parts = parts[:1] if y is None else parts[: 3 - (parts[2] is None)]
        self.batch_size = batch_size
        self.steps: int = math.ceil(self.samples / batch_size)
        self._shuffle = shuffle

    def epoch(self) -> Iterator[Any]:
        """The batches of an epoch: tuples of tensors; without targets the inputs themselves, unless they are a list."""
        is_bare = len(self._parts) == 1 and not isinstance(self._parts[0], (list, tuple))
        order = self._order()
        for start in range(0, self.samples, self.batch_size):
            end = min(start + self.batch_size, self.samples)
            chosen = slice(start, end) if order is None else order[start:end]
            batch = [
                None if part is None
                else nest.map_structure(lambda leaf, at=chosen: convert_to_tensor(leaf[at]), part)
                for part in self._parts
            ]  # fmt: skip
            yield batch[0] if is_bare else tuple(batch)

    def _order(self) -> np.ndarray | None:
        if not self._shuffle:
            return None
        if self._shuffle == "batch":
            whole = self.samples // self.batch_size
            batches = np.arange(whole * self.batch_size).reshape(whole, self.batch_size)
            mixed = batches[in_random_order(np.arange(whole)).numpy()].ravel()
            return np.concatenate([mixed, np.arange(whole * self.batch_size, self.samples)])
        order: np.ndarray = in_random_order(np.arange(self.samples)).numpy()
        return order

    def epoch_ended(self) -> None:
        """Nothing waits for the end of an epoch."""


def split_off(parts: tuple[Any, ...], share: float) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """The first samples of arrays, and the last ones: that share of them, for validation.

    Raises:
        ValueError: something is not an array, or one of the two would be empty.

    >>> split_off((np.arange(10), None), 0.2)[1]
    (array([8, 9]), None)
    """
    for leaf in nest.flatten(list(parts)):
        if leaf is not None and not (hasattr(leaf, "shape") or hasattr(leaf, "__array__") or np.isscalar(leaf)):
            raise ValueError(
                "Argument `validation_split` is only supported for tensors or NumPy arrays. "
                f"Found incompatible type in the input: {type(leaf)}"
            )
    arrays = [as_arrays(part) for part in parts]
    samples = check_lengths(*arrays)
    first = math.floor(samples * (1.0 - share))
    if first in (0, samples):
        raise ValueError(
            f"Training data contains {samples} samples, which is not sufficient to split it into a validation and "
            f"training set as specified by `validation_split={share}`. Either provide more data, or a different value "
            "for the `validation_split` argument."
        )

    def cut(at: slice) -> tuple[Any, ...]:
        return tuple(None if part is None else nest.map_structure(lambda leaf: leaf[at], part) for part in arrays)

    return cut(slice(None, first)), cut(slice(first, None))
