"""What recorders write keeps the rules by which readers find malformed rows."""

import pytest

import tapeviz as tf
from tests.zoo.models import ZOO
from tests.zoo.ways import WAYS


def assert_sound(tape, path):
    loaded = tf.load(tape.save(path))
    assert loaded.recording.problem is None
    ids = loaded.recording.tensors.id.tolist()
    assert len(ids) == len(set(ids))


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ZOO)
def test_recordings_of_models_are_well_formed(name, way, tmp_path):
    step = WAYS[way](ZOO[name]())
    with tf.record() as tape:
        step()
    assert_sound(tape, tmp_path / "run.tape")


def test_a_variable_assigned_in_a_graph_comes_to_life_once(tmp_path):
    v = tf.Variable([1.0, 2.0])

    @tf.function
    def add():
        v.assign_add([1.0, 1.0])
        return v * 2.0

    add()
    with tf.record() as tape:
        add()
        add()
    assert_sound(tape, tmp_path / "run.tape")
    values = [row for row in tape.recording.tensors if row.variable >= 0 and row.producer >= 0]
    assert len(values) == 2


@pytest.mark.parametrize("options", [{}, {"keep": "last", "max_ops": 40}, {"max_ops": 50}])
def test_failures_rings_and_facts_are_well_formed(options, tmp_path):
    w = tf.Variable(tf.ones([3, 3]))
    with tf.record(**options) as tape:
        for _ in range(30):
            with tf.GradientTape() as t:
                loss = tf.reduce_sum(tf.matmul(w, w))
            w.assign_sub(0.01 * t.gradient(loss, w))
            with pytest.raises(tf.errors.InvalidArgumentError):
                tf.matmul(w, tf.ones([2, 2]))
    assert_sound(tape, tmp_path / "run.tape")
