"""From what a recorder kept to the rows of a recording, many at a time.

A recorder appends tuples to this packer's lists and says facts that are rows at once. :meth:`Packer.pack` turns the
lists into whole columns. Ops are known here by their attributes alone (name, family, formulas), so any framework's
recorder can use it.
"""

from __future__ import annotations

import gc
import json
from collections.abc import Callable, Sequence
from itertools import chain, compress, repeat
from operator import itemgetter, not_
from time import perf_counter
from typing import Any, Final

import numpy as np

from tapeviz.recording.backward_rows import BackwardRows
from tapeviz.recording.builder import Builder
from tapeviz.recording.event_rows import EventRows, plain
from tapeviz.recording.facts import Facts
from tapeviz.recording.pauses import Pauses
from tapeviz.recording.schema import EXITS, KINDS, PHASES, SOURCES, STATUSES
from tapeviz.recording.sites import Sites
from tapeviz.recording.spans import Spans
from tapeviz.recording.tensor_rows import Met, TensorRows

__all__ = ["Packer"]

_OP: Final = KINDS.index("op")
_FORWARD, _BACKWARD = PHASES.index("forward"), PHASES.index("backward")
_FROM_OP, _FROM_GRADIENT = SOURCES.index("op"), SOURCES.index("gradient")
# Ops whose result is their first input's memory, seen otherwise.
_ALIASES: Final = frozenset(
    {
        "reshape",
        "transpose",
        "expand_dims",
        "squeeze",
        "identity",
        "stop_gradient",
        "strided_slice",
        "assign",
        "read_variable",
        "custom_gradient",
    }
)


_END, _OUTPUT, _REFERENCE = itemgetter(1), itemgetter(6), itemgetter(10)


