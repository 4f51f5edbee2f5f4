"""Schedules that let the learning rate fall: exponentially, in steps, as a polynomial, as one over time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.kernels import recorded_ops as ops
from tapeviz.keras.optimizers.schedules.schedule import LearningRateSchedule, first_rate, positive
from tapeviz.ops.array.cast import cast
from tapeviz.ops.array.select import where

__all__ = ["ExponentialDecay", "InverseTimeDecay", "PiecewiseConstantDecay", "PolynomialDecay"]


class ExponentialDecay(LearningRateSchedule):
    """``initial_learning_rate * decay_rate ** (step / decay_steps)``.

    Args:
        initial_learning_rate: the rate of step 0.
        decay_steps: after how many steps the rate is multiplied with ``decay_rate``.
        decay_rate: the factor.
        staircase: whether the rate falls every ``decay_steps`` steps, instead of a little at each.
        name: accepted as Keras does.

    >>> import tapeviz as tf
    >>> rate = tf.keras.optimizers.schedules.ExponentialDecay(0.5, decay_steps=10, decay_rate=0.25)
    >>> [rate(step).numpy().item() for step in (0, 5, 10)]
    [0.5, 0.25, 0.125]
    """

    _config = ("initial_learning_rate", "decay_steps", "decay_rate", "staircase", "name")

    def __init__(
        self, initial_learning_rate: Any, decay_steps: Any, decay_rate: Any, staircase: bool = False,
        name: str = "ExponentialDecay",
    ) -> None:  # fmt: skip
        positive("decay_steps", decay_steps)
        self.initial_learning_rate = initial_learning_rate
        self.decay_steps: Any
        self.decay_rate: Any
        self.staircase: bool
        self.name: str
        self.decay_steps, self.decay_rate, self.staircase, self.name = decay_steps, decay_rate, staircase, name

    def __call__(self, step: Any) -> Any:
        """The learning rate of a step."""
        first = first_rate(self)
        done = cast(step, first.dtype) / cast(self.decay_steps, first.dtype)
        return first * cast(self.decay_rate, first.dtype) ** (ops.floor(done) if self.staircase else done)


class InverseTimeDecay(LearningRateSchedule):
    """``initial_learning_rate / (1 + decay_rate * step / decay_steps)``.

    Args:
        initial_learning_rate: the rate of step 0.
        decay_steps: how many steps count as 1.
        decay_rate: how fast the rate falls.
        staircase: whether the rate falls every ``decay_steps`` steps, instead of a little at each.
        name: accepted as Keras does.

    >>> import tapeviz as tf
    >>> rate = tf.keras.optimizers.schedules.InverseTimeDecay(0.5, decay_steps=10, decay_rate=1.0)
    >>> [rate(step).numpy().item() for step in (0, 10, 30)]
    [0.5, 0.25, 0.125]
    """

    _config = ("initial_learning_rate", "decay_steps", "decay_rate", "staircase", "name")

    def __init__(
        self, initial_learning_rate: Any, decay_steps: Any, decay_rate: Any, staircase: bool = False,
        name: str = "InverseTimeDecay",
    ) -> None:  # fmt: skip
        positive("decay_steps", decay_steps)
        self.initial_learning_rate = initial_learning_rate
        self.decay_steps: Any
        self.decay_rate: Any
        self.staircase: bool
        self.name: str
        self.decay_steps, self.decay_rate, self.staircase, self.name = decay_steps, decay_rate, staircase, name

    def __call__(self, step: Any) -> Any:
        """The learning rate of a step."""
        first = first_rate(self)
        done = cast(step, first.dtype) / cast(self.decay_steps, first.dtype)
        return first / (1.0 + cast(self.decay_rate, first.dtype) * (ops.floor(done) if self.staircase else done))


class PiecewiseConstantDecay(LearningRateSchedule):
    """``values[0]`` up to and with step ``boundaries[0]``, then ``values[1]`` up to the next boundary, and so on.

    Args:
        boundaries: the last step of each value but the last, ascending.
        values: one more than there are boundaries.
        name: accepted as Keras does.

    Raises:
        ValueError: the lengths do not fit.

    >>> import tapeviz as tf
    >>> rate = tf.keras.optimizers.schedules.PiecewiseConstantDecay([10, 20], [1.0, 0.5, 0.25])
    >>> [rate(step).numpy().item() for step in (10, 11, 21)]
    [1.0, 0.5, 0.25]
    """

    _config = ("boundaries", "values", "name")

    def __init__(self, boundaries: Sequence[Any], values: Sequence[Any], name: str = "PiecewiseConstant") -> None:
        if len(boundaries) != len(values) - 1:
            raise ValueError(
                "The length of boundaries should be 1 less than the length of values. Received: "
                f"boundaries={boundaries} of length {len(boundaries)}, and values={values} of length {len(values)}."
            )
        self.boundaries: Sequence[Any]
        self.values: Sequence[Any]
        self.name: str
        self.boundaries, self.values, self.name = boundaries, values, name

    def __call__(self, step: Any) -> Any:
        """The learning rate of a step."""
        now = convert_to_tensor(step)
        rate = convert_to_tensor(self.values[-1])
        for boundary, value in reversed(list(zip(self.boundaries, self.values[:-1], strict=True))):
            rate = where(ops.less_equal(now, cast(boundary, now.dtype)), cast(value, rate.dtype), rate)
        return rate


class PolynomialDecay(LearningRateSchedule):
    """``(initial_learning_rate - end_learning_rate) * (1 - step / decay_steps) ** power + end_learning_rate``.

    Args:
        initial_learning_rate: the rate of step 0.
        decay_steps: the step from which on the rate is ``end_learning_rate``.
        end_learning_rate: the lowest rate.
        power: of the polynomial; 1 is a straight line.
        cycle: whether the rate rises again after ``decay_steps``, each time over so many steps more.
        name: accepted as Keras does.

    >>> import tapeviz as tf
    >>> rate = tf.keras.optimizers.schedules.PolynomialDecay(1.0, decay_steps=10, end_learning_rate=0.5)
    >>> [rate(step).numpy().item() for step in (0, 5, 10, 20)]
    [1.0, 0.75, 0.5, 0.5]
    """

    _config = ("initial_learning_rate", "decay_steps", "end_learning_rate", "power", "cycle", "name")

    def __init__(
        self, initial_learning_rate: Any, decay_steps: Any, end_learning_rate: Any = 0.0001, power: Any = 1.0,
        cycle: bool = False, name: str = "PolynomialDecay",
    ) -> None:  # fmt: skip
        positive("decay_steps", decay_steps)
        self.initial_learning_rate: Any
        self.end_learning_rate: Any
        self.initial_learning_rate, self.end_learning_rate = initial_learning_rate, end_learning_rate
        self.decay_steps: Any
        self.power: Any
        self.cycle: bool
        self.name: str
        self.decay_steps, self.power, self.cycle, self.name = decay_steps, power, cycle, name

    def __call__(self, step: Any) -> Any:
        """The learning rate of a step."""
        first = first_rate(self)
        end, now = cast(self.end_learning_rate, first.dtype), cast(step, first.dtype)
        last = cast(self.decay_steps, first.dtype)
        if self.cycle:
            last = last * where(ops.equal(now, 0), ops.ones_like(now), ops.ceil(now / self.decay_steps))
        else:
            now = ops.minimum(now, last)
        return (first - end) * (1.0 - now / last) ** cast(self.power, first.dtype) + end
