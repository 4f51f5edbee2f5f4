"""From what a recorder kept to the rows of a recording, many at a time.

A recorder appends tuples to this packer's lists and says facts that are rows at once. :meth:`Packer.pack` turns the
lists into whole columns. Ops are known here by their attributes alone (name, family, formulas), so any framework's
recorder can use it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from itertools import groupby, starmap
from operator import attrgetter
from time import perf_counter
from typing import Any, Final

import numpy as np

from tapeviz.process.garbage_collector import paused
from tapeviz.recording.builder import Builder
from tapeviz.recording.rows.backward_rows import BackwardRows, SourceGradient, Steps
from tapeviz.recording.rows.device_times import DeviceTimes
from tapeviz.recording.rows.event_rows import EventRows, plain
from tapeviz.recording.rows.facts import Facts
from tapeviz.recording.rows.gc_pauses import Pauses
from tapeviz.recording.rows.graph_rows import GraphRows
from tapeviz.recording.rows.lifetimes import Lifetimes
from tapeviz.recording.rows.memory_pools import Pools
from tapeviz.recording.rows.op_log import OpColumns, OpLog
from tapeviz.recording.rows.sites import Sites, distinct_sites
from tapeviz.recording.rows.spans import Spans
from tapeviz.recording.rows.tensor_numbers import Numbering
from tapeviz.recording.rows.tensor_rows import NewTensor, TensorRows
from tapeviz.recording.rows.workload import Work
from tapeviz.recording.schema import EXITS, KINDS, PHASES, SOURCES, STATUSES

__all__ = ["Packer"]

_OP: Final = KINDS.index("op")
_FORWARD, _BACKWARD = PHASES.index("forward"), PHASES.index("backward")
_FROM_OP, _FROM_GRADIENT = SOURCES.index("op"), SOURCES.index("gradient")


class Packer:
    """Turns a recorder's lists into rows of a builder.

    ``base`` is the tensor number from which the recording counts, ``fresh`` gives a number never used before.

    The lists, beside ``log``, ``backward.log`` and the ``lifetimes``, to which weak references go when a tensor dies:

    - ``many``: several outputs or none: ``(t0, t1, op, code, instruction, inputs, [NewTensor], attrs, [reference])``
    - ``own_memory``: outputs of ops that alias an input, which are copies all the same
    - ``shaped``: gradients whose shapes are not those of their tensors, with these
    - ``nameless``: outputs that are not what the user's call gives, so that no store after it names them
    - ``source_gradients``: :class:`~tapeviz.recording.rows.backward_rows.SourceGradient`, as plain tuples
    - ``failures``: ``(t0, t1, op, code, instruction, inputs, attrs, error)``
    - ``exits``: ``(t, tensor, kind, code, instruction, memory)``
    """

    def __init__(self, builder: Builder, sites: Sites, base: int, fresh: Callable[[], int]) -> None:
        self.builder = builder
        self.sites = sites
        self.base: int = base
        self.numbers: Numbering = Numbering(base)
        self.old: dict[int, int] = self.numbers.old  # the recording's numbers for tensors from before it
        self.spans: Spans = Spans()
        self.started: float = perf_counter()
        self.skipped: float = 0.0  # ns from then to the beginning of what is kept
        self.ops: int = 0
        self.work: Work = Work()
        self.log: OpLog = OpLog()
        self.lifetimes: Lifetimes = Lifetimes(self.started)
        self.backward: BackwardRows = BackwardRows(fresh)
        self.many: list[Any] = []
        self.own_memory: list[int] = []
        self.nameless: list[int] = []
        self.shaped: list[tuple[int, tuple[int, ...]]] = []
        self.shared_gradients: Callable[[], list[tuple[int, int]]] = list
        """Gradients and those whose memory they use, by the numbers of the arrays that were kept."""
        self.exits: list[Any] = []
        self.source_gradients: list[Any] = []
        self.failures: list[Any] = []
        self.setups: list[Any] = []
        self.elsewhere: dict[int, str] = {}  # devices of the tensors that are not on the first one
        self.device_times: DeviceTimes = DeviceTimes()
        self.pools: Pools = Pools()
        self.pauses: Pauses = Pauses()
        self.tensors: TensorRows = TensorRows(builder)
        self.rows: EventRows = EventRows(builder, self.spans, self.numbers, self._nanoseconds)
        self.facts: Facts = Facts(builder, sites, self.tensors, self.numbers, self.ns, fresh)
        self.graphs: GraphRows = GraphRows(builder, sites, self.rows, self.ns)
        self.fresh = fresh
        self.unmade: list[tuple[int, tuple[int, ...], Any, str]] = []
        self._devices = {"CPU:0": builder.append("devices", name="CPU:0")}
        builder.append("threads", name="MainThread")

    def met(self, number: int, shape: tuple[int, ...], dtype: Any, source: str = "unknown") -> None:
        """A tensor that no recorded op made."""
        self.unmade.append((number, shape, dtype, source))

    def rebase(self, base: int) -> None:
        """What is packed from now on counts from another number."""
        self.base = self.numbers.base = base

    def ns(self, t: float) -> float:
        """A clock reading as whole nanoseconds since the beginning."""
        return float(max(0, round((t - self.started) * 1e9) - self.skipped))

    def _nanoseconds(self, times: np.ndarray) -> np.ndarray:
        return np.maximum(np.rint((times - self.started) * 1e9) - self.skipped, 0.0)

    # Packing.

    def pack(self) -> None:
        """Turn what is in the lists into rows, and empty them."""
        with paused():  # Python's collector would find nothing: what is made here is in no circle
            self._pack()

    def _pack(self) -> None:
        ops = self.log.take()
        answers = self._take_source_gradients()
        steps = self.backward.take()
        # A list of its own: Python's collector also runs while rows are packed, and that pause is for the next time.
        pauses = self.pauses.take()
        starts = [[row[0] for row in rows] for rows in (self.many, self.failures, pauses)]
        ids = self.rows.numbered([ops.t0, steps.t0, *starts, [span.t0 for span in self.spans.begun]])
        rare = len(self.facts.kept) + 2 * len(self.spans.begun) + len(answers) + len(self.exits)
        self.work.add(ops, steps, len(self.many), rare)
        self.facts.say()
        self._note_devices()
        unmade = self._unmade(ops)
        for source in {row[3] for row in unmade}:
            met = [NewTensor(row[0] - self.base, row[1], row[2]) for row in unmade if row[3] == source]
            self.tensors.add(met, -1, SOURCES.index(source))
        self._pack_spans(ids[5])
        self._share(ops)
        if len(ops):
            self._pack_ops(ops, ids[0])
        if self.many:
            self._pack_many(ids[2])
        handed_out = [answer for answer in answers if answer.reference is not None]
        self._say_shapes()
        self._pack_steps(steps, ids[1], [answer.gradient for answer in handed_out])
        for failure, event in zip(self.failures, ids[3].tolist(), strict=True):
            self._pack_failure(failure, event)
        self._pack_pauses(pauses, ids[4])
        self.rows.write()
        self._pack_exits(ops)
        self._pack_setups()
        self._pack_device_times()
        self.graphs.write(self.tensors, self.base)
        self.pools.write(self.builder, self._device, self.ns)
        self._pack_requests(answers)
        self._pack_releases(ops, handed_out)
        self.ops += len(ops) + len(steps) + len(self.many) + len(self.failures)
        self.spans.forget()
        for done in (self.many, self.failures, self.unmade):
            done.clear()
        self.builder.flush()

    def _pack_pauses(self, pauses: Sequence[tuple[float, float]], ids: Any) -> None:
        if pauses:
            begun, ended = zip(*pauses, strict=True)
            self.rows.add(begun, ended, ids, kind=KINDS.index("gc"), op=-1)

    def _unmade(self, ops: OpColumns) -> list[Any]:
        """The tensors met that no op made. A node that assigns has its output met as well, as the variable's value."""
        if not self.unmade:
            return []
        made = np.append(ops.outputs, [tensor.number for row in self.many for tensor in row[6]]).astype("i8")
        is_made = np.isin([row[0] for row in self.unmade], made)
        return [row for row, out in zip(self.unmade, is_made.tolist(), strict=True) if not out]

    def _take_source_gradients(self) -> list[SourceGradient]:
        """The gradients of passes' sources. Their handles have the names that are stored to, and give them numbers."""
        answers = list(starmap(SourceGradient, self.source_gradients))
        self.source_gradients.clear()
        for begun, given in groupby(answers, attrgetter("begun")):
            handles = list(given)
            self.facts.later(self.facts.result, begun.site, *(answer.gradient for answer in handles))
            begun.handed_out = {answer.numbers[0]: answer.gradient for answer in handles if answer.renames}
        return answers

    def _note_devices(self) -> None:
        """Remember on which devices new tensors are, where that is not the first."""
        for number, name in self.elsewhere.items():
            self.tensors.device.set(np.array([number - self.base]), self._device(name))
        self.tensors.elsewhere |= bool(self.elsewhere)
        self.elsewhere.clear()

    def _device(self, name: str) -> int:
        """The row of a device."""
        if name not in self._devices:
            self._devices[name] = self.builder.append("devices", name=name)
        return self._devices[name]

    def _devices_of(self, numbers: np.ndarray) -> dict[str, Any]:
        """The events' column of devices, where there are several: each op ran where its output is."""
        return {"device": self.tensors.device.of(numbers)} if self.tensors.elsewhere else {}

    def _pack_setups(self) -> None:
        for t0, t1, kind, name, *site in self.setups:
            row = {"kind": kind, "name": name, "t0": self.ns(t0), "dur": self.ns(t1) - self.ns(t0)}
            self.builder.append("setups", **row, site=self.sites.row(*site))
        self.setups.clear()

    def _pack_device_times(self) -> None:
        if done := self.device_times.take():
            numbers, begun, took = map(np.array, zip(*done, strict=True))
            events = self.tensors.producers(numbers.astype("i8") - self.base).astype("i4")
            t0, dur = self._nanoseconds(begun), np.rint(took * 1e9)
            self.builder.extend("device_times", {"event": events, "t0": t0, "dur": dur})

    def _pack_ops(self, ops: OpColumns, ids: np.ndarray) -> None:
        used = list(dict.fromkeys(ops.ops))
        op_at = np.fromiter(map({op: at for at, op in enumerate(used)}.__getitem__, ops.ops), "i8", len(ops))
        op_rows = np.array([self.rows.op_row(op) for op in used], "i4")
        known, site_at = distinct_sites(ops.codes, ops.instructions)
        sites = np.array([self.sites.row(*site) for site in known], "i4")
        numbers = ops.outputs - self.base
        params = [self.rows.params(given) if given else -1 for given in ops.attrs] if any(ops.attrs) else -1
        ends, backward = self.rows.add(
            ops.t0,
            ops.t1,
            ids,
            kind=_OP,
            op=op_rows[op_at],
            site=sites[site_at],
            params=np.array(params, "i4"),
            **self._devices_of(numbers),
        )
        self.rows.edges(ids, ops.counts, ops.inputs, "in")
        self.rows.edge_rows(ids, numbers, "out", 0)
        self.tensors.write(numbers, ids, self.tensors.shapes(ops.shapes), self.tensors.dtypes(ops.dtypes), _FROM_OP)
        self._pack_names(numbers, [self.sites.names(*site) for site in known], site_at, ends, backward)

    def _pack_names(
        self,
        numbers: np.ndarray,
        stores: list[tuple[str, ...]],
        site_at: np.ndarray,
        ends: np.ndarray,
        backward: np.ndarray,
    ) -> None:
        """Names for the ops whose results are stored under one: of several ops from one call, the last."""
        stored = np.array([len(names) == 1 for names in stores])
        last = np.append(np.diff(site_at) != 0, True)
        mine = ~backward
        if self.nameless:
            mine &= ~np.isin(numbers, np.array(self.nameless, "i8") - self.base)
            self.nameless.clear()
        named = np.flatnonzero(stored[site_at] & last & mine)
        if named.size:
            tensors = numbers[named]
            self.facts.named.set(tensors, 1)
            names = [stores[at][0] for at in site_at[named].tolist()]
            self.builder.extend("names", {"tensor": tensors.astype("i4"), "name": names, "t": ends[named]})

    def _pack_spans(self, ids: np.ndarray) -> None:
        for span, event in zip(self.spans.begun, ids.tolist(), strict=True):
            tape = {"tape": self.facts.tape_id(span.extra["tape"])} if "tape" in span.extra else {}
            made = {"made": self._row_of(span.extra["made"])} if "made" in span.extra else {}
            said = {"span": span.kind, "name": span.name, **span.extra, **tape, **made}
            self.rows.block(
                {
                    "id": np.array([event], "i4"),
                    "parent": -1 if span.outer is None else span.outer.event,
                    "kind": KINDS.index("span"),
                    "op": -1,
                    "phase": _BACKWARD if span.backward else _FORWARD,
                    "origin": -1,
                    "t0": self.ns(span.t0),
                    "dur": 0.0,
                    "site": self.sites.row(*span.site),
                    "params": self.builder.intern(json.dumps(said, default=plain)),
                }
            )
        for span, t, error in self.spans.ended:
            self.builder.append("ends", event=span.event, t=self.ns(t), status=_status(error))

    def _row_of(self, site: Any) -> int:
        """The row of ``sites`` where something was made."""
        return self.sites.row(site.code, site.instruction)

    def _pack_many(self, ids: np.ndarray) -> None:
        """Ops with several outputs, or none."""
        t0, t1, ops, codes, instructions, inputs, outputs, attrs, _ = zip(*self.many, strict=True)
        first = np.array([tensors[0].number if tensors else self.base for tensors in outputs], "i8")
        ends, _ = self.rows.add(
            t0,
            t1,
            ids,
            kind=_OP,
            op=np.array([self.rows.op_row(op) for op in ops], "i4"),
            site=np.array([self.sites.row(*site) for site in zip(codes, instructions, strict=True)], "i4"),
            params=np.array([self.rows.params(given) for given in attrs], "i4"),
            **self._devices_of(first - self.base),
        )
        self._edges(ids, inputs, "in")
        self._edges(ids, [[tensor.number for tensor in tensors] for tensors in outputs], "out")
        local = [tensor._replace(number=tensor.number - self.base) for tensors in outputs for tensor in tensors]
        self.tensors.add(local, np.repeat(ids, [len(tensors) for tensors in outputs]), _FROM_OP)
        for code, instruction, tensors, t in zip(codes, instructions, outputs, ends.tolist(), strict=True):
            for tensor, name in zip(tensors, self.sites.names(code, instruction), strict=False):
                if name:
                    self.builder.append("names", tensor=tensor.number - self.base, name=name, t=t)

    def _share(self, ops: OpColumns) -> None:
        """Remember whose memory tensors use where it is not their own: an input's, or another gradient's."""
        numbers, others = [ops.outputs - self.base], [self._shared(ops.ops, ops.counts, ops.inputs)]
        if self.many:
            counts = np.array([len(row[5]) for row in self.many])
            inputs = np.array([number for row in self.many for number in row[5]], "i8")
            shared = self._shared([row[2] for row in self.many], counts, inputs)
            numbers.append(np.array([tensor.number - self.base for row in self.many for tensor in row[6]], "i8"))
            others.append(np.repeat(shared, [len(row[6]) for row in self.many]))
        if sum(map(len, numbers)):
            outputs, inputs = np.concatenate(numbers), np.concatenate(others)
            if copies := self.own_memory[:]:
                del self.own_memory[: len(copies)]  # the same list stays
                inputs[np.isin(outputs, np.array(copies, "i8") - self.base)] = -1
            self.tensors.share(outputs, inputs)
        self._share_gradients()

    def _share_gradients(self) -> None:
        """Remember which gradients use the memory of others."""
        numbers = self.backward.numbers_of(np.array(self.shared_gradients(), "i8").ravel()).reshape(-1, 2)
        numbers = numbers[(numbers > 0).all(1) & (numbers[:, 0] != numbers[:, 1])]
        mine, others = self.numbers.locals(numbers[:, 0]), self.numbers.locals(numbers[:, 1])
        kept = mine >= 0  # the others are of ops that a ring has dropped before they were packed
        if kept.any():
            self.tensors.share(mine[kept], others[kept])

    def _shared(self, ops: Sequence[Any], counts: np.ndarray, inputs: np.ndarray) -> np.ndarray:
        """For each op the tensor whose memory its outputs use, -1 for none."""
        each = list(zip(ops, counts.tolist(), strict=True))
        positions = {of: of[0].shared_input(of[1]) for of in set(each)}
        position = np.fromiter(map(positions.__getitem__, each), "i8", len(ops))
        has = np.flatnonzero(position >= 0)
        found = np.full(len(ops), -1, "i8")
        found[has] = self.numbers.locals(inputs[(np.cumsum(counts) - counts)[has] + position[has]])
        return found

    def _edges(self, ids: np.ndarray, tensors: Sequence[Sequence[int]], role: str) -> None:
        counts = np.array([len(each) for each in tensors], "i8")
        self.rows.edges(ids, counts, np.array([number for each in tensors for number in each], "i8"), role)

    def _say_shapes(self) -> None:
        """Gradients that come with the next steps have shapes of their own."""
        numbers = self.numbers.locals(np.array([number for number, _ in self.shaped], "i8")).tolist()
        self.tensors.shaped |= dict(zip(numbers, [shape for _, shape in self.shaped], strict=True))
        self.shaped.clear()

    def _pack_steps(self, steps: Steps, ids: np.ndarray, handed_out: list[int]) -> None:
        """Backward events, each the partner of a forward event, and the gradients they made."""
        self._pack_seeds(steps.seeds)
        if not len(steps):
            return
        origins = self.rows.forward(self.tensors.producers(steps.outs - self.base))
        ends, _ = self.rows.add(
            steps.t0,
            steps.t1,
            ids,
            kind=_OP,
            op=self.rows.op_of.of(origins),
            phase=_BACKWARD,
            origin=origins,
            site=self.rows.site_of.of(origins),
            **({"device": self.rows.device_of.of(origins)} if self.tensors.elsewhere else {}),
        )
        forward, parts, wholes = (self.numbers.locals(steps.contributions[:, column]) for column in (0, 2, 3))
        events = np.repeat(ids, steps.counts)
        self.tensors.gradients(forward, parts, events, _FROM_GRADIENT)
        self.tensors.gradients(forward, wholes, events, _FROM_GRADIENT)
        self.rows.edges(ids, steps.arrived, steps.incoming, "in")
        self.rows.edge_rows(events, parts, "out", steps.contributions[:, 1])
        self.builder.extend(
            "gradients",
            {
                "backward": events,
                "tensor": forward.astype("i4"),
                "gradient": wholes.astype("i4"),
                "addend": parts.astype("i4"),
            },
        )
        # A gradient that was pulled back and not handed out is gone when its step ends.
        held = np.array(handed_out + self.lifetimes.living(), "i8")
        gone = ~np.isin(steps.incoming, held)
        if gone.any():
            released = self.numbers.locals(steps.incoming[gone]).astype("i4")
            self.builder.extend("releases", {"tensor": released, "t": np.repeat(ends, steps.arrived)[gone]})

    def _pack_seeds(self, seeds: list[Any]) -> None:
        """The gradients that passes began with."""
        if not seeds:
            return
        spans, forward, gradient = zip(*seeds, strict=True)
        events = np.array([span.event for span in spans], "i4")
        known, made = (self.numbers.locals(np.array(each, "i8")) for each in (forward, gradient))
        self.tensors.gradients(known, made, events, _FROM_GRADIENT)
        made = made.astype("i4")
        self.builder.extend(
            "gradients", {"backward": events, "tensor": known.astype("i4"), "gradient": made, "addend": made}
        )

    def _pack_failure(self, failure: Any, event: int) -> None:
        t0, t1, op, code, instruction, inputs, attrs, error = failure
        ids = np.array([event], "i4")
        self.rows.add(
            [t0],
            [t1],
            ids,
            kind=_OP,
            op=np.array([self.rows.op_row(op)]),
            site=np.array([self.sites.row(code, instruction)]),
            params=self.rows.params(attrs),
            status=STATUSES.index("failed"),
        )
        self._edges(ids, [inputs], "in")
        self.builder.append("messages", event=event, type=type(error).__name__, text=str(error))

    def _pack_exits(self, ops: OpColumns) -> None:
        for t, tensor, kind, code, instruction, memory in self.exits:
            before = int(np.searchsorted(ops.t0, t)) - 1
            made = ops.outputs[before : before + 1] if before >= 0 else np.array([], "i8")
            event = int(self.tensors.producers(made - self.base)[0]) if made.size else -1
            self.builder.append(
                "exits",
                event=event,
                tensor=self.numbers.local(tensor),
                kind=EXITS.index(kind),
                site=self.sites.row(code, instruction),
                memory=float(memory),
                t=self.ns(t),
            )
        self.exits.clear()

    def _pack_requests(self, answers: list[SourceGradient]) -> None:
        for answer in answers:
            numbers = answer.target, answer.source, answer.gradient
            local = [-1 if number < 0 else self.numbers.local(number) for number in numbers]
            self.builder.append(
                "requests",
                event=answer.begun.event,
                tape=self.facts.tape_id(answer.begun.tape),
                target=local[0],
                source=local[1],
                variable=answer.variable,
                gradient=local[2],
                filled=int(local[2] < 0 and answer.begun.fills_zeros),
            )

    def _pack_releases(self, ops: OpColumns, handed_out: list[SourceGradient]) -> None:
        """When tensors died."""
        self.lifetimes.born(ops.references, ops.outputs.tolist())
        for row in self.many:
            self.lifetimes.born(row[8], [met.number for met in row[6]])
        self.lifetimes.born([answer.reference for answer in handed_out], [answer.gradient for answer in handed_out])
        dead, times = self.lifetimes.take(ops.t1, ops.deaths)
        # Between ops of one output may be one of several, and nothing dies before it is made.
        made = {tensor.number: row[1] for row in self.many for tensor in row[6]}
        if made:
            times = np.maximum(times, [made.get(number, 0.0) for number in dead.tolist()])
        if dead.size:
            self.builder.extend("releases", {"tensor": (dead - self.base).astype("i4"), "t": self._nanoseconds(times)})


def _status(error: BaseException | None) -> int:
    word = "ok" if error is None else "failed" if isinstance(error, Exception) else "interrupted"
    return STATUSES.index(word)
