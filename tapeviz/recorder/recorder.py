"""The recorder: watches the engine and keeps what it sees. The one place that knows both engine and recording.

While user code runs nothing is computed and nothing is packed: each op adds a few items to a list: two clock
readings, the place in the code, the numbers of the tensors, shape and dtype. What those mean is found out when the
list is packed into columns (:mod:`tapeviz.recording.rows.packer`), every 65,536 rows and at the end.
"""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import Any, ClassVar

from tapeviz.backends import backend_of
from tapeviz.engine.state import next_id
from tapeviz.engine.tensor import EagerTensor
from tapeviz.recorder.backward_hooks import backward_hooks, tape_hooks, variable_hook
from tapeviz.recorder.graph_hooks import GraphHooks, plain_attrs
from tapeviz.recorder.ledger import Ledger, Policy
from tapeviz.recorder.op_hooks import (
    UserFrames,
    binary_op_hook,
    ignore,
    is_inspection,
    op_hook,
    shares_memory,
    unary_op_hook,
    vjp_hooks,
)
from tapeviz.recorder.program import Program
from tapeviz.recorder.statistics_kernel import summary_kernel
from tapeviz.recorder.value_store import ValueStore
from tapeviz.recording.rows.host_addresses import Memory
from tapeviz.recording.rows.packer import Packer
from tapeviz.recording.rows.spans import Span
from tapeviz.recording.rows.tensor_rows import NewTensor

__all__ = ["Policy", "Recorder"]


def _on_host(array: Any) -> Any:
    """The same elements as an array of NumPy's."""
    return backend_of(array).to_host(array)


