"""``while`` and ``for``: Python's own, or a loop of the graph with its state as the loop's variables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sized
from dataclasses import dataclass
from functools import partial
from typing import Any

from tapeviz.autograph.operators.conditionals import condition, if_, zeros_like
from tapeviz.autograph.operators.elements import Elements, elements_of, steps_of
from tapeviz.autograph.operators.kinds import is_symbolic
from tapeviz.autograph.operators.lists import GraphList, begun
from tapeviz.autograph.operators.logic import and_, not_, or_
from tapeviz.autograph.operators.values import Leaves, flat, is_subshape, packed, same_structure, tensors_of
from tapeviz.autograph.operators.variables import CONTENTS, UNSET, State
from tapeviz.engine import nest
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.shapes import TensorShape
from tapeviz.engine.state import local
from tapeviz.engine.symbolic import at_line
from tapeviz.graphs.control import control_flow
from tapeviz.graphs.ir.graph import Graph
from tapeviz.graphs.ir.tracing import tracing
from tapeviz.ops.debugging.assertions import Assert

__all__ = ["Options", "Repetition", "for_", "loop_options", "while_"]


@dataclass(frozen=True, slots=True)
class Options:
    """What ``set_loop_options`` says."""

    parallel_iterations: Any = None
    swap_memory: Any = None
    maximum_iterations: Any = None
    shape_invariants: Any = None


class _Varies(Exception):  # noqa: N818 - no error: the loop is traced again
    """A tensor has another shape after an iteration."""

    def __init__(self, leaf: int, shape: TensorShape) -> None:
        super().__init__()
        self.leaf = leaf
        self.shape = shape


class Repetition:
    """A loop of a graph.

    Args:
        state: what the loop sets.
        flags: the variables that end the loop.
        options: what the user says of the loop.
        result: the variable for what ``return`` gives, which is read where one was reached alone.
        is_fold: whether it is over a dataset, as whose fold TensorFlow runs it: shapes may then vary by iteration.
    """

    def __init__(
        self, state: State, flags: tuple[str, ...], options: Options, result: str = "", *, is_fold: bool = False
    ) -> None:
        self._state = state
        self._is_fold = is_fold
        self._flags = flags
        self._options = options
        self._result = result
        self._unset: list[str] = []  # what the body alone gives a value
        self._going: Any = None
        self._start: dict[str, Leaves] = {}
        self._invariants: dict[int, TensorShape] = {}

    def while_(self, test: Callable[[], Any], body: Callable[[], Any]) -> None:
        """``while test(): body()``."""
        __tracebackhide__ = True
        self._run(_Counted(test), _Counted(body), self._options.maximum_iterations)

    def while_going(self, going: Any, test: Callable[[], Any], body: Callable[[], Any]) -> None:
        """The same where the condition sets variables: it is asked at the end of each iteration, the first time before.

        Args:
            going: what it gave the first time.
            test: the condition.
            body: the block.
        """
        __tracebackhide__ = True
        self._going = condition(going, "while loop")

        def run(_k: Any) -> None:
            __tracebackhide__ = True
            body()
            self._going = condition(test(), "while loop")

        self._run(lambda _k: self._going, run, self._options.maximum_iterations)

    def for_(self, elements: Elements, body: Callable[[Any], Any], stopped: Callable[[], Any]) -> None:
        """``for item in elements: body(item)``, ended when ``stopped()``."""
        __tracebackhide__ = True
        most = elements.length if isinstance(elements.length, int) else None
        wanted = self._options.maximum_iterations
        self._run(
            lambda k: and_(k < elements.length, lambda: not_(stopped())),
            partial(_on_item, elements, body),
            most if wanted is None else wanted,
            runs=most is not None,  # one without elements is no loop
        )

    def _run(self, test: Callable[[Any], Any], body: Callable[[Any], Any], most: Any, *, runs: bool = False) -> None:
        __tracebackhide__ = True
        self._state.keep()
        try:
            self._begin(body)
            going, given = self._going, None
            while given is None:
                self._going = going
                try:
                    given = control_flow.while_loop(
                        partial(self._tested, test),
                        partial(self._iterated, body),
                        [convert_to_tensor(0), *self._more(), *tensors_of(list(self._start.values()))],
                        shape_invariants=[TensorShape([]) for _ in (0, *self._more())] + self._shapes(),
                        maximum_iterations=most,
                    )
                except _Varies as found:  # each time a shape says less, until it says nothing
                    self._invariants[found.leaf] = found.shape
        finally:
            self._state.restore()
        if self._unset and not runs:
            Assert(given[0] > 0, [f"loop must iterate at least once to initialize {', '.join(self._unset)}"])
        self._set(self._rest(given[1:]))

    def _more(self) -> list[Any]:
        """Whether the loop goes on, where that is one of its variables."""
        return [] if self._going is None else [self._going]

    def _rest(self, tensors: Any) -> Any:
        """The state among a loop's variables, without whether it goes on."""
        if self._going is None:
            return tensors
        self._going = tensors[0]
        return tensors[1:]

    # The state.

    def _begin(self, body: Callable[[Any], Any]) -> None:
        """The state before the first iteration; what is unset then has zeros of the form that the body gives it."""
        __tracebackhide__ = True
        values = self._state.values()
        for name, value in values.items():
            if isinstance(value, list) and name.endswith(CONTENTS):
                values[name] = begun(value)
        self._start = {name: flat(value) for name, value in values.items()}
        open_names = [name for name, part in self._start.items() if part.value is UNSET or _is_open(part.value)]
        may_be_unset = {*self._flags, self._result}
        self._unset = [n for n in open_names if self._start[n].value is UNSET and n not in may_be_unset]
        if open_names:
            going = self._going
            ended = self._tried(body)
            self._going = going
            for name in open_names:
                self._start[name] = flat(_first(self._start[name].value, ended[name]))
            for name in self._flags:
                if name in ended and ended[name].value is False:  # nothing in this trace sets it
                    self._start[name] = Leaves(False, [False], [None])
        self._invariants = dict(self._shape_invariants())
        for name in open_names:
            pairs = zip(self._start[name].leaves, ended[name].tensors, strict=False)
            # Where the body makes it, its zeros say nothing of the sizes that are not known yet.
            self._invariants |= {id(leaf): made.shape for leaf, made in pairs if _varies(made)}

    def _tried(self, body: Callable[[Any], Any]) -> dict[str, Leaves]:
        """The state after one iteration in a graph that nobody runs."""
        __tracebackhide__ = True
        scratch = Graph("scratch", outer=local.state.graph, kind="while")  # type: ignore[arg-type]
        with tracing(scratch):
            inputs = [
                scratch.input(tensor.shape.dims, tensor.dtype.numpy, "state")
                for tensor in tensors_of(list(self._start.values()))
            ]
            self._set(inputs)
            for name in self._flags:
                self._state.set(name, False)
            body(scratch.input((), convert_to_tensor(0).dtype.numpy, "k"))
            return {name: flat(value) for name, value in self._state.values().items()}

    def _shape_invariants(self) -> Any:
        """The shapes that ``set_loop_options`` gives, by the identity of the tensors that they are for."""
        for value, shape in self._options.shape_invariants or ():
            for leaf, wanted in zip(nest.flatten(value), nest.flatten(shape), strict=False):
                yield id(leaf), TensorShape(wanted)

    def _shapes(self) -> list[TensorShape]:
        return [
            self._shape(leaf, tensor, part.value)
            for part in self._start.values()
            for leaf, tensor in zip(part.leaves, part.tensors, strict=True)
            if tensor is not None
        ]

    def _shape(self, leaf: Any, tensor: Any, value: Any) -> TensorShape:
        known: TensorShape = tensor.shape
        if isinstance(value, GraphList):
            return TensorShape([None, *(known.dims or (None,))[1:]])
        return self._invariants.get(id(leaf), known)

    def _set(self, tensors: Any) -> None:
        """Give the variables the loop's tensors."""
        given = iter(nest.flatten(list(tensors)))
        for name, part in self._start.items():
            leaves = [
                leaf if tensor is None else next(given) for leaf, tensor in zip(part.leaves, part.tensors, strict=True)
            ]
            self._state.set(name, packed(part, leaves))

    # One iteration.

    def _tested(self, test: Callable[[Any], Any], k: Any, *tensors: Any) -> Any:
        __tracebackhide__ = True
        self._state.restore()
        self._set(self._rest(tensors))
        return condition(test(k), "while loop")

    def _iterated(self, body: Callable[[Any], Any], k: Any, *tensors: Any) -> Any:
        __tracebackhide__ = True
        self._state.restore()
        self._set(self._rest(tensors))
        body(k)
        ended = {name: flat(value) for name, value in self._state.values().items()}
        for name, part in self._start.items():
            self._check(name, part, ended[name])
        tensors_after = [
            after
            for name, part in self._start.items()
            for before, after in zip(part.tensors, ended[name].tensors, strict=True)
            if before is not None
        ]
        return (k + 1, *self._more(), *tensors_after)

    def _check(self, name: str, before: Leaves, after: Leaves) -> None:
        __tracebackhide__ = True
        if before.value is UNSET and after.value is UNSET:
            return
        for one, other, when in ((before, after, "before the loop"), (after, before, "at the end of the iteration")):
            if one.value is UNSET or (one.value is None and other.value is not None):
                raise ValueError(f"{name!r} is {one.value!r} {when}.{at_line()}")
        wanted = "does not have the same nested structure after one iteration"
        same_structure(name, before.value, after.value, wanted)
        for k, tensor in enumerate(before.tensors):
            self._check_leaf(name, before, after, k, tensor)

    def _check_leaf(self, name: str, before: Leaves, after: Leaves, k: int, tensor: Any) -> None:
        __tracebackhide__ = True
        ended = after.tensors[k]
        if tensor is None or ended is None:
            if before.leaves[k] is not after.leaves[k]:
                raise TypeError(
                    f"{name!r} is {before.leaves[k]!r} before the loop, but {after.leaves[k]!r} after one iteration; "
                    f"only tensors can change in a loop of the graph{at_line()}"
                )
            return
        if tensor.dtype != ended.dtype:
            raise TypeError(
                f"{name!r} has dtype {tensor.dtype.name} before the loop, but dtype {ended.dtype.name} after one "
                f"iteration{at_line()}"
            )
        wanted = self._shape(before.leaves[k], tensor, before.value)
        if is_subshape(ended.shape, wanted):
            return
        if self._is_fold:
            raise _Varies(id(before.leaves[k]), wanted.most_specific_compatible_shape(ended.shape))
        if id(before.leaves[k]) in self._invariants:
            raise ValueError(
                f"{name!r} has shape {ended.shape} after one iteration, which does not conform with the shape "
                f"invariant {wanted}.{at_line()}"
            )
        raise ValueError(
            f"{name!r} has shape {wanted} before the loop, but shape {ended.shape} after one iteration. Use "
            f"tf.autograph.experimental.set_loop_options to set shape invariants.{at_line()}"
        )


