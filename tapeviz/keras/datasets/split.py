"""Training and test data out of one."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.keras.datasets.formats import Split

__all__ = ["checked_share", "shuffled", "stratified"]


def checked_share(test_split: Any) -> float:
    """The share of the test data. Raises ValueError: it is none."""
    if not 0 <= test_split < 1:
        raise ValueError(f"Invalid `test_split` argument: {test_split}. It must be between 0 and 1 (exclusive of 1).")
    return float(test_split)


def shuffled(x: np.ndarray, y: np.ndarray, test_split: Any, seed: int) -> Split:
    """The examples in an order that the seed says, the last of them for tests: Keras' own split."""
    share = checked_share(test_split)
    order = np.arange(len(x))
    np.random.RandomState(seed).shuffle(order)  # the generator that Keras draws from
    count = int(len(x) * (1 - share))
    return (x[order[:count]], y[order[:count]]), (x[order[count:]], y[order[count:]])


def stratified(x: np.ndarray, y: np.ndarray, test_split: Any, seed: int) -> Split:
    """The same with each class' share in the test data."""
    share = checked_share(test_split)
    draw = np.random.RandomState(seed)  # whose numbers stay what they are
    order = draw.permutation(len(x))
    test = np.zeros(len(x), bool)
    for label in np.unique(y):
        of_class = order[y[order] == label]
        test[of_class[: round(len(of_class) * share)]] = True
    kept, held_out = order[~test[order]], order[test[order]]
    return (x[kept], y[kept]), (x[held_out], y[held_out])
