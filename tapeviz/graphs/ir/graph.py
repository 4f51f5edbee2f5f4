"""Graphs: nodes in the order of their making, and the tensors between them."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tapeviz.backends import NUMPY
from tapeviz.engine.declaration import Op, registry
from tapeviz.engine.deferred_numbers import Deferred, replaced
from tapeviz.engine.dispatch import refusal
from tapeviz.engine.errors import InaccessibleTensorError, InvalidArgumentError, OpError, ShapeError
from tapeviz.engine.state import local, outermost
from tapeviz.engine.symbolic import SymbolicTensor, at_line
from tapeviz.engine.userline import outside
from tapeviz.graphs.ir.collections import WithCollections
from tapeviz.graphs.ir.gradient_history import History
from tapeviz.graphs.ir.inference import ShapeDtype, inferred
from tapeviz.graphs.ir.runtime_calls import follow_python, record
from tapeviz.graphs.ir.special_nodes import ASSIGN, CAPTURE, CONSTANT, INPUT, NOTHING, PYTHON, READ, PythonCall
from tapeviz.graphs.ir.static_values import static_value
from tapeviz.graphs.ir.tape_entries import pass_on
from tapeviz.graphs.ir.traced_backward import BackwardTrace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import CodeType

__all__ = ["Graph", "Node", "of_shapes", "output_of"]

_next_graph: Final = itertools.count(1).__next__


class Node:
    """A step of a graph: an op, what it takes and what it makes.

    ``op`` is a declaration, or one of :mod:`tapeviz.graphs.ir.special_nodes`. ``control`` are nodes that must have run
    before. ``regions`` are the graphs inside it: branches, a loop's condition and body, a called function. ``_steps``
    are what tapes are told of it where its op has no gradient rule: what stands for the op, inputs, outputs, specs.
    """

    __slots__ = (
        "_steps",
        "attrs",
        "code",
        "control",
        "device",
        "graph",
        "inputs",
        "instruction",
        "name",
        "number",
        "op",
        "outputs",
        "regions",
    )  # fmt: skip

    def __init__(self, graph: Graph, op: Any, name: str, inputs: tuple[Any, ...], attrs: dict[str, Any]) -> None:
        self.graph: Graph = graph
        self.op: Any = op
        self.name: str = name
        self.inputs: tuple[Any, ...] = inputs
        self.attrs: dict[str, Any] = attrs
        self.number: int = len(graph.nodes)
        self.control: tuple[Node, ...] = ()
        self.outputs: tuple[SymbolicTensor, ...] = ()
        self.regions: tuple[Graph, ...] = ()
        self._steps: tuple[Any, ...] = ()
        self.device: str = ""
        self.code: CodeType | None = None
        self.instruction: int = -1

    @property
    def type(self) -> str:
        """TensorFlow's name of the kernel."""
        return str(self.op.tf_name)

    def values(self) -> tuple[SymbolicTensor, ...]:
        """The outputs."""
        return self.outputs

    @property
    def effects(self) -> str:
        """What it does besides computing, itself or in its regions: "write", "random", "read", "input", or nothing."""
        if not self.regions:
            return str(self.op.effects)
        inner = {node.effects for region in self.regions for node in region.nodes}
        return next((sort for sort in ("write", "random", "read") if sort in inner), "")

    def __repr__(self) -> str:
        return f"<tf.Operation '{self.name}' type={self.type}>"


