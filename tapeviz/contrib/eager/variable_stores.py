"""Keeping eager variables by name, for code that finds them with ``get_variable``."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self

from tapeviz.compat.v1.graph.default_graph import at_once
from tapeviz.compat.v1.variables.variable_creation import VariableStore, storing
from tapeviz.engine.variable import Variable

__all__ = ["EagerVariableStore"]


class EagerVariableStore:
    """Keeps the variables that are made in its blocks, so that code written for graphs finds them the next time.

    >>> import tapeviz as tf, tapeviz.compat.v1 as tf1, tapeviz.contrib.eager as tfe
    >>> kept = tfe.EagerVariableStore()
    >>> def scaled(x):
    ...     with tf1.variable_scope("scaled", reuse=tf1.AUTO_REUSE):
    ...         return x * tf1.get_variable("factor", initializer=tf.constant(3.0))
    >>> with kept.as_default():
    ...     print(scaled(2.0).numpy(), scaled(4.0).numpy())
    6.0 12.0
    >>> [variable.name for variable in kept.variables()]
    ['scaled/factor:0']
    """

    def __init__(self, store: VariableStore | None = None) -> None:
        self._store = store or VariableStore()

    @contextmanager
    def as_default(self) -> Iterator[Self]:
        """A block that is executed eagerly, and in which variables are made and found here."""
        with storing(self._store), at_once():
            yield self

    def variables(self) -> list[Any]:
        """The variables, by name."""
        return [self._store.variables[name] for name in sorted(self._store.variables)]

    def trainable_variables(self) -> list[Any]:
        """The trainable ones among them."""
        return [variable for variable in self.variables() if variable.trainable]

    def non_trainable_variables(self) -> list[Any]:
        """The others."""
        return [variable for variable in self.variables() if not variable.trainable]

    def copy(self) -> EagerVariableStore:
        """A store with variables of its own, which have the same names and values."""
        made = VariableStore()
        made.places, made.counts = dict(self._store.places), copy.copy(self._store.counts)
        for name, variable in self._store.variables.items():
            made.variables[name] = Variable(variable.value(), trainable=variable.trainable, name=name)
        return EagerVariableStore(made)
