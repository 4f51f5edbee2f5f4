"""The shapes of a plan's values for given shapes of its inputs."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import Any

from tapeviz.engine.declaration import Op, Spec
from tapeviz.engine.deferred_numbers import Deferred, replaced
from tapeviz.graphs.passes.plan import Plan, Step, has_effects, shape_of

__all__ = ["Sizes"]


class Sizes:
    """The shapes of values, by their identity, as far as they are known before a run.

    Args:
        plan: the plan.
        given: the shapes of its inputs, of lists those of their elements; None where only what is known while tracing
            shall count.

    ``assumed`` are values whose shapes have to be asked for when they are there: elements of lists, and what loops
    give. Until then nothing has been done that must not be done twice.
    """

    def __init__(self, plan: Plan, given: Sequence[tuple[int, ...] | None] | None = None) -> None:
        self._of: dict[int, tuple[int, ...] | None] = {}
        self._elements: dict[int, tuple[int, ...] | None] = {}
        self.assumed: set[int] = set()
        for value, shape in zip(plan.inputs, given or (), strict=given is not None):
            self._know(value, shape)
        self._asks = given is not None
        self._assumes = True
        for step in plan.steps:
            for member in step.single():
                self._add(member)

    def form(self, value: Any) -> tuple[int, ...] | None:
        """The shape of a value, or of the elements of a list; None where it is not known."""
        return self._elements.get(id(value)) if value._a.dtype.names is not None else self.of(value)

    def _know(self, value: Any, form: tuple[int, ...] | None) -> None:
        if value._a.dtype.names is not None:
            self._elements[id(value)] = form
        elif form is not None:
            self._of[id(value)] = form

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
        self._assumes = self._assumes and not step.op.effects and not has_effects(step)
        if not self._asks:
            return
        if (rule := getattr(step.attrs.get("run"), "forms", None)) is not None:
            self._assume(step, rule)
        lacking = [value for value in step.outputs if shape_of(value) is None]
        if not lacking or not isinstance(step.op, Op):
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

    def _assume(self, step: Step, rule: Callable[..., Sequence[tuple[int, ...] | None]]) -> None:
        """Take the shapes of what another program gives from the shapes of what it is given."""
        for value, form in zip(step.outputs, rule([self.form(value) for value in step.inputs]), strict=False):
            is_list = value._a.dtype.names is not None
            if is_list or (self._assumes and form is not None and shape_of(value) is None):
                self._know(value, form)
                if not is_list:
                    self.assumed.add(id(value))
