"""Seeing training while it runs, and the tape of the step where it went wrong: :class:`LiveTape`."""

from __future__ import annotations

import functools
import math
import statistics
from collections import deque
from time import perf_counter
from typing import Any, Final

import numpy as np

from tapeviz.analysis.step_figures import step_figures
from tapeviz.engine.scopes import span
from tapeviz.exports.strip_columns import StripColumns
from tapeviz.graphs.ir.special_nodes import ArrayCall
from tapeviz.keras.callbacks.callback import Callback
from tapeviz.keras.callbacks.gradient_meter import GradientMeter
from tapeviz.keras.callbacks.gradient_watch import StepStopped, watched
from tapeviz.keras.callbacks.progress import in_notebook
from tapeviz.tape.controls import Controls
from tapeviz.tape.live_strip import LiveStrip, check_choices
from tapeviz.tape.record import record
from tapeviz.tape.tape import Tape
from tapeviz.tape.triggers import Triggers

__all__ = ["LiveTape"]

_EARLY: Final = 24  # steps after which the price of measuring is known well enough for a first look
_TAPES: Final = 3
_MOST_MARKS: Final = 200
_TRIES: Final = 32  # times that what guarding takes is timed, once a process
_CACHED: Final = 2**22  # bytes that caches hold which are a processor's own


