"""Pack: fused steps that do the same to tensors of several shapes become one, on all of these tensors laid end to end.

That is what an optimizer does to the variables of a model. Only ops whose results do not depend on where in an array an
element is are packed (those that IEEE 754 defines to the last bit), so the results stay equal to the bit.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tapeviz.graphs.passes.plan import FUSED, PACKED, Plan, Step, shape_of

__all__ = ["pack"]

_NONE: Final = "No two fused nodes do the same."
_FLOATS: Final = frozenset(map(np.dtype, (np.float32, np.float64, np.bool_)))


def pack(plan: Plan) -> str:
    """Make one step of fused ones that are alike and do not depend on one another."""
    if sum(step.op is FUSED for step in plan.steps) <= 1:
        return _NONE
    open_packs: dict[Any, list[int]] = {}
    keys: dict[int, Any] = {}  # by the identity of a value, the pack whose steps make it
    every: list[list[int]] = []
    for place, step in enumerate(plan.steps):
        for value in step.taken():
            if (key := keys.get(id(value))) is not None:
                open_packs.pop(key, None)
        key = _signature(step)
        if key is None:
            continue
        if key not in open_packs:
            open_packs[key] = []
            every.append(open_packs[key])
        open_packs[key].append(place)
        keys.update((id(value), key) for value in step.outputs)
    chosen = [places for places in every if len(places) > 1]
    replaced: dict[int, Step | None] = {}
    for places in chosen:
        replaced.update(dict.fromkeys(places, None))
        replaced[places[-1]] = _packed([plan.steps[place] for place in places])
    kept = [replaced.get(place, step) for place, step in enumerate(plan.steps)]
    plan.steps = [step for step in kept if step is not None]
    total = sum(map(len, chosen))
    return f"{total} fused nodes do the same in {len(chosen)} groups." if chosen else _NONE


def _packed(lanes: list[Step]) -> Step:
    inputs = {id(value): value for lane in lanes for value in lane.inputs}
    outputs = tuple(value for lane in lanes for value in lane.outputs)
    return Step(lanes[-1].node, PACKED, tuple(inputs.values()), {}, outputs, tuple(lanes))


def _signature(step: Step) -> Any:
    """What fused steps have in common that do the same, None for one that cannot be packed."""
    if step.op is not FUSED:
        return None
    shape = shape_of(step.outputs[0])
    if not shape or 0 in shape:
        return None
    places: dict[int, Any] = {}
    found = []
    for number, member in enumerate(step.members):
        if "exact" not in member.op.traits or member.outputs[0]._a.dtype not in _FLOATS:
            return None
        inputs = []
        for value in member.inputs:
            place = places.get(id(value))
            if place is None:
                place = _outside(value, shape, len(places))
                if place is None:
                    return None
                places[id(value)] = place
            inputs.append((place, value._a.dtype.num))
        places[id(member.outputs[0])] = ("member", number)
        found.append((member.op, tuple(inputs), member.outputs[0]._a.dtype.num))
    return tuple(found)


def _outside(value: Any, shape: tuple[int, ...], number: int) -> Any:
    """What stands for a value from outside: all steps must take the same numbers, and each its own tensors."""
    mine = shape_of(value)
    if mine == ():
        return ("number", id(value))
    return ("tensor", number) if mine == shape else None
