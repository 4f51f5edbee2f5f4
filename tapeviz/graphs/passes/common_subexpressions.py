"""Merge: what is computed twice from the same is computed once (common subexpressions)."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tapeviz.backends import NUMPY
from tapeviz.engine.deferred_numbers import Deferred
from tapeviz.graphs.ir.special_nodes import ASSIGN, CAPTURE, CONSTANT, READ
from tapeviz.graphs.passes.plan import Plan, Step, is_pure, runs_others, substitute_in

__all__ = ["merge"]

_Slice: Final = slice
_MOST_BYTES: Final = 4096


def merge(plan: Plan) -> str:
    """Let one step stand for all that compute the same; reads of a variable too, up to its next assignment."""
    now: dict[int, Any] = {}
    first: dict[Any, Step] = {}
    versions = _Versions()
    steps = []
    merged = 0

    def swap(value: Any) -> Any:
        return now.get(id(value), value)

    for step in plan.steps:
        if now and not now.keys().isdisjoint(map(id, step.taken())):
            substitute_in(step, swap)
        key = _key(step, versions)
        earlier = None if key is None else first.setdefault(key, step)
        if earlier is None or earlier is step:
            steps.append(step)
            versions.ran(step)
            continue
        merged += 1
        now.update((id(one), other) for one, other in zip(step.outputs, earlier.outputs, strict=True))
        plan.settle(step.node, "merged", earlier.node)
    plan.steps = steps
    plan.outputs = [None if value is None else swap(value) for value in plan.outputs]
    return f"{merged} nodes computed what another one does." if merged else "No two nodes compute the same."


class _Versions:
    """How often each variable has been assigned so far; what runs other programs may have assigned any."""

    def __init__(self) -> None:
        self._of: dict[int, int] = {}
        self._all = 0

    def ran(self, step: Step) -> None:
        if runs_others(step):
            self._all += 1
        elif step.op is ASSIGN:
            number = step.attrs["variable"]._number
            self._of[number] = self._of.get(number, 0) + 1

    def of(self, variable: Any) -> tuple[int, int, int]:
        return variable._number, self._of.get(variable._number, 0), self._all


def _key(step: Step, versions: _Versions) -> Any:
    """What two steps have in common that compute the same; None for a step that must run by itself."""
    if step.op is READ:
        return (READ, versions.of(step.attrs["variable"]))
    if step.op in (CONSTANT, CAPTURE):
        return _constant_key(step.attrs["tensor"])
    if not is_pure(step):
        return None
    attrs = tuple((name, _attr_key(value)) for name, value in step.attrs.items())
    return (step.op, tuple(map(id, step.inputs)), attrs, len(step.outputs))


def _constant_key(tensor: Any) -> Any:
    array = tensor._a
    if tensor._backend is not NUMPY or array.dtype.kind == "O" or array.nbytes > _MOST_BYTES:
        return (CONSTANT, id(tensor))
    return (CONSTANT, array.dtype, array.shape, array.tobytes())


def _attr_key(value: Any) -> Any:
    """An attribute as a key: equal keys mean the same. A deferred number is only equal to itself."""
    if isinstance(value, Deferred):
        return _deferred_key(value)
    if value.__class__ is tuple or value.__class__ is list:
        return (value.__class__, *map(_attr_key, value))
    if value.__class__ is _Slice:
        return (_Slice, *map(_attr_key, (value.start, value.stop, value.step)))
    if value is None or value.__class__ in (bool, int, str):
        return (value.__class__, value)
    if value.__class__ is float:
        return (float, value.hex())
    return value if isinstance(value, np.dtype) else (id(value),)


def _deferred_key(number: Deferred) -> Any:
    sort, *rest = number.source
    if sort == "expression":
        return (sort, rest[0], *map(_attr_key, rest[1:]))
    if sort in ("axis", "value"):
        return (sort, id(rest[0]), *rest[1:])
    return (sort, object())  # a draw: another number each time