class Graph(WithCollections):
    """Nodes in the order of their making, which is an order in which they can run.

    Args:
        name: what it is a graph of, for people.
        outer: the graph in which it is built: tensors of that one can be used in this one, and become inputs of it.
        kind: "function", "cond", "while", "gradient", "session" or "cell".

    ``inputs`` are the tensors to be given at a run: arguments first, then ``captures``, pairs of a tensor from outside
    and the input that stands for it; ``copies`` are such pairs where a constant was copied. ``history`` is a tape that
    has followed every op, so that gradients of the whole can be taken afterwards. ``python_state`` is what a
    trace saw of Python's state.
    """

    hashes_tensors = False
    makes = Node

    def __init__(self, name: str, outer: Graph | None = None, kind: str = "function") -> None:
        self.number: int = _next_graph()
        self.name = name
        self.outer = outer
        self.kind = kind
        self.nodes: list[Node] = []
        self.inputs: list[SymbolicTensor] = []
        self.captures: list[tuple[SymbolicTensor, SymbolicTensor]] = []
        self.copies: list[tuple[SymbolicTensor, SymbolicTensor]] = []
        self._reached: dict[int, SymbolicTensor] = {}
        self.constants: dict[int, tuple[Any, SymbolicTensor]] = {}
        self.history: History = History()
        self.variables: dict[int, Any] = {}
        self.first_reads: dict[int, SymbolicTensor] = {}
        self.later_reads: list[tuple[int, SymbolicTensor]] = []
        self.writes: set[int] = set()
        self.creating: Callable[[Any], None] | None = None
        self.evaluate: Callable[[Graph, Any], Any] | None = None
        self.trace: Any = None
        self.python_state: Any = None
        self.backward_trace: BackwardTrace = BackwardTrace(self.nodes)
        self.controls: tuple[Node, ...] = ()
        self._asked: tuple[Node, ...] = ()
        self.finished = False
        self._now: dict[int, SymbolicTensor] = {}
        self._assigned: dict[int, SymbolicTensor] = {}
        self._used: dict[str, int] = {}
        self._scope_of: dict[int, str] = {}
        self._scopes_until = 0

    # Names.

    def unique(self, name: str) -> str:
        """The name with the scopes around it, and with a number where it is taken."""
        whole = name.removesuffix("/") if name.endswith("/") else f"{local.state.scope}{name}"
        return self.free_name(whole)

    def free_name(self, whole: str) -> str:
        """The name, with a number where it is taken."""
        key = whole.lower()
        count = self._used.get(key, 0)
        self._used[key] = count + 1
        if not count:
            return whole
        while (numbered := f"{whole}_{count}").lower() in self._used:
            count += 1
        self._used[key], self._used[numbered.lower()] = count + 1, 1
        return numbered

    def scope_of(self, number: int) -> str:
        """The scopes, each with its slash, around the node that makes a tensor; none for what another graph makes."""
        for node in self.nodes[self._scopes_until :]:
            scope, slash, _ = node.name.rpartition("/")
            self._scope_of.update((tensor._id, scope + slash) for tensor in node.outputs)
        self._scopes_until = len(self.nodes)
        return self._scope_of.get(number, "")

    def get_operations(self) -> list[Node]:
        """All operations, in the order of their making."""
        return list(self.nodes)

    def as_graph_def(self, **_accepted: Any) -> Any:
        """The nodes as plain data: ``.node`` with each one's ``name``, ``op`` and ``input``."""
        nodes = [
            SimpleNamespace(name=node.name, op=node.type, input=[tensor.op.name for tensor in node.inputs])
            for node in self.nodes
        ]
        return SimpleNamespace(node=nodes)

    # Nodes.

    def add(self, op: Op, tensors: Sequence[Any], attrs: dict[str, Any], name: str | None = None) -> Any:
        """A node that will run the op; its symbolic output, or a tuple of them.

        Raises:
            ShapeError: shapes do not fit; it is a ValueError as well, as TensorFlow's is then.
            InvalidArgumentError: dtypes or attributes do not fit.
        """
        __tracebackhide__ = True
        own = tuple([self.own(tensor) for tensor in tensors])
        attrs = self.own_numbers(attrs)
        try:
            forms = inferred(op, own, attrs)
        except (OpError, ValueError, IndexError, TypeError) as error:
            better = of_shapes(refusal(op, own, attrs, error, 0.0))
            if (observer := outermost(local.state).observer) is not None:
                observer.on_refused(op, own, attrs, better)
            raise better from None
        node = self.node(op, own, attrs, forms, name)
        output: Any = node.outputs if op.many else node.outputs[0]
        if not op.many:
            output._static_value = static_value(op, own, attrs, output)
        if op.vjp:
            record(op, own, output, attrs)
        return output

    def node(
        self,
        op: Any,
        inputs: Sequence[Any],
        attrs: dict[str, Any],
        forms: Sequence[ShapeDtype],
        name: str | None = None,
    ) -> Node:
        """A node with outputs of these forms."""
        made = self.makes(self, op, self.unique(name or op.label or op.tf_name), tuple(inputs), attrs)
        made.outputs = tuple([output_of(made, slot, form) for slot, form in enumerate(forms)])
        made.control = self.controls
        state = local.state
        if state.placed:
            made.device = state.backend.device
        frame = outside(sys._getframe(1))
        if frame is not None:
            made.code, made.instruction = frame.f_code, frame.f_lasti
        self.nodes.append(made)
        if op.follows:
            self.history.follow(made.outputs)
        return made

    def python(
        self, run: Callable[..., Any], tensors: Sequence[Any], forms: Sequence[ShapeDtype] = (),
        name: str = "EagerPyFunc", *, differentiable: bool = False, call: type[PythonCall] = PythonCall,
    ) -> tuple[SymbolicTensor, ...]:  # fmt: skip
        """A node that calls a Python function at each run, with eager tensors; it gives tensors of these forms."""
        own = tuple([self.own(tensor) for tensor in tensors])
        node = self.node(PYTHON, own, {"run": call(run)}, forms, name)
        self.forget_reads()
        if differentiable:
            follow_python(run, own, node.outputs, node.name)
        return node.outputs

    def input(self, shape: Any, dtype: np.dtype, name: str) -> SymbolicTensor:
        """A tensor to be given at a run. A size of None is not known while tracing."""
        tensor = self.node(INPUT, (), {}, [(shape, dtype)], name).outputs[0]
        self.inputs.append(tensor)
        return tensor

    # Tensors from outside.

    def own(self, tensor: Any) -> Any:
        """The tensor of this graph that stands for one from outside: an input, or a constant for an eager one.

        Raises:
            InaccessibleTensorError: it is of a graph that this one is not inside of.
        """
        if tensor.__class__ is SymbolicTensor and tensor._node.graph is self:
            return tensor
        if tensor.__class__ is SymbolicTensor:
            made = self._captured(tensor)
        else:
            known = self.constants.get(id(tensor))
            made = self._constant(tensor, CAPTURE) if known is None else known[1]
        if len(local.state.tapes) > 1:
            pass_on(tensor, made)
        return made

    def literal(self, tensor: Any) -> SymbolicTensor:
        """The constant of this graph for a number or list in the program, by which nobody differentiates."""
        return self._constant(tensor, CONSTANT)

    argument = literal
    """The constant for a number or list that is an input of the op being called."""

    def _constant(self, tensor: Any, op: Any) -> SymbolicTensor:
        value = tensor._a
        made = self.node(op, (), {"tensor": tensor}, [(value.shape, value.dtype)], "Const").outputs[0]
        made._static_value = tensor._host() if tensor._backend is NUMPY else None
        if op is CAPTURE:
            self.constants[id(tensor)] = (tensor, made)
        return made

    def _captured(self, tensor: SymbolicTensor) -> SymbolicTensor:
        known = self._reached.get(id(tensor))
        if known is not None:
            return known
        if self.outer is None or not self._inside(tensor.graph):
            raise InaccessibleTensorError(
                f"{tensor!r} is out of scope and cannot be used here: it belongs to {tensor.graph.title}. Use return "
                f"values, explicit Python locals or TensorFlow collections to access it.{at_line()}"
            )
        step = tensor._node
        if step.op is CAPTURE:
            return self.own(step.attrs["tensor"])  # type: ignore[no-any-return]
        if step.op is CONSTANT and not _is_followed(tensor):
            copy = self.literal(step.attrs["tensor"])
            self.copies.append((tensor, copy))
            return copy
        reached = self.outer.own(tensor)
        shape = tensor._a._shape
        own = None if shape is None else tuple(None if isinstance(size, Deferred) else size for size in shape)
        made = self.input(own, tensor._a.dtype, tensor._node.name.rpartition("/")[2])
        made._static_value = (
            tensor._static_value if tensor._static_value is not None and tensor._static_value.dtype != object else None
        )
        self.captures.append((reached, made))
        self._reached[id(tensor)] = self._reached[id(reached)] = made
        return made

    def _ask(self, node: Any) -> None:
        """Have the node of a session's graph that this one is inside of run after another one there."""
        found = getattr(node, "graph", None)
        if getattr(found, "kind", "") != "session" or not self._inside(found):
            return
        inner: Any = self
        while inner.outer is not found:
            inner = inner.outer
        inner._asked = (*inner._asked, node)

    def _inside(self, other: Any) -> bool:
        graph: Graph | None = self
        while graph is not None:
            if graph is other:
                return True
            graph = graph.outer
        return False

    def own_numbers(self, attrs: Any) -> Any:
        """Attributes with deferred numbers of outer graphs replaced by this graph's."""
        return replaced(attrs, self._own_number)

    def _own_number(self, number: Deferred) -> Any:
        sort, *rest = number.source
        if sort == "expression":
            parts = [self._own_number(part) if isinstance(part, Deferred) else part for part in rest[1:]]
            if all(part is before for part, before in zip(parts, rest[1:], strict=True)):
                return number
            return Deferred((sort, rest[0], *parts), number.first, number.second)
        if sort in ("axis", "value") and rest[0].graph is not self:
            return Deferred((sort, self.own(rest[0]), *rest[1:]), number.first, number.second)
        return number

    def reopened(self, tensor: SymbolicTensor) -> Graph:
        """This graph, for an op on one of its tensors outside every trace.

        Raises:
            TypeError: tracing is over, so that nothing can be added.
        """
        raise TypeError(
            f"{tensor!r} is out of scope and cannot be used here. It was made while {self.title} was traced, and has "
            f"no value outside of it: return it from the function, or assign it to a variable.{at_line()}"
        )

    @property
    def title(self) -> str:
        """What this graph is, for messages."""
        return f"{self.kind} {self.name!r}" if self.name else self.kind

    # Variables.

    def read(self, variable: Any) -> SymbolicTensor:
        """The value that the variable will have at this point of a run: what was assigned here last, or a read."""
        number = variable._number
        value = self._now.get(number)
        if value is None:
            shape, dtype = variable.shape.dims, variable._value._a.dtype
            # A variable that was named inside these scopes does not say them twice.
            label = variable.name.partition(":")[0].removeprefix(local.state.scope)
            form = None if shape is None else tuple(shape), dtype
            value = self.node(READ, (), {"variable": variable}, [form], f"{label}/Read/ReadVariableOp").outputs[0]
            self._now[number] = value
            self.variables[number] = variable
            if number not in self.writes:
                self.first_reads.setdefault(number, value)
            else:
                self.later_reads.append((number, value))
        elif self._assigned.get(number) is value:
            # A tensor of its own: what was assigned may have other uses, through which no gradient comes to the
            # variable, and none goes through the variable back to what was assigned.
            del self._assigned[number]
            value = self._now[number] = registry["stop_gradient"].run(value)
            self.history.follow([value])
            self.later_reads.append((number, value))
        return value

    def _value_now(self, variable: Any) -> SymbolicTensor | None:
        """The value that the variable has at this point of a run, None where it was not read or assigned here."""
        return self._now.get(variable._number)

    @property
    def _reads(self) -> tuple[tuple[int, SymbolicTensor], ...]:
        """The values by which a gradient comes to a variable: its number and a value that it has here."""
        return (*self.first_reads.items(), *self.later_reads)

    def assign(self, variable: Any, value: Any) -> None:
        """Replace the variable's value at this point of a run."""
        own = self.own(value)
        self.node(ASSIGN, (own,), {"variable": variable}, (), "AssignVariableOp")
        self.variables[variable._number] = variable
        self.writes.add(variable._number)
        self._now[variable._number] = self._assigned[variable._number] = own

    def written_elsewhere(self, variables: Sequence[Any]) -> None:
        """A node has assigned these: what they were is not what they are."""
        for variable in variables:
            self._now.pop(variable._number, None)
            self.variables[variable._number] = variable
            self.writes.add(variable._number)

    def forget_reads(self) -> None:
        """Something ran that may have assigned any variable."""
        self._now.clear()

    def made(self, variable: Any) -> None:
        """A variable is being made. Raises ValueError where this must not be."""
        root = self.root
        if root.creating is not None:
            root.creating(variable)

    def initial(self, tensor: Any) -> Any:
        """The value of one of this graph's tensors now, for a variable that begins with it."""
        if self.root.evaluate is None:
            raise InvalidArgumentError(f"a variable cannot be made here{at_line()}")
        return self.root.evaluate(self, tensor)

    @property
    def root(self) -> Graph:
        """The outermost graph around this one."""
        graph = self
        while graph.outer is not None:
            graph = graph.outer
        return graph

    @contextmanager
    def after(self, nodes: Sequence[Node]) -> Iterator[None]:
        """Have nodes made inside the block run after these."""
        before = self.controls
        self.controls = (*before, *nodes)
        try:
            yield
        finally:
            self.controls = before

    def nothing(self, nodes: Sequence[Node], name: str = "NoOp") -> Node:
        """A node that does nothing, after these."""
        with self.after(nodes):
            return self.node(NOTHING, (), {"run": PythonCall(lambda: None)}, (), name)

    def __repr__(self) -> str:
        return f"<graph of {self.title}, {len(self.nodes)} nodes>"


def output_of(node: Node, slot: int, form: ShapeDtype) -> SymbolicTensor:
    """A tensor of this form: sizes that are not known become those of its own axes."""
    shape, dtype = form
    made = SymbolicTensor(node, slot, None, np.dtype(dtype))
    if shape is not None:
        sizes = [Deferred(("axis", made, axis)) if size is None else size for axis, size in enumerate(shape)]
        made._a._shape = tuple(sizes)
    return made


def _is_followed(tensor: SymbolicTensor) -> bool:
    """Whether a tape of the program's, in this trace or one around it, follows a tensor."""
    state = local.state
    while state is not None and hasattr(tensor, "_i"):
        if any(tensor._i in tape._tracked for tape in state.tapes):
            return True
        state = state.outer  # type: ignore[assignment]
    return False


def of_shapes(error: Exception) -> Exception:
    """An error of shapes as it is raised while a graph is built: a ValueError as well."""
    if type(error) is InvalidArgumentError:
        return ShapeError(error.message, error.op)
    return error
