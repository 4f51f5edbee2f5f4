"""Simplify: steps that change nothing, or undo one another, are left out; the results stay equal to the bit.

The rules, with x any tensor of floats or whole numbers unless said otherwise:

- ``x * 1``, ``1 * x``, ``x / 1`` are x.
- ``x - 0`` is x, and for whole numbers ``x + 0``. For floats only ``x + (-0.0)`` is x: ``-0.0 + 0.0`` is ``0.0``.
- ``-(-x)`` is x.
- A transpose of a transpose is one transpose, or none; a reshape of a reshape is one reshape; a reshape or broadcast to
  the shape that x has, a cast to the dtype that x has, ``identity`` and ``stop_gradient`` are x.
- A matrix product of a transposed matrix is the product with ``transpose_a`` or ``transpose_b`` the other way.

``x * 0``, ``x - x`` and the like stay: they are not 0 for nan and infinities. What would lie in memory row by row, and
is a transposed array without the step, stays too: a sum of it is rounded in another order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from tapeviz.graphs.passes.constant_folding import constants_of
from tapeviz.graphs.passes.layouts import turned_values
from tapeviz.graphs.passes.plan import Plan, Step, shape_of, substitute_in

__all__ = ["simplify"]

_RESHAPES: Final = frozenset(("reshape", "expand_dims", "squeeze"))


class _Simplifier:
    """One walk over a plan: each step is looked at after those that it takes from."""

    def __init__(self, plan: Plan) -> None:
        self._known = constants_of(plan)
        self._turned = turned_values(plan.steps)
        self._makers: dict[int, Step] = {}
        self.now: dict[int, Any] = {}
        self.rules: dict[str, int] = {}

    def same(self, step: Step) -> Any:
        """The value that a step merely passes on, None when it does more; the step may be changed."""
        if self.now and not self.now.keys().isdisjoint(map(id, step.taken())):
            substitute_in(step, lambda value: self.now.get(id(value), value))
        rule = _RULES.get(step.op.name)
        found = None if rule is None else rule(self, step)
        if found is None:
            for value in step.outputs:
                self._makers[id(value)] = step
        else:
            self.count(step.op.name)
        return found

    def count(self, what: str) -> None:
        """Note that a rule was used."""
        self.rules[what] = self.rules.get(what, 0) + 1

    def maker(self, value: Any, name: str) -> Step | None:
        """The step that made a value, where it is of this op."""
        made = self._makers.get(id(value))
        return made if made is not None and made.op.name == name and not made.open else None

    def _is(self, value: Any, number: float, *, negative: bool = False) -> bool:
        """Whether a value is a constant, all of whose elements are this number, with this sign where it is 0."""
        array = self._known.get(id(value))
        if array is None or array.dtype.kind not in "fiu" or not array.size:
            return False
        if not bool((array == number).all()):
            return False
        return array.dtype.kind != "f" or bool((np.signbit(array) == negative).all())

    def _kept(self, step: Step, value: Any) -> Any:
        """The value when its shape is known to be that of the step's result, and its order in memory."""
        if value._a.dtype != step.outputs[0]._a.dtype:
            return None
        if id(value) in self._turned and any(self._known[id(x)].size > 1 for x in step.inputs if id(x) in self._known):
            return None
        if value._a._shape is not None and value._a._shape == step.outputs[0]._a._shape:
            return value if _is_known(value, step.outputs[0]) else None
        return None

    def product(self, step: Step) -> Any:
        """Rules for x * 1 and 1 * x."""
        one, other = step.inputs
        if self._is(other, 1):
            return self._kept(step, one)
        return self._kept(step, other) if self._is(one, 1) else None

    def quotient(self, step: Step) -> Any:
        """The rule for x / 1."""
        return self._kept(step, step.inputs[0]) if self._is(step.inputs[1], 1) else None

    def total(self, step: Step) -> Any:
        """The rule for x + 0: a negative zero for floats."""
        one, other = step.inputs
        if self._is(other, 0, negative=True):
            return self._kept(step, one)
        return self._kept(step, other) if self._is(one, 0, negative=True) else None

    def difference(self, step: Step) -> Any:
        """The rule for x - 0."""
        return self._kept(step, step.inputs[0]) if self._is(step.inputs[1], 0) else None

    def negated(self, step: Step) -> Any:
        """-(-x)."""
        inner = self.maker(step.inputs[0], "negative")
        return None if inner is None else inner.inputs[0]

    def passed(self, step: Step) -> Any:
        """What identity, stop_gradient and casts to the same dtype give."""
        return step.inputs[0] if step.inputs[0]._a.dtype == step.outputs[0]._a.dtype else None

    def reshaped(self, step: Step) -> Any:
        """A reshape: to the same shape, or of another one."""
        wanted = shape_of(step.outputs[0])
        if wanted is None:
            return None
        inner = self._makers.get(id(step.inputs[0]))
        if (
            step.op.name == "reshape" and inner is not None and inner.op.name in _RESHAPES
            and id(inner.inputs[0]) not in self._turned  # the first reshape copies what is turned
        ):  # fmt: skip
            step.inputs = (inner.inputs[0],)
            self.count("reshape")
        return step.inputs[0] if shape_of(step.inputs[0]) == wanted else None

    def broadcast(self, step: Step) -> Any:
        """A broadcast to the same shape."""
        wanted = shape_of(step.outputs[0])
        return step.inputs[0] if wanted is not None and shape_of(step.inputs[0]) == wanted else None

    def transposed(self, step: Step) -> Any:
        """A transpose: of another one, or one that changes nothing."""
        rank = len(step.outputs[0]._a._shape or ())
        order = _order(step, rank)
        inner = self.maker(step.inputs[0], "transpose")
        if order is None:
            return None
        if inner is not None and (before := _order(inner, rank)) is not None:
            order = tuple(before[axis] for axis in order)
            step.inputs, step.attrs = inner.inputs, {"perm": order}
            self.count("transpose")
        return step.inputs[0] if order == tuple(range(rank)) else None

    def matrices(self, step: Step) -> Any:
        """A product takes its matrices as they were before a transpose."""
        for place, flag in enumerate(("transpose_a", "transpose_b")):
            inner = self.maker(step.inputs[place], "transpose")
            if inner is None:
                continue
            rank = len(step.inputs[place]._a._shape or ())
            swapped = (*range(rank - 2), rank - 1, rank - 2)
            if rank > 1 and _order(inner, rank) == swapped:
                inputs = list(step.inputs)
                inputs[place] = inner.inputs[0]
                step.inputs = tuple(inputs)
                step.attrs = {**step.attrs, flag: not step.attrs.get(flag, False)}
                self.count("matmul")


