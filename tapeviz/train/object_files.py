"""Objects in checkpoint files: the values of their variables, and beside them who has which part under which name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tapeviz.engine.variable import Variable
from tapeviz.train.files import write_checkpoint
from tapeviz.train.trackable import key_of, reachable

__all__ = ["full_name", "held_values", "write_objects"]


def full_name(variable: Variable) -> str:
    """The name under which savers that go by names know a variable."""
    return variable.name.partition(":")[0]


def held_values(variables: Sequence[Variable]) -> list[Any]:
    """What eager variables have now."""
    return [variable._value._host() for variable in variables]


def write_objects(
    prefix: str, root: Any, values_of: Callable[[Sequence[Variable]], Sequence[Any]] = held_values
) -> None:
    """Write what an object is made of under a prefix.

    Args:
        prefix: of the files.
        root: the object.
        values_of: gives the values of variables: those in a session, say.
    """
    values: dict[str, Any] = {}
    variables: dict[str, Variable] = {}
    told = []
    for node in reachable(root):
        said: dict[str, Any] = {"path": list(node.path), "children": node.children}
        if isinstance(node.owner, Variable):
            said["key"], said["name"] = key_of(node.path), full_name(node.owner)
            variables[said["key"]] = node.owner
        elif hasattr(type(node.owner), "_checkpoint_values"):
            given = node.owner._checkpoint_values()
            said["values"] = {name: key_of(node.path, name) for name in given}
            values.update({said["values"][name]: value for name, value in given.items()})
        told.append(said)
    values.update(zip(variables, values_of(list(variables.values())), strict=True))
    write_checkpoint(prefix, values, told)
