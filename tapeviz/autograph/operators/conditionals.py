"""``if`` and the conditional expression: Python's own, or both branches traced, one after the other."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import partial
from typing import Any

from tapeviz.autograph.operators.kinds import is_symbolic
from tapeviz.autograph.operators.values import Leaves, flat, packed, same, same_structure, tensors_of
from tapeviz.autograph.operators.variables import UNSET, State
from tapeviz.engine import nest
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.kernels import recorded_ops as ops
from tapeviz.engine.state import local
from tapeviz.engine.symbolic import at_line
from tapeviz.graphs.control import control_flow
from tapeviz.graphs.ir.graph import Graph
from tapeviz.graphs.ir.tracing import tracing

__all__ = ["Branches", "condition", "if_", "if_exp"]

_SIDES = ("main", "else")
_RETURNED = "the value returned"


def condition(value: Any, what: str = "condition") -> Any:
    """A condition as one truth value of the graph.

    Raises:
        ValueError: it is more than one number.
    """
    __tracebackhide__ = True
    tensor = convert_to_tensor(value)
    shape = tensor.shape
    if shape.dims is not None and shape.dims:
        if shape.num_elements() != 1:
            raise ValueError(
                f"condition of {what} expected to be a scalar of dtype bool, got {tensor!r}; to use as boolean Tensor, "
                f"tf.reduce_all or tf.reduce_any makes one truth value of it{at_line()}"
            )
        tensor = ops.reshape(tensor, shape=())
    return tensor if tensor.dtype == "bool" else ops.not_equal(tensor, ops.zeros_like(tensor))


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What a branch leaves behind: the state by name, and what it returned."""

    values: dict[str, Leaves]

    @property
    def tensors(self) -> list[Any]:
        return tensors_of(list(self.values.values()))


class Branches:
    """An ``if`` of a graph.

    Args:
        test: the condition, a scalar of dtype bool.
        body: the block for true, or None.
        orelse: the block for false, or None.
        state: what the blocks set.
        leaving: variables of the state that belong to exits: where one of them is True, control has left the code that
            follows, and what is not set is not asked for. They are not asked for either where it has not.
    """

    def __init__(
        self,
        test: Any,
        body: Callable[[], Any] | None,
        orelse: Callable[[], Any] | None,
        state: State,
        leaving: AbstractSet[str] = frozenset(),
    ) -> None:
        self._test = test
        self._blocks = (body, orelse)
        self._state = state
        self._leaving = leaving
        self._outcomes: list[_Outcome] = []

    def run(self) -> Any:
        """Trace both, set the state to what comes out, and give what the blocks return."""
        __tracebackhide__ = True
        self._state.keep()
        try:
            given = control_flow.cond(self._test, partial(self._traced, 0), partial(self._traced, 1))
        finally:
            self._state.restore()
        first, *others = self._outcomes
        if others:
            tensors = iter(nest.flatten(given))
            second = others[0]
            merged = {name: self._merged(first.values[name], second.values[name], tensors) for name in first.values}
        else:  # the condition is a constant of the program
            merged = {name: leaves.value for name, leaves in first.values.items()}
        value = merged.pop("", None)
        for name, outcome in merged.items():
            self._state.set(name, outcome)
        return value

    def _traced(self, side: int) -> Any:
        __tracebackhide__ = True
        outcome = self._outcome(side)
        if self._leaving:
            self._fill(outcome, side)
        self._outcomes.append(outcome)
        if side:
            self._compare()
        return tuple(outcome.tensors)

    def _outcome(self, side: int) -> _Outcome:
        __tracebackhide__ = True
        self._state.restore()
        block = self._blocks[side]
        returned = block() if block is not None else None
        return _Outcome({**{name: flat(value) for name, value in self._state.values().items()}, "": flat(returned)})

    def _fill(self, outcome: _Outcome, side: int) -> None:
        """Give what is not set, and nobody reads, zeros of the form that it has in the other branch."""
        __tracebackhide__ = True
        left = any(outcome.values[name].value is True for name in self._leaving if name in outcome.values)
        missing = [
            name for name, leaves in outcome.values.items() if leaves.value is UNSET and (left or name in self._leaving)
        ]
        if not missing:
            return
        if side:
            other = self._outcomes[0]
        else:
            scratch = Graph("scratch", outer=local.state.graph, kind="cond")  # type: ignore[arg-type]
            with tracing(scratch):
                other = self._outcome(1)
        for name in missing:
            outcome.values[name] = flat(zeros_like(other.values[name]))

    def _compare(self) -> None:
        __tracebackhide__ = True
        first, second = self._outcomes
        for name in first.values:
            one, other = first.values[name], second.values[name]
            if name == "":
                _check_returned(one, other)
            else:
                _check_set(name, one, other)
            wanted = "must have the same nested structure in the main and else branches"
            same_structure(name or _RETURNED, one.value, other.value, wanted)
            for place, leaves in enumerate(zip(one.tensors, other.tensors, strict=True)):
                _check_leaf(name or _RETURNED, leaves, (one.leaves[place], other.leaves[place]))

    def _merged(self, one: Leaves, other: Leaves, tensors: Any) -> Any:
        if one.value is UNSET:
            return UNSET
        leaves = []
        for mine, theirs, tensor in zip(one.leaves, other.leaves, one.tensors, strict=True):
            given = None if tensor is None else next(tensors)
            leaves.append(mine if tensor is None or same(mine, theirs) else given)
        return packed(one, leaves)


