"""Which feed the data of ``fit`` is for, and the batches of epochs out of it."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterator, Mapping
from typing import Any, Final

from tapeviz.keras.training.arrays import ArrayFeed
from tapeviz.keras.training.py_dataset import PyDataset
from tapeviz.keras.training.streams import DatasetFeed, GeneratorFeed, PyDatasetFeed

__all__ = ["Epochs", "feed_for"]

_DEFAULT_BATCH: Final = 32


def feed_for(
    x: Any, y: Any = None, sample_weight: Any = None, *, batch_size: int | None = None, shuffle: bool | str = False,
    class_weight: Mapping[int, float] | None = None, floats: str = "float32",
) -> Any:  # fmt: skip
    """What gives the batches of this data: arrays, a dataset, a generator or a :class:`PyDataset`.

    Raises:
        ValueError: targets or weights are given beside what has its own; the data is nothing of all that.
    """
    if x is None:
        raise ValueError("`x` is None: there is no data to take batches from.")
    if isinstance(x, PyDataset):
        _alone("PyDataset", y, sample_weight)
        return PyDatasetFeed(x, shuffle=shuffle, class_weight=class_weight, floats=floats)
    if hasattr(x, "element_spec"):
        _alone("tf.data.Dataset", y, sample_weight)
        return DatasetFeed(x, class_weight=class_weight)
    if inspect.isgenerator(x) or (hasattr(x, "__next__") and hasattr(x, "__iter__")):
        _alone("generator", y, sample_weight)
        return GeneratorFeed(x, class_weight=class_weight, floats=floats)
    if isinstance(x, (str, bytes)) or not (hasattr(x, "__len__") or hasattr(x, "__array__")):
        raise ValueError(f"Unrecognized data type: x={x} (of type {type(x)})")
    if batch_size is not None and (not isinstance(batch_size, int) or batch_size < 1):
        raise ValueError(f"`batch_size` must be a positive integer. Received: batch_size={batch_size!r}")
    return ArrayFeed(
        x, y, sample_weight, batch_size=batch_size or _DEFAULT_BATCH, shuffle=shuffle, class_weight=class_weight,
        floats=floats,
    )  # fmt: skip


def _alone(kind: str, y: Any, sample_weight: Any) -> None:
    for name, given, part in (("y", y, "targets"), ("sample_weight", sample_weight, "sample weights")):
        if given is not None:
            raise ValueError(
                f"When providing `x` as a {kind}, `{name}` should not be passed. Instead, the {part} should be "
                f"included as part of the {kind}."
            )


class Epochs:
    """The batches of epoch after epoch.

    Args:
        feed: what gives them.
        steps: how many an epoch has; None: as many as there are. With a number, an epoch goes on where the one before
            it has stopped.

    Raises:
        ValueError: there is no number of steps for data that does not end.
    """

    def __init__(self, feed: Any, steps: int | None = None) -> None:
        if steps is None and getattr(feed, "endless", False):
            raise ValueError(
                "When passing an infinitely repeating dataset, please specify a `steps_per_epoch` value so that epoch "
                "level callbacks continue to work. For `evaluate` and `predict`, specify `steps`."
            )
        if steps is not None and (not isinstance(steps, int) or steps < 1):
            raise ValueError(f"`steps_per_epoch` must be a positive integer. Received: {steps!r}")
        self._feed = feed
        self._limit = steps
        self.steps: int | None = steps or feed.steps
        self.ran_out: bool = False
        self._going: Iterator[Any] | None = None

    def batches(self) -> Iterator[Any]:
        """The batches of the next epoch."""
        seen = 0
        for batch in self._whole() if self._limit is None else self._limited(self._limit):
            seen += 1
            yield batch
        self._feed.epoch_ended()
        if self._limit is None:
            if seen == 0:
                self._warn()
            self.steps = self.steps or seen or None

    def _whole(self) -> Iterator[Any]:
        if self._feed.repeats:
            return self._feed.epoch()  # type: ignore[no-any-return]
        if self._going is None:
            self._going = self._feed.epoch()
        return self._going

    def _limited(self, limit: int) -> Iterator[Any]:
        fresh = False
        for _ in range(limit):
            if self._going is None:
                self._going, fresh = self._feed.epoch(), True
            batch = next(self._going, None)
            if batch is None and self._feed.repeats and not fresh:
                self._going = self._feed.epoch()
                batch = next(self._going, None)
            if batch is None:
                self._warn()
                return
            fresh = False
            yield batch

    def _warn(self) -> None:
        self.ran_out = True
        warnings.warn(
            "Your input ran out of data; interrupting training. Make sure that your dataset or generator can generate "
            "at least `steps_per_epoch * epochs` batches. You may need to use the `.repeat()` function when building "
            "your dataset.",
            stacklevel=2,
        )
