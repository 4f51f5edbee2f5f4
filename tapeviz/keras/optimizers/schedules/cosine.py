"""Schedules in which the learning rate falls along half a wave of the cosine."""

from __future__ import annotations

import math
from typing import Any

from tapeviz.engine.kernels import recorded_ops as ops
from tapeviz.keras.optimizers.schedules.schedule import LearningRateSchedule, first_rate, positive
from tapeviz.ops.array.cast import cast
from tapeviz.ops.array.select import where

__all__ = ["CosineDecay", "CosineDecayRestarts"]


class CosineDecay(LearningRateSchedule):
    """Cosine decay from ``initial_learning_rate`` down to ``alpha`` times it, after a warm-up if asked for.

    Args:
        initial_learning_rate: the rate of step 0.
        decay_steps: over how many steps it falls.
        alpha: what is left at the end, as a share of the rate it falls from.
        name: accepted as Keras does.
        warmup_target: the rate that a straight rise leads to before the fall; None for no rise.
        warmup_steps: over how many steps it rises.

    >>> import tapeviz as tf
    >>> rate = tf.keras.optimizers.schedules.CosineDecay(1.0, decay_steps=10)
    >>> [round(rate(step).numpy().item(), 6) for step in (0, 5, 10)]
    [1.0, 0.5, 0.0]
    """

    _config = ("initial_learning_rate", "decay_steps", "alpha", "name", "warmup_target", "warmup_steps")

    def __init__(
        self, initial_learning_rate: Any, decay_steps: Any, alpha: Any = 0.0, name: str = "CosineDecay",
        warmup_target: Any = None, warmup_steps: Any = 0,
    ) -> None:  # fmt: skip
        positive("decay_steps", decay_steps)
        self.initial_learning_rate: Any
        self.decay_steps: Any
        self.alpha: Any
        self.initial_learning_rate, self.decay_steps, self.alpha = initial_learning_rate, decay_steps, alpha
        self.name: str
        self.warmup_target: Any
        self.warmup_steps: Any
        self.name, self.warmup_target, self.warmup_steps = name, warmup_target, warmup_steps

    def __call__(self, step: Any) -> Any:
        """The learning rate of a step."""
        first = first_rate(self)
        steps, now = cast(self.decay_steps, first.dtype), cast(step, first.dtype)
        if self.warmup_target is None:
            return self._falling(ops.minimum(now, steps), steps, first)
        top, rise = cast(self.warmup_target, first.dtype), cast(self.warmup_steps, first.dtype)
        now = ops.minimum(now, steps + rise)
        rising = (top - first) * now / ops.maximum(rise, 1) + first
        return where(now < rise, rising, self._falling(now - rise, steps, top))

    def _falling(self, now: Any, steps: Any, top: Any) -> Any:
        wave = 0.5 * (1.0 + ops.cos(math.pi * (now / steps)))
        return top * ((1 - self.alpha) * wave + self.alpha)


class CosineDecayRestarts(LearningRateSchedule):
    """Cosine decay with restarts, each time over more steps and from another height.

    Args:
        initial_learning_rate: the rate of step 0.
        first_decay_steps: over how many steps the first fall goes.
        t_mul: how many times longer each fall is than the one before.
        m_mul: how many times higher each begins.
        alpha: what is left at the end of a fall, as a share of ``initial_learning_rate``.
        name: accepted as Keras does.

    >>> import tapeviz as tf
    >>> rate = tf.keras.optimizers.schedules.CosineDecayRestarts(1.0, first_decay_steps=10)
    >>> [round(rate(step).numpy().item(), 6) for step in (0, 5, 10, 20)]
    [1.0, 0.5, 1.0, 0.5]
    """

    def __init__(
        self, initial_learning_rate: Any, first_decay_steps: Any, t_mul: Any = 2.0, m_mul: Any = 1.0, alpha: Any = 0.0,
        name: str = "SGDRDecay",
    ) -> None:  # fmt: skip
        positive("first_decay_steps", first_decay_steps)
        self.initial_learning_rate: Any
        self.first_decay_steps: Any
        self.alpha: Any
        self.initial_learning_rate, self.first_decay_steps, self.alpha = initial_learning_rate, first_decay_steps, alpha
        self.name: str
        self._t_mul, self._m_mul, self.name = t_mul, m_mul, name

    def get_config(self) -> dict[str, Any]:
        """The arguments that make another schedule like this one."""
        names = ("initial_learning_rate", "first_decay_steps", "alpha", "name")
        return {**{name: getattr(self, name) for name in names}, "t_mul": self._t_mul, "m_mul": self._m_mul}

    def __call__(self, step: Any) -> Any:
        """The learning rate of a step."""
        first = first_rate(self)
        longer, higher = cast(self._t_mul, first.dtype), cast(self._m_mul, first.dtype)
        done = cast(step, first.dtype) / cast(self.first_decay_steps, first.dtype)
        if self._t_mul == 1.0:
            falls = ops.floor(done)
            part = done - falls
        else:  # a geometric series of lengths
            falls = ops.floor(ops.log(1.0 - done * (1.0 - longer)) / ops.log(longer))
            part = (done - (1.0 - longer**falls) / (1.0 - longer)) / longer**falls
        wave = 0.5 * higher**falls * (1.0 + ops.cos(math.pi * part))
        return first * ((1 - self.alpha) * wave + self.alpha)
