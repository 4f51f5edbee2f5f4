"""The one table of thresholds by which a gradient is called vanishing or exploding."""

from __future__ import annotations

from typing import Final

import numpy as np

from tapeviz.analysis.threshold import Threshold

__all__ = ["EXPLODING", "ROUNDING", "VANISHING", "VANISHING_ALONE", "VANISHING_STEP", "epsilon", "largest"]

VANISHING: Final = Threshold(
    "vanishing", 1e-5,
    "a gradient vanishes when its root mean square is below this part of the largest among the sources, and ...",
)  # fmt: skip
VANISHING_STEP: Final = Threshold("vanishing_step", 1e-6, "... its norm is below this part of the parameter's own norm")
VANISHING_ALONE: Final = Threshold(
    "vanishing_alone", 1e-3,
    "whatever the others are, it vanishes when its norm is below so many of the dtype's epsilons, both as a part of "
    "the parameter's own norm and as what it says of the target: how much of itself the target changes by when the "
    "parameter changes by all of itself",
)  # fmt: skip
EXPLODING: Final = Threshold(
    "exploding", 1e3, "a gradient explodes when its norm is above so many times the parameter's (at least 1 an element)"
)
ROUNDING: Final = Threshold(
    "rounding", 64.0,
    "a sum below so many epsilons of the norm of its terms, times the root of their number, is what rounding left of "
    "terms that cancel: it has not vanished on its way, it is 0 by the rules of arithmetic (a bias in front of a "
    "normalisation)",
)  # fmt: skip

_EPSILONS: Final = {"bfloat16": 2.0**-7}


def epsilon(dtype: str) -> float:
    """The distance from 1 to the next number of a floating-point dtype; that of float32 where it has none."""
    if dtype in _EPSILONS:
        return _EPSILONS[dtype]
    try:
        return float(np.finfo(np.dtype(dtype)).eps)
    except (TypeError, ValueError):
        return float(np.finfo(np.float32).eps)


def largest(dtype: str) -> float:
    """The largest number of a floating-point dtype; that of float32 where it has none."""
    if dtype == "bfloat16":
        return 3.3895314e38
    try:
        return float(np.finfo(np.dtype(dtype)).max)
    except (TypeError, ValueError):
        return float(np.finfo(np.float32).max)
