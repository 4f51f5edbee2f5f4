"""A run of a graph that somebody records: as one step, or node by node where contents are kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import cached_property, partial
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

from tapeviz.engine.dispatch import transfer
from tapeviz.engine.scopes import span
from tapeviz.engine.state import next_id
from tapeviz.engine.tensor import wrap
from tapeviz.graphs.ir.liveness import variables_read
from tapeviz.graphs.ir.special_nodes import ASSIGN, CALL, CONDITION, GET_ITEM, INPUT, LOOP, READ
from tapeviz.graphs.ir.traced_backward import BackwardReplay
from tapeviz.graphs.run.interpreter import Hook, Interpreter
from tapeviz.graphs.run.list_values import Items
from tapeviz.graphs.run.node_tape_entries import follow

if TYPE_CHECKING:
    from tapeviz.engine.observer import Observer
    from tapeviz.graphs.ir.graph import Graph, Node
    from tapeviz.graphs.run.executable import Executable

__all__ = ["observed"]

_MOST_INSIDE: Final = 1000
_SPANS: Final = {LOOP: "loop", CONDITION: "branch", CALL: "call"}


def observed(
    program: Executable,
    graph: Graph,
    tensors: Sequence[Any],
    observer: Observer,
    tapes: Sequence[Any] = (),
    **columns: Any,
) -> list[Any]:
    """The outputs of a program as eager tensors; ``observer`` sees a span, and in it a step or the nodes.

    ``tapes`` follow the nodes, each as an op of its own.
    """
    __tracebackhide__ = True
    token = observer.on_span_begin("graph", graph.name, {})
    failure: BaseException | None = None
    stepped_through = int(observer.runs_nodes)
    try:
        with nullcontext() if program.is_planned else span("plan", f"planning {graph.name}"):
            plan = program.plan
        observer.on_graph_run(token, graph, {"pruned": _pruned(program), "stepped": stepped_through, **columns}, plan)
        if observer.runs_nodes:
            return _run_nodes(program, tensors, observer, tapes)
        read = program.variables_read
        for variable in read:
            observer.on_variable(variable, "read")
        taken = [*tensors, *(variable._value for variable in read)]
        t0 = perf_counter()
        found = [None if array is None else wrap(array) for array in program([tensor._a for tensor in tensors])]
        made = tuple(tensor for tensor in found if tensor is not None)
        if made:
            observer.on_op(CALL, taken, made, {"graph": graph.name}, t0, perf_counter())
    except BaseException as error:
        failure = error
        raise
    finally:
        observer.on_span_end(token, failure)
    return found


def _pruned(program: Executable) -> int:
    """How many nodes of its graph a program does not run."""
    return sum(node.op is not INPUT for node in program.graph.nodes) - len(program.nodes)


def _run_nodes(program: Executable, tensors: Sequence[Any], observer: Observer, tapes: Sequence[Any]) -> list[Any]:
    __tracebackhide__ = True
    seen = _NodeCalls(program, tensors, observer, Allowance(_MOST_INSIDE))
    run = Interpreter(program, [tensor._a for tensor in tensors], seen)
    run.run()
    seen.replay.before(len(program.graph.nodes))
    if tapes:
        follow(program.graph, seen.tensors, run.number, tapes)
    return [None if tensor is None else seen.tensors[id(tensor)] for tensor in program.outputs]


class Allowance:
    """How many more runs of branches and bodies are told of node by node."""

    def __init__(self, runs: int) -> None:
        self._left = runs

    def take(self) -> bool:
        """One more; False: there are none left."""
        self._left -= 1
        return self._left >= 0


class _NodeCalls(Hook):
    """Gives an observer the calls of an eager program, with tensors for the arrays of the run.

    ``tensors`` are these, by the identity of the symbolic ones.
    """

    def __init__(self, program: Executable, tensors: Sequence[Any], observer: Observer, allowance: Allowance) -> None:
        self.observer = observer
        self.allowance = allowance
        self._inside: _Inside | None = None
        self.tensors: dict[int, Any] = {id(own): given for own, given in zip(program.inputs, tensors, strict=True)}
        self.replay = BackwardReplay(program.graph.nodes, program.graph.backward_trace, self.tensors, observer)
        self._inputs: list[Any] = []
        self._since = 0.0

    def before(self, _run: Interpreter, node: Node) -> None:
        """What came before the node in its graph is replayed."""
        self.replay.before(node.number)
        self._inputs = [self.tensors[id(tensor)] for tensor in node.inputs]
        if not self.replay.quiet and node.regions:
            # The graphs inside a node read variables: it takes them, though not as inputs.
            read = variables_read([inner for region in node.regions for inner in region.nodes])
            for variable in read:
                self.observer.on_variable(variable, "read")
            self._inputs += [variable._value for variable in read]
        self._since = perf_counter()

    def source(self, run: Interpreter, node: Node, tensor: Any) -> Any:
        """On the device of the program, unless that has no such dtype."""
        if node.op is READ:
            self.observer.on_variable(node.attrs["variable"], "read")
        backend = run.program.backend
        stays = tensor._backend is backend or not backend.takes(tensor._a.dtype)
        here = self.tensors[id(node.outputs[0])] = tensor if stays else transfer(tensor, backend)
        return here

    def inside(self, run: Interpreter, node: Node) -> _Inside | None:
        """The nodes inside are told of, too, unless they are a part of a backward step."""
        self._inside = None if self.replay.quiet else _Inside(self, run, node)
        return self._inside

    def after(self, _run: Interpreter, node: Node, outputs: Sequence[Any]) -> None:
        """An op of the program, unless the node is a part of a backward step, which has a callback of its own."""
        end = perf_counter()
        inside, self._inside = self._inside, None
        if inside is not None:
            self._inputs += inside.results(outputs)
            self._since = inside.ended
        if "source" in node.op.traits or node.op is READ:
            return
        if node.op is ASSIGN:
            found = [node.attrs["variable"]._value]
        else:
            found = [None if array is None else wrap(array) for array in outputs]
        self.tensors.update(zip(map(id, node.outputs), found, strict=False))
        made = [tensor for tensor in found if tensor is not None]
        for tensor in made:
            if not hasattr(tensor, "_i"):
                tensor._i = next_id()  # asking for the number would be a tensor that no op made
        if made and not self.replay.quiet:
            output = made[0] if len(made) == 1 else tuple(made)
            self.observer.on_op(node.op, self._inputs, output, node.attrs, self._since, end, node)
        if inside is not None:
            inside.end()

    def failed(self, _run: Interpreter, node: Node, error: BaseException, /) -> None:
        """The op failed, if it was not one inside it."""
        inside, self._inside = self._inside, None
        if inside is not None and inside.is_over:
            return
        self.observer.on_op_error(node.op, self._inputs, node.attrs, self._since, error, node)


class _Inside:
    """Runs the graphs inside a node, and tells an observer of their nodes as of those around them.

    What an array is a tensor of is known from the node's inputs and from the run before, so that each iteration goes on
    with what the last one made. Of many runs the later ones are told of as a span alone.
    """

    def __init__(self, calls: _NodeCalls, run: Interpreter, node: Node) -> None:
        self._calls = calls
        self._node = node
        inputs = [(run.values[id(tensor)], calls.tensors[id(tensor)]) for tensor in node.inputs]
        self._around: dict[int, Any] = {id(array): (array, tensor) for array, tensor in inputs}
        self._latest: dict[int, Any] = {}
        self._listed: dict[int, Any] = {}
        self._spans = [calls.observer.on_span_begin(_SPANS[node.op], node.name, {})]
        self.ended = perf_counter()

    def __call__(self, program: Executable) -> Callable[[Sequence[Any]], tuple[Any, ...]]:
        """What runs one of the graphs."""
        return partial(self._run, program)

    @property
    def is_over(self) -> bool:
        """Whether :meth:`end` was called."""
        return not self._spans

    def end(self, error: BaseException | None = None) -> None:
        """The node has run, or one inside it failed."""
        while self._spans:
            self._calls.observer.on_span_end(self._spans.pop(), error)

    def results(self, outputs: Sequence[Any]) -> list[Any]:
        """The tensors that the node's outputs were inside, as far as the program asked for them."""
        known = {**self._around, **self._listed, **self._latest}
        arrays: list[Any] = []
        for output in outputs[: self._node.attrs["run"].results]:
            arrays += output.column() if output.__class__ is Items and id(output) not in known else [output]
        return [known[id(array)][1] for array in arrays if id(array) in known]

    def _run(self, program: Executable, arrays: Sequence[Any]) -> tuple[Any, ...]:
        __tracebackhide__ = True
        try:
            return self._seen(program, arrays) if self._calls.allowance.take() else self._unseen(program, arrays)
        except BaseException as error:
            self.end(error)
            raise

    def _seen(self, program: Executable, arrays: Sequence[Any]) -> tuple[Any, ...]:
        __tracebackhide__ = True
        tensors = [self._tensor(array) for array in arrays]
        calls = _NodeCalls(program, tensors, self._calls.observer, self._calls.allowance)
        if self._node.op is CALL:
            columns = {"pruned": _pruned(program), "stepped": 1}
            calls.observer.on_graph_run(self._spans[0], program.graph, columns, None)
        run = Interpreter(program, arrays, calls)
        run.run()
        calls.replay.before(len(program.graph.nodes))
        outputs = run.outputs
        made = [None if tensor is None else calls.tensors[id(tensor)] for tensor in program.outputs]
        pairs = [(array, tensor) for array, tensor in zip(outputs, made, strict=True) if tensor is not None]
        self._latest = {id(pair[0]): pair for pair in (*zip(arrays, tensors, strict=True), *pairs)}
        run_of_node = self._node.attrs["run"]
        if hasattr(run_of_node, "loop"):
            listed = pairs[run_of_node.loop.carry : run_of_node.results]
            self._listed.update({id(pair[0]): pair for pair in listed})
        self.ended = perf_counter()
        return outputs

    def _unseen(self, program: Executable, arrays: Sequence[Any]) -> tuple[Any, ...]:
        if len(self._spans) == 1:
            name = f"the runs after the first {_MOST_INSIDE:,}, at once"
            self._spans.append(self._calls.observer.on_span_begin("at_once", name, {}))
        self._latest = {}
        return program.silently(program.inside, arrays)  # type: ignore[no-any-return]

    def _tensor(self, array: Any) -> Any:
        found = self._latest.get(id(array)) or self._around.get(id(array))
        if found is not None:
            return found[1]
        tensor = wrap(array)
        if (items := self._items.get(id(array))) is not None:
            tensor._i = next_id()
            now = perf_counter()
            self._calls.observer.on_op(GET_ITEM, [items], tensor, {}, now, now, self._node)
        return tensor

    @cached_property
    def _items(self) -> dict[int, Any]:
        """The lists that the node takes, by the identities of the arrays in them."""
        return {
            id(array): tensor
            for items, tensor in self._around.values()
            if items.__class__ is Items
            for array in items.column()
        }
