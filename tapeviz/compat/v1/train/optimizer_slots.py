"""Variables that an optimizer keeps beside those that it changes."""

from __future__ import annotations

from typing import Any

from tapeviz.compat.v1.graph.graph_blocks import name_scope
from tapeviz.compat.v1.variables.variable_scope import get_variable_scope, variable_scope
from tapeviz.compat.v1.variables.variables import building_graph, new_variable
from tapeviz.engine.deferred_restoration import Awaited
from tapeviz.engine.shapes import as_dimensions
from tapeviz.ops.array.creation import fill

__all__ = ["Slots"]


class Slots(Awaited):
    """Slots by their name and variable, and variables that belong to none. Checkpoints keep them in their order."""

    def __init__(self) -> None:
        self._slots: dict[str, dict[int, Any]] = {}
        self._others: dict[tuple[str, Any], Any] = {}

    def _checkpoint_children(self) -> list[tuple[str, Any]]:
        """What a checkpoint keeps: slots by the place of their variable among those changed, since names may differ."""
        others = [(name, variable) for (name, _), variable in self._others.items()]
        numbered = [(name, enumerate(slots.values())) for name, slots in self._slots.items()]
        return [*others, *((f"{name}-{place}", slot) for name, slots in numbered for place, slot in slots)]

    def get_slot_names(self) -> list[str]:
        """The names of the slots that there are, sorted."""
        return sorted(self._slots)

    def get_slot(self, var: Any, name: str) -> Any:
        """A variable's slot; None where there is none.

        Args:
            var: the variable.
            name: the slot's name, such as "momentum".
        """
        return self._slots.get(name, {}).get(var._number)

    def variables(self) -> list[Any]:
        """The variables that it keeps for itself, by name."""
        made = [*self._others.values(), *(slot for slots in self._slots.values() for slot in slots.values())]
        return sorted(made, key=lambda variable: str(variable.name))

    def _make_slot(self, var: Any, name: str, begin: float, label: str) -> Any:
        """A variable's slot, made where there is none.

        Args:
            var: the variable, whose shape and dtype the slot has.
            name: the slot's name.
            begin: the number that fills it.
            label: what its name as a variable ends with.
        """
        slots = self._slots.setdefault(name, {})
        if var._number not in slots:
            shape, kind = list(as_dimensions(var.shape)), var.dtype
            owner = var.name.split(":")[0]
            slots[var._number] = _made(lambda: fill(shape, kind.as_numpy_dtype(begin)), f"{owner}/{label}", kind)
        return slots[var._number]

    def _make_other(self, like: Any, name: str, begin: float) -> Any:
        """A number that all variables of a graph share, made where there is none."""
        key = name, getattr(like, "graph", None)
        if key not in self._others:
            kind = like.dtype
            self._others[key] = _made(lambda: fill([], kind.as_numpy_dtype(begin)), name, kind)
        return self._others[key]

    def _other(self, like: Any, name: str) -> Any:
        return self._others[name, getattr(like, "graph", None)]


def _made(begin: Any, name: str, dtype: Any) -> Any:
    """A variable of that name in the scope of variables, with a number where it is taken, also at once."""
    scope = get_variable_scope().name
    if building_graph() is None:
        with variable_scope(None, name) as free:
            whole = free.name
    else:
        whole = f"{scope}/{name}" if scope else name
    with name_scope(None):
        return new_variable(begin, trainable=False, name=whole, dtype=dtype)
