"""A loop that is seen while it runs, and held, stepped, recorded and stopped: ``tapeviz.live()``."""

from __future__ import annotations

import statistics
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sized
from contextlib import ExitStack
from itertools import count
from time import perf_counter
from typing import Any, Final, Generic, TypeVar

import numpy as np

from tapeviz.analysis.step_figures import step_figures
from tapeviz.engine.scopes import span
from tapeviz.tape.controls import Controls
from tapeviz.tape.frameworks import framework_behind
from tapeviz.tape.live_strip import LiveStrip, check_choices
from tapeviz.tape.record import record
from tapeviz.tape.tape import Tape
from tapeviz.tape.triggers import Triggers

__all__ = ["Live", "live"]

_T = TypeVar("_T")

_TAPES: Final = 3
_AT_FIRST: Final = 0.3  # seconds of measuring that are free, so that of a short loop there is something to see
_SHARE: Final = 0.035  # of the time, for measuring; the rest of 5 % is for showing
_REMEMBERED: Final = 64


class Live(Generic[_T]):
    """A loop that can be seen and held while it runs; made by :func:`live`. ``tapes`` has its last three snapshots."""

    def __init__(self, items: Iterable[_T], show: str, columns: int, model: Any, optimizer: Any) -> None:
        check_choices(show, columns)
        self._items = items
        self._model, self._optimizer = model, optimizer
        self._framework = framework_behind(model, optimizer)
        self._total = len(items) if isinstance(items, Sized) else 0
        self.controls: Controls = Controls()
        self.steps: int = 0
        self.tapes: deque[Tape] = deque(maxlen=_TAPES)
        self.triggered: list[Tape] = []
        """The tapes of the steps at which a trigger fired."""
        self.measured: deque[Tape] = deque(maxlen=_TAPES)
        """The tapes of the last three steps of which gradients were measured."""
        self._strip = LiveStrip("Live", show, columns, self.controls.number)
        if self._framework is not None and model is not None:
            layers = [f"model.{name}".rpartition(".")[0] for name, _ in model.named_parameters()]
            self._strip.columns.add_rows(list(dict.fromkeys(layers)))
        self._triggers = Triggers()
        self._logged: dict[str, float] = {}
        self._state = "waiting"
        self._began = perf_counter()
        self._ended: float | None = None
        self._spent = self._once = self._held = 0.0
        self._price: float | None = None
        self._plain: deque[float] = deque(maxlen=_REMEMBERED)

    # The loop.

    def __iter__(self) -> Iterator[_T]:
        """Give the items; before each of them is a boundary."""
        controls = self.controls
        self._state, self._began, self._ended = "running", perf_counter(), None
        controls.open()
        self._strip.begin(self.payload)
        try:
            for item in self._items:
                if controls.pending:
                    self._held += controls.boundary(self._on_pause)
                    self._state = "running"
                if controls.stopped:
                    self._state = "stopped by hand"
                    return
                self.steps += 1
                yield from self._step(item)
            self._state = "done"
        finally:
            if self._state == "running":
                self._state = "ended"
            self._ended = perf_counter()
            controls.close()
            self._strip.end(self.payload)

    def _step(self, item: _T) -> Iterator[_T]:
        asked, self.controls.snapshot = self.controls.snapshot, False
        if asked or self._triggers or self._may_measure():
            yield from self._recorded(item, asked=asked)
            return
        began = perf_counter()
        yield item
        ended = perf_counter()
        self._plain.append(ended - began)
        self._take({}, {})
        self._spent += perf_counter() - ended

    def _recorded(self, item: _T, *, asked: bool) -> Iterator[_T]:
        with ExitStack() as step:
            before = perf_counter()
            block = record(name=f"step {self.steps}", framework=self._framework)
            tape = step.enter_context(block)
            if self._framework is not None and self._model is not None and block.tape is not None:
                block._call("model", self._model)
            since = len(tape.events) if block.tape is None else 0
            step.enter_context(span("step", str(self.steps)))
            began = perf_counter()
            if asked:
                self.tapes.append(tape)
            yield item
            ended = perf_counter()
        fired = self._triggers.fired(tape, since)
        found = step_figures(tape.recording, tape.elements, since)
        if groups := getattr(self._optimizer, "param_groups", ()):
            found.losses["lr"] = float(groups[0]["lr"])
        self._strip.columns.add_rows(found.rows)
        self._take(dict(zip(found.rows, range(len(found.rows)), strict=True)), found.measured, found.losses)
        self._keep(tape, asked=asked, fired=fired)
        usual = statistics.median(self._plain) if self._plain else 0.0
        price = perf_counter() - before - min(usual or ended - began, ended - began)
        self._spent += price
        if self._price is None:  # what is done once in a process is no sign of what comes
            self._price, self._once = 0.0, price
        else:
            self._price = price

    def _may_measure(self) -> bool:
        """Whether the price of one more recorded step is within what measuring may take."""
        now = perf_counter() - self._began - self._held
        return self._spent - self._once + (self._price or 0.0) <= _AT_FIRST + _SHARE * now

    def _take(
        self, places: Mapping[str, int], measured: Mapping[str, Any], losses: Mapping[str, float] | None = None
    ) -> None:
        """Take the step into the strip; show it when it is time to."""
        columns = self._strip.columns
        known = self._logged or {**(losses or {})}
        loss = known.pop("loss", None)
        order = [places.get(name, -1) for name in columns.rows]
        columns.add({name: [of[at] if at >= 0 else -1.0 for at in order] for name, of in measured.items()}, loss)
        columns.add_metrics(known)
        self._logged = {}
        if perf_counter() >= self._strip.next:
            self._strip.send(self.payload)

    def _keep(self, tape: Tape, *, asked: bool, fired: list[str]) -> None:
        if fired and len(self.triggered) < self._triggers.keep:
            self.triggered.append(tape)
        self.measured.append(tape)
        self._strip.keep([*self.tapes, *self.triggered, *self.measured])
        for text in fired:
            self._strip.mark_trigger(text, self.steps, tape)
        if not fired:
            self._strip.mark("tape" if asked else "measured", f"tape of step {self.steps}", tape=tape)

    def _on_pause(self) -> None:
        self._state = "paused"
        self._strip.send(self.payload)

    # What is shown.

    @property
    def overhead(self) -> float:
        """Which share of the time measuring and showing have taken so far."""
        return self._spent / max(self._seconds, 1e-9)

    @property
    def _seconds(self) -> float:
        """How long the loop has run, pauses left out."""
        return (perf_counter() if self._ended is None else self._ended) - self._began - self._held

    def payload(self) -> dict[str, Any]:
        """What is drawn."""
        columns = self._strip.columns
        progress = {
            "state": self._state, "epoch": 0, "epochs": 0, "batch": self.steps, "batches": self._total,
            "seconds": round(self._seconds, 2), "results": [[n, f"{v:.4g}"] for n, v in columns.latest().items()],
        }  # fmt: skip
        notes = []
        if self._triggers:
            notes.append(f"each step is recorded, to watch for {self._triggers}")
        elif self._plain:
            notes.append("steps are recorded as often as 5 % of the time allows")
        return self._strip.payload(progress, notes, self.overhead)

    def __repr__(self) -> str:
        return self._strip.text(self.payload())

    # What is asked.

    def log(self, **metrics: Any) -> None:
        """Note numbers of this step, such as ``loss=loss``: they are drawn below the strip.

        Without it the loss is what the recorded steps have differentiated.
        """
        for name, value in metrics.items():
            self._logged[name] = float(np.asarray(value._host() if hasattr(value, "_host") else value))

    def on(self, *conditions: str, keep: int = 3) -> Live[_T]:
        """Keep the tape of a step in which one of these happens. Each step is recorded then.

        Args:
            conditions: filters as for ``record(stop=)``, such as ``"nan"``, ``"|g|>100"`` or ``"op:matmul line:9"``,
                or ``"retrace"``: a function is traced once more.
            keep: how many such tapes are kept.

        Returns:
            This loop.

        Raises:
            FilterError: a condition that cannot be read.
        """
        self._triggers.add(conditions, keep)
        return self

    def pause(self) -> None:
        """Wait before the next step."""
        self.controls.request("pause")

    def resume(self) -> None:
        """Go on."""
        self.controls.request("resume")

    def step(self, count: int = 1) -> None:
        """Do one step, or ten, and wait again."""
        if count not in {1, 10}:
            raise ValueError(f"`count` must be 1 or 10. Received: count={count}")
        self.controls.request("step" if count == 1 else "ten")

    def snapshot(self) -> None:
        """Record the next step."""
        self.controls.request("snapshot")

    def stop(self) -> None:
        """End the loop before the next step."""
        self.controls.request("stop")


