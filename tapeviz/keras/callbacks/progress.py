"""How far training is: a bar in notebooks and terminals, plain lines elsewhere."""

from __future__ import annotations

import sys
from time import perf_counter
from typing import Any, Final

from tqdm import tqdm
from tqdm.notebook import tqdm as notebook_tqdm

from tapeviz.engine.userline import ipython_shell
from tapeviz.keras.callbacks.callback import Callback

__all__ = ["ProgbarLogger", "in_notebook", "results"]

_MOST_BARS: Final = 20  # a bar an epoch up to here; with more, one bar for all epochs
_MOST_LINES: Final = 50  # where nobody asked for a line each epoch
_OFTEN: Final = 0.1  # seconds between two looks of a bar at least


def in_notebook() -> bool:
    """Whether what is displayed is seen by the front end of a notebook."""
    return hasattr(ipython_shell(), "kernel")


def results(logs: Any) -> str:
    """The results of metrics in a line.

    >>> results({"accuracy": 0.98765, "loss": 0.000012})
    'accuracy: 0.9877 - loss: 1.2000e-05'
    """
    return " - ".join(f"{name}: {_number(value)}" for name, value in (logs or {}).items())


def _number(value: Any) -> str:
    if not isinstance(value, float):
        return str(value)
    return f"{value:.4f}" if value == 0 or abs(value) > 1e-3 else f"{value:.4e}"  # noqa: PLR2004 - as Keras does


class ProgbarLogger(Callback):
    """Show how far ``fit``, ``evaluate`` or ``predict`` is, and the results so far.

    With ``verbose=1`` a bar for each epoch, or one for all where there are many; with 2 a line an epoch; ``"auto"`` is
    a bar in a notebook or a terminal, and elsewhere lines, about fifty at most.

    Raises:
        ValueError: ``verbose`` is none of these.
    """

    def __init__(self) -> None:
        super().__init__()
        self._bar: Any = None
        self._all = False
        self._fits = False
        self._began = self._shown = 0.0
        self._seen = 0
        self._steps: int | None = None
        self.yields = False  # to another callback that shows the progress itself

    def set_params(self, params: Any) -> None:
        """Find out what kind of progress is wanted."""
        super().set_params(params)
        verbose = params.get("verbose", 1)
        if verbose not in ("auto", 0, 1, 2):
            raise ValueError(f"`verbose` must be 'auto', 0, 1 or 2. Received: verbose={verbose!r}")
        self._auto = verbose == "auto"
        self._notebook = in_notebook()
        can = self._notebook or (hasattr(sys.stderr, "isatty") and sys.stderr.isatty())
        self._kind = {0: "", 1: "bar" if can else "lines", 2: "lines", "auto": "bar" if can else "lines"}[verbose]
        self._epochs = params.get("epochs") or 1
        self._steps = params.get("steps")

    # Training.

    def on_train_begin(self, logs: Any = None) -> None:
        """Know that this is ``fit``, whose validation shows no bar of its own."""
        self._fits = True
        self._all = self._kind == "bar" and self._epochs > _MOST_BARS
        if self._all:
            self._open("Epochs", self._epochs, "epoch")

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Begin with an epoch."""
        self._began, self._seen = perf_counter(), 0
        if not self._all:
            self._open(f"Epoch {epoch + 1}/{self._epochs}", self._steps, "step")

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        """A step is done."""
        self._advance(batch, logs)

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Say the results of an epoch."""
        self._steps = self._steps or self._seen or None
        if self._all:
            if self._bar is not None:
                self._bar.set_postfix_str(results(logs), refresh=False)
                self._bar.update(1)
        elif self._kind == "bar":
            self._finish(logs)
        elif self._kind == "lines" and self._is_reported(epoch) and not self.yields:
            seconds = perf_counter() - self._began
            print(f"Epoch {epoch + 1}/{self._epochs} - {seconds:.1f}s - {results(logs)}", flush=True)  # noqa: T201

    def _is_reported(self, epoch: int) -> bool:
        """Whether an epoch has a line: all do where it was asked for, else the last and every so many."""
        every = -(-self._epochs // _MOST_LINES) if self._auto else 1
        stops = getattr(self.model, "stop_training", False)
        return (epoch + 1) % every == 0 or epoch + 1 == self._epochs or epoch == 0 or stops

    def on_train_end(self, logs: Any = None) -> None:
        """The last results stay."""
        if self._all:
            self._finish(None)

    # Evaluation and prediction, by themselves.

    def on_test_begin(self, logs: Any = None) -> None:
        """Begin with an evaluation that is not a part of ``fit``."""
        if not self._fits:
            self._begin_alone("Evaluation")

    def on_test_batch_end(self, batch: int, logs: Any = None) -> None:
        """A step is done."""
        if not self._fits:
            self._advance(batch, logs)

    def on_test_end(self, logs: Any = None) -> None:
        """Say the results."""
        if not self._fits:
            self._end_alone("Evaluation", logs)

    def on_predict_begin(self, logs: Any = None) -> None:
        """Begin with a prediction."""
        self._begin_alone("Prediction")

    def on_predict_batch_end(self, batch: int, logs: Any = None) -> None:
        """A step is done."""
        self._advance(batch, None)

    def on_predict_end(self, logs: Any = None) -> None:
        """Say that it is done."""
        self._end_alone("Prediction", None)

    def _begin_alone(self, title: str) -> None:
        self._began, self._seen = perf_counter(), 0
        self._open(title, self._steps, "step")

    def _end_alone(self, title: str, logs: Any) -> None:
        if self._kind == "bar":
            self._finish(logs)
        elif self._kind == "lines" and (logs or not self._auto):
            said = f" - {results(logs)}" if logs else ""
            print(f"{title} - {perf_counter() - self._began:.1f}s{said}", flush=True)  # noqa: T201

    # The bar.

    def _open(self, title: str, total: int | None, unit: str) -> None:
        if self._kind != "bar" or self.yields:
            return
        make: Any = notebook_tqdm if self._notebook else tqdm
        self._bar = make(total=total, desc=title, unit=unit, mininterval=_OFTEN, leave=True, dynamic_ncols=True)
        self._shown = 0.0

    def _advance(self, batch: int, logs: Any) -> None:
        done, self._seen = batch + 1 - self._seen, batch + 1
        if self._bar is None or self._all:
            return
        if logs and (now := perf_counter()) - self._shown > _OFTEN:
            self._shown = now
            self._bar.set_postfix_str(results(logs), refresh=False)
        self._bar.update(done)

    def _finish(self, logs: Any) -> None:
        if self._bar is None:
            return
        if logs:
            self._bar.set_postfix_str(results(logs), refresh=False)
        if self._bar.total is not None and self._seen and not self._all and self._seen < self._bar.total:
            self._bar.total = self._seen  # stopped early: what was to come will not
        self._bar.refresh()
        self._bar.close()
        self._bar = None

    def close(self, error: BaseException | None) -> None:
        """Leave no bar open, whatever has happened."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None
        self._fits = False
