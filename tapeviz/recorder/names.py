"""What the user calls tensors and variables: the names before a recording, and the numbers behind objects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tapeviz.engine.tensor import EagerTensor
from tapeviz.engine.variable import Variable
from tapeviz.recording.rows.packer import Packer

__all__ = ["Names", "numbers_of"]


class Names:
    """The names of tensors and variables before a recording: a name may be another's by its end.

    Only numbers are kept, so nothing lives longer for it. To be made before the recording takes its first number.
    """

    def __init__(self, namespace: Mapping[str, Any]) -> None:
        self._tensors: dict[str, int] = {}
        self._variables: dict[str, int] = {}
        for name, value in namespace.items():
            if name.startswith("_"):
                continue
            if isinstance(value, EagerTensor):
                self._tensors[name] = value._id
            elif isinstance(value, Variable):
                self._variables[name] = value._number

    def write(self, packer: Packer) -> None:
        """Name what the recording met and no store has named, as of its beginning."""
        first = {variable: tensor for tensor, variable in reversed(packer.tensors.variable_of.items())}
        met = {name: packer.old.get(number, -1) for name, number in self._tensors.items()}
        met |= {name: first.get(number, -1 - packer.base) + packer.base for name, number in self._variables.items()}
        for name, number in met.items():
            if packer.facts.unnamed(number):
                packer.facts.name(packer.started, number, name)


def numbers_of(packer: Packer, item: Any) -> tuple[int, int] | None:
    """The recording's numbers of a tensor and of the variable whose value it is, each -1 where there is none.

    None for what is neither tensor nor variable.
    """
    tensor = item._value if isinstance(item, Variable) else item
    if not isinstance(tensor, EagerTensor):
        return None
    # Asked through the slot: a tensor without a number, which no op of the recording has seen, would be given one.
    try:
        number = tensor._i
    except AttributeError:
        number = 0
    found = packer.old.get(number, number) - packer.base
    known = found >= 0 and packer.tensors.known(found)
    return found if known else -1, item._number if isinstance(item, Variable) else -1
