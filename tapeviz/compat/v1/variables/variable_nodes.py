"""The steps of a session's graph that deal with variables: what they are, and what they do in a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from tapeviz.compat.v1.graph.variable_store import here, running
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import registry
from tapeviz.engine.state import local
from tapeviz.engine.tensor import wrap
from tapeviz.graphs.ir.special_nodes import Special

__all__ = [
    "ASSIGN", "ASSIGN_ADD", "ASSIGN_SUB", "INITIALIZED", "IS_INITIALIZED", "VARIABLE", "Initialized", "IsInitialized",
    "Reading", "Writing",
]  # fmt: skip

VARIABLE: Final = Special(
    "variable", "VariableV2", "The value that the session keeps for a variable.", "variable", "read", follows=True,
    formula=r"y = w",
)  # fmt: skip
ASSIGN: Final = Special(
    "assign_in_session", "Assign", "The session keeps this for a variable from here on.", "variable", "write",
    formula=r"w \leftarrow x",
)  # fmt: skip
ASSIGN_ADD: Final = Special(
    "assign_add_in_session", "AssignAdd", "The session adds this to what it keeps for a variable.", "variable", "write",
    formula=r"w \leftarrow w + x",
)  # fmt: skip
ASSIGN_SUB: Final = Special(
    "assign_sub_in_session", "AssignSub", "The session subtracts this from what it keeps for a variable.", "variable",
    "write", formula=r"w \leftarrow w - x",
)  # fmt: skip
INITIALIZED: Final = Special(
    "initialized_value", "If", "What the session keeps for a variable; its initial value as long as that is nothing.",
    "variable", "read",
)  # fmt: skip
IS_INITIALIZED: Final = Special(
    "is_initialized", "IsVariableInitialized", "Whether the session keeps a value for a variable.", "variable", "read",
)  # fmt: skip


class Reading:
    """Reads a variable in a run."""

    def __init__(self, variable: Any) -> None:
        self.variable = variable

    def __call__(self, _arrays: Sequence[Any]) -> list[Any]:
        """The array of its value."""
        value = self.variable._value
        if (observer := local.state.observer) is not None:
            observer.on_variable(self.variable, "read")
        return [value._a]


class Writing:
    """Assigns a variable in a run."""

    def __init__(self, variable: Any, op: Special) -> None:
        self.variable = variable
        self._combine: Callable[..., Any] | None = None
        if op is not ASSIGN:
            self._combine = registry["add" if op is ASSIGN_ADD else "subtract"].run

    def __call__(self, arrays: Sequence[Any]) -> list[Any]:
        """The array of its new value. Two runs at once in one session add one after the other."""
        variable, given = self.variable, wrap(arrays[0])
        store = running()
        assert store is not None  # noqa: S101 - nodes run in sessions
        with store.lock:
            value = given if self._combine is None else self._combine(variable._value, given)
            variable._bind(value, "assigned")
        return [value._a]


class Initialized:
    """Gives a variable's value in a run, or what it is to begin with."""

    def __init__(self, variable: Any) -> None:
        self.variable = variable

    def __call__(self, arrays: Sequence[Any]) -> list[Any]:
        """The array."""
        store = running()
        found = None if store is None else store.values.get(store.key(self.variable))
        return [arrays[0] if found is None else here(found)._a]


class IsInitialized:
    """Says in a run whether a variable has a value."""

    def __init__(self, variable: Any) -> None:
        self.variable = variable

    def __call__(self, _arrays: Sequence[Any]) -> list[Any]:
        """The answer."""
        store = running()
        return [convert_to_tensor(store is not None and store.key(self.variable) in store.values)._a]
