"""What is said of a variable beside its value: its constraint, and how several processes would treat it."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from enum import Enum
from typing import Any, Final

__all__ = ["VariableAggregation", "VariableSynchronization", "constrain", "variable_constraint"]

_constraints: Final[dict[int, tuple[weakref.ref[Any], Any]]] = {}


def constrain(variable: Any, constraint: Callable[[Any], Any]) -> None:
    """Remember the constraint of a variable, as long as there is the variable.

    Raises:
        ValueError: it is no function.
    """
    if not callable(constraint):
        raise ValueError("The `constraint` argument must be a callable.")  # noqa: TRY004 - as in TensorFlow
    number = variable._number
    _constraints[number] = (weakref.ref(variable, lambda _: _constraints.pop(number, None)), constraint)


def variable_constraint(variable: Any) -> Callable[[Any], Any] | None:
    """What has to be applied to a variable's value after each update; None where there is nothing."""
    found = _constraints.get(variable._number)
    return None if found is None else found[1]


class VariableSynchronization(Enum):
    """When the copies of a variable on several devices become alike. A variable has one copy in a process here.

    >>> import tapeviz as tf
    >>> tf.Variable(1.0, synchronization=tf.VariableSynchronization.ON_READ).synchronization.name
    'ON_READ'
    """

    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


class VariableAggregation(Enum):
    """How changes of a variable on several devices become one. A variable has one copy in a process here.

    >>> import tapeviz as tf
    >>> tf.Variable(1.0, aggregation=tf.VariableAggregation.MEAN).aggregation.name
    'MEAN'
    """

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3