def _order(step: Step, rank: int) -> tuple[int, ...] | None:
    perm = step.attrs.get("perm")
    if step.outputs[0]._a._shape is None:
        return None
    if perm is None:
        return tuple(range(rank))[::-1]
    if any(axis.__class__ is not int for axis in perm):
        return None
    return tuple(axis % rank for axis in perm)


def _is_known(one: Any, other: Any) -> bool:
    """Whether equal shapes mean the same shape: sizes that are not known are equal only when they are the same size."""
    pairs = zip(one._a._shape, other._a._shape, strict=True)
    return all(a is b or (a.__class__ is int and b.__class__ is int) for a, b in pairs)


_RULES: Final[dict[str, Callable[[_Simplifier, Step], Any]]] = {
    "multiply": _Simplifier.product,
    "divide": _Simplifier.quotient,
    "add": _Simplifier.total,
    "subtract": _Simplifier.difference,
    "negative": _Simplifier.negated,
    "identity": _Simplifier.passed,
    "stop_gradient": _Simplifier.passed,
    "read_variable": _Simplifier.passed,
    "cast": _Simplifier.passed,
    "reshape": _Simplifier.reshaped,
    "expand_dims": _Simplifier.reshaped,
    "squeeze": _Simplifier.reshaped,
    "broadcast_to": _Simplifier.broadcast,
    "transpose": _Simplifier.transposed,
    "matmul": _Simplifier.matrices,
}


def simplify(plan: Plan) -> str:
    """Leave out what changes nothing."""
    walk = _Simplifier(plan)
    steps = []
    for step in plan.steps:
        found = walk.same(step)
        if found is None:
            steps.append(step)
            continue
        walk.now[id(step.outputs[0])] = found
        plan.settle(step.node, "simplified", getattr(found, "_node", None))
    plan.steps = steps
    plan.outputs = [None if value is None else walk.now.get(id(value), value) for value in plan.outputs]
    if not walk.rules:
        return "No node merely passes on what it gets."
    plan.sweep("simplified")
    return "By the rules for " + ", ".join(f"{name} ({count})" for name, count in sorted(walk.rules.items())) + "."
