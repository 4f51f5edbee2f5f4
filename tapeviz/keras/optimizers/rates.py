"""The learning rate of an optimizer: a number that can be set, a schedule, or a function."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.engine.kernels import recorded_ops as ops
from tapeviz.engine.variable import Variable
from tapeviz.keras.optimizers.schedules.finding import deserialize, serialize
from tapeviz.keras.optimizers.schedules.schedule import LearningRateSchedule
from tapeviz.keras.optimizers.slots import Slots

__all__ = ["Rated", "single"]


def single(number: float) -> float:
    """A number as float32 has it: Keras rounds its decay rates so, in float64 too, and ``1 - 0.999**t`` shows it."""
    return float(np.float32(number))


class Rated(Slots):
    """What an optimizer keeps, with its learning rate and the numbers that all variables share in a step."""

    def __init__(self, learning_rate: Any, name: str | None) -> None:
        super().__init__(name)
        self.gradient_accumulation_steps: int | None = None
        self._shared: dict[Any, Any] | None = None
        if callable(learning_rate):
            self._learning_rate = learning_rate
            return
        if not isinstance(learning_rate, float):
            raise ValueError(  # noqa: TRY004 - Keras'
                "Argument `learning_rate` should be float, or an instance of LearningRateSchedule, or a callable (that "
                "takes in the current iteration value and returns the corresponding learning rate value). Received "
                f"instead: learning_rate={learning_rate}"
            )
        self._learning_rate = self.add_variable((), float(learning_rate), name="learning_rate")

    @property
    def iterations(self) -> Any:
        """How many steps were made; with gradient accumulation, how many changed variables."""
        if self.gradient_accumulation_steps:
            return ops.floordiv(self._iterations, self.gradient_accumulation_steps)
        return self._iterations

    @property
    def learning_rate(self) -> Any:
        """The learning rate of now: a variable, or what the schedule or function gives. It can be set.

        Raises:
            TypeError: a number is set where the optimizer was made with a schedule.
        """
        if isinstance(self._learning_rate, LearningRateSchedule):
            return self._learning_rate(self._iterations)
        return self._learning_rate if isinstance(self._learning_rate, Variable) else self._learning_rate()

    @learning_rate.setter
    def learning_rate(self, learning_rate: Any) -> None:
        before = self._learning_rate
        if callable(learning_rate):
            self._learning_rate = learning_rate
            if isinstance(before, Variable):
                self._forget(before)
        elif isinstance(before, Variable):
            before.assign(learning_rate)
        else:
            raise TypeError(
                "This optimizer was created with a `LearningRateSchedule` object as its `learning_rate` constructor "
                "argument, hence its learning rate is not settable. If you need the learning rate to be settable, you "
                "should instantiate the optimizer with a float `learning_rate` argument."
            )

    def rate_config(self) -> Any:
        """The learning rate as :meth:`get_config` tells it."""
        rate = self._learning_rate
        if isinstance(rate, LearningRateSchedule):
            return serialize(rate)
        return float(rate.numpy()) if isinstance(rate, Variable) else rate

    @staticmethod
    def with_rate(config: dict[str, Any], custom_objects: dict[str, Any] | None = None) -> dict[str, Any]:
        """A configuration in which the learning rate is what :meth:`__init__` takes."""
        rate = config.get("learning_rate")
        return {**config, "learning_rate": deserialize(rate, custom_objects)} if isinstance(rate, dict) else config

    # What depends on the step alone is computed once for all variables of a dtype.

    def step_numbers(self, step: Any, learning_rate: Any) -> Any:
        """Numbers that all variables share in a step; :meth:`shared` gives them to :meth:`update_step`.

        Args:
            step: the number of this step from 1 on, as a tensor of the variables' dtype.
            learning_rate: a tensor of that dtype.
        """
        return learning_rate

    def shared(self, dtype: Any, learning_rate: Any) -> Any:
        """What :meth:`step_numbers` gives for the variables of a dtype in this step."""
        known = {} if self._shared is None else self._shared
        if dtype not in known:
            step = ops.add(ops.cast(self.iterations, dtype=dtype.numpy), 1)
            known[dtype] = self.step_numbers(step, learning_rate)
        return known[dtype]

    def _begin_step(self) -> None:
        self._shared = {}

    def _end_step(self) -> None:
        self._shared = None
