"""``while`` and ``for``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sized
from functools import partial
from typing import Any

from tapeviz.autograph.operators.branching import if_
from tapeviz.autograph.operators.elements import elements_of, steps_of
from tapeviz.autograph.operators.kinds import is_symbolic
from tapeviz.autograph.operators.logic import not_, or_
from tapeviz.autograph.operators.repeating import Options, Repetition
from tapeviz.autograph.operators.variables import UNSET, State
from tapeviz.engine.symbolic import at_line

__all__ = ["for_", "loop_options", "while_"]


def while_(
    test: Callable[[], Any],
    body: Callable[[], Any],
    names: tuple[str, ...] = (),
    until: tuple[str, ...] = (),
    result: str = "",  # noqa: ARG001 - for_ uses it
    binds: tuple[str, ...] = (),
    options: Callable[[], Options] | None = None,
) -> None:
    """``while test(): body()``.

    Args:
        test: a function made of the condition.
        body: a function made of the block; it sets the variables of the functions around it.
        names: the state: variables, attributes and items that the block sets and that matter later.
        until: the variables among them that end the loop when they are true: what ``break`` and ``return`` set.
        result: the variable among them for what ``return`` gives.
        binds: the variables that the condition itself sets.
        options: what ``set_loop_options`` in the block says.
    """
    __tracebackhide__ = True
    state = State(names, body, test)
    while True:
        going_on = _going_on(state, until, test) if until else test()
        if going_on is not True and is_symbolic(going_on):
            loop = Repetition(state, until, options() if options is not None else Options())
            if binds:
                loop.while_going(going_on, partial(_going_on, state, until, test), body)
            else:
                loop.while_(partial(_going_on, state, until, test), body)
            return
        if not going_on:
            return
        body()


def _going_on(state: State, until: tuple[str, ...], test: Callable[[], Any]) -> Any:
    """Whether the loop goes on: no flag is set, and the test holds."""
    __tracebackhide__ = True
    stopped = _stopped(state, until)
    if is_symbolic(stopped):
        return not_(or_(stopped, lambda: not_(test())))
    return False if stopped else test()


def _stopped(state: State, until: tuple[str, ...]) -> Any:
    values = [state.get(flag) for flag in until]
    first, *others = [value for value in values if value is not UNSET] or [False]
    return or_(first, *[partial(_identity, other) for other in others])


def _identity(value: Any) -> Any:
    return value


def for_(
    iterable: Any,
    body: Callable[[Any], Any],
    names: tuple[str, ...] = (),
    until: tuple[str, ...] = (),
    result: str = "",
    options: Callable[[], Options] | None = None,
) -> None:
    """``for item in iterable: body(item)``. Arguments as for :func:`while_`."""
    __tracebackhide__ = True
    state = State(names, body)
    elements = elements_of(iterable)
    if elements is not None:
        if elements.length.__class__ is int and not elements.length:
            return
        wanted = options() if options is not None else Options()
        Repetition(state, until, wanted).for_(elements, body, partial(_stopped, state, until))
        return
    steps = steps_of(iterable)
    if steps is not None:
        wanted = options() if options is not None else Options()
        # Asked for only where the loop goes on: what an iterator gives is gone.
        going_on = partial(_going_on, state, until, steps.advance)
        Repetition(state, until, wanted).while_going(steps.advance(), going_on, lambda: body(steps.item()))
        return
    items = iter(iterable)
    for item in items:
        body(item)
        stopped = _stopped(state, until) if until else False
        if stopped is not False and is_symbolic(stopped):
            _rest(iterable, items, body, (state, names, until, result))
            return
        if stopped:
            return


def _rest(
    iterable: Iterable[Any],
    items: Iterator[Any],
    body: Callable[[Any], Any],
    about: tuple[State, tuple[str, ...], tuple[str, ...], str],
) -> None:
    """The iterations after one that ended the loop if a tensor says so: each is a branch of the graph."""
    __tracebackhide__ = True
    state, names, until, result = about
    if not isinstance(iterable, (Sized, enumerate, zip, reversed, map, filter)):
        raise NotImplementedError(
            f"a break or return that depends on a tensor is in a loop of Python's over {type(iterable).__name__}, "
            f"which may never end while tracing; loop over a tensor, such as tf.range{at_line()}"
        )
    for item in items:
        stopped = _stopped(state, until)
        if not is_symbolic(stopped):
            if stopped:
                return
            body(item)
            continue
        function = _Bound(body, item)
        if_(not_(stopped), function, None, names, until, result)


class _Bound:
    """A loop's body with its item."""

    def __init__(self, body: Callable[[Any], Any], item: Any) -> None:
        self.function = body
        self._item = item

    def __call__(self) -> Any:
        __tracebackhide__ = True
        return self.function(self._item)


def loop_options(
    parallel_iterations: Any = None,
    swap_memory: Any = None,
    maximum_iterations: Any = None,
    shape_invariants: Any = None,
) -> Options:
    """What ``set_loop_options`` says of the loop that it stands in."""
    return Options(parallel_iterations, swap_memory, maximum_iterations, shape_invariants)
