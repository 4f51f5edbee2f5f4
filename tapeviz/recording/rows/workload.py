"""How much was recorded of what costs time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from tapeviz.recording.rows.backward_rows import Steps
from tapeviz.recording.rows.op_log import OpColumns

__all__ = ["Work"]

# Seconds beyond which an op is a long one, and its part of a backward pass, which does more.
_LONG: Final = 1e-6
_LONG_STEP: Final = 3e-6


@dataclass
class Work:
    """Counts of ops and backward steps, and of those among them that took long.

    ``rare`` is how often there was what comes a few times a pass: scopes, tapes, watches, variables, values that leave,
    gradients handed out.
    ``nbytes`` is how much memory was kept that the program would have used again.
    """

    ops: int = 0
    long_ops: int = 0
    steps: int = 0
    long_steps: int = 0
    rare: int = 0
    nbytes: int = 0

    def add(self, ops: OpColumns, steps: Steps, others: int, rare: int) -> None:
        """Count these; ``others`` are further ops, all long."""
        self.ops += len(ops) + others
        self.long_ops += int(np.count_nonzero(ops.t1 - ops.t0 > _LONG)) + others
        self.steps += len(steps)
        self.long_steps += int(np.count_nonzero(steps.t1 - steps.t0 > _LONG_STEP))
        self.rare += rare
