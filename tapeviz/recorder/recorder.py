"""The recorder: watches the engine and keeps what it sees. The one place that knows both engine and recording.

While user code runs nothing is computed and nothing is packed: each op adds a few items to a list: two clock
readings, the place in the code, the numbers of the tensors, shape and dtype. What those mean is found out when the
list is packed into columns (:mod:`tapeviz.recording.rows.packer`), every 65,536 rows and at the end.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from time import perf_counter
from types import CodeType
from typing import Any, Final

import numpy as np

from tapeviz.backends import backend_of
from tapeviz.engine.state import next_id
from tapeviz.engine.tensor import EagerTensor
from tapeviz.process.garbage_collector import relaxed
from tapeviz.recorder.backward_hooks import backward_hooks, tape_hooks, variable_hook
from tapeviz.recorder.graph_hooks import GraphHooks, plain_attrs
from tapeviz.recorder.imports import Imports
from tapeviz.recorder.op_hooks import (
    PACK_EVERY,
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
from tapeviz.recording.rows.flush_timer import reminding
from tapeviz.recording.rows.host_addresses import Memory
from tapeviz.recording.rows.packer import Packer
from tapeviz.recording.rows.ring import Ring
from tapeviz.recording.rows.spans import Span
from tapeviz.recording.rows.statistics import FIGURES
from tapeviz.recording.rows.tensor_rows import NewTensor

__all__ = ["Policy", "Recorder"]

_PACK_ROWS: Final = 65_536
_STREAM_SECONDS: Final = 0.25  # with somebody reading along, rows are packed at least this often


@dataclass(frozen=True, slots=True)
class Policy:
    """What to keep of the tensors' contents, within how many bytes: ``none``, ``stats`` or ``all``."""

    values: str = "stats"
    budget: int = 64 * 2**20


# The callbacks that end with the recording of ops; failures and the ends of what has begun stay.
_OF_OPS: Final = (
    "on_adjoint", "on_backward_begin", "on_binary_op", "on_device_time", "on_graph_run", "on_host_in", "on_host_out",
    "on_new_tensor", "on_op", "on_seed", "on_setup", "on_span_begin", "on_tape", "on_trace", "on_unary_op",
    "on_variable", "on_vjp", "on_watch", "_look",
)  # fmt: skip


def _on_host(array: Any) -> Any:
    """The same elements as an array of NumPy's."""
    return backend_of(array).to_host(array)


def _where_begun(end: Callable[..., None]) -> Callable[..., None]:
    """The same callback for spans and passes whose beginning was recorded."""
    return lambda token, *details: None if token is None else end(token, *details)