class Recorder(Ledger):
    """An observer of one thread's engine that fills a recording.

    Args:
        packer: turns what was seen into rows.
        policy: what to keep of the tensors' contents.
        streaming: whether somebody reads along, so that rows should not wait long.
        max_ops: how many ops to keep, to the nearest 4,096; what comes after is left out, and the recording says so.
        newest: whether it is the newest ops that are kept, and older ones are left out.
        program: notes the calls, so that they can run again.
        users: finds the user's frames.
    """

    OF_OPS: ClassVar[tuple[str, ...]] = (
        "on_adjoint", "on_backward_begin", "on_binary_op", "on_device_time", "on_graph_run", "on_host_in",
        "on_host_out", "on_new_tensor", "on_op", "on_seed", "on_setup", "on_span_begin", "on_tape", "on_trace",
        "on_unary_op", "on_variable", "on_vjp", "on_watch", "_look",
    )  # fmt: skip
    ENDS: ClassVar[tuple[str, ...]] = ("on_span_end", "on_backward_end")

    def __init__(
        self, packer: Packer, policy: Policy, *, streaming: bool = False, max_ops: int | None = None,
        newest: bool = False, program: Program | None = None, users: UserFrames | None = None,
    ) -> None:  # fmt: skip
        store = None if policy.values == "none" else ValueStore(policy.budget, _on_host, summary_kernel)
        super().__init__(packer, store, streaming=streaming, max_ops=max_ops, newest=newest, users=users)
        self._old = packer.old
        self._memory = Memory()
        if store is not None:
            packer.shared_gradients = store.shared_gradients
        self.on_call_begin: Any = ignore
        self.on_call_end: Any = ignore
        self.on_adjoint: Any = packer.backward.log.extend
        self.on_vjp: Any
        self.on_addend: Any
        self.on_vjp, self.on_addend = vjp_hooks(packer, self.store)
        graphs = GraphHooks(packer.graphs)
        self.on_graph_run: Any
        self.add_node: Any
        self.on_graph_run, self.add_node = graphs.add_run, graphs.add_node
        self.on_trace: Any = graphs.add_trace
        self.runs_nodes: bool = self.store is not None
        self._look: Any = self._look_at_pool
        self._pooled = False
        self._program = program
        self._make_hooks()
        if program is not None:
            program.follow(self)

    def look_around(self, namespace: Mapping[str, Any]) -> None:
        """Nothing is learnt here: tensors and variables carry their names."""

    def _make_hooks(self) -> None:
        """Make what runs often, which knows the number from which on tensors are the recording's own."""
        packer, store, users = self.packer, self.store, self._users
        depth = 2 if self._program is None else 3  # whose note is called in between
        self._base = packer.base
        self.on_op: Any = op_hook(self, packer, store, users)
        self.on_unary_op: Any = unary_op_hook(self, packer, store, users, depth)
        self.on_binary_op: Any = binary_op_hook(self, packer, store, users, depth)
        self.on_variable: Any
        on_variable = self.on_variable = variable_hook(self, packer, users)
        self.on_tape: Any
        self.on_watch: Any
        self.on_tape, self.on_watch = tape_hooks(self, packer, on_variable, users)
        of_backward = backward_hooks(self, packer, store, on_variable, users)
        self.on_backward_begin: Any
        self.on_seed: Any
        self.on_backward_end: Any
        self.on_backward_begin, self.on_seed, self.on_backward_end = of_backward

    # What runs often is made of closures, above; this is what they fall back on.

    def add_many(
        self, op: Any, inputs: Any, ids: Any, outputs: Any, attrs: Any, t0: float, t1: float, site: Any
    ) -> None:
        """Keep a row for an op with several outputs."""
        if op.aliases:
            arrays = [tensor._a for tensor in inputs]
            copies = [t._id for t in outputs if not any(shares_memory(t._a, array) for array in arrays)]
            self.packer.own_memory.extend(copies)
        met = [NewTensor(t._id, t._a.shape, t._a.dtype) for t in outputs]
        refs = [weakref.ref(t, self.packer.lifetimes.died.append) for t in outputs]
        self.packer.elsewhere.update({t._id: t._backend.name for t in outputs if t.__class__ is not EagerTensor})
        self.packer.many.append((t0, t1, op, *site, ids, met, attrs, refs))
        if self.store is not None:
            for tensor in outputs:
                self.store.keep(tensor._id, tensor._a)
        if not self._is_in("graph"):
            self._pack_if_long_since(outputs[-1]._id)

    # Tensors and where they come from.

    def on_device_time(self, number: int, backend: Any, first: Any, second: Any) -> None:
        """An op's work lies between two marks of its device, which the device will pass later."""
        self.packer.device_times.add(number, backend, first, second)
        self._look(backend)

    def _look_at_pool(self, backend: Any) -> None:
        """Something happened on a device that may have a pool of memory."""
        if self.packer.pools.look(backend) and not self._pooled:
            # Only now do steps of a backward pass look too: those of recordings on the host alone have nothing to ask.
            self._pooled, self.on_vjp = True, self._looking(self.on_vjp)

    def _looking(self, on_vjp: Any) -> Any:
        look = self.packer.pools.look_again

        def on_vjp_and_look(step: Any) -> None:
            on_vjp(step)
            look()

        return on_vjp_and_look

    def on_new_tensor(self, tensor: Any) -> None:
        """A tensor that no observed op made was given its number."""
        if tensor.__class__ is not EagerTensor:
            self.packer.elsewhere[tensor._id] = tensor._backend.name
            self._look(tensor._backend)
        self.packer.met(tensor._id, tensor._a.shape, tensor._a.dtype)
        if self.store is not None:
            self.store.keep(tensor._id, tensor._a)

    def _meet(self, tensor: Any) -> int:
        """A tensor from before the recording gets a number of the recording's own."""
        number = self._old[tensor._id] = next_id()
        if tensor.__class__ is not EagerTensor:
            self.packer.elsewhere[number] = tensor._backend.name
            self._look(tensor._backend)
        earlier = self._ring is not None and self._ring.was_here(tensor._id)
        self.packer.met(number, tensor._a.shape, tensor._a.dtype, "earlier" if earlier else "unknown")
        if self.store is not None:
            self.store.keep(number, tensor._a)
        return number

    def number_of(self, tensor: Any) -> int:
        """The recording's number of a tensor."""
        number = tensor._id
        return number if number >= self._base else self._old.get(number) or self._meet(tensor)

    def on_host_in(self, tensor: Any, array: Any) -> None:
        """A tensor was made from host data."""
        address = self._memory.entered(array)
        self.packer.exits.append((perf_counter(), self.number_of(tensor), "enter", *self._site(), address))

    def on_host_out(self, tensor: Any, kind: str, array: Any) -> None:
        """A tensor's value left the engine."""
        if not is_inspection():
            address = self._memory.left(array)
            self.packer.exits.append((perf_counter(), self.number_of(tensor), kind, *self._site(), address))

    # Spans, failures, pauses.

    def on_span_begin(self, kind: str, name: str, facts: Mapping[str, Any]) -> Span:
        """A span begins. Of a device that is not there the recording says where its ops ran instead."""
        if "placed" in facts:
            self.packer.builder.meta("device", f"{facts['placed']} (no {name} here)")
        return self.packer.spans.begin(kind, name, self._site(), facts)

    def on_span_end(self, token: Span, error: BaseException | None) -> None:
        """A span ended. What a module gave is named by the store that follows its call."""
        inner = token.outer is not None and token.outer.site == token.site  # a layer that a layer of ours called
        if token.kind in ("module", "layer") and error is None and not inner:
            self._name_last()
        self.packer.spans.end(token, error)
        if token.kind == "graph" and (made := self.packer.log.last_output()) is not None:
            self._pack_if_long_since(made)  # nodes do not ask for it

    def on_op_error(
        self, op: Any, inputs: Sequence[Any], attrs: Any, t0: float, error: BaseException, node: Any = None
    ) -> None:
        """An op raised: an event like any other, with a message."""
        ids = [self.number_of(tensor) for tensor in inputs]
        site, attrs = (
            (self._site(), attrs) if node is None else ((node.code, max(node.instruction, 0)), plain_attrs(node.attrs))
        )
        self.packer.failures.append((t0, perf_counter(), op, *site, ids, attrs, error))

    def on_refused(self, op: Any, inputs: Sequence[Any], attrs: Any, error: BaseException) -> None:
        """The same of a function that is being traced: of the inputs no more is known than a shape and a dtype."""
        ids = [next_id() for _ in inputs]
        for number, tensor in zip(ids, inputs, strict=True):
            dims = tensor.shape.dims
            sizes = () if dims is None else tuple(-1 if size is None else size for size in dims)
            self.packer.met(number, sizes, tensor._a.dtype, "unknown")
        now = perf_counter()
        self.packer.failures.append((now, now, op, *self._site(), ids, plain_attrs(attrs), error))

    def on_setup(self, kind: str, name: str, t0: float, t1: float) -> None:
        """The first use of an op."""
        self.packer.setups.append((t0, t1, kind, name, *self._site()))

    def _name_last(self) -> None:
        """What was computed last is named by the store that follows the user's call."""
        if (output := self.packer.log.last_output()) is not None:
            self.packer.facts.later(self.packer.facts.result, self._site(), output)

    def name_if_unnamed(self, name: str, value: Any) -> None:
        """A name under which the user holds a tensor or a variable, for those that no store has named."""
        tensor = getattr(value, "_value", value) if hasattr(type(value), "_read") else value
        if not isinstance(tensor, EagerTensor):
            return
        try:
            number = tensor._i
        except AttributeError:  # without a number no op of the recording has seen it
            return
        known = self._old.get(number, number)
        if self.packer.facts.unnamed(known):
            self.packer.facts.name(perf_counter(), known, name)

    # Questions, which the tape above answers.

    def explain(self, question: str, tape: Any, *subjects: Any) -> Any:
        """Have a question about one of the engine's tapes answered from what is recorded so far."""
        return self.tape.explain(question, self.packer.facts.tape_id(tape._number), *subjects)

    def _quieten(self) -> None:
        super()._quieten()
        self.on_addend = None
        self.runs_nodes = False