def _varies(made: Any) -> bool:
    """Whether a tensor that a body has made can have another shape in the next iteration."""
    return made is not None and not made.shape.is_fully_defined()


class _Counted:
    """A function without arguments that is given the number of the iteration."""

    def __init__(self, function: Callable[[], Any]) -> None:
        self._function = function

    def __call__(self, _k: Any) -> Any:
        __tracebackhide__ = True
        return self._function()


def _on_item(elements: Elements, body: Callable[[Any], Any], k: Any) -> None:
    __tracebackhide__ = True
    body(elements.item(k))


def _is_open(value: Any) -> bool:
    return isinstance(value, GraphList) and value.is_open


def _first(before: Any, after: Leaves) -> Any:
    """What a variable begins with whose form the body has shown."""
    if isinstance(before, GraphList):
        return after.value.emptied() if isinstance(after.value, GraphList) else before
    return zeros_like(after)


def while_(
    test: Callable[[], Any],
    body: Callable[[], Any],
    names: tuple[str, ...] = (),
    until: tuple[str, ...] = (),
    result: str = "",
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
            loop = Repetition(state, until, options() if options is not None else Options(), result)
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
        Repetition(state, until, wanted, result).for_(elements, body, partial(_stopped, state, until))
        return
    steps = steps_of(iterable)
    if steps is not None:
        wanted = options() if options is not None else Options()
        # Asked for only where the loop goes on: what an iterator gives is gone.
        going_on = partial(_going_on, state, until, steps.advance)
        is_fold = hasattr(iterable, "element_spec") and not hasattr(iterable, "__next__")
        loop = Repetition(state, until, wanted, result, is_fold=is_fold)
        loop.while_going(steps.advance(), going_on, lambda: body(steps.item()))
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
