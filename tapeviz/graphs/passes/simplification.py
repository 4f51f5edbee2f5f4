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

from tapeviz.engine.declaration import Op
from tapeviz.graphs.passes.constant_folding import constants_of
from tapeviz.graphs.passes.layouts import turned_values
from tapeviz.graphs.passes.plan import Plan, Step, shape_of, substitute_in
from tapeviz.ops import declarations as ops

__all__ = ["simplify"]

_Rule = Callable[["_Simplifier", Step], Any]
_RULES: Final[dict[Any, _Rule]] = {}


def _simplifies(*declared: Op) -> Callable[[_Rule], _Rule]:
    """Register a method as the rule of some ops: it gives the value that a step merely passes on, None for none."""

    def register(rule: _Rule) -> _Rule:
        _RULES.update(dict.fromkeys(declared, rule))
        return rule

    return register


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
        rule = _RULES.get(step.op)
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

    def maker(self, value: Any, op: Op) -> Step | None:
        """The step that made a value, where it is of this op."""
        made = self._makers.get(id(value))
        return made if made is not None and made.op is op and not made.open else None

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

    @_simplifies(ops.multiply)
    def product(self, step: Step) -> Any:
        """Rules for x * 1 and 1 * x."""
        one, other = step.inputs
        if self._is(other, 1):
            return self._kept(step, one)
        return self._kept(step, other) if self._is(one, 1) else None

    @_simplifies(ops.divide)
    def quotient(self, step: Step) -> Any:
        """The rule for x / 1."""
        return self._kept(step, step.inputs[0]) if self._is(step.inputs[1], 1) else None

    @_simplifies(ops.add)
    def total(self, step: Step) -> Any:
        """The rule for x + 0: a negative zero for floats."""
        one, other = step.inputs
        if self._is(other, 0, negative=True):
            return self._kept(step, one)
        return self._kept(step, other) if self._is(one, 0, negative=True) else None

    @_simplifies(ops.subtract)
    def difference(self, step: Step) -> Any:
        """The rule for x - 0."""
        return self._kept(step, step.inputs[0]) if self._is(step.inputs[1], 0) else None

    @_simplifies(ops.negative)
    def negated(self, step: Step) -> Any:
        """-(-x)."""
        inner = self.maker(step.inputs[0], ops.negative)
        return None if inner is None else inner.inputs[0]

    @_simplifies(ops.identity, ops.stop_gradient, ops.read_variable, ops.cast)
    def passed(self, step: Step) -> Any:
        """What identity, stop_gradient and casts to the same dtype give."""
        return step.inputs[0] if step.inputs[0]._a.dtype == step.outputs[0]._a.dtype else None

    @_simplifies(ops.reshape, ops.expand_dims, ops.squeeze)
    def reshaped(self, step: Step) -> Any:
        """A reshape: to the same shape, or of another one."""
        wanted = shape_of(step.outputs[0])
        if wanted is None:
            return None
        inner = self._makers.get(id(step.inputs[0]))
        if (
            step.op is ops.reshape and inner is not None and "reshapes" in inner.op.traits
            and id(inner.inputs[0]) not in self._turned  # the first reshape copies what is turned
            and shape_of(inner.inputs[0]) is not None  # else it is what refuses a number of elements
        ):  # fmt: skip
            step.inputs = (inner.inputs[0],)
            self.count("reshape")
        return step.inputs[0] if shape_of(step.inputs[0]) == wanted else None

    @_simplifies(ops.broadcast_to)
    def broadcast(self, step: Step) -> Any:
        """A broadcast to the same shape."""
        wanted = shape_of(step.outputs[0])
        return step.inputs[0] if wanted is not None and shape_of(step.inputs[0]) == wanted else None

    @_simplifies(ops.transpose)
    def transposed(self, step: Step) -> Any:
        """A transpose: of another one, or one that changes nothing."""
        rank = len(step.outputs[0]._a._shape or ())
        order = _order(step, rank)
        inner = self.maker(step.inputs[0], ops.transpose)
        if order is None:
            return None
        if inner is not None and (before := _order(inner, rank)) is not None:
            order = tuple(before[axis] for axis in order)
            step.inputs, step.attrs = inner.inputs, {"perm": order}
            self.count("transpose")
        return step.inputs[0] if order == tuple(range(rank)) else None

    @_simplifies(ops.matmul)
    def matrices(self, step: Step) -> Any:
        """A product takes its matrices as they were before a transpose."""
        for place, flag in enumerate(("transpose_a", "transpose_b")):
            inner = self.maker(step.inputs[place], ops.transpose)
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
