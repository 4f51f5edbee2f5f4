"""What an observer is told, and that spans, modules and scopes reach it."""

from __future__ import annotations

import pytest

import tapeviz as tf
from tapeviz.engine.state import observing


class Diary:
    """An observer that writes down what it is told."""

    keep = None

    def __init__(self):
        self.lines = []

    def __getattr__(self, name):
        return lambda *args: self.lines.append((name, args))

    def names(self, *wanted):
        """Return what was told under these names, in order."""
        return [(name, args) for name, args in self.lines if name in wanted]


@pytest.fixture
def diary():
    with observing(written := Diary()):
        yield written


def test_ops_are_told_with_inputs_output_and_attributes(diary):
    x = tf.constant([[1.0, 2.0]])
    y = tf.exp(x)
    z = tf.add(x, y)
    s = tf.reduce_sum(z, axis=1)
    stacked = tf.stack([s, s])
    told = diary.names("ran", "ran_one", "ran_two")
    assert [args[0].name for _, args in told] == ["exp", "add", "reduce_sum", "stack"]
    (_, one), (_, two), (_, reduced), (_, many) = told
    assert one[1] is x
    assert one[2] is y
    assert (two[1], two[2], two[3]) == (x, y, z) or (two[1] is x and two[2] is y and two[3] is z)
    assert reduced[3] == {"axis": (1,), "keepdims": False}
    assert many[2] is stacked
    assert len(many[1]) == 2
    assert all(args[-2] <= args[-1] for _, args in told)


def test_a_backward_pass_is_told_step_by_step(diary):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(x * x)
    tape.gradient(y, x)
    assert len(diary.names("asked")) == 1
    assert len(diary.names("answered")) == 1
    assert len(diary.names("stepped")) == 2
    contributions = [args[0] for _, args in diary.names("contributed")]
    assert [number for number, *_ in contributions] == [contributions[0][0], x._id, x._id]
    assert [args[1] for _, args in diary.names("tape_changed")] == ["enter", "exit", "used"]


def test_variables_are_told(diary):
    v = tf.Variable(1.0)
    v.assign_add(1.0)
    _ = v * 2.0
    assert [args[1] for _, args in diary.names("variable_changed")][:2] == ["made", "assigned"]


def test_exits_and_entries_are_told(diary):
    x = tf.constant([1.0])
    x.numpy()
    float(x[0])
    kinds = [args[1] for _, args in diary.names("left")]
    assert kinds == ["numpy", "python"]
    assert diary.names("entered")


def test_scopes_and_modules_are_spans(diary):
    class Layer(tf.Module):
        def __call__(self, x):
            with tf.name_scope("inside"):
                return x + 1.0

    Layer(name="layer")(tf.constant(1.0))
    assert [args for _, args in diary.names("began")] == [("module", "layer"), ("scope", "inside")]
    assert [args[1] for _, args in diary.names("ended")] == [None, None]


def test_a_span_that_fails_says_so(diary):
    with pytest.raises(KeyError), tf.name_scope("part"):
        raise KeyError
    assert isinstance(diary.names("ended")[0][1][1], KeyError)
