"""A recording that is seen and held while its program runs: steps are backward passes, boundaries are ops."""

from __future__ import annotations

from collections import deque
from time import perf_counter
from typing import Any, Final

from tapeviz.analysis.step_figures import step_figures
from tapeviz.tape.controls import Controls
from tapeviz.tape.live_strip import LiveStrip
from tapeviz.tape.tape import Tape

__all__ = ["LiveRecording"]

_TAPES: Final = 3
_COLUMNS: Final = 480
_AT_FIRST: Final = 0.3  # seconds of measuring that are free, so that of a short program there is something to see
_SHARE: Final = 0.035  # of the time, for measuring
_PACKED: Final = 1024  # ops at a time: a click waits until they are
_OFTEN: Final = 64  # ops between two looks at the clock


class LiveRecording:
    """Follows a recorder. What is asked is done behind the op that runs; a stop interrupts the program."""

    def __init__(self) -> None:
        self.controls: Controls = Controls()
        self.ops: int = 0
        self.tapes: deque[Tape] = deque(maxlen=_TAPES)
        """The last three snapshots: the tape as it was then."""
        self._strip = LiveStrip("Live", "gradient", _COLUMNS, self.controls.number)
        self._began = perf_counter()
        self._spent = self._price = self._held = 0.0
        self._since = 0
        self._is_due = False
        self._state = "running"

    def begin(self, recorder: Any, tape: Tape) -> None:
        """Stand behind the recorder's callbacks, and show the strip."""
        self._recorder, self._tape = recorder, tape
        recorder.pack_rows = _PACKED
        for name in ("on_unary_op", "on_binary_op", "on_op", "on_vjp"):
            if not hasattr(recorder, name):  # that of another framework has a callback for all of them
                continue
            setattr(recorder, name, self._followed(getattr(recorder, name)))
        ended, passed = recorder.on_span_end, recorder.on_backward_end

        def on_backward_end(*given: Any) -> None:
            passed(*given)
            self._is_due = True

        def on_span_end(*given: Any) -> None:
            ended(*given)
            if self._is_due:
                self._look()

        recorder.on_backward_end, recorder.on_span_end = on_backward_end, on_span_end
        self.controls.open()
        self._strip.begin(self.payload)

    def end(self, error: BaseException | None) -> None:
        """The program is over."""
        self.controls.close()
        if self._is_due:
            self._look()
        if self._state != "stopped by hand":
            self._state = "done" if error is None else f"ended: {type(error).__name__}"
        self._strip.end(self.payload)

    def _followed(self, callback: Any) -> Any:
        controls = self.controls

        def then(*given: Any, **more: Any) -> None:
            callback(*given, **more)
            self.ops += 1
            if controls.pending or controls.snapshot or self._is_due:
                self._boundary()
            elif self.ops % _OFTEN == 0:
                self._recorder.pack_if_long()
                if perf_counter() >= self._strip.next:
                    self._strip.send(self.payload)

        return then

    def _boundary(self) -> None:
        if self._is_due:
            self._look()
        if self.controls.snapshot and self._is_between_passes():
            self.controls.snapshot = False
            self._snapshot()
        if not self.controls.pending:
            return
        self._held += self.controls.boundary(self._on_pause)
        if self.controls.stopped and self._state != "stopped by hand":
            self._state = "stopped by hand"
            raise KeyboardInterrupt("stopped by hand")
        self._state = "running"

    def _on_pause(self) -> None:
        self._state = "paused"
        self._strip.send(self.payload)

    def _is_between_passes(self) -> bool:
        """Whether what was seen so far can be packed: no backward pass and no graph is under way."""
        span = self._recorder.packer.spans.innermost
        while span is not None:
            if span.backward or span.kind == "graph":
                return False
            span = span.outer
        return True

    def _snapshot(self) -> None:
        self._recorder.summarise()
        tape = Tape(self._tape.recording)
        self.tapes.append(tape)
        self._strip.keep(self.tapes)
        self._strip.mark("tape", f"tape up to op {self.ops:,}", tape=tape)
        self._strip.send(self.payload)

    def _look(self) -> None:
        """A backward pass is over: a step of the strip."""
        if not self._is_between_passes():
            return
        self._is_due = False
        began = perf_counter()
        columns = self._strip.columns
        if self._spent + self._price <= _AT_FIRST + _SHARE * (began - self._began - self._held):
            self._recorder.summarise()
            recording = self._tape.recording
            found = step_figures(recording, lambda _number: None, self._since)
            self._since = int(recording.events.id[-1]) + 1 if len(recording.events) else 0
            columns.add_rows(found.rows)
            measured = {
                name: [of[found.rows.index(row)] if row in found.rows else -1.0 for row in columns.rows]
                for name, of in found.measured.items()
            }
            losses = dict(found.losses)
            columns.add(measured, losses.pop("loss", None))
            columns.add_metrics(losses)
            self._price = perf_counter() - began
        else:
            columns.add({})
        if began >= self._strip.next:
            self._strip.send(self.payload)
        self._spent += perf_counter() - began

    def payload(self) -> dict[str, Any]:
        """What is drawn."""
        seconds = max(perf_counter() - self._began - self._held, 1e-9)
        results = [["ops", f"{self.ops:,}"], *([n, f"{v:.4g}"] for n, v in self._strip.columns.latest().items())]
        progress = {
            "state": self._state, "epoch": 0, "epochs": 0, "batch": self._strip.columns.steps, "batches": 0,
            "seconds": round(seconds, 2), "results": results,
        }  # fmt: skip
        return {**self._strip.payload(progress, [], self._spent / seconds), "unit": "op"}
