"""Batches that come one after the other: of datasets, generators and objects with ``__getitem__`` and ``__len__``."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import chain, islice
from typing import Any

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.tensor import Tensor
from tapeviz.keras.training.py_dataset import PyDataset
from tapeviz.keras.training.structures import as_arrays, map_leaves, unpack, weights_by_class

__all__ = ["DatasetFeed", "GeneratorFeed", "PyDatasetFeed"]


def _weighted(batch: Any, class_weight: Mapping[int, float] | None) -> Any:
    if class_weight is None:
        return batch
    x, y, weight = unpack(batch)
    if weight is not None:
        raise ValueError("You cannot `class_weight` and `sample_weight` at the same time.")
    return x, y, weights_by_class(y, class_weight)


def _as_tensors(batch: Any, floats: str) -> Any:
    def tensor(leaf: Any) -> Any:
        return leaf if isinstance(leaf, Tensor) else convert_to_tensor(leaf)

    return tuple(map_leaves(tensor, as_arrays(part, floats)) for part in batch)


class DatasetFeed:
    """The batches of a dataset, whose iterator begins anew in each epoch."""

    repeats = True
    batch_size = None

    def __init__(self, dataset: Any, *, class_weight: Mapping[int, float] | None = None) -> None:
        self._dataset = dataset
        self._class_weight = class_weight
        self.steps: int | None = _cardinality(dataset)
        self.endless: bool = _is_endless(dataset)

    def epoch(self) -> Iterator[Any]:
        """The batches, as the dataset gives them."""
        for batch in self._dataset:
            yield _weighted(batch, self._class_weight)

    def epoch_ended(self) -> None:
        """Nothing waits for the end of an epoch."""


def _is_endless(dataset: Any) -> bool:
    cardinality = getattr(dataset, "cardinality", None)
    return cardinality is not None and int(cardinality()) == -1


def _cardinality(dataset: Any) -> int | None:
    cardinality = getattr(dataset, "cardinality", None)
    found = -2 if cardinality is None else int(cardinality())
    return found if found >= 0 else None


class GeneratorFeed:
    """What a generator gives: a batch an item, until it ends. It cannot begin anew."""

    repeats = False
    steps = None
    batch_size = None

    def __init__(
        self, generator: Any, *, class_weight: Mapping[int, float] | None = None, floats: str = "float32"
    ) -> None:
        self._class_weight = class_weight
        self._floats = floats
        first = list(islice(generator, 1))
        if not first:
            raise ValueError("The generator gave no batch: there is nothing to train on.")
        if not isinstance(first[0], (tuple, list)):
            raise ValueError(  # noqa: TRY004 - Keras' error
                "When passing a Python generator to a Keras model, the generator must return a tuple, either (input,) "
                "or (inputs, targets) or (inputs, targets, sample_weights). "
                f"Received: {type(first[0]).__name__}"
            )
        self._items = chain(first, generator)

    def epoch(self) -> Iterator[Any]:
        """The batches that are left."""
        for batch in self._items:
            yield _weighted(_as_tensors(batch, self._floats), self._class_weight)

    def epoch_ended(self) -> None:
        """Nothing waits for the end of an epoch."""


class PyDatasetFeed:
    """The batches of a :class:`PyDataset`, asked for by number; several at a time where it has workers."""

    repeats = True
    batch_size = None

    def __init__(
        self, dataset: PyDataset, *, shuffle: bool | str = False, class_weight: Mapping[int, float] | None = None,
        floats: str = "float32",
    ) -> None:  # fmt: skip
        self._dataset = dataset
        self._shuffle = bool(shuffle)
        self._class_weight = class_weight
        self._floats = floats
        self.steps: int | None = dataset.num_batches
        self.endless: bool = self.steps is None

    def epoch(self) -> Iterator[Any]:
        """The batches, in a random order where that was asked for."""
        numbers = self._numbers()
        batches = map(self._dataset.__getitem__, numbers) if self._dataset.workers < 2 else self._fetched(numbers)  # noqa: PLR2004
        for batch in batches:
            if not isinstance(batch, (tuple, list)):
                raise ValueError(  # noqa: TRY004 - Keras' error
                    "PyDataset.__getitem__() must return a tuple or a dictionary, either (input,) or (inputs, targets)"
                    f" or (inputs, targets, sample_weights). Received: {type(batch).__name__}"
                )
            yield _weighted(_as_tensors(batch, self._floats), self._class_weight)

    def _numbers(self) -> Iterator[int]:
        if self.steps is None:
            number = 0
            while True:
                yield number
                number += 1
        order = list(range(self.steps))
        if self._shuffle:
            random.shuffle(order)  # the generator that Keras draws from, which utils.set_random_seed begins again
        yield from order

    def _fetched(self, numbers: Iterator[int]) -> Iterator[Any]:
        """The same from several threads, so many ahead as the queue is long."""
        with ThreadPoolExecutor(self._dataset.workers) as pool:
            waiting = deque(
                pool.submit(self._dataset.__getitem__, n) for n in islice(numbers, self._dataset.max_queue_size)
            )
            while waiting:
                yield waiting.popleft().result()
                waiting.extend(pool.submit(self._dataset.__getitem__, n) for n in islice(numbers, 1))

    def epoch_ended(self) -> None:
        """Tell the dataset that an epoch is over."""
        self._dataset.on_epoch_end()