class Packer:
    """Turns a recorder's lists into rows of a builder.

    ``base`` is the tensor number from which the recording counts, ``fresh`` gives the next one.

    The lists:

    - ``log``: ``(t0, t1, op, code, instruction, inputs, output, shape, dtype, attrs, reference)`` for each op, and the
      weak references themselves where a tensor died (the reference's callback is ``log.append``)
    - ``many``: the same with several outputs: ``(t0, t1, op, code, instruction, inputs, [Met], attrs, [reference])``
    - ``requests``: ``(span, tape, target, source, variable, gradient)``; ``backward`` keeps backward steps
    - ``failures``: ``(t0, t1, op, code, instruction, inputs, attrs, error)``
    - ``exits``: ``(t, tensor, kind, code, instruction, memory)``; ``handed_out``: ``(number, reference)``
    """

    def __init__(self, builder: Builder, sites: Sites, base: int, fresh: Callable[[], int]) -> None:
        self.builder = builder
        self.sites = sites
        self.base = base
        self.spans = Spans()
        self.started = perf_counter()
        self.ops = self.forward = self.backward_steps = 0
        self.log: list[Any] = []
        self.backward = BackwardRows(fresh)
        self.many: list[Any] = []
        self.old: dict[int, int] = {}  # the recording's numbers for tensors from before it
        self.exits: list[Any] = []
        self.requests: list[Any] = []
        self.failures: list[Any] = []
        self.handed_out: list[Any] = []
        self.pauses = Pauses()
        self.tensors = TensorRows(builder)
        self.rows = EventRows(builder, self.spans, base, self._nanoseconds)
        self.facts = Facts(builder, sites, self.tensors, base, self.ns)
        self._fresh: list[tuple[int, tuple[int, ...], Any, str]] = []
        self._alive: dict[int, tuple[Any, int]] = {}
        self._ended = self.started  # when the last op so far ended
        builder.append("devices", name="CPU:0")
        builder.append("threads", name="MainThread")

    def met(self, number: int, shape: tuple[int, ...], dtype: Any, source: str = "unknown") -> None:
        """A tensor that no recorded op made."""
        self._fresh.append((number, shape, dtype, source))

    def ns(self, t: float) -> float:
        """A clock reading as whole nanoseconds since the beginning."""
        return float(max(0, round((t - self.started) * 1e9)))

    def _nanoseconds(self, times: np.ndarray) -> np.ndarray:
        return np.maximum(np.rint((times - self.started) * 1e9), 0.0)

    # Packing.

    def pack(self) -> None:
        """Turn what is in the lists into rows, and empty them."""
        # Python's collector would find nothing: what is made here is in no circle.
        collecting = gc.isenabled()
        gc.disable()
        try:
            self._pack()
        finally:
            if collecting:
                gc.enable()

    def _pack(self) -> None:
        count = len(self.log)
        rows = self.log[:count]
        del self.log[:count]  # the same list stays: the callbacks of living tensors append to it
        is_op = [row.__class__ is tuple for row in rows]
        ops = list(compress(rows, is_op))
        steps = self.backward.rows()
        # A list of its own: Python's collector also runs while rows are packed, and that pause is for the next time.
        pauses = self.pauses.take()
        groups = [ops, steps, self.many, self.failures, pauses, [(span.t0,) for span in self.spans.begun]]
        ids = self.rows.numbered(groups)
        self.facts.say()
        for source in {row[3] for row in self._fresh}:
            fresh = [Met(row[0] - self.base, row[1], row[2]) for row in self._fresh if row[3] == source]
            self.tensors.add(fresh, -1, SOURCES.index(source))
        self._pack_spans(ids[5])
        if ops:
            self._pack_ops(ops, ids[0])
        for many, event in zip(self.many, ids[2], strict=True):
            self._pack_many(many, event)
        self._pack_steps(steps, ids[1])
        for failure, event in zip(self.failures, ids[3].tolist(), strict=True):
            self._pack_failure(failure, event)
        if pauses:
            self.rows.add(pauses, ids[4], kind=KINDS.index("gc"), op=-1)
        self.rows.write()
        self._pack_exits(ops)
        self._pack_requests()
        self._pack_releases(rows, is_op, ops)
        self.ops += len(ops) + len(steps) + len(self.many) + len(self.failures)
        self.forward += len(ops) + len(self.many)
        self.backward_steps += len(steps)
        self.spans.forget()
        for done in (self.many, self.failures, self._fresh):
            done.clear()
        self.builder.flush()

    def _pack_ops(self, ops: list[Any], ids: np.ndarray) -> None:
        _, _, declared, codes, places, inputs, outputs, shapes, dtypes, attrs, _ = zip(*ops, strict=True)
        used = list(dict.fromkeys(declared))
        op_at = np.fromiter(map({op: at for at, op in enumerate(used)}.__getitem__, declared), "i8", len(ops))
        op_rows = np.array([self.rows.op_row(op) for op in used], "i4")
        known, place_at = _distinct_places(codes, places)
        sites = np.array([self.sites.row(*place) for place in known], "i4")
        ends, backward = self.rows.add(
            ops,
            ids,
            kind=_OP,
            op=op_rows[op_at],
            site=sites[place_at],
            params=np.fromiter((self.rows.params(given) if given else -1 for given in attrs), "i4", len(ops)),
        )
        numbers = np.fromiter(outputs, "i8", len(ops)) - self.base
        first = self.rows.edges(ids, inputs, "in")
        self.rows.edge_rows(ids, numbers, "out", 0)
        aliases = np.array([op.name in _ALIASES for op in used])[op_at]
        self.tensors.write(
            numbers,
            ids,
            self.tensors.shapes(shapes),
            self.tensors.dtypes(dtypes),
            _FROM_OP,
            np.where(aliases, first, -1),
        )
        self._pack_names(numbers, [self.sites.names(*place) for place in known], place_at, ends, backward)

    def _pack_names(
        self,
        numbers: np.ndarray,
        stores: list[tuple[str, ...]],
        place_at: np.ndarray,
        ends: np.ndarray,
        backward: np.ndarray,
    ) -> None:
        """Names for the ops whose results are stored under one: of several ops from one call, the last."""
        stored = np.array([len(names) == 1 for names in stores])
        last = np.append(np.diff(place_at) != 0, True)
        named = np.flatnonzero(stored[place_at] & last & ~backward)
        if named.size:
            tensors = numbers[named]
            self.facts.named.set(tensors, 1)
            names = [stores[at][0] for at in place_at[named].tolist()]
            self.builder.extend("names", {"tensor": tensors.astype("i4"), "name": names, "t": ends[named]})

    def _pack_spans(self, ids: np.ndarray) -> None:
        for span, event in zip(self.spans.begun, ids.tolist(), strict=True):
            tape = {"tape": span.extra["tape"] - self.base} if "tape" in span.extra else {}
            said = {"span": span.sort, "name": span.name, **span.extra, **tape}
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
                    "site": self.sites.row(*span.place),
                    "params": self.builder.intern(json.dumps(said, default=plain)),
                }
            )
        for span, t, error in self.spans.ended:
            self.builder.append("ends", event=span.event, t=self.ns(t), status=_status(error))

    def _pack_many(self, row: Any, event: Any) -> None:
        """An op with several outputs."""
        _, _, op, code, place, inputs, outputs, attrs, _ = row
        ids = np.array([event], "i4")
        ends, _ = self.rows.add(
            [row],
            ids,
            kind=_OP,
            op=np.array([self.rows.op_row(op)]),
            site=np.array([self.sites.row(code, place)]),
            params=self.rows.params(attrs),
        )
        self.rows.edges(ids, [inputs], "in")
        self.rows.edges(ids, [[tensor.number for tensor in outputs]], "out")
        local = [tensor._replace(number=tensor.number - self.base) for tensor in outputs]
        self.tensors.add(local, int(event), _FROM_OP)
        for tensor, name in zip(local, self.sites.names(code, place), strict=False):
            if name:
                self.builder.append("names", tensor=tensor.number, name=name, t=float(ends[0]))

    def _pack_steps(self, rows: list[Any], ids: np.ndarray) -> None:
        """Backward events, each the partner of a forward event, and the gradients they made."""
        steps = self.backward.take(rows)
        self._pack_seeds(steps.seeds)
        if not rows:
            return
        origins = self.tensors.producers(steps.outs - self.base)
        ends, _ = self.rows.add(
            rows,
            ids,
            kind=_OP,
            op=self.rows.op_of.of(origins),
            phase=_BACKWARD,
            origin=origins,
            site=self.rows.site_of.of(origins),
        )
        forward, parts, wholes = (steps.contributions[:, column] - self.base for column in (0, 2, 3))
        for at in np.flatnonzero(forward < 0):
            number = int(steps.contributions[at, 0])
            forward[at] = self.old.get(number, number) - self.base
        events = np.repeat(ids, steps.counts)
        self.tensors.gradients(forward, parts, events, _FROM_GRADIENT)
        self.tensors.gradients(forward, wholes, events, _FROM_GRADIENT)
        self.rows.flat_edges(ids, steps.arrived, steps.incoming, "in")
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
        self._release_consumed(steps.incoming, np.repeat(ends, steps.arrived))

    def _pack_seeds(self, seeds: list[Any]) -> None:
        for span, forward, gradient in seeds:
            local = np.array([gradient - self.base], "i8")
            known = np.array([self.old.get(forward, forward) - self.base])
            self.tensors.gradients(known, local, np.array([span.event]), _FROM_GRADIENT)
            self.builder.append(
                "gradients", backward=span.event, tensor=int(known[0]), gradient=int(local[0]), addend=int(local[0])
            )

    def _release_consumed(self, incoming: np.ndarray, ends: np.ndarray) -> None:
        """A gradient that was pulled back and not handed out is gone when its step ends."""
        held = [number for number, _ in self.handed_out] + [number for _, number in self._alive.values()]
        gone = ~np.isin(incoming, np.array(held, "i8"))
        if gone.any():
            self.builder.extend("releases", {"tensor": (incoming[gone] - self.base).astype("i4"), "t": ends[gone]})

    def _pack_failure(self, failure: Any, event: int) -> None:
        _, _, op, code, place, inputs, attrs, error = failure
        ids = np.array([event], "i4")
        self.rows.add(
            [failure],
            ids,
            kind=_OP,
            op=np.array([self.rows.op_row(op)]),
            site=np.array([self.sites.row(code, place)]),
            params=self.rows.params(attrs),
            status=STATUSES.index("failed"),
        )
        self.rows.edges(ids, [inputs], "in")
        self.builder.append("messages", event=event, type=type(error).__name__, text=str(error))

    def _pack_exits(self, ops: list[Any]) -> None:
        for t, tensor, kind, code, place, memory in self.exits:
            before = int(np.searchsorted([row[0] for row in ops], t)) - 1 if ops else -1
            event = self._events_of(ops, before)
            self.builder.append(
                "exits",
                event=event,
                tensor=tensor - self.base,
                kind=EXITS.index(kind),
                site=self.sites.row(code, place),
                memory=float(memory),
                t=self.ns(t),
            )
        self.exits.clear()

    def _events_of(self, ops: list[Any], position: int) -> int:
        return -1 if position < 0 else int(self.tensors.producers(np.array([ops[position][6] - self.base]))[0])

    def _pack_requests(self) -> None:
        for span, tape, target, source, variable, gradient in self.requests:
            local = [-1 if number < 0 else number - self.base for number in (target, source, gradient)]
            self.builder.append(
                "requests",
                event=span.event,
                tape=tape - self.base,
                target=local[0],
                source=local[1],
                variable=variable,
                gradient=local[2],
            )
        self.requests.clear()

    def _pack_releases(self, rows: list[Any], is_op: list[bool], ops: list[Any]) -> None:
        """When tensors died: each death stands in the log right behind the op that ended before it."""
        alive = self._alive
        references = list(map(_REFERENCE, ops))
        alive.update(zip(map(id, references), zip(references, map(_OUTPUT, ops), strict=True), strict=True))
        for row in self.many:
            alive.update({id(ref): (ref, met.number) for ref, met in zip(row[8], row[6], strict=True)})
        alive.update({id(ref): (ref, number) for number, ref in self.handed_out})
        self.handed_out.clear()
        came = np.array(is_op, "?")
        ends = np.fromiter(chain((self._ended,), map(_END, ops)), "f8", len(ops) + 1)
        self._ended = float(ends[-1])
        found = map(alive.pop, map(id, compress(rows, map(not_, is_op))), repeat((None, -1)))
        dead = np.fromiter(map(itemgetter(1), found), "i8", len(rows) - len(ops))
        known = dead >= 0
        if known.any():
            times = self._nanoseconds(ends[np.cumsum(came)[~came]][known])
            self.builder.extend("releases", {"tensor": (dead[known] - self.base).astype("i4"), "t": times})


def _distinct_places(codes: Sequence[Any], places: Sequence[int]) -> tuple[list[Any], np.ndarray]:
    """The different places in the code, in the order of their first use, and for each op which one it is.

    Code objects are told apart by identity: comparing them would compare their instructions.
    """
    keys = list(zip(map(id, codes), places, strict=True))
    known = dict(zip(keys, zip(codes, places, strict=True), strict=True))
    order = {key: at for at, key in enumerate(known)}
    return list(known.values()), np.fromiter(map(order.__getitem__, keys), "i8", len(keys))


def _status(error: BaseException | None) -> int:
    word = "ok" if error is None else "failed" if isinstance(error, Exception) else "interrupted"
    return STATUSES.index(word)
