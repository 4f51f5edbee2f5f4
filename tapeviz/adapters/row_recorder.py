"""A recorder that writes each row as it comes: what an adapter of a further framework begins with.

It takes some ten times as long as a packer of tuples does, and is a page to read. ``docs/adapters.md`` records HIPS
autograd with it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from time import perf_counter
from typing import Any

import numpy as np

from tapeviz.engine.declaration import registry
from tapeviz.recording import Builder
from tapeviz.recording.rows.sites import Sites
from tapeviz.recording.rows.statistics import summary
from tapeviz.recording.schema import DTYPES, KINDS, PHASES, ROLES, SOURCES
from tapeviz.tape.record import notebook_cell

__all__ = ["RowRecorder"]


class RowRecorder:
    """Fills a recording with ops and backward passes of another framework, one row at a time.

    Args:
        title: what the recording is called.
        array_of: gives the NumPy array that a value of the framework has.
        names: by the framework's name of an op that of ours, where they mean the same: it has then our formula, and
            our findings.
        hidden: modules, by the beginnings of their names, whose lines are not the user's.

    Example:
        >>> import numpy as np
        >>> import tapeviz
        >>> from tapeviz.adapters.row_recorder import RowRecorder
        >>> recorder = RowRecorder("two points", names={"dot": "matmul"})
        >>> x = np.ones((2, 3))
        >>> t0 = recorder.ns()
        >>> event, (product,) = recorder.op("dot", t0, [recorder.tensor(x)], [x @ x.T])
        >>> tapeviz.Tape(recorder.rows).ops.name
        ['matmul']
    """

    def __init__(
        self,
        title: str,
        array_of: Callable[[Any], Any] = np.asarray,
        names: Mapping[str, str] | None = None,
        hidden: Sequence[str] = (),
    ) -> None:
        self.rows: Builder = Builder()
        self._array_of = array_of
        self._names = names or {}
        self._hidden = (*hidden, __name__, "contextlib")
        self._started = perf_counter()
        self._sites = Sites(self.rows, notebook_cell)
        self._ops: dict[str, int] = {}
        self._pass = -1
        self._gradients: dict[int, tuple[int, Any]] = {}  # of the pass under way, by forward tensor: as they stand
        self.rows.append("devices", name="CPU:0")
        self.rows.append("threads", name="MainThread")
        self.rows.append("tapes", id=0, change="enter", persistent=1, accessed=1)
        self.rows.meta("title", title)

    def ns(self) -> float:
        """Nanoseconds since the recording began."""
        return float(round((perf_counter() - self._started) * 1e9))

    def tensor(self, value: Any, source: str = "host", producer: int = -1) -> int:
        """A tensor came to life: its number. ``source`` is one of :data:`tapeviz.recording.schema.SOURCES`."""
        array, number = self._array_of(value), self.rows.rows("tensors")
        self.rows.append(
            "tensors",
            id=number,
            shape=self.rows.intern(json.dumps(array.shape)),
            dtype=DTYPES.index(str(array.dtype)),
            nbytes=array.nbytes,
            storage=number,
            producer=producer,
            source=SOURCES.index(source),
        )
        self.rows.append("stats", tensor=number, **summary(array))
        return number

    def watch(self, tensor: int) -> None:
        """A tensor is differentiated by."""
        self.rows.append("watches", tape=0, tensor=tensor, t=self.ns())

    def op(
        self, name: str, t0: float, inputs: Sequence[int], outputs: Sequence[Any], origin: int = -1
    ) -> tuple[int, list[int]]:
        """An op ended that began at ``t0``; its event, and the numbers of what it gave.

        Args:
            name: what the framework calls it.
            t0: when it began, as :meth:`ns` said.
            inputs: numbers of the tensors that it read.
            outputs: what it gave.
            origin: of a step of a backward pass the event of the forward op.
        """
        forward = origin < 0
        event, names = self._event(
            "op", t0, dur=self.ns() - t0, op=self._op(name), origin=origin,
            phase=PHASES.index("forward" if forward else "backward"),
        )  # fmt: skip
        made = [self.tensor(value, "op" if forward else "gradient", event) for value in outputs]
        for role, tensors in (("in", inputs), ("out", made)):
            for slot, each in enumerate(tensors):
                self.rows.append("edges", event=event, tensor=each, role=ROLES.index(role), slot=slot)
        if forward and len(names) == 1:
            self.rows.append("names", tensor=made[0], name=names[0], t=self.ns())
        return event, made

    def backward_op(
        self, name: str, t0: float, origin: int, output: int, inputs: Sequence[int], parts: Sequence[Any]
    ) -> None:
        """A step of a pass ended: what the gradient of ``output`` contributes to those of ``inputs``."""
        step, made = self.op(name, t0, [self._gradients[output][0]], parts, origin)
        for tensor, part, value in zip(inputs, made, parts, strict=True):
            self._contribute(step, tensor, part, value)

    @contextmanager
    def backward(self, target: int, seed: Any, sources: Sequence[int]) -> Iterator[None]:
        """A pass runs in the block, from ``target`` with the gradient ``seed`` to ``sources``."""
        said = self.rows.intern(json.dumps({"span": "backward", "name": "gradient", "tape": 0}))
        event, _ = self._event("span", self.ns(), params=said, phase=PHASES.index("backward"))
        outer, self._pass, self._gradients = (self._pass, self._gradients), event, {}
        self._contribute(event, target, self.tensor(seed, "gradient"), seed)
        try:
            yield
        finally:
            self.rows.append("ends", event=event, t=self.ns())
            for source in sources:
                gradient = self._gradients.get(source, (-1,))[0]
                self.rows.append("requests", event=event, tape=0, target=target, source=source, gradient=gradient)
            self._pass, self._gradients = outer

    # Rows.

    def _contribute(self, event: int, tensor: int, part: int, value: Any) -> None:
        total = part
        if tensor in self._gradients:
            value = self._gradients[tensor][1] + value
            total = self.tensor(value, "gradient", event)
        self._gradients[tensor] = total, value
        self.rows.append("gradients", backward=event, tensor=tensor, gradient=total, addend=part)

    def _op(self, name: str) -> int:
        if name not in self._ops:
            ours = registry.get(self._names.get(name, name))
            facts = {fact: getattr(ours, fact) for fact in ("name", "family", "formula", "domain")} if ours else {}
            traits = " ".join(sorted(ours.traits)) if ours else ""
            self._ops[name] = self.rows.append("ops", differentiable="*", traits=traits, **{"name": name} | facts)
        return self._ops[name]

    def _event(self, kind: str, t0: float, **facts: Any) -> tuple[int, tuple[str, ...]]:
        number, (code, instruction) = self.rows.rows("events"), self._site()
        facts = {"op": -1, "origin": -1, "params": -1, "dur": 0.0, **facts, "site": self._sites.row(code, instruction)}
        self.rows.append("events", id=number, kind=KINDS.index(kind), parent=self._pass, t0=t0, **facts)
        return number, self._sites.names(code, instruction)

    def _site(self) -> tuple[Any, int]:
        """The line of the user's that runs."""
        frame: Any = sys._getframe(2)
        while frame.f_globals.get("__name__", "").startswith(self._hidden):
            frame = frame.f_back
        return frame.f_code, frame.f_lasti
