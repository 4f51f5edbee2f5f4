"""What is told of many gradients in one small tensor: how large they are, and how many zeros they have."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from tapeviz.engine.declaration import Spec
from tapeviz.engine.op_definition import op
from tapeviz.engine.samples import cases

__all__ = ["figures", "gradient_figures"]

_SINGLE: Final = 4  # bytes
_LARGE: Final = 2048  # elements from which on comparing all at once is quicker than counting


def figures(xp: Any, *tensors: Any) -> Any:
    """The sums of squares and the numbers of zeros of arrays."""
    if xp is not np:  # a device is not asked for what it has found before all is done
        flats = [xp.reshape(tensor, (-1,)) for tensor in tensors]
        squares = [_squares_on_device(xp, flat) for flat in flats]
        return xp.stack([xp.stack(squares), xp.stack([(flat == 0).sum().astype(np.float64) for flat in flats])])
    found = np.empty((2, len(tensors)))
    for place, tensor in enumerate(tensors):
        flat = tensor.reshape(-1)
        total = float(flat.dot(flat)) if flat.dtype.itemsize >= _SINGLE else 0.0
        # In the array's own precision, unless that is too narrow for it.
        found[0, place] = total if 0.0 < total < math.inf else _in_double(flat, total)
        size = flat.size
        found[1, place] = size - np.count_nonzero(flat) if size < _LARGE else np.count_nonzero(flat == 0)
    return found


def _squares_on_device(xp: Any, flat: Any) -> Any:
    """The sum of squares as on the host, but that both precisions are computed where one is chosen from."""
    wide = flat.astype(np.float64)
    exact = xp.vdot(wide, wide)
    if flat.dtype.itemsize < _SINGLE:
        return exact
    total = xp.vdot(flat, flat).astype(np.float64)
    return xp.where((total == 0) | (total == math.inf), exact, total)


def _in_double(flat: np.ndarray, total: float) -> float:
    if math.isnan(total):
        return total
    wide = flat.astype(np.float64)
    return float(wide.dot(wide))


gradient_figures = op(
    "gradient_figures",
    doc="For each tensor the sum of its squares and the number of its zeros, as two rows of float64.",
    family="reduction",
    forward=figures,
    infer=lambda *tensors: Spec((2, len(tensors)), np.dtype(np.float64)),
    formula=r"y_{1i} = \sum_k x_{ik}^2,\; y_{2i} = |\{k : x_{ik} = 0\}|",
    samples=cases(([(2, 3), (4,)], {}), ([()], {}), ([(3, 1)], {})),
    silent=True,
    hints="fresh",
)
