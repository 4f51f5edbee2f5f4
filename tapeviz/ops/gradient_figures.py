"""What is told of many gradients in one small tensor: how large they are, and how many zeros they have."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from tapeviz.engine.declaration import Spec
from tapeviz.engine.define import op
from tapeviz.engine.samples import cases

__all__ = ["figures", "gradient_figures"]

_LARGE: Final = 4096  # elements from which on comparing all at once is quicker than counting


def figures(xp: Any, *tensors: Any) -> Any:
    """The sums of squares and the numbers of zeros of arrays."""
    if xp is not np:  # a device is not asked for what it has found before all is done
        flats = [xp.reshape(tensor, (-1,)) for tensor in tensors]
        squares = [xp.vdot(flat, flat).astype(np.float64) for flat in flats]
        return xp.stack([xp.stack(squares), xp.stack([(flat == 0).sum().astype(np.float64) for flat in flats])])
    found = np.empty((2, len(tensors)))
    for place, gradient in enumerate(tensors):
        flat = gradient.reshape(-1)
        found[0, place] = _squares(flat)
        nonzero = flat.size - np.count_nonzero(flat == 0) if flat.size > _LARGE else np.count_nonzero(flat)
        found[1, place] = flat.size - nonzero
    return found


def _squares(flat: np.ndarray) -> float:
    """The sum of squares: in the array's own precision unless that is too narrow for it."""
    if flat.dtype.itemsize < 4:  # noqa: PLR2004 - bytes: half precision
        flat = flat.astype(np.float32)
    total = float(flat.dot(flat))
    if total == 0.0 or math.isinf(total):
        wide = flat.astype(np.float64)
        total = float(wide.dot(wide))
    return total


gradient_figures = op(
    "gradient_figures",
    doc="For each tensor the sum of its squares and the number of its zeros, as two rows of float64.",
    family="reduction",
    forward=figures,
    infer=lambda *tensors: Spec((2, len(tensors)), np.dtype(np.float64)),
    formula=r"y_{1i} = \sum_k x_{ik}^2,\; y_{2i} = |\{k : x_{ik} = 0\}|",
    samples=cases(([(2, 3), (4,)], {}), ([()], {}), ([(3, 1)], {})),
    silent=True,
)
