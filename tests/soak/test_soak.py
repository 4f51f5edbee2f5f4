"""A long run of ops leaves nothing behind, also when half of them fail."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import numpy as np
import pytest

import tapeviz as tf
from tests.memory_in_use import memory_in_use

A_LITTLE, A_MILLION = 12_000, 1_000_000
# What the allocator, the caches of Python's own and tracemalloc may keep: for any number of ops.
SLACK_BYTES = 200_000
SLACK_RESIDENT = 64 * 2**20

amounts = pytest.mark.parametrize("count", [A_LITTLE, pytest.param(A_MILLION, marks=pytest.mark.nightly)])


def mixed(x, w, step):
    """Run four ops, which differ from step to step."""
    kind = step % 4
    if kind == 0:
        return tf.reduce_sum(tf.nn.relu(x @ w) * 2.0)
    if kind == 1:
        return tf.reduce_mean(tf.square(tf.exp(-x) - x[0]))
    if kind == 2:
        return tf.reduce_max(tf.concat([x, tf.reshape(w, [-1, 8])[:2]], 0)) + tf.cast(tf.argmax(x[0]), tf.float32)
    return tf.reduce_sum(tf.gather(w, [0, 1, 0]) / (1.0 + tf.abs(w[:3])))


WRONG = (
    lambda x, w: tf.matmul(x, tf.transpose(w)[:3]),
    lambda x, _w: tf.add(x, tf.constant([1, 2])),
    lambda x, _w: tf.reshape(x, [7, 7]),
    lambda x, _w: tf.reduce_sum(x, axis=9),
)


def failing(x, w, step):
    """Run an op that raises, in one of several ways."""
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError, TypeError)):
        WRONG[step % len(WRONG)](x, w)


def without_a_tape(x, w, step):
    mixed(x, w, step)


def with_a_tape(x, w, step):
    with tf.GradientTape() as tape:
        loss = mixed(x, w, step)
    tape.gradient(loss, w)


def with_a_tape_that_nobody_asks(x, w, step):
    with tf.GradientTape(persistent=step % 2 == 0):
        mixed(x, w, step)


def half_failing(x, w, step):
    with tf.GradientTape() as tape:
        loss = mixed(x, w, step)
        for turn in range(3):
            failing(x, w, step + turn)
    tape.gradient(loss, w)


def resident():
    """Return the bytes of memory that this process occupies."""
    return int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[1]) * 4096


OPS_A_STEP = {without_a_tape: 4, with_a_tape: 8, with_a_tape_that_nobody_asks: 4, half_failing: 11}


@amounts
@pytest.mark.slow
@pytest.mark.parametrize("program", OPS_A_STEP, ids=lambda program: program.__name__)
def test_memory_is_flat(program, count):
    rng = np.random.default_rng(0)
    x, w = tf.constant(rng.normal(size=(4, 8)), tf.float32), tf.Variable(rng.normal(size=(8, 4)), dtype=tf.float32)
    steps = count // OPS_A_STEP[program] // len(OPS_A_STEP)
    tracemalloc.start()
    try:
        for step in range(200):
            program(x, w, step)
        before, occupied = memory_in_use(), resident()
        for step in range(steps):
            program(x, w, step)
        after = memory_in_use()
    finally:
        tracemalloc.stop()
    assert after - before < SLACK_BYTES
    assert resident() - occupied < SLACK_RESIDENT
