"""What all metrics have in common: :class:`Metric`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, Protocol, Self, TypeVar

import numpy as np

from tapeviz.engine.dtypes import as_dtype
from tapeviz.engine.scopes import Module, name_scope
from tapeviz.engine.variable import Variable
from tapeviz.graphs.ir.tracing import init_scope
from tapeviz.keras.floats import floatx
from tapeviz.keras.names import snake_case, unique_name
from tapeviz.ops.array.creation import zeros

__all__ = ["Metric"]


_Values = ParamSpec("_Values")
_Result = TypeVar("_Result")
_Result_co = TypeVar("_Result_co", covariant=True)


class _Callable(Protocol[_Values, _Result_co]):
    """A metric as a type checker sees it when it is called: it takes what ``update_state`` does."""

    @property
    def update_state(self) -> Callable[_Values, Any]: ...

    def result(self) -> _Result_co: ...


class Metric(Module):
    """Base class of metrics: ``update_state`` accumulates over many calls, ``result`` computes the value.

    The counts are variables: a traced function may update a metric, and a checkpoint keeps it.

    Args:
        dtype: the dtype to count in: float32 unless given.
        name: its name; the class's in snake case, with a number where it is taken.

    >>> import tapeviz as tf
    >>> class Largest(tf.keras.metrics.Metric):
    ...     def __init__(self, name="largest"):
    ...         super().__init__(name=name)
    ...         self.value = self.add_weight(name="value", initializer="zeros")
    ...     def update_state(self, values, sample_weight=None):
    ...         self.value.assign(tf.maximum(self.value, tf.reduce_max(values)))
    ...     def result(self):
    ...         return self.value.value()
    >>> largest = Largest()
    >>> largest([1.0, 3.0]).numpy(), largest([2.0]).numpy()
    (np.float32(3.0), np.float32(3.0))
    """

    def __init__(self, dtype: Any = None, name: str | None = None) -> None:
        super().__init__()
        self._name = name or unique_name(snake_case(type(self).__name__))  # any text will do, unlike a module's
        self._dtype = as_dtype(floatx() if dtype is None else dtype)
        self._own: list[Variable] = []

    @property
    def dtype(self) -> str:
        """The name of the dtype that it counts in."""
        return str(self._dtype.name)

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The counts, in the order of their making; then those of metrics inside this one."""
        found = {id(variable): variable for variable in (*self.__dict__.get("_own", ()), *super().variables)}
        return tuple(found.values())

    def add_variable(
        self, shape: Any = (), initializer: Any = None, dtype: Any = None, aggregation: str = "sum",
        name: str | None = None,
    ) -> Variable:  # fmt: skip
        """A count: a variable that is not trained.

        Args:
            shape: its shape.
            initializer: what it begins with: a function of shape and dtype, or the name of an initializer; zeros
                unless given.
            dtype: its dtype; the metric's unless given.
            aggregation: accepted as Keras does.
            name: its name, to which the metric's is added.

        Raises:
            RuntimeError: ``super().__init__()`` has not been called.
        """
        if "_own" not in self.__dict__:
            raise RuntimeError("You forgot to call `super().__init__()` in the `__init__()` method. Go add it!")
        kind = as_dtype(self._dtype if dtype is None else dtype)
        with init_scope(), name_scope(self.name):
            made = Variable(_first_value(initializer, tuple(shape), kind), trainable=False, name=name, dtype=kind)
        self._own.append(made)
        return made

    def add_weight(
        self, shape: Any = (), initializer: Any = None, dtype: Any = None, name: str | None = None
    ) -> Variable:
        """A count: a variable that is not trained. Arguments as for :meth:`add_variable`."""
        return self.add_variable(shape=shape, initializer=initializer, dtype=dtype, name=name)

    def update_state(self, *args: Any, **kwargs: Any) -> Any:
        """Accumulate values."""
        raise NotImplementedError(
            f"{type(self).__name__} must implement `update_state(self, y_true, y_pred, sample_weight=None)`."
        )

    def result(self) -> Any:
        """The result so far."""
        raise NotImplementedError(f"{type(self).__name__} must implement `result(self)`.")

    def reset_states(self) -> None:
        """The first name of :meth:`reset_state`."""
        self.reset_state()

    def reset_state(self) -> None:
        """Forget all values: the counts are 0 again."""
        for variable in self.variables:
            variable.assign(zeros(variable.shape, variable.dtype))

    def __call__(self: _Callable[_Values, _Result], *args: _Values.args, **kwargs: _Values.kwargs) -> _Result:
        """Take note of values, and say what came out so far."""
        self.update_state(*args, **kwargs)
        return self.result()

    def get_config(self) -> dict[str, Any]:
        """What :meth:`from_config` makes such a metric from."""
        return {"name": self.name, "dtype": self.dtype}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """The metric that a configuration describes."""
        return cls(**config)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} name={self.name}>"


def _first_value(initializer: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    if initializer is None or initializer == "zeros":
        return np.zeros(shape, dtype.numpy)
    if initializer == "ones":
        return np.ones(shape, dtype.numpy)
    return initializer(shape, dtype=dtype)
