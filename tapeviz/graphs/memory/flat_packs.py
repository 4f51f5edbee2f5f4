"""Packed steps as steps on flat arrays, and where the flat arrays come from and go to."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tapeviz.graphs.ir.special_nodes import ASSIGN, READ
from tapeviz.graphs.passes.layouts import turned_values
from tapeviz.graphs.passes.plan import GATHER, PACKED, SPREAD, Plan, Step, runs_others
from tapeviz.process.background import checkpoint

__all__ = ["Flat", "Pack", "opened"]

# Elements. In smaller pieces the calls cost more than the cache saves; of fewer elements all are in it anyway.
_PIECE = 65536
_MUCH = 131072


@dataclass(slots=True)
class Flat:
    """A flat value and the values that are its parts. ``variables`` are those that are read or assigned by them."""

    value: Any
    parts: list[Any]
    variables: tuple[Any, ...] = ()


@dataclass(slots=True)
class Pack:
    """A packed step with all that it needs: flat inputs, steps, flat results.

    ``piece`` is how many elements are worked on at once, 0 for all.
    """

    step: Step
    shapes: list[tuple[int, ...]]
    piece: int
    inputs: list[Flat] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    results: list[Flat] = field(default_factory=list)

    def all(self) -> list[Step]:
        """Everything as steps."""
        node = self.step.node
        gathers = [Step(node, GATHER, tuple(flat.parts), {}, (flat.value,)) for flat in self.inputs]
        spreads = [Step(node, SPREAD, (flat.value,), {}, tuple(flat.parts)) for flat in self.results]
        return [*gathers, *self.steps, *spreads]


def opened(plan: Plan, sizes: Any, *, in_pieces: bool = True) -> list[Step | Pack]:
    """The steps of a plan, with packs for packed ones, and fused ones one by one."""
    found: list[Step | Pack] = []
    used = _used_outside(plan)
    turned = turned_values(single for step in plan.steps for single in step.single())
    readers = {id(step.outputs[0]): step.attrs["variable"] for step in plan.steps if step.op is READ}
    assigned: dict[int, list[Any]] = {}
    for step in plan.steps:
        if step.op is ASSIGN:
            assigned.setdefault(id(step.inputs[0]), []).append(step.attrs["variable"])
    for step in plan.steps:
        checkpoint()
        if step.op is not PACKED:
            found += step.single()
        elif turned.isdisjoint(map(id, step.inputs)):
            pack = _pack(plan, step, sizes, used, in_pieces)
            _find_variables(pack, readers, assigned, plan)
            found.append(pack)
        else:
            found += step.single()
    return found


def _used_outside(plan: Plan) -> set[int]:
    used = {id(value) for value in plan.outputs}
    for step in plan.steps:
        used.update(id(value) for value in step.taken())
    return used


def _pack(plan: Plan, step: Step, sizes: Any, used: set[int], in_pieces: bool) -> Pack:
    lanes = step.members
    shapes = [sizes.of(lane.outputs[0]) for lane in lanes]
    total = sum(map(math.prod, shapes))
    piece = _PIECE if in_pieces and total >= _MUCH else 0
    pack = Pack(step, shapes, piece)
    now: dict[int, Any] = {}
    for number, member in enumerate(lanes[0].members):
        inputs = []
        for place, value in enumerate(member.inputs):
            if sizes.of(value) != () and id(value) not in now:
                flat = now[id(value)] = plan.value((total,), value._a.dtype)
                parts = [lane.members[number].inputs[place] for lane in lanes]
                pack.inputs.append(Flat(flat, parts))
            inputs.append(now.get(id(value), value))
        results = [lane.members[number].outputs[0] for lane in lanes]
        leaves = any(id(value) in used for value in results)
        size = piece if piece and not leaves else total
        made = now[id(member.outputs[0])] = plan.value((size,), member.outputs[0]._a.dtype)
        pack.steps.append(Step(member.node, member.op, tuple(inputs), {}, (made,)))
        if leaves:
            pack.results.append(Flat(made, results))
    return pack


def _find_variables(pack: Pack, readers: dict[int, Any], assigned: dict[int, list[Any]], plan: Plan) -> None:
    """Note which flat values are those of variables: each is assigned once, and nothing reads it after that."""
    wanted = {}
    for flat in pack.results:
        variables = [assigned.get(id(value), []) for value in flat.parts]
        if all(len(each) == 1 for each in variables):
            mine = tuple(each[0] for each in variables)
            if len(set(map(id, mine))) == len(mine) and _is_assigned_once(mine, plan):
                flat.variables = mine
                wanted[tuple(map(id, mine))] = mine
    for flat in pack.inputs:
        if _changes_between(flat.parts, pack.step, plan):
            continue
        flat.variables = wanted.get(tuple(id(readers.get(id(value))) for value in flat.parts), ())


def _changes_between(parts: Sequence[Any], step: Step, plan: Plan) -> bool:
    """Whether another program runs between the reads of these values and a step: it may assign the variables."""
    read = set(map(id, parts))
    began = False
    for other in plan.steps:
        if other is step:
            return False
        began = began or (other.op is READ and id(other.outputs[0]) in read)
        if began and runs_others(other):
            return True
    return False


def _is_assigned_once(variables: Sequence[Any], plan: Plan) -> bool:
    """Whether each has one assignment, and all of these come after everything but other assignments."""
    mine = {variable._number for variable in variables}
    steps = [step for step in plan.steps if step.op is ASSIGN and step.attrs["variable"]._number in mine]
    last = len(plan.steps)
    while last and plan.steps[last - 1].op is ASSIGN:
        last -= 1
    return len(steps) == len(mine) and all(step in plan.steps[last:] for step in steps)
