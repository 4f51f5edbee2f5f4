"""Following one result from epoch to epoch: which way is better, and whether it has become better."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Mapping
from typing import Any, Final

__all__ = ["Monitor"]

_MORE_IS_BETTER: Final = re.compile(
    r"acc|auc|precision|recall|f1|fbeta|fmeasure|iou|r2|cosine_similarity|_at_|true_(positives|negatives)"
)


class Monitor:
    """One result, and the best of it so far.

    Args:
        name: its name in the logs.
        mode: ``"min"``, ``"max"``, or ``"auto"``: by the name, as accuracies are to grow and losses to shrink.
        min_delta: what counts as better at least.
        asked_by: who follows it, for messages.

    >>> monitor = Monitor("val_loss", "auto", 0.1)
    >>> [monitor.is_better(value) for value in (1.0, 0.95, 0.8)]
    [True, False, True]
    """

    def __init__(self, name: str, mode: str = "auto", min_delta: float = 0.0, asked_by: str = "") -> None:
        if mode not in ("auto", "min", "max"):
            warnings.warn(f"{asked_by} mode {mode} is unknown, fallback to auto mode.", stacklevel=3)
            mode = "auto"
        self.name = name
        self.grows: bool = mode == "max" or (mode == "auto" and _MORE_IS_BETTER.search(name) is not None)
        self.min_delta: float = abs(min_delta)
        self._asked_by = asked_by
        self.best: float = math.nan

    def reset(self, best: float | None = None) -> None:
        """Forget the best, or begin with one."""
        self.best = math.nan if best is None else best

    def value(self, logs: Mapping[str, Any] | None) -> float | None:
        """The result in these logs; None, and a warning, where it is not there."""
        found = (logs or {}).get(self.name)
        if found is None:
            known = ",".join(logs or {})
            warnings.warn(
                f"{self._asked_by} is conditioned on metric `{self.name}` which is not available. Available metrics "
                f"are: {known}",
                stacklevel=4,
            )
            return None
        return float(found)

    def exceeds(self, value: float, other: float) -> bool:
        """Whether one value is better than another one by at least ``min_delta``; any number is better than NaN."""
        if math.isnan(other):
            return not math.isnan(value)
        return value - self.min_delta > other if self.grows else value + self.min_delta < other

    def is_better(self, value: float) -> bool:
        """Whether a value is better than the best so far; then it is the best."""
        if not self.exceeds(value, self.best):
            return False
        self.best = value
        return True