class Recorder:
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

    def __init__(
        self, packer: Packer, policy: Policy, *, streaming: bool = False, max_ops: int | None = None,
        newest: bool = False, program: Program | None = None, users: UserFrames | None = None,
    ) -> None:  # fmt: skip
        self.packer = packer
        self._streaming = streaming
        self.pack_rows: int = _PACK_ROWS
        """How many ops are packed together: more take less time, and hold the program longer."""
        self._ring = Ring(packer, max_ops) if newest and max_ops is not None else None
        self._most = None if newest else max_ops
        self.packing: float = 0.0  # seconds spent on packing while the program ran
        self.summarising: float = 0.0  # the same for statistics
        self.tape: Any = None
        self._old = packer.old
        self._memory = Memory()
        self._packed_at = perf_counter()
        self.store: ValueStore | None = (
            None if policy.values == "none" else ValueStore(policy.budget, _on_host, summary_kernel)
        )
        if self.store is not None:
            packer.shared_gradients = self.store.shared_gradients
        self._exits = ExitStack()
        self.next_pack: list[int] = [packer.base + PACK_EVERY]
        self._users = users or UserFrames()
        self._imports = Imports(packer.setups, self._users)
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

    # Bookkeeping.

    def start(self) -> None:
        """Begin to watch what is not an op."""
        self.packer.pauses.begin()
        self._imports.begin()
        self._exits.enter_context(relaxed())
        if self._streaming:
            self._exits.enter_context(reminding(self.next_pack, _STREAM_SECONDS))

    def stop(self) -> None:
        """Stop watching and pack what is left."""
        self.packer.pauses.end()
        self._imports.end()
        self._exits.close()
        during = self.packing
        self.summarising = 0.0 if self.store is None else self.store.seconds
        self.packer.device_times.finish()
        self.packer.pools.finish()
        if self._ring is not None:
            self._drop(self._ring)
        self.pack(is_over=True)
        if self._ring is not None:
            self._trim(self._ring)
        self.packing = during  # the last time is after the program, not in it

    def pack_if_long(self) -> None:
        """Pack when enough rows have gathered; stop keeping ops when there are as many as were asked for."""
        if self._is_in_pass():
            return
        if self._ring is not None:
            self._pack_into(self._ring)
            return
        if len(self.packer.log) >= self.pack_rows or self._most is not None or (self._streaming and self._is_late()):
            self.pack()
        if self._most is not None and self.packer.ops >= self._most:
            self.packer.builder.meta("truncated", {"ops": self.packer.ops})
            self.packer.builder.flush()  # who reads along is to know it now: nothing else is packed
            self._quieten()

    def _pack_into(self, ring: Ring) -> None:
        """Pack when there is enough of it for the ring, and have that forget the oldest when it is full twice."""
        if ring.most <= _PACK_ROWS // 2 and not ring.is_packed:
            if ring.gathered >= 2 * ring.most:
                self._drop(ring)
        elif ring.gathered >= _PACK_ROWS // 2 or ring.gathered >= ring.most:
            self.pack()
            if ring.held >= 2 * ring.most:
                self._trim(ring)

    def _drop(self, ring: Ring) -> None:
        """Forget all but the newest ops before they are packed."""
        t0 = perf_counter()
        if ring.drop():
            backward = self.packer.backward
            self._renumber(lambda key: ring.moved(key) if key > 0 else key if backward.has_kept(key) else 0)
        self.packing += perf_counter() - t0

    def _trim(self, ring: Ring) -> None:
        """Forget the rows of all but the newest ops."""
        t0 = perf_counter()
        if ring.trim():
            backward = self.packer.backward
            self._renumber(lambda key: ring.moved(backward.number_of(key)))
            backward.forget()
        self.packing += perf_counter() - t0

    def _renumber(self, moved: Callable[[int], int]) -> None:
        """Tensors have other numbers, as have the arrays that are kept."""
        if self.store is not None:
            self.store.renumber(moved)
        self._make_hooks()

    def _pack_if_long_since(self, number: int) -> None:
        """The same, where enough tensors have got their numbers since it was asked for."""
        if number > self.next_pack[0]:
            self.next_pack[0] = number + PACK_EVERY
            self.pack_if_long()

    def _quieten(self) -> None:
        """Keep no more of anything but failures, so that a program may go on for ever; what has begun may end."""
        for name in _OF_OPS:
            setattr(self, name, ignore)
        for name in ("on_span_end", "on_backward_end"):
            setattr(self, name, _where_begun(getattr(self, name)))
        self.on_addend = self._most = None
        self.runs_nodes = False
        self.packer.pauses.end()
        self._imports.end()

    def pack_if_late(self) -> None:
        """Pack when somebody reads along and rows have waited long."""
        if self._streaming and self._is_late() and not self._is_in_pass():
            self.pack()

    def _is_in(self, kind: str) -> bool:
        """Whether a span of a kind is open."""
        span = self.packer.spans.innermost
        while span is not None and span.kind != kind:
            span = span.outer
        return span is not None

    def _is_in_pass(self) -> bool:
        """Whether a backward pass is under way: what its gradients are called is known when it ends."""
        span = self.packer.spans.innermost
        return span is not None and span.backward

    def _is_late(self) -> bool:
        return perf_counter() - self._packed_at > _STREAM_SECONDS

    def pack(self, *, is_over: bool = False) -> None:
        """Turn what was seen so far into columns; statistics can wait when the program is over."""
        t0 = perf_counter()
        if self._ring is not None:
            self._ring.note_dropped()
        self.packer.pack()
        t1 = perf_counter()
        if self.store is not None and not is_over:
            self.store.summarise_if_many()
        self._packed_at = perf_counter()
        if self._ring is None:  # whose rows may yet get other numbers
            self.write_summaries()
        self.packing += t1 - t0 + perf_counter() - self._packed_at

    def summarise(self) -> None:
        """Have all that was seen so far in the recording, statistics included; in no backward pass."""
        if self.store is not None:
            self.store.settle()
            while self.store.waiting:
                self.store.summarise_some()
        self.pack()

    def write_summaries(self) -> None:
        """Make rows of the summaries taken so far, if it is known to which tensors they belong."""
        backward = self.packer.backward
        if self.store is None or not backward.is_idle:
            return
        numbers, found = self.store.summaries()
        # Those that have no number are of a step that failed.
        known = backward.numbers_of(np.array(numbers, "i8"))
        _, last = np.unique(known[::-1], return_index=True)  # some are kept under several numbers
        rows = np.sort(len(known) - 1 - last)
        rows = rows[known[rows] > 0]
        if rows.size:
            self.packer.builder.extend("stats", {
                "tensor": (known[rows] - self.packer.base).astype("i4"),
                **dict(zip(FIGURES, found.figures[rows].T, strict=True)),
                "histogram": [counts.tobytes() for counts in found.histograms[rows]],
            })  # fmt: skip
            self.packer.builder.flush()

    def _site(self) -> tuple[CodeType | None, int]:
        frame = self._users.nearest(sys._getframe(2))
        return frame.f_code, frame.f_lasti