def zeros_like(value: Leaves) -> Any:
    """A value of the same form whose numbers are 0; sizes that are not known yet are 0 too."""
    if value.value is UNSET:
        return UNSET
    made = []
    for leaf, tensor in zip(value.leaves, value.tensors, strict=True):
        if tensor is None:
            made.append(leaf)
            continue
        dims = tensor.shape.dims
        made.append(ops.zeros(shape=tuple(size or 0 for size in dims or ()), dtype=tensor.dtype.numpy))
    return packed(value, made)


def _check_set(name: str, one: Leaves, other: Leaves) -> None:
    __tracebackhide__ = True
    for side, mine, theirs in ((0, one, other), (1, other, one)):
        if mine.value is UNSET and theirs.value is not UNSET:
            raise ValueError(f"'{name}' must also be initialized in the {_SIDES[side]} branch{at_line()}")


def _check_returned(one: Leaves, other: Leaves) -> None:
    __tracebackhide__ = True
    for side, mine, theirs in ((0, one, other), (1, other, one)):
        if mine.value is None and theirs.value is not None:
            raise ValueError(f"the {_SIDES[side]} branch must also have a return statement.{at_line()}")


def _check_leaf(name: str, tensors: tuple[Any, Any], leaves: tuple[Any, Any]) -> None:
    __tracebackhide__ = True
    one, other = tensors
    for side in (0, 1):
        if leaves[side] is None and leaves[1 - side] is not None:
            raise ValueError(f"{name!r} is None at the end of the {_SIDES[side]} branch.{at_line()}")
    if one is None or other is None:
        if leaves[0] is not leaves[1]:
            raise TypeError(
                f"{name!r} is {leaves[0]!r} in the main branch, but {leaves[1]!r} in the else branch; only tensors can "
                f"depend on a tensor{at_line()}"
            )
    elif one.dtype != other.dtype:
        raise TypeError(
            f"{name!r} has dtype {one.dtype.name} in the main branch, but dtype {other.dtype.name} in the else branch"
            f"{at_line()}"
        )


Block = Callable[[], Any] | None


def if_(
    test: Any,
    body: Block,
    orelse: Block,
    names: tuple[str, ...] = (),
    flags: tuple[str, ...] = (),
    result: str = "",
) -> Any:
    """``if test: body()  else: orelse()``.

    Args:
        test: the condition.
        body: a function made of the block; it sets the variables of the functions around it.
        orelse: the same for the other block.
        names: the state: variables, attributes and items that the blocks set and that matter afterwards.
        flags: the variables that say, when they are true, that control has left: then the others need not be set.
        result: the variable for what ``return`` gives.

    Returns:
        What the block returns: only an ``if`` that ends a function uses it.
    """
    __tracebackhide__ = True
    if is_symbolic(test):
        more = [name for name in (*flags, result) if name and name not in names]
        state = State((*names, *more), body, orelse)
        return Branches(condition(test, "if statement"), body, orelse, state, {*flags, result}).run()
    chosen = body if test else orelse
    return None if chosen is None else chosen()


def if_exp(test: Any, body: Callable[[], Any], orelse: Callable[[], Any]) -> Any:
    """``body() if test else orelse()``."""
    __tracebackhide__ = True
    if is_symbolic(test):
        return Branches(condition(test, "conditional expression"), body, orelse, State((), body, orelse)).run()
    return body() if test else orelse()
