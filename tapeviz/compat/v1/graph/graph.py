"""``tf.Graph``: nodes that stay, with names by which they can be found, for sessions to run."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from tapeviz.compat.v1.graph.call_journal import Journal
from tapeviz.compat.v1.graph.call_names import NamedCall, named_call
from tapeviz.compat.v1.graph.v2_behavior import meet_graph
from tapeviz.engine.declaration import Op, registry
from tapeviz.engine.dispatch import check_types
from tapeviz.engine.errors import OpError
from tapeviz.engine.op_definition import function_of
from tapeviz.engine.operators import public
from tapeviz.engine.state import local
from tapeviz.engine.symbolic import SymbolicTensor, at_line
from tapeviz.graphs.ir.graph import Graph as BuiltGraph
from tapeviz.graphs.ir.graph import Node
from tapeviz.graphs.ir.inference import ShapeDtype
from tapeviz.graphs.ir.special_nodes import ASSIGN, CONSTANT
from tapeviz.graphs.ir.tracing import tracing

__all__ = ["Graph", "Operation", "entered"]

_NODE_NAME: Final = re.compile(r"^[A-Za-z0-9.][A-Za-z0-9_.\\/>-]*$")
# Functions of this namespace that name their nodes after themselves.
_OWN_NAME: Final = frozenset((
    "concat", "one_hot", "ones_like", "split", "stack", "strided_slice", "transpose", "unstack", "zeros_like",
))  # fmt: skip


class Operation(Node):
    """A node of a graph: an op with its inputs, which a session runs."""

    __slots__ = ()

    @property
    def control_inputs(self) -> list[Any]:
        """The operations that must have run before."""
        return list(self.control)

    def get_attr(self, name: str) -> Any:
        """An attribute. Raises ValueError: there is none of that name."""
        if name not in self.attrs:
            raise ValueError(f"Operation '{self.name}' has no attr named '{name}'.")
        return self.attrs[name]

    def run(self, feed_dict: Any = None, session: Any = None) -> None:
        """Run it, and what it needs, in ``session`` or the default session."""
        public["run_operation"](self, feed_dict, session)


class _Here(threading.local):
    """Where the program is in this thread: name scope and devices."""

    def __init__(self) -> None:
        self.scope = ""
        self.devices: tuple[Any, ...] = ()
        self.naming = False


class Graph(BuiltGraph):
    """A graph to which every op of this namespace adds nodes while it is the default graph.

    >>> import tapeviz.compat.v1 as tf
    >>> graph = tf.Graph()
    >>> with graph.as_default():
    ...     total = tf.constant(2.0) + 3.0
    >>> total
    <tf.Tensor 'add:0' shape=() dtype=float32>
    >>> with tf.Session(graph=graph) as session:
    ...     session.run(total)
    np.float32(5.0)
    """

    hashes_tensors = True
    makes = Operation

    def __init__(self, *, outermost: bool = False) -> None:
        super().__init__("", kind="session")
        self.outermost = outermost
        self.here: _Here = _Here()
        self.journal: Journal = Journal()
        self.stores: dict[str, Any] = {}
        self.seed: int | None = None
        self._finalized = False
        self._found: dict[str, Node] = {}
        self._call: NamedCall | None = None

    @property
    def title(self) -> str:
        """What this graph is, for messages."""
        return f"graph {self.number}"

    # Building.

    def reopened(self, _tensor: SymbolicTensor) -> Graph:
        """This graph: ops on its tensors add to it, wherever they are called."""
        return self

    def add(self, op: Op, tensors: Sequence[Any], attrs: dict[str, Any], name: str | None = None) -> Any:
        """A node that will run the op; numbers and lists among its inputs are named after it, as ``add/y`` is."""
        __tracebackhide__ = True
        if local.state.graph is not self:
            with entered(self):
                return self.add(op, tensors, attrs, name)
        self._check_same(tensors)
        label = own_label = name or (op.name if op.name in _OWN_NAME else op.label or op.tf_name)
        call = self._call = None if name or self.journal.depth else named_call(self._call)
        if call is not None:
            label = call.label(own_label)
        whole = self.journal.peek(self._used, f"{local.state.scope}{label}")
        own = [
            tensor if isinstance(tensor, SymbolicTensor) else self.fixed(tensor, f"{whole}/{_argument(op, place)}/")
            for place, tensor in enumerate(tensors)
        ]
        try:
            check_types(op, tuple(own))  # type: ignore[arg-type]
        except OpError as error:  # what TensorFlow raises while a graph is built
            raise TypeError(f"{error} [Op:{op.tf_name}]{at_line()}") from None
        made = super().add(op, own, attrs, label)
        if call is not None:
            call.made(self, self.nodes[-1], own_label)
        return made

    def node(
        self,
        op: Any,
        inputs: Sequence[Any],
        attrs: dict[str, Any],
        forms: Sequence[ShapeDtype],
        name: str | None = None,
    ) -> Node:
        """A node with outputs of these forms. Gradients can be asked by any of them.

        Raises:
            RuntimeError: the graph is finalized.
        """
        if self._finalized:
            raise RuntimeError("Graph is finalized and cannot be modified.")
        if self.outermost:
            meet_graph()
        made = super().node(op, inputs, attrs, forms, name)
        made.device = self._device(made)
        self.history.follow(made.outputs)
        return made

    def _device(self, node: Node) -> str:
        text = ""
        for device in self.here.devices:
            text = device(node, text) if callable(device) else device
        return str(text or "")

    def _check_same(self, tensors: Sequence[Any]) -> None:
        ours = next((t for t in tensors if isinstance(t, SymbolicTensor) and t.graph is self), None)
        for tensor in tensors:
            if isinstance(tensor, SymbolicTensor) and tensor.graph is not self and ours is not None:
                raise ValueError(
                    f"{tensor} must be from the same graph as {ours} (graphs are {tensor.graph!r} and {self!r})."
                )

    def own(self, tensor: Any) -> Any:
        """The tensor itself; a constant for an eager one.

        Raises:
            ValueError: it is of another graph.
        """
        if not isinstance(tensor, SymbolicTensor):
            return self.fixed(tensor, "Const")
        if tensor.graph is self:
            return tensor
        raise ValueError(
            f"{tensor} must be from the same graph as what it is used with (graphs are {tensor.graph!r} and {self!r})."
        )

    def literal(self, tensor: Any) -> Any:
        """A constant; in a call of this namespace's the number or list itself, which is named after the call."""
        if self.journal.depth or self.here.naming:
            return tensor
        call = named_call(None)
        return self.fixed(tensor, call.name if call is not None and call.of_constant else "Const")

    @contextmanager
    def naming(self) -> Iterator[None]:
        """A block in which numbers and lists stay what they are, for a caller that names the constants made of them."""
        before, self.here.naming = self.here.naming, True
        try:
            yield
        finally:
            self.here.naming = before

    def argument(self, tensor: Any) -> Any:
        """The number or list itself: the op that takes it makes it a constant, and names it."""
        return tensor

    def made_variable(self, *args: Any, **kwargs: Any) -> Any:
        """A variable of this graph, for ``tf.Variable`` in a block of :meth:`as_default`."""
        return public["variable_of_graph"](*args, **kwargs)

    def fixed(self, tensor: Any, name: str) -> SymbolicTensor:
        """A constant of that name."""
        value = tensor._a
        made = self.node(CONSTANT, (), {"tensor": tensor}, [(value.shape, value.dtype)], name).outputs[0]
        made._static_value = tensor._host()
        return made

    def same(self, tensor: SymbolicTensor, name: str) -> Any:
        """The tensor once more, under a name of its own."""
        identity = registry["identity"]
        function_of(identity)
        return self.add(identity, (tensor,), {}, name)

    def unique(self, name: str) -> str:
        """The name with the scopes around it and a number where it is taken; as it is where it ends with a slash."""
        whole = self._scoped(name)
        return whole[:-1] if name.endswith("/") else self.free_name(whole)

    def _scoped(self, name: str) -> str:
        """The name with the scopes around it.

        Raises:
            ValueError: it is no name.
        """
        whole = name if name.endswith("/") else f"{local.state.scope}{name}"
        if not _NODE_NAME.match(whole):
            raise ValueError(f"`{whole}` is not a valid node name. Accepted names conform to Regex /{_NODE_NAME!r}/")
        return whole

    def free_name(self, whole: str) -> str:
        """The name, with a number where it is taken."""
        key = whole.lower()
        before = self._used.get(key, 0)
        made = super().free_name(whole)
        self.journal.noted(whole, key, before, made)
        return made

    def entered(self) -> Any:
        """A block in which ops become nodes of this graph."""
        return entered(self)

    # Variables.

    def new_variable(self, initial: Callable[[], Any], name: str, dtype: Any, *, trainable: bool) -> Any:
        """A variable of this graph that begins with what ``initial`` gives: what layers ask for."""
        return public["graph_variable"](self, initial, name, trainable=trainable, dtype=dtype)

    def read(self, variable: Any) -> Any:
        """The value that a variable has at this point of a run; of an eager one the value of now."""
        return variable.read_in(self) if hasattr(variable, "read_in") else self.fixed(variable._value, "Const")

    def assign(self, variable: Any, value: Any) -> None:
        """Replace a variable's value at this point of a run."""
        if hasattr(variable, "assign_in"):
            variable.assign_in(self, value)
            return
        self.node(ASSIGN, (self.own(value),), {"variable": variable}, (), "AssignVariableOp")

    def written_elsewhere(self, variables: Sequence[Any]) -> None:
        """A node has assigned these. Reads are nodes of their own here, so nothing is to be forgotten."""

    # Finding.

    @property
    def finalized(self) -> bool:
        """Whether nothing can be added any more."""
        return self._finalized

    def finalize(self) -> None:
        """Refuse new nodes from now on."""
        self._finalized = True

    def by_name(self, name: str) -> Node | None:
        """The operation of that name, None where there is none."""
        if len(self._found) != len(self.nodes):
            self._found = {node.name: node for node in self.nodes}
        return self._found.get(name)

    def get_operation_by_name(self, name: str) -> Any:
        """The operation of that name.

        Raises:
            KeyError: there is none.
            ValueError: it is a tensor's name.
            TypeError: it is no text.
        """
        if not isinstance(name, str):
            raise TypeError(f"Operation names are strings (or similar), not {type(name).__name__}.")
        return self.as_graph_element(name, allow_tensor=False, allow_operation=True)

    def get_tensor_by_name(self, name: str) -> Any:
        """The tensor of that name, such as ``add:0``. Raises as :meth:`get_operation_by_name` does."""
        if not isinstance(name, str):
            raise TypeError(f"Tensor names are strings (or similar), not {type(name).__name__}.")
        return self.as_graph_element(name, allow_tensor=True, allow_operation=False)

    def as_graph_element(self, obj: Any, allow_tensor: bool = True, allow_operation: bool = True) -> Any:
        """The tensor or operation of this graph that ``obj`` is, names or stands for.

        Raises:
            TypeError: it is neither.
            ValueError: it is of another graph, or of the sort that is not allowed.
            KeyError: there is no such name.
        """
        wanted = " or ".join(["Tensor"] * allow_tensor + ["Operation"] * allow_operation)
        found = obj.as_graph_element() if hasattr(obj, "as_graph_element") else obj
        if isinstance(found, str):
            return self._named(found, wanted)
        if isinstance(found, SymbolicTensor) and allow_tensor:
            if found.graph is not self:
                raise ValueError(f"Tensor {found} is not an element of this graph.")
            return found
        if isinstance(found, Node) and allow_operation:
            if found.graph is not self:
                raise ValueError(f"Operation {found!r} is not an element of this graph.")
            return found
        raise TypeError(f"Can not convert a {type(obj).__name__} into a {wanted}.")

    def _named(self, name: str, wanted: str) -> Any:
        head, colon, slot = name.partition(":")
        node = self.by_name(head)
        if colon and "Tensor" not in wanted:
            raise ValueError(f"Name {name!r} appears to refer to a Tensor, not a {wanted}.")
        if colon:
            if not slot.isdigit():
                raise ValueError(f"The name {name!r} looks a like a Tensor name, but is not a valid one. Tensor names "
                                 'must be of the form "<op_name>:<output_index>".')  # fmt: skip
            absent = f"The name {name!r} refers to a Tensor which does not exist. The operation, {head!r}, "
            if node is None:
                raise KeyError(f"{absent}does not exist in the graph.")
            if int(slot) >= len(node.outputs):
                raise KeyError(f"{absent}exists but only has {len(node.outputs)} outputs.")
            return node.outputs[int(slot)]
        form = 'Tensor names must be of the form "<op_name>:<output_index>".'
        if "Operation" not in wanted:
            which = (
                "refers to an Operation, not a" if node is not None else "looks like an (invalid) Operation name, not a"
            )
            raise ValueError(f"The name {name!r} {which} {wanted}. {form}")
        if node is None:
            raise KeyError(f"The name {name!r} refers to an Operation not in the graph.")
        return node

    # What the program says of it.

    def as_default(self) -> Any:
        """A block in which ops add to this graph: those of this namespace, and those of ``tapeviz`` itself."""
        return public["graph_as_default"](self)

    def name_scope(self, name: str | None) -> Any:
        """A block in which names begin with ``name/``."""
        return public["graph_name_scope"](self, name)

    def device(self, device_name_or_function: Any) -> Any:
        """A block in which operations are asked to run on a device."""
        return public["graph_device"](self, device_name_or_function)

    def control_dependencies(self, control_inputs: Any) -> Any:
        """A block in which operations run after these."""
        return public["graph_control_dependencies"](self, control_inputs)


def _argument(op: Op, place: int) -> str:
    """How the constant for an input is called."""
    return f"{op.inputs[0]}_{place}" if op.variadic else op.inputs[place]


@contextmanager
def entered(graph: Graph) -> Iterator[Graph]:
    """A block in which ops become nodes of the graph, in its scope of now; tapes outside follow them."""
    before = local.state
    if before.graph is graph:
        yield graph
        return
    with tracing(graph):
        state = local.state
        state.tapes = (graph.history, *before.tapes)
        state.scope = graph.here.scope
        yield graph