class LiveTape(Callback):
    """Show training while it runs: a strip of layers x steps, the loss, the progress; and stop where the loss is NaN.

    The strip has a row for each layer and is coloured by the norm of its gradient; the view offers the size of updates
    beside the weights, zeros and NaN as well. Norms are measured inside the traced step. What that costs is watched:
    beyond 5 % of the time, steps are left out, and the strip says so.

    A step whose loss or gradient is NaN is not applied: the model keeps the weights from before. It is run once more
    with a recorder, ``tape`` is its tape, and ``fit`` ends.

    While it runs, training can be paused between two steps, moved on by one step or ten, and stopped, and a step can be
    recorded: with the buttons of the view, or by ``controls.request("pause")`` from another thread.

    Args:
        show: which quantity is shown first: ``"gradient"``, ``"update"``, ``"zeros"`` or ``"nan"``.
        every: also record one step in so many; ``tapes`` has the last three. The strip has the spread of activations at
            these steps.
        values: what such tapes keep of tensors: ``"none"``, ``"stats"`` or ``"all"``.
        budget: how many bytes a tape may keep for that.
        columns: how many columns the strip has; neighbours are merged when they are used up.

    Raises:
        ValueError: an argument has a value that it cannot have.

    >>> import tapeviz as tf
    >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1, name="last")])
    >>> model.compile("sgd", lambda y, p: tf.math.log(p - p - 1.0))
    >>> live = tf.keras.callbacks.LiveTape()
    >>> _ = model.fit([[1.0]], [[1.0]], epochs=9, verbose=0, callbacks=[live])
    >>> live.reason, live.tape.nonfinite()[0].op
    ('the loss is NaN', 'log')
    """

    def __init__(
        self, show: str = "gradient", every: int | None = None, values: str = "stats", budget: Any = "64M",
        columns: int = 480,
    ) -> None:  # fmt: skip
        super().__init__()
        check_choices(show, columns)
        if every is not None and (not isinstance(every, int) or every < 1):
            raise ValueError(f"`every` must be a positive integer or None. Received: every={every!r}")
        self.every: int | None
        self.values: str
        self.budget: Any
        self.every, self.values, self.budget = every, values, budget
        self._show, self._columns = show, columns
        self._triggers = Triggers()
        self.triggered: list[Tape] = []
        """The tapes of the steps at which a trigger fired."""
        self.tape: Tape | None = None
        self.tapes: deque[Tape] = deque(maxlen=_TAPES)
        self.reason: str = ""
        self._begin_anew()

    def _begin_anew(self) -> None:
        self.controls: Controls = Controls()
        self._live: LiveStrip = LiveStrip("LiveTape", self._show, self._columns, self.controls.number)
        self.tape, self.reason = None, ""
        self.tapes.clear()
        self.triggered.clear()
        self._epochs: list[int] = []
        self._epoch = self._batch = self._traces = 0
        self._results: dict[str, Any] = {}
        self._state = "running"
        self._rate: float | None = None
        self._began = perf_counter()
        self._ended: float | None = None
        self._meter: Any = None

    def on(self, *conditions: str, keep: int = 3) -> LiveTape:
        """Keep the tape of a step in which one of these happens; ``triggered`` has them. Training goes on.

        Args:
            conditions: filters as for ``record(stop=)``, such as ``"nan"``, ``"|g|>100"`` or ``"op:matmul line:9"``:
                each step is then run with a recorder, op by op, which takes its time. Or ``"retrace"``: the step is
                traced again; it costs nothing to watch for, and the step is run once more for its tape.
            keep: how many such tapes are kept.

        Returns:
            This callback.

        Raises:
            FilterError: a condition that cannot be read.
        """
        self._triggers.add(conditions, keep)
        return self

    @property
    def strip(self) -> StripColumns:
        """What was measured."""
        return self._live.columns

    @property
    def view(self) -> Any:
        """The widget, in a notebook."""
        return self._live.view

    @property
    def messages(self) -> int:
        """How many times the widget was drawn anew."""
        return self._live.messages

    @property
    def shows_progress(self) -> bool:
        """Whether the progress is part of what is shown, so that no other bar is needed."""
        return in_notebook()

    @property
    def overhead(self) -> float:
        """Which share of the time of training this has taken so far, as far as it can be seen from inside."""
        spent = 0.0 if self._meter is None else self._meter.spent
        return float(spent / max(self._seconds, 1e-9))

    @property
    def _seconds(self) -> float:
        """How long training has lasted, pauses left out."""
        return (perf_counter() if self._ended is None else self._ended) - self._began

    # Training.

    def on_train_begin(self, logs: Any = None) -> None:
        """Watch the model's steps; show the strip."""
        self._begin_anew()
        self.controls.open()
        self._meter = GradientMeter(self.model, self._met, self._aside, asks_aside=self._records)
        self._meter.guarding = _guarding_seconds()
        self.model._watch = self._meter
        self._live.begin(self.payload)
        self._meter.spent += perf_counter() - self._began

    @property
    def _records(self) -> bool:
        """Whether steps are recorded without being asked for."""
        return self.every is not None or bool(self._triggers.of_ops)

    def _met(self, names: list[str]) -> None:
        """The layers are known, with the first gradients."""
        if self.strip.rows != names:
            self._live.columns = StripColumns(names, self._columns)
            self._meter.wants_slow = lambda: self.strip.is_new_column

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """A line in the strip."""
        self._epoch, self._batch = epoch, 0
        self._epochs.append(self.strip.steps)
        del self._epochs[:-_MOST_MARKS]

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        """Take the step into the strip; show it when it is time to; then do what was asked for."""
        meter, controls = self._meter, self.controls
        lean = meter.lean and meter.loss is not None
        if lean and not controls.pending and not controls.snapshot and perf_counter() < self._live.next:
            # Nearly all steps end here: nothing but their loss, which is finite, is wanted of them.
            self._batch, self._results = batch + 1, logs or {}
            self._live.columns.add_loss(meter.loss)
            if not self._triggers.of_traces:
                return
        else:
            self._take(batch, logs)
        if self._triggers.of_traces and self._is_traced_again():
            self._keep_triggered(self._recorded_again("retrace"), ["retrace"], self.strip.steps)
        if self.controls.pending:
            self._boundary()
        if self.controls.snapshot:
            self._meter.asks_aside = True

    def _boundary(self) -> None:
        waited = self.controls.boundary(self._on_pause)
        if self.controls.stopped:
            self.model.stop_training = True
            if self._state != "stopped":
                self._state = "stopped by hand"
        elif waited:
            self._state = "running"
            self._began += waited
            self._meter.exclude(waited)
            self._send()

    def _on_pause(self) -> None:
        self._state = "paused"
        self._send()

    def _take(self, batch: int, logs: Any) -> None:
        began = perf_counter()
        meter = self._meter
        self._batch = batch + 1
        self._results = logs or {}
        loss = self._results.get("loss") if meter.loss is None else meter.loss
        self.strip.add(meter.measured, loss, meter.figures)
        stopped = self.model._stopped
        if stopped is None and loss is not None and not math.isfinite(loss):
            stopped = StepStopped("the loss is NaN" if math.isnan(loss) else "the loss is infinite")
        if stopped is not None:
            self._keep(stopped)
            return  # the time that took is not of training
        if began >= self._live.next:
            meter.thin()
            self._look_around()
            others = {n: v for n, v in self._results.items() if n != "loss" and isinstance(v, float)}
            self.strip.add_metrics(others)
            self._send()
        elif self.strip.steps == _EARLY:
            meter.thin()
        meter.spent += perf_counter() - began

    def _look_around(self) -> None:
        """What changes rarely: the learning rate, and traces."""
        rate = getattr(self.model.optimizer, "learning_rate", None)
        if rate is not None and (value := float(rate)) != self._rate:
            if self._rate is not None:
                self._live.mark("rate", f"learning rate {value:.3g}")
            self._rate = value
        if not self._triggers.of_traces and self._is_traced_again():
            self._live.mark("retrace", "the step was traced again")

    def _is_traced_again(self) -> bool:
        steps = self.model._steps_traced
        traces = max((steps[sort].traces for sort in ("train measured", "train guarded") if sort in steps), default=0)
        before, self._traces = self._traces, traces
        return traces != before and before > 1  # the first, and that of a smaller last batch, are as they should be

    # Tapes.

    def _aside(self, data: Any) -> Any:
        """Run a step with a recorder when it is its turn."""
        step = self.strip.steps + 1
        asked, self.controls.snapshot = self.controls.snapshot, False
        self._meter.asks_aside = self._records
        asked = asked or (self.every is not None and step % self.every == 0)
        if not asked and not self._triggers.of_ops:
            return None
        began = perf_counter()
        try:
            with record(name=f"step {step}", values=self.values, budget=self.budget) as tape, span("step", str(step)):
                if asked:
                    self.tapes.append(tape)
                self.tape = tape
                logs = self.model._watched_train_step(data)
        finally:
            self._meter.spent += perf_counter() - began
        self._measure_activations(tape)
        self._keep_triggered(tape, self._triggers.fired(tape), step)
        if asked:
            self._live.mark("tape", f"tape of step {step}", step, tape)
        return logs

    def _measure_activations(self, tape: Tape) -> None:
        """The spread of what each layer gave, which only a recorded step tells."""
        found = step_figures(tape.recording, tape.elements)
        spreads = dict(zip(found.rows, found.measured["spread"], strict=True))
        last = {owner.rpartition("/")[2]: spread for owner, spread in spreads.items()}
        rows = self.strip.rows
        if rows:
            self._meter.measured["spread"] = [spreads.get(row, last.get(row, -1.0)) for row in rows]

    def _keep_triggered(self, tape: Tape, fired: list[str], step: int) -> None:
        if fired and len(self.triggered) < self._triggers.keep:
            self.triggered.append(tape)
        self._live.keep([*self.tapes, *self.triggered])
        for text in fired:
            self._live.mark_trigger(text, step, tape)

    def _keep(self, stopped: StepStopped) -> None:
        """The step that went wrong ends the training, and has a tape."""
        self.reason, self._state = stopped.reason, "stopped"
        self.model.stop_training = True
        self.tape = self._recorded_again(stopped.reason)
        self.tapes.append(self.tape)
        self._live.keep([*self.tapes, *self.triggered])
        self._live.mark("nan", stopped.reason, tape=self.tape)

    def _recorded_again(self, reason: str) -> Tape:
        """The tape of the last step, run once more without changing the model."""
        model, step = self.model, self.strip.steps
        others = [*model.non_trainable_variables, *(v for metric in model.metrics for v in metric.variables)]
        before = [(variable, variable.numpy().copy()) for variable in others]
        model.reset_metrics()  # they have seen the step, and hold what must not be taken for its cause
        try:
            with (
                record(name=f"step {step}: {reason}", values=self.values, budget=self.budget) as tape,
                span("step", str(step)),
                watched(model.optimizer, lambda: None, lambda: None, applying=False),
            ):
                model.train_step(model._last_batch)
        finally:
            for variable, value in before:
                variable.assign(value)
        return tape

    # Showing.

    def payload(self) -> dict[str, Any]:
        """What is drawn: the strip, where training is, and what is worth knowing about it."""
        every = 1 if self._meter is None else self._meter.every
        notes = []
        if self._triggers.of_ops:
            notes.append(f"each step is recorded, to watch for {', '.join(self._triggers.of_ops)}")
        elif every > 1:
            notes.append(f"one step in {every} is measured: more would cost over 5 % of the time")
        progress = {
            "state": self._state, "epoch": self._epoch + 1, "epochs": self.params.get("epochs", 1),
            "batch": self._batch, "batches": self.params.get("steps") or 0, "seconds": round(self._seconds, 2),
            "results": [[name, f"{value:.4g}"] for name, value in self._results.items() if isinstance(value, float)],
        }  # fmt: skip
        return {**self._live.payload(progress, notes, self.overhead), "epochs": self._epochs}

    def _send(self) -> None:
        self._live.send(self.payload)

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Show the results of the epoch, validation included."""
        self._results = logs or {}

    def on_train_end(self, logs: Any = None) -> None:
        """Show the end."""
        if self._state == "running":
            self._state = "stopped early" if self.model.stop_training else "done"

    def close(self, error: BaseException | None) -> None:
        """Show what there is, however training has ended; the tape of the step that ended it, too."""
        self.controls.close()
        if self._meter is None:
            return
        if error is not None:
            self._state = "interrupted" if isinstance(error, KeyboardInterrupt) else f"ended: {type(error).__name__}"
        began = perf_counter()
        self._look_around()
        self._live.end(self.payload)
        self._ended = perf_counter()
        self._meter.spent += self._ended - began
        if self.view is None and self.params.get("verbose", 1) != 0:
            print(self._live.text(self.payload()), flush=True)  # noqa: T201 - what is shown elsewhere
        if self.reason and self.tape is not None:
            self._tell(self.tape)

    def _tell(self, tape: Tape) -> None:
        """Say what has stopped training, and show its tape."""
        if self.params.get("verbose", 1) == 0 and self.view is None:
            return
        causes = tape.nonfinite()
        first = f" {causes[0]}" if causes else " Run again it was finite: what is random in the step was different."
        print(  # noqa: T201 - training has stopped, and somebody should know why
            f"LiveTape: training was stopped at step {self.strip.steps}, epoch {self._epoch + 1}: {self.reason}."
            f"{first}\n"
            "The model has the weights from before that step; LiveTape.tape is the tape of it.",
            flush=True,
        )
        if self.view is not None:
            tape._ipython_display_()


@functools.cache
def _guarding_seconds() -> float:
    """What guarding adds to a step of which nothing else is wanted, in seconds: tried on steps that do nothing else.

    Between them the processor's caches are filled with other things, as a step of training leaves them.
    """
    live = LiveTape()
    meter = live._meter = GradientMeter(live, live._met, live._aside, asks_aside=False)
    meter.lean, meter._next, live._live.next = True, 2**62, math.inf
    call, loss = ArrayCall(lambda found: meter.saw((), None, found.item())), [np.ones((), np.float32)]
    others, found = np.ones(_CACHED // 8), []
    for batch in range(_TRIES):
        others.sum()
        began = perf_counter()
        meter.step(lambda *_: call(loss), None)
        live.on_train_batch_end(batch, {})
        found.append(perf_counter() - began)
    return statistics.median(found)
