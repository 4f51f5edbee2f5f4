"""The shapes of a plan's values for given shapes of its inputs."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any

from tapeviz.engine.declaration import Op, Spec
from tapeviz.engine.deferred_numbers import Deferred, replaced
from tapeviz.graphs.passes.plan import Plan, Step, shape_of

__all__ = ["Sizes"]


class Sizes:
    """The shapes of values, by their identity, as far as they are known before a run.

    Args:
        plan: the plan.
        given: the shapes of its inputs; None where only what is known while tracing shall count.
    """

    def __init__(self, plan: Plan, given: Sequence[tuple[int, ...]] | None = None) -> None:
        self._of: dict[int, tuple[int, ...] | None] = {}
        if given is not None:
            self._of.update((id(value), shape) for value, shape in zip(plan.inputs, given, strict=True))
        self._asks = given is not None
        for step in plan.steps:
            for member in step.single():
                self._add(member)

    def of(self, value: Any) -> tuple[int, ...] | None:
        """The shape of a value, None where it is not known."""
        key = id(value)
        if key not in self._of:
            self._of[key] = shape_of(value)
        return self._of[key]

    def number(self, number: Deferred) -> int | None:
        """A deferred number, None where it is not known."""
        try:
            return number.evaluated(self._leaf)
        except (KeyError, TypeError):
            return None

    def _leaf(self, leaf: Deferred) -> int:
        if leaf.source[0] != "axis" or (shape := self.of(leaf.source[1])) is None:
            raise KeyError(leaf)
        return int(shape[leaf.source[2]])

    def _add(self, step: Step) -> None:
        lacking = [value for value in step.outputs if shape_of(value) is None]
        if not lacking or not self._asks or not isinstance(step.op, Op):
            return
        shapes = [self.of(value) for value in step.inputs]
        if None in shapes:
            return
        # A rule that refuses is asked again by the kernel, which says what is wrong.
        with contextlib.suppress(Exception):
            attrs = replaced(step.attrs, lambda number: number.evaluated(self._leaf)) if step.open else step.attrs
            found = step.op.infer(
                *[Spec(s or (), v._a.dtype) for s, v in zip(shapes, step.inputs, strict=True)], **attrs
            )
            for value, spec in zip(step.outputs, found if step.op.many else (found,), strict=True):
                if all(size.__class__ is int and size >= 0 for size in spec.shape):
                    self._of[id(value)] = tuple(spec.shape)
