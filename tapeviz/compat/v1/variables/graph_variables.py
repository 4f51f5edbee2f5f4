"""Variables of a graph: operations that read and assign what the session keeps for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from tapeviz.compat.v1.graph.graph import Graph, entered
from tapeviz.compat.v1.graph.graph_keys import GraphKeys
from tapeviz.compat.v1.graph.variable_store import here, running
from tapeviz.compat.v1.variables.initial_values import guarded
from tapeviz.compat.v1.variables.variable_nodes import (
    ASSIGN,
    ASSIGN_ADD,
    ASSIGN_SUB,
    INITIALIZED,
    IS_INITIALIZED,
    VARIABLE,
    Initialized,
    IsInitialized,
    Reading,
    Writing,
)
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.errors import FailedPreconditionError
from tapeviz.engine.operators import public
from tapeviz.engine.shapes import TensorShape
from tapeviz.engine.state import local
from tapeviz.engine.symbolic import SymbolicTensor
from tapeviz.engine.variable import Variable as EagerVariable
from tapeviz.engine.variable import next_number
from tapeviz.engine.variable_options import VariableAggregation, VariableSynchronization
from tapeviz.graphs.ir.special_nodes import Special

__all__ = ["GraphVariable"]

_BOOL: Final = np.dtype(np.bool_)
_METHODS: Final = {ASSIGN: "assign", ASSIGN_ADD: "assign_add", ASSIGN_SUB: "assign_sub"}


class GraphVariable(EagerVariable):
    """A variable of a graph: see :class:`Variable`. It is a key of dicts, and ``==`` asks whether it is the same."""

    def __init__(
        self,
        graph: Graph,
        initial_value: Any,
        name: str | None,
        *,
        trainable: bool = True,
        collections: Sequence[str] | None = None,
        validate_shape: bool = True,
        dtype: Any = None,
        synchronization: VariableSynchronization | None = None,
        aggregation: VariableAggregation | None = None,
    ) -> None:
        if initial_value is None:
            raise ValueError("initial_value must be specified.")
        self._number = next_number()
        self.trainable = trainable
        self.synchronization = synchronization or VariableSynchronization.AUTO
        self.aggregation = aggregation or VariableAggregation.NONE
        with entered(graph):
            label = graph.unique(name or "Variable")
            self._label = f"{label}:0"
            self.initial_value: SymbolicTensor = self._initial(graph, label, initial_value, dtype)
            self._build(graph, label, validate_shape=validate_shape)
        keys = list(collections or [GraphKeys.GLOBAL_VARIABLES])
        if trainable and GraphKeys.TRAINABLE_VARIABLES not in keys:
            keys.append(GraphKeys.TRAINABLE_VARIABLES)
        graph.add_to_collections(keys, self)

    def _initial(self, graph: Graph, label: str, given: Any, dtype: Any) -> SymbolicTensor:
        """The tensor that the variable begins with."""
        state, before = local.state, local.state.scope
        controls, graph.controls = graph.controls, ()
        state.scope = graph.here.scope = f"{label}/Initializer/" if callable(given) else f"{label}/"
        try:
            with graph.naming():
                value: Any = convert_to_tensor(given() if callable(given) else given, dtype=dtype)
            made = value if isinstance(value, SymbolicTensor) else graph.fixed(value, "initial_value")
        finally:
            graph.controls = controls
            state.scope = graph.here.scope = before
        return guarded(graph, made)

    def _build(self, graph: Graph, label: str, *, validate_shape: bool) -> None:
        """The operations of the variable: itself, its initializer, and the read that programs use."""
        initial = self.initial_value
        shape = initial.shape
        if validate_shape and not shape.is_fully_defined():
            raise ValueError(f"initial_value must have a shape specified: {initial}")
        dims = None if not validate_shape or shape.rank is None else tuple(shape.dims or ())
        self._form = (dims, initial._a.dtype)
        self._built_in = graph
        controls, graph.controls = graph.controls, ()
        try:
            self._tensor = graph.node(VARIABLE, (), {"run": Reading(self)}, [self._form], f"{label}/").outputs[0]
            self.initializer: Any = self._writing(graph, ASSIGN, initial, f"{label}/Assign/").op
            self._snapshot = graph.same(self._tensor, f"{label}/read/")
        finally:
            graph.controls = controls
        self.reads: list[SymbolicTensor] = [self._tensor]

    # What the engine asks of a variable.

    @property
    def _value(self) -> Any:  # type: ignore[override]
        """The value in the session that runs; outside of every run, the tensor that stands for it."""
        store = running()
        if store is None:
            return self._tensor
        found = store.values.get(store.key(self))
        if found is None:
            raise FailedPreconditionError(
                f"Attempting to use uninitialized value {self.op.name}. Run tf.global_variables_initializer() in this "
                "session first."
            )
        return here(found)

    def _bind(self, value: Any, change: str) -> None:
        store = running()
        if store is None:
            raise RuntimeError(f"{self!r} has a value only in a session")
        store.values[store.key(self)] = value
        if (observer := local.state.observer) is not None:
            observer.on_variable(self, change)

    def _read(self) -> Any:
        graph = local.state.graph
        for tape in local.state.tapes:
            tape._follow(self, automatic=True)
        return self.read_in(self._built_in) if graph is None or graph is self._built_in else graph.read(self)

    def _now(self) -> Any:
        graph = local.state.graph
        return self.read_in(self._built_in) if graph is None or graph is self._built_in else graph.read(self)

    def _host(self) -> Any:
        return self._snapshot._host()

    def read_in(self, graph: Graph) -> SymbolicTensor:
        """The tensor of its value: the one snapshot, or one read after what the program asks to be run before."""
        if not graph.controls:
            return self._snapshot  # type: ignore[no-any-return]
        with entered(graph):
            return self._reading(graph)

    def _reading(self, graph: Graph) -> SymbolicTensor:
        label = f"{self.op.name}/read_value"
        state, before = local.state, local.state.scope
        state.scope = ""
        try:
            made = graph.node(VARIABLE, (), {"run": Reading(self)}, [self._form], label).outputs[0]
        finally:
            state.scope = before
        self.reads.append(made)
        return made

    def assign_in(self, graph: Graph, value: Any) -> None:
        """Assign at this point of a run."""
        self._writing(graph, ASSIGN, value, "Assign")

    # What programs ask of it.

    @property
    def graph(self) -> Graph:
        """The graph that it belongs to."""
        return self._built_in

    @property
    def op(self) -> Any:
        """Its operation."""
        return self._tensor.op

    @property
    def shape(self) -> TensorShape:
        """The shape of the value."""
        return self._tensor.shape

    def get_shape(self) -> TensorShape:
        """The shape of the value."""
        return self._tensor.shape

    @property
    def dtype(self) -> Any:
        """The dtype of the value."""
        return self._tensor.dtype

    @property
    def ndim(self) -> int:
        """How many axes the value has."""
        return self._tensor.ndim

    @property
    def device(self) -> str:
        """The device asked for; empty for any."""
        return self._tensor.device

    def as_graph_element(self) -> SymbolicTensor:
        """The tensor that a session fetches or is fed for this variable."""
        return self._tensor

    def value(self) -> Any:
        """Its value in a run, as a tensor."""
        return self._read()

    def read_value(self) -> Any:
        """Its value at this point of a run: a read of its own."""
        if local.state.graph not in (None, self._built_in):  # in a function, or a branch: what it has there
            return super().read_value()
        with entered(self._built_in):
            return self._reading(self._built_in)

    def initialized_value(self) -> Any:
        """Its value, or its initial value in a session that has not initialized it."""
        graph = self._built_in
        with entered(graph):
            run = {"run": Initialized(self)}
            return graph.node(INITIALIZED, (self.initial_value,), run, [self._form], "cond").outputs[0]

    def is_initialized(self, name: str | None = None) -> Any:
        """Whether the session has initialized it."""
        graph = self._built_in
        with entered(graph):
            return graph.node(IS_INITIALIZED, (), {"run": IsInitialized(self)}, [((), _BOOL)], name).outputs[0]

    def eval(self, session: Any = None) -> Any:
        """The value in ``session`` or the default session."""
        return public["evaluate"](self._tensor, None, session)

    def load(self, value: Any, session: Any = None) -> None:
        """Give it a value in ``session`` or the default session, without a new operation."""
        public["run_operation"](self.initializer, {self.initial_value: value}, session)

    def numpy(self) -> Any:
        """Only eager variables have values of their own."""
        raise NotImplementedError("numpy() is only available when eager execution is enabled.")

    def assign(self, value: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True) -> Any:
        """An operation that replaces the value; what it gives is the new one.

        Raises:
            ValueError: the shape differs.
        """
        return self._changing(ASSIGN, value, name, read_value=read_value)

    def assign_add(
        self, delta: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Any:
        """An operation that adds to the value; what it gives is the new one."""
        return self._changing(ASSIGN_ADD, delta, name, read_value=read_value)

    def assign_sub(
        self, delta: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Any:
        """An operation that subtracts from the value; what it gives is the new one."""
        return self._changing(ASSIGN_SUB, delta, name, read_value=read_value)

    def _changing(self, op: Special, value: Any, name: str | None, *, read_value: bool) -> Any:
        inside = local.state.graph
        graph = inside if inside is not None else self._built_in
        if graph is not self._built_in:  # in a function, or a branch: the graph there assigns
            return getattr(super(), _METHODS[op])(value, read_value=read_value)
        with entered(self._built_in):
            output = self._writing(self._built_in, op, value, name or op.tf_name)
        return output if read_value else output.op

    def _writing(self, graph: Graph, op: Special, value: Any, name: str) -> SymbolicTensor:
        """The node of an assignment."""
        with graph.naming():
            tensor: Any = convert_to_tensor(value, dtype=self.dtype)
        if not isinstance(tensor, SymbolicTensor):
            whole = name[:-1] if name.endswith("/") else graph.journal.peek(graph._used, f"{local.state.scope}{name}")
            tensor = graph.fixed(tensor, f"{whole}/value/")
        if not self.shape.is_compatible_with(tensor.shape):
            raise ValueError(
                f"Cannot assign to {self.name}: Dimensions must be equal. Shapes are {self.shape} and {tensor.shape}."
            )
        return graph.node(op, (tensor,), {"run": Writing(self, op)}, [self._form], name).outputs[0]

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other

    def __ne__(self, other: object) -> bool:
        return self is not other

    def __iter__(self) -> Any:
        return iter(self._snapshot)

    def __bool__(self) -> bool:
        return bool(self._snapshot)

    def __repr__(self) -> str:
        return f"<tf.Variable '{self.name}' shape={self.shape} dtype={self.dtype.name}>"


public["graph_variable"] = GraphVariable
