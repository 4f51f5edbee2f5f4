"""Fuse: elementwise steps of one shape that take from one another become one step with members.

The executor runs the members one right after the other, in one buffer where that is possible, and for large arrays a
piece at a time, so that what one member makes is still in the processor's cache when the next one takes it.
"""

from __future__ import annotations

from typing import Any

from tapeviz.engine.declaration import Op
from tapeviz.graphs.ir.special_nodes import ASSIGN, READ
from tapeviz.graphs.passes.plan import FUSED, Plan, Step, runs_others, shape_of

__all__ = ["fuse", "is_elementwise"]


def is_elementwise(step: Step) -> bool:
    """Whether each element of the result depends on the elements at its own place alone."""
    op = step.op
    loops = isinstance(op, Op) and op.family == "elementwise" and "uneven" not in op.hints
    return loops and not op.many and not op.effects


def fuse(plan: Plan) -> str:
    """Make one step of elementwise ones that are connected."""
    plan.steps = _late_assignments(plan)
    groups = _Groups()
    for place, step in enumerate(plan.steps):
        groups.met(place, step)
    chosen = {id(members): members for members in groups.all() if len(members) > 1}
    replaced: dict[int, Step | None] = {}
    for members in chosen.values():
        steps = [plan.steps[place] for place in members]
        whole = fused(steps)
        replaced.update(dict.fromkeys(members, None))
        replaced[members[-1]] = whole
        for step in steps:
            plan.settle(step.node, "fused", whole.node)
    kept = [replaced.get(place, step) for place, step in enumerate(plan.steps)]
    plan.steps = [step for step in kept if step is not None]
    total = sum(map(len, chosen.values()))
    return f"{total} elementwise nodes run as {len(chosen)}." if chosen else "No elementwise nodes in a row."


def fused(members: list[Step]) -> Step:
    """One step for several that run one after the other."""
    made = {id(value) for step in members for value in step.outputs}
    inputs: dict[int, Any] = {}
    for step in members:
        inputs.update((id(value), value) for value in step.taken() if id(value) not in made)
    outputs = tuple(value for step in members for value in step.outputs)
    return Step(members[-1].node, FUSED, tuple(inputs.values()), {}, outputs, tuple(members))


class _Groups:
    """Elementwise steps by groups, which can grow until a step outside takes from them.

    A group runs where its last member was: nobody may take from it before.
    """

    def __init__(self) -> None:
        self._of: dict[int, list[int]] = {}  # by the identity of a value, the places of the members of its group
        self._open: dict[int, tuple[Any, ...]] = {}  # by the identity of an open group, the shape of its values
        self._every: dict[int, list[int]] = {}

    def met(self, place: int, step: Step) -> None:
        """The next step."""
        shape = shape_of(step.outputs[0]) if step.outputs and is_elementwise(step) and not step.open else None
        mine: list[int] | None = None
        for value in step.taken():
            group = self._of.get(id(value))
            if group is None or group is mine:
                continue
            if shape is None or self._open.get(id(group)) != shape:
                self._open.pop(id(group), None)
            else:
                mine = group if mine is None else self._joined(mine, group)
        if shape is None:
            return
        if mine is None or id(mine) not in self._open:
            mine = []
            self._every[id(mine)] = mine
            self._open[id(mine)] = shape
        mine.append(place)
        self._of[id(step.outputs[0])] = mine

    def _joined(self, one: list[int], other: list[int]) -> list[int]:
        larger, smaller = (one, other) if len(one) >= len(other) else (other, one)
        larger[:] = sorted((*larger, *smaller))
        for value, group in self._of.items():
            if group is smaller:
                self._of[value] = larger
        self._open.pop(id(smaller))
        del self._every[id(smaller)]
        return larger

    def all(self) -> list[list[int]]:
        """The groups."""
        return list(self._every.values())


def _late_assignments(plan: Plan) -> list[Step]:
    """The steps with each assignment as late as nobody notices: before the variable's next read or other programs.

    What is computed next from the assigned value can then run together with it. An assignment that the next one
    follows before anybody could read it is left out.
    """
    waiting: dict[int, Step] = {}
    found: list[Step] = []
    for step in plan.steps:
        if step.op is ASSIGN or step.op is READ:
            number = step.attrs["variable"]._number
            if (unread := waiting.pop(number, None)) is not None and step.op is READ:
                found.append(unread)
            elif unread is not None:
                plan.settle(unread.node, "pruned")
        elif runs_others(step) or step.op.effects:
            found += waiting.values()
            waiting.clear()
        if step.op is ASSIGN:
            waiting[step.attrs["variable"]._number] = step
        else:
            found.append(step)
    return [*found, *waiting.values()]
