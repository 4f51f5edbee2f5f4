"""The replica of a program that this process is: its rank, and how it reaches the others."""

from __future__ import annotations

from typing import Any, Final, Protocol

import numpy as np

__all__ = ["Replica", "here"]


class Replica(Protocol):
    """One of the processes that run a program together."""

    rank: int
    """Its number among those that run, from 0."""
    size: int
    """How many run."""
    reduce: str
    """What an optimizer's gradients become over all replicas: "sum", or "mean" where each has the mean of its share."""

    def all_reduce(self, array: np.ndarray, reduce: str) -> np.ndarray:
        """The sum or the mean of the replicas' arrays, the same bits in each; it waits for all of them.

        Raises:
            AbortedError: one of them has left the program.
        """


class _Here:
    """The replica that this process is while a program of several runs; the strategy in whose scope models are made."""

    replica: Replica | None = None
    strategy: Any = None


here: Final = _Here()