def live(
    items: Iterable[_T] | None = None, *, model: Any = None, optimizer: Any = None, show: str = "gradient",
    columns: int = 480,
) -> Live[Any]:  # fmt: skip
    """A loop over ``items`` that is seen while it runs, and can be paused, stepped, recorded and stopped.

    In a notebook it shows layers x steps: the norms of gradients, the size of updates, the spread of activations and
    the zeros of those steps that are recorded, which are as many as 5 % of the time allows; each opens as a tape. What
    is asked, with the buttons there or from any thread, is done before the next item. A loop that is stopped ends as
    if its items had.

    Args:
        items: what the loop goes over; without it, 0, 1, 2 and so on.
        model: the model that is trained. One of PyTorch's has the steps recorded as PyTorch's are; its layers are the
            rows, whatever the program calls it.
        optimizer: its optimizer; the learning rate of one of PyTorch's is drawn below the strip.
        show: which quantity is shown first: ``"gradient"``, ``"zeros"``, ``"update"``, ``"spread"`` or ``"nan"``.
        columns: how many columns the strip has; neighbours are merged when they are used up.

    Raises:
        ValueError: an argument has a value that it cannot have.

    >>> import tapeviz as tf
    >>> loop = tf.live(range(100))
    >>> for step in loop:
    ...     loop.log(loss=1.0 / (1 + step))
    ...     if step == 3:
    ...         loop.stop()
    >>> loop.steps
    4
    """
    return Live(count() if items is None else items, show, columns, model, optimizer)
