"""Which values the units of a program take, and which ones nothing takes any more after one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tapeviz.graphs.ir.special_nodes import ASSIGN
from tapeviz.graphs.memory.flat_packs import Pack
from tapeviz.graphs.passes.plan import Step

__all__ = ["last_uses", "used_in"]


def taken_by(unit: Step | Pack) -> list[Any]:
    """The values that a step or pack takes by their names."""
    if isinstance(unit, Step):
        return list(unit.taken())
    flat = [value for each in unit.inputs if not each.variables for value in each.parts]
    inside = {id(step.outputs[0]) for step in unit.steps} | {id(each.value) for each in unit.inputs}
    return [*flat, *(value for step in unit.steps for value in step.inputs if id(value) not in inside)]


def used_in(units: Sequence[Step | Pack], outputs: list[Any]) -> set[int]:
    """The values, by their identity, that some unit takes or the program gives."""
    banked = {
        id(part) for unit in units if isinstance(unit, Pack) for flat in unit.results if flat.variables
        for part in flat.parts
    }  # fmt: skip
    used = {id(value) for value in outputs}
    for unit in units:
        if not (isinstance(unit, Step) and unit.op is ASSIGN and id(unit.inputs[0]) in banked):
            used.update(id(value) for value in taken_by(unit))
    return used


def last_uses(units: Sequence[Step | Pack], outputs: list[Any]) -> dict[int, list[Any]]:
    """For each step, by its place, the values that nothing after it needs."""
    last: dict[int, tuple[int, Any]] = {}
    for place, unit in enumerate(units):
        made = unit.step.outputs if isinstance(unit, Pack) else unit.outputs
        for value in (*taken_by(unit), *made):
            last[id(value)] = (place, value)
    for value in outputs:
        last.pop(id(value), None)
    uses: dict[int, list[Any]] = {}
    for place, value in last.values():
        uses.setdefault(place, []).append(value)
    return uses
