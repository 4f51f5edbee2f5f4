"""A recording longer than what is packed at once: rows are packed while the program still runs."""

import gc

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.recording.schema import KINDS

PACKED_AT = 65_536  # rows of the recorder's list, of which an op has one and the death of its result another


def _chain(rounds):
    x, w = tf.constant([1.0, 2.0]), tf.Variable([1.0, 0.5])
    with tf.GradientTape() as tape:
        y = x
        for _ in range(rounds):
            y = y * w
            y = y + w
    return tape.gradient(y, w)


def _assert_whole(recording, ops):
    events = recording.events
    assert np.array_equal(events.id, np.arange(len(events)))
    assert np.count_nonzero((events.kind == 0) & (events.phase == 0)) >= ops
    assert len(recording.tensors) == len(np.unique(recording.tensors.id))
    produced = recording.tensors.producer
    assert np.isin(produced[produced >= 0], events.id).all()


@pytest.mark.slow
def test_packed_in_the_middle():
    rounds = 20_000
    with tf.record(values="none") as tape:
        for _ in range(2):
            _chain(rounds)
    assert 4 * rounds > PACKED_AT
    _assert_whole(tape.recording, 4 * rounds)
    backward = tape.events.phase == 1
    assert np.count_nonzero(backward & (tape.events.origin >= 0)) == 4 * rounds


@pytest.mark.slow
def test_the_collector_runs_while_rows_are_packed():
    def cell_of(_file):  # asked while rows are packed
        gc.collect()

    with tf.record(values="none", cell_of=cell_of) as tape:
        _chain(PACKED_AT // 2 + 2500)
    _assert_whole(tape.recording, PACKED_AT)
    assert np.count_nonzero(tape.events.kind == KINDS.index("gc")) > 0
