"""Every tensor that is recorded has its statistics, however little memory there is for contents."""

import gc
from weakref import ref

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.recorder.value_store import ValueStore
from tapeviz.recording.rows.statistics import FIGURES, summary
from tapeviz.recording.schema import DTYPES
from tests.zoo.models import ZOO
from tests.zoo.ways import WAYS

_TEXT = DTYPES.index("string")


def lacking(recording):
    """The tensors without statistics."""
    tensors = recording.tensors
    with_elements = tensors.id[tensors.dtype != _TEXT]
    return sorted(set(with_elements.tolist()) - set(recording.stats.tensor.tolist()))


def gradients(recording):
    given = recording.requests.gradient
    return given[given >= 0].tolist()


@pytest.mark.parametrize("budget", ["0", "10K", "64M"])
@pytest.mark.parametrize("way", list(WAYS))
@pytest.mark.parametrize("name", list(ZOO))
def test_no_tensor_of_a_model_lacks_statistics(name, way, budget):
    step = WAYS[way](ZOO[name]())
    step()
    with tf.record(budget=budget) as tape:
        step()
    recording = tape.recording
    assert len(recording.tensors) > 50 or way != "eager"
    assert lacking(recording) == []
    assert set(gradients(recording)) <= set(recording.stats.tensor.tolist())


def test_what_was_evicted_has_the_same_figures():
    def tensors():
        x = tf.reshape(tf.range(6000.0), [60, 100])
        w = tf.Variable(tf.ones([100, 30]))
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.square(tf.matmul(x, w)) + tf.reduce_sum(w) ** 2)
        return tape.gradient(loss, w)

    def rows(budget):
        with tf.record(budget=budget) as tape:
            tensors()
        stats = tape.recording.stats
        order = np.argsort(stats.tensor)
        histograms = [stats.histogram[at] for at in order.tolist()]
        return [getattr(stats, name)[order] for name in FIGURES], histograms, tape

    tensors()  # makes the constants that are made once
    figures, histograms, whole = rows("64M")
    again, others, part = rows("0")
    assert "evicted" in part.recording.meta_dict()
    assert part.held == 0 < whole.held
    said = " ".join(str(part).split())
    assert f"were let go to stay within the budget; statistics of {len(part.recording.stats)} tensors are kept" in said
    assert "let go" not in str(whole)
    for one, other in zip(figures, again, strict=True):
        np.testing.assert_array_equal(one, other)
    assert histograms == others


def test_with_the_budget_used_up_arrays_are_summarised_while_they_are_in_the_cache():
    kept, waiting = ValueStore(2**20, lambda array: array), []
    arrays = [np.full(2**14, number, np.float32) for number in range(100)]  # of 64 KB each
    for number, array in enumerate(arrays, 1):
        kept.keep(number, array)
        waiting.append(kept.waiting)
    assert max(waiting) == waiting[15] == 16  # nothing is worked out before it must be
    assert max(waiting[16:]) < 2
    numbers, found = kept.summaries()
    assert found.figures[:, 0].tolist() == [number - 1.0 for number in numbers]


def test_statistics_are_those_of_the_tensors():
    with tf.record(values="all", budget="64M") as tape:
        step = WAYS["eager"](ZOO["transformer"]())
        step()
    stats = tape.recording.stats
    assert len(tape.in_memory) > 500
    for at, number in enumerate(stats.tensor.tolist()):
        if number in tape.in_memory:
            found = summary(tape.in_memory[number])
            for name in FIGURES:
                np.testing.assert_allclose(getattr(stats, name)[at], found[name], rtol=1e-9, atol=1e-12)


def test_contents_stay_within_the_budget():
    with tf.record(budget="1M") as tape:
        for _ in range(30):
            tf.ones([50_000]) * 2.0
    assert tape.held <= 2**20
    assert lacking(tape.recording) == []


def test_an_array_larger_than_the_budget_has_its_statistics():
    with tf.record(budget="100K") as tape:
        x = tf.ones([100_000]) * 3.0
    assert tape.held == 0
    assert float(tape.recording.stats.max[tape.recording.stats.tensor == tape.number(x)][0]) == 3.0


def test_statistics_of_a_long_recording_are_taken_while_it_is_made():
    with tf.record() as tape:
        x = tf.constant(1.0)
        for _ in range(70_000):
            x = x + 1.0
        during = len(tape._source.recording().stats)
    assert during > 60_000
    assert lacking(tape.recording) == []


def test_an_interrupt_ends_what_is_left_of_the_statistics_and_keeps_the_rest(monkeypatch):
    interrupted = ValueStore.summarise_some

    def summarise_some(self):
        if len(self._rows):
            raise KeyboardInterrupt
        interrupted(self)

    monkeypatch.setattr(ValueStore, "summarise_some", summarise_some)
    tapes = []

    def program():
        with tf.record(values="stats") as tape:
            tapes.append(tape)
            x = tf.constant(1.0)
            for _ in range(20_000):
                x = x + 1.0

    with pytest.raises(KeyboardInterrupt):
        program()
    (tape,) = tapes
    missing = tape.recording.meta_dict()["unsummarised"]["tensors"]
    assert 0 < missing == len(lacking(tape.recording))
    assert len(tape.recording.stats) > 10_000
    assert tape.recording.meta_dict()["ops"] == 20_000
    assert tape.recording.to_bytes()


def test_what_a_tape_holds_goes_with_it_and_does_not_wait_for_the_collector():
    def recorded():
        w = tf.Variable(tf.ones([1000]))
        with tf.record() as tape:
            with tf.GradientTape() as g:
                y = tf.reduce_sum(w * tf.ones([1000]))
            g.gradient(y, w)
        return tape

    recorded()
    gc.collect()
    gc.disable()
    try:
        tape = recorded()
        arrays = [ref(array) for array in tape.in_memory.values() if isinstance(array, np.ndarray)]
        assert len(arrays) > 3
        del tape
        assert [array() for array in arrays if array() is not None] == []
    finally:
        gc.enable()
