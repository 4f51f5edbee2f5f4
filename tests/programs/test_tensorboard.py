"""Summaries: the loss of every hundredth of a thousand steps, in a file that TensorBoard reads.

The program writes eagerly, from inside a traced step, and from a loop that is one graph; the files say the same.
"""

from __future__ import annotations

import numpy as np
import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.util import tensor_util

import tapeviz as tf
from tests.programs.ways import WAYS, both_ways

EVERY, STEPS = 100, 1000


def read(folder, tag="loss"):
    """What TensorBoard finds: the step and value of each scalar of a name."""
    found = EventAccumulator(str(folder), size_guidance={"tensors": 0, "scalars": 0}).Reload()
    return [(event.step, tensor_util.make_ndarray(event.tensor_proto)) for event in found.Tensors(tag)]


def note(step):
    """One step of the program: its loss, which every hundredth time is written."""
    loss = 1.0 - 0.001 * tf.cast(step, tf.float32)
    if step % EVERY == 0:
        tf.summary.scalar("loss", loss, step=step)
    return loss


def step_by_step(way):
    """The loop is Python's; each step is called with a tensor."""
    one = way(note)
    for number in range(1, STEPS + 1):
        one(tf.constant(number, tf.int64))


def by_a_variable(way):
    """The step is a variable that the step itself counts up; summaries are told once that it is the step."""
    counted = tf.Variable(0, dtype=tf.int64)
    tf.summary.experimental.set_step(counted)

    @way
    def one():
        counted.assign_add(1)
        loss = 1.0 - 0.001 * tf.cast(counted, tf.float32)
        with tf.summary.record_if(lambda: tf.equal(counted % EVERY, 0)):
            tf.summary.scalar("loss", loss)

    try:
        for _ in range(STEPS):
            one()
    finally:
        tf.summary.experimental.set_step(None)


def in_one_loop(way):
    """The loop is inside: as a graph, all thousand steps are one call."""

    @way
    def all_of_them(steps):
        for number in tf.range(1, steps + 1):
            note(tf.cast(number, tf.int64))

    all_of_them(tf.constant(STEPS))


PROGRAMS = {"steps": step_by_step, "variable": by_a_variable, "loop": in_one_loop}


@pytest.mark.parametrize("kind", PROGRAMS)
def test_every_hundredth_loss_is_there_both_ways(kind, tmp_path):
    found = {}
    for name, way in WAYS.items():
        writer = tf.summary.create_file_writer(str(tmp_path / name))
        with writer.as_default():
            PROGRAMS[kind](way)
        writer.close()
        (file,) = (tmp_path / name).iterdir()
        assert file.name.startswith("events.out.tfevents.")
        found[name] = read(tmp_path / name)
    assert found["graph"] == found["eager"]
    assert [step for step, _ in found["graph"]] == list(range(EVERY, STEPS + 1, EVERY))
    wanted = [1.0 - 0.001 * step for step in range(EVERY, STEPS + 1, EVERY)]
    assert [float(value) for _, value in found["graph"]] == pytest.approx(wanted, abs=1e-6)


@both_ways
def test_each_kind_of_summary_from_a_training_step(way, tmp_path):
    """Loss, gradient, weights as a picture and a word, written by the step that makes them."""
    writer = tf.summary.create_file_writer(str(tmp_path))
    w = tf.Variable(tf.zeros([4, 4]), name="w")

    @way
    def step(number, x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0))
        slope = tape.gradient(loss, w)
        w.assign_sub(0.1 * slope)
        with writer.as_default(step=number):
            tf.summary.scalar("loss", loss)
            tf.summary.histogram("slope", slope, buckets=4)
            tf.summary.image("w", tf.reshape(w, [1, 4, 4, 1]))
            tf.summary.text("note", tf.where(number > 0, "goes on", "begins"))
        return loss

    losses = [step(tf.constant(number, tf.int64), tf.eye(4)).numpy() for number in range(3)]
    writer.close()
    assert [(at, value.item()) for at, value in read(tmp_path)] == list(enumerate(losses))
    assert losses == sorted(losses, reverse=True)
    counts = [(at, value[:, 2].sum()) for at, value in read(tmp_path, "slope")]
    assert counts == [(at, 16.0) for at in range(3)]
    assert [value[0] for _, value in read(tmp_path, "w")] == [b"4"] * 3
    assert [value.item() for _, value in read(tmp_path, "note")] == [b"begins", b"goes on", b"goes on"]
    np.testing.assert_allclose(w.numpy(), w.numpy()[0, 0])


def test_a_writer_that_is_set_once(tmp_path):
    writer = tf.summary.create_file_writer(str(tmp_path))
    writer.set_as_default()
    try:
        for step in (1, 2):
            tf.summary.scalar("loss", 0.5 / step, step=step)
        writer.flush()
        assert read(tmp_path) == [(1, 0.5), (2, 0.25)]
    finally:
        tf.summary.experimental.set_step(None)
        writer.close()
