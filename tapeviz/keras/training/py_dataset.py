"""Batches that a class of the user's makes by number: ``keras.utils.PyDataset``, which was ``Sequence``."""

from __future__ import annotations

from typing import Any

__all__ = ["PyDataset"]


class PyDataset:
    """Batches by number, for ``fit``, ``evaluate`` and ``predict``. Subclasses say what batch a number has.

    Args:
        workers: how many threads make batches; 1 makes each when it is its turn.
        use_multiprocessing: accepted as Keras does; threads are used.
        max_queue_size: how many batches are made ahead where there are several workers.

    Raises:
        TypeError: another argument.

    >>> import numpy as np
    >>> class Squares(PyDataset):
    ...     def __len__(self):
    ...         return 3
    ...     def __getitem__(self, idx):
    ...         x = np.full((2, 1), idx, "float32")
    ...         return x, x**2
    >>> Squares().num_batches
    3
    """

    def __init__(self, workers: int = 1, use_multiprocessing: bool = False, max_queue_size: int = 10) -> None:
        self._workers = workers
        self._use_multiprocessing = use_multiprocessing
        self._max_queue_size = max_queue_size

    @property
    def workers(self) -> int:
        """How many threads make batches."""
        return int(self.__dict__.get("_workers", 1))  # a subclass need not call our __init__

    @workers.setter
    def workers(self, value: int) -> None:
        self._workers = value

    @property
    def use_multiprocessing(self) -> bool:
        """As given."""
        return bool(self.__dict__.get("_use_multiprocessing", False))

    @property
    def max_queue_size(self) -> int:
        """How many batches are made ahead."""
        return int(self.__dict__.get("_max_queue_size", 10))

    def __getitem__(self, index: int) -> Any:
        """The batch of a number: ``(x,)``, ``(x, y)`` or ``(x, y, sample_weight)``.

        Raises:
            NotImplementedError: the class does not say it.
        """
        raise NotImplementedError(
            f"{type(self).__name__} must implement `__getitem__(self, index)`, which returns `(x, y)`, and "
            "`__len__(self)`, the number of batches."
        )

    @property
    def num_batches(self) -> int | None:
        """How many batches an epoch has; None for any number."""
        return len(self) if hasattr(self, "__len__") else None

    def on_epoch_begin(self) -> None:
        """Called at the beginning of each epoch."""

    def on_epoch_end(self) -> None:
        """Called at the end of each epoch."""
