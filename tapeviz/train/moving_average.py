"""Exponential moving averages of variables, which often predict better than their last values."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import registry
from tapeviz.engine.operators import public
from tapeviz.engine.variable import Variable
from tapeviz.ops.array.creation import zeros_like
from tapeviz.ops.control.execution_order import group

__all__ = ["ExponentialMovingAverage"]


class ExponentialMovingAverage:
    """Averages of variables in which a value counts ``decay`` times as much as the next one.

    Args:
        decay: the part of an average that stays, a number or a scalar tensor near 1.
        num_updates: how many updates there were, a number or tensor: with few of them averages move faster, as
            ``min(decay, (1 + num_updates) / (10 + num_updates))`` stays.
        zero_debias: whether averages of tensors, which begin at 0, are divided by what is missing of 1.
        name: comes behind the names of the variables.

    See Polyak and Juditsky 1992, "Acceleration of stochastic approximation by averaging".

    >>> import tapeviz as tf
    >>> weight = tf.Variable(10.0)
    >>> averages = tf.train.ExponentialMovingAverage(0.9)
    >>> averages.apply([weight])
    >>> _ = weight.assign(0.0)
    >>> averages.apply([weight])
    >>> averages.average(weight).numpy().item()
    9.0
    """

    def __init__(
        self, decay: Any, num_updates: Any = None, zero_debias: bool = False, name: str = "ExponentialMovingAverage"
    ) -> None:
        self._decay, self._num_updates, self._zero_debias = decay, num_updates, zero_debias
        self._name = name
        self._averages: dict[Any, Any] = {}
        self._steps: dict[Any, Any] = {}

    @property
    def name(self) -> str:
        """What comes behind the names of the variables."""
        return self._name

    def apply(self, var_list: Iterable[Any] | None = None) -> Any:
        """Bring the averages up to date, and begin those that there are not.

        Args:
            var_list: variables, or tensors of a graph; an average of a variable begins at its value.

        Returns:
            In a session's graph the operation that does it.

        Raises:
            TypeError: one of them is of no floating-point dtype.
        """
        watched = list(self._default() if var_list is None else var_list)
        for one in watched:
            if not convert_to_tensor(one).dtype.is_floating:
                raise TypeError(f"The variables must be half, float, or double: {one.name} is {one.dtype.name}")
            if self._key(one) not in self._averages:
                self._begin(one)
        done = [self._update(one) for one in watched]
        return group(*done, name=self._name)

    def average(self, var: Any) -> Any:
        """The variable that holds the average, or None."""
        return self._averages.get(self._key(var))

    def average_name(self, var: Any) -> str:
        """The name of the average in checkpoints."""
        found = self.average(var)
        return _plain_name(var) + "/" + self._name if found is None else _plain_name(found)

    def variables_to_restore(self, moving_avg_variables: Iterable[Any] | None = None) -> dict[str, Any]:
        """By the name of each average its variable, and by their own names those that have none: for a saver."""
        averaged = list(self._default() if moving_avg_variables is None else moving_avg_variables)
        names = {self._key(var): self.average_name(var) for var in averaged}
        others = {_plain_name(var): var for var in self._others() if self._key(var) not in names}
        return others | {names[self._key(var)]: var for var in averaged}

    def _key(self, var: Any) -> Any:
        return id(var) if not hasattr(var, "ref") else var.ref()

    def _default(self) -> Iterable[Any]:
        return ()

    def _others(self) -> Iterable[Any]:
        return ()

    def _new(self, value: Any, name: str) -> Any:
        return Variable(value, trainable=False, name=name)

    def _begin(self, var: Any) -> None:
        key, name = self._key(var), f"{_plain_name(var)}/{self._name}"
        variable = hasattr(var, "assign")
        value = self._first_value(var) if variable else zeros_like(var)
        self._averages[key] = self._new(value, name)
        if not variable and self._zero_debias:
            self._steps[key] = self._new(value, f"{name}/biased"), self._new(0.0, f"{name}/local_step")

    def _first_value(self, var: Any) -> Any:
        return convert_to_tensor(var)

    def _update(self, var: Any) -> Any:
        average, value = self._averages[self._key(var)], convert_to_tensor(var)
        decay = convert_to_tensor(self._decay, dtype=value.dtype)
        if self._num_updates is not None:
            count = public["cast"](convert_to_tensor(self._num_updates), value.dtype)
            decay = registry["minimum"].run(decay, (1.0 + count) / (10.0 + count))
        if self._key(var) not in self._steps:
            return average.assign_sub((average - value) * (1.0 - decay))
        biased, step = self._steps[self._key(var)]
        steps, moved = step.assign_add(1.0), biased.assign_sub((biased - value) * (1.0 - decay))
        return average.assign(moved / (1.0 - decay ** public["cast"](steps, value.dtype)))


def _plain_name(var: Any) -> str:
    return str(var.name).partition(":")[0]
