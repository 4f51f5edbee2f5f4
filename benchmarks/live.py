"""How soon a click is done in a program that runs, and what watching a training costs.

A click is a request of another thread's, as those of a page are. Its time is the wall's, from receipt to the boundary
at which the program does it: behind an op of a recorded program, or before the next item of a loop. What `LiveTape`
adds to `fit` is measured from outside, epochs with and without in turn, and compared with what its strip says.
"""

from __future__ import annotations

import statistics
import threading
from collections.abc import Callable, Iterable
from time import perf_counter, sleep
from typing import Any, Final

import tapeviz as tf
from benchmarks.harness import Figure, Goal, clock
from benchmarks.training_fit import dense, digits
from tapeviz.tape.controls import Controls

__all__ = ["click_seconds", "overheads", "run"]

SUBJECT: Final = "live"
CLICKS: Final = 200
_MILLISECONDS: Final = 1e3
_SOON: Final = Goal(at_most=100)
_LITTLE: Final = Goal(at_most=5)
_PAIRS: Final = 11
_EPOCHS: Final = 160
_REST: Final = 0.0005


def run() -> list[Figure]:
    """Click, and train with and without."""
    figures = []
    for title, program in (("a recorded program, at an op", _recorded), ("a loop, at a step", _loop)):
        found = sorted(_MILLISECONDS * seconds for seconds in click_seconds(program))
        note = f"median {statistics.median(found):.2f} ms, longest {found[-1]:.1f} ms"
        p95 = found[int(0.95 * len(found))]
        figures.append(Figure(SUBJECT, f"{title}: p95 of {len(found)} clicks", p95, "ms", _SOON, note))
    measured, said = overheads()
    note = f"the strip says {100 * said:.1f} %"
    figures.append(Figure(SUBJECT, "digits, fit with LiveTape: added", 100 * measured, "%", _LITTLE, note))
    return figures


def click_seconds(program: Callable[[Callable[[Controls], None]], None], clicks: int = CLICKS) -> list[float]:
    """Seconds from the receipt of a pause to the boundary that does it, of so many clicks while a program runs.

    Args:
        program: runs until it is stopped, and calls back with its controls when they are there.
        clicks: how many.
    """
    found: list[float] = []

    def click(controls: Controls) -> None:
        for number in range(clicks):
            sleep(0.002 + 0.0001 * (number % 17))  # not in step with the program
            began = perf_counter()
            controls.request("pause")
            # The program says when it paused, so this may look rarely; a thread that never rests would keep it waiting.
            while not controls.paused:
                sleep(_REST)
            found.append(controls.paused_at - began)
            controls.request("resume")
            while controls.paused:
                sleep(_REST)
        controls.request("stop")

    threads: list[threading.Thread] = []

    def begin(controls: Controls) -> None:
        threads.append(threading.Thread(target=click, args=[controls], daemon=True))
        threads[0].start()

    program(begin)
    threads[0].join()
    return found


def _steps(items: Iterable[int]) -> None:
    """An op-bound loop: small ops, and nothing else."""
    w = tf.Variable(tf.ones([8, 8]))
    x = tf.ones([8, 8])
    for _ in items:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.tanh(x @ w))
        w.assign_sub(1e-6 * tape.gradient(loss, w))


def _recorded(begin: Callable[[Controls], None]) -> None:
    block: Any = tf.record(live=True)
    try:
        with block:
            begin(block.live.controls)
            _steps(iter(int, 1))
    except KeyboardInterrupt:
        return


def _loop(begin: Callable[[Controls], None]) -> None:
    loop: Any = tf.live()
    begin(loop.controls)
    _steps(loop)


def overheads(pairs: int = _PAIRS, epochs: int = _EPOCHS) -> tuple[float, float]:
    """What share LiveTape adds to the time of ``fit`` on digits, measured and as its strip says: medians of pairs."""
    x, _, y, _ = digits()
    model = dense(tf)

    def seconds(callbacks: list[Any]) -> float:
        began = clock()
        model.fit(x, y, epochs=epochs, verbose=0, callbacks=callbacks)
        return clock() - began

    added, said = [], []
    for number in range(-2, pairs):
        live = tf.keras.callbacks.LiveTape()
        both = [seconds([]), seconds([live])] if number % 2 else [seconds([live]), seconds([])][::-1]
        if number >= 0:  # what is done once, such as tracing, is done by then
            added.append(both[1] / both[0] - 1)
            said.append(live.overhead)
    return statistics.median(added), statistics.median(said)
