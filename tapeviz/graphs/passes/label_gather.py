"""Of each row of log shares the one of the right class, negated: the end of a cross entropy."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tapeviz.backends import NUMPY
from tapeviz.engine.declaration import registry
from tapeviz.engine.kernels import kernel_of

__all__ = ["picked", "refuse_others"]

_UNSIGNED: Final = {4: np.uint32, 8: np.uint64}
_largest: Final = np.maximum.reduce


def refuse_others(labels: np.ndarray, classes: int) -> None:
    """Raise the op's own error unless each label is a class."""
    if _largest(labels.view(_UNSIGNED[labels.itemsize]), None, initial=0) >= classes:  # negative ones are large then
        loss = kernel_of(registry["sparse_softmax_cross_entropy_with_logits"], NUMPY)
        loss(labels, np.zeros((*labels.shape, classes), np.float32))


def picked(labels: np.ndarray, shares: np.ndarray) -> Any:
    """The negated share of each label."""
    refuse_others(labels, shares.shape[-1])
    return np.negative(np.take_along_axis(shares, np.asarray(labels)[..., None], -1)[..., 0])
