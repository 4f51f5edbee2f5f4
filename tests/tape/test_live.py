"""Loops that are held while they run: steps are counted, never seconds."""

import threading

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.exports import headline
from tapeviz.tape.controls import Controls, request
from tests.keras.training.models import line, linear


class Runner:
    """A loop in a thread of its own, whose steps end when the test says so."""

    def __init__(self, count=1000):
        self.loop = tf.live(range(count))
        self.seen = []
        self.waits = threading.Event()
        self.may = threading.Semaphore(0)
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        for item in self.loop:
            self.seen.append(item)
            assert self.may.acquire(timeout=20)

    def settle(self, count):
        """Wait until so many steps have begun."""
        while len(self.seen) < count:
            threading.Event().wait(0.001)

    def settle_paused(self):
        while not self.loop.controls.paused:
            threading.Event().wait(0.001)


def test_a_pause_holds_before_the_next_step():
    runner = Runner()
    runner.settle(1)
    runner.loop.pause()
    runner.may.release(50)
    runner.settle_paused()
    assert runner.seen == [0]
    runner.loop.stop()
    runner.thread.join(20)
    assert runner.seen == [0]


@pytest.mark.parametrize("count", [1, 10])
def test_steps_are_as_many_as_were_asked_for(count):
    runner = Runner()
    runner.settle(1)
    runner.loop.pause()
    runner.may.release(500)
    runner.settle_paused()
    for times in (1, 2, 3):
        runner.loop.step(count)
        runner.settle(1 + times * count)
        runner.settle_paused()
        assert len(runner.seen) == 1 + times * count
    runner.loop.stop()
    runner.thread.join(20)


def test_a_stop_in_a_step_is_the_last_step():
    loop = tf.live(range(50))
    for item in loop:
        if item == 4:
            loop.stop()
    assert (item, loop.steps) == (4, 5)


def test_a_snapshot_is_the_tape_of_one_step():
    loop = tf.live(range(5))
    x = tf.constant([1.0, 2.0])
    for item in loop:
        x = tf.math.tanh(x)
        if item == 1:
            loop.snapshot()
    (tape,) = loop.tapes
    assert (len(tape.query("op:tanh")), headline.title(tape.recording)) == (1, "step 3")


def test_an_unknown_word_and_a_loop_that_is_over():
    with pytest.raises(ValueError, match="'hop': choose one of pause"):
        Controls().request("hop")
    with pytest.raises(ValueError, match="that loop is over"):
        request(10**9, "pause")
    with pytest.raises(ValueError, match="`count` must be 1 or 10"):
        tf.live([]).step(3)


class Ask(tf.keras.callbacks.Callback):
    """Asks before LiveTape's boundary of a step, as a click from another thread would."""

    def __init__(self, live, at):
        super().__init__()
        self.live, self.at, self.steps = live, at, 0

    def on_train_batch_end(self, batch, logs=None):
        del batch, logs
        self.steps += 1
        for what in self.at.get(self.steps, ()):
            self.live.controls.request(what)


def test_fit_ends_with_the_step_in_which_a_stop_was_asked_for():
    live = tf.keras.callbacks.LiveTape()
    ask = Ask(live, {3: ["stop"]})
    linear().fit(*line(64), batch_size=8, epochs=5, verbose=0, callbacks=[ask, live])
    assert ask.steps == live.strip.steps == 3
    assert live.payload()["progress"]["state"] == "stopped by hand"


def test_fit_records_the_step_after_a_snapshot_was_asked_for():
    live = tf.keras.callbacks.LiveTape()
    x, y = line(64)
    linear().fit(x, y, batch_size=8, epochs=8, verbose=0, callbacks=[Ask(live, {30: ["snapshot"]}), live])
    assert [headline.title(tape.recording) for tape in live.tapes] == ["step 31"]
    assert [mark["step"] for mark in live.payload()["marks"] if mark["kind"] == "tape"] == [30]


def test_fit_waits_and_its_time_does_not_count():
    live = tf.keras.callbacks.LiveTape()
    ask = Ask(live, {5: ["pause"]})
    steps = []

    def click():
        while not live.controls.paused:
            threading.Event().wait(0.001)
        steps.append(ask.steps)
        live.controls.request("step")
        while not (live.controls.paused and ask.steps == 6):
            threading.Event().wait(0.001)
        steps.append(ask.steps)
        live.controls.request("resume")

    clicking = threading.Thread(target=click, daemon=True)
    clicking.start()
    linear().fit(*line(64), batch_size=8, epochs=2, verbose=0, callbacks=[ask, live])
    clicking.join(20)
    assert steps == [5, 6]
    assert ask.steps == live.strip.steps == 16
    assert np.isfinite(live.strip.losses).all()
