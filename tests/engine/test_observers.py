"""The callbacks that an observer gets: of ops, backward passes, tapes, variables, spans."""

from __future__ import annotations

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.engine.state import observing


class Diary:
    """An observer that writes down its calls."""

    on_addend = None

    def __init__(self):
        self.lines = []

    def __getattr__(self, name):
        return lambda *args: self.lines.append((name, args))

    def names(self, *wanted):
        """Return the calls of these names, in order."""
        return [(name, args) for name, args in self.lines if name in wanted]


@pytest.fixture
def diary():
    with observing(written := Diary()):
        yield written


def test_ops_have_calls_with_inputs_output_and_attributes(diary):
    x = tf.constant([[1.0, 2.0]])
    y = tf.exp(x)
    z = tf.add(x, y)
    s = tf.reduce_sum(z, axis=1)
    stacked = tf.stack([s, s])
    calls = diary.names("on_op", "on_unary_op", "on_binary_op")
    assert [args[0].name for _, args in calls] == ["exp", "add", "reduce_sum", "stack"]
    (_, one), (_, two), (_, reduced), (_, many) = calls
    assert one[1] is x
    assert one[5] is y
    assert one[2:4] == (x._id, y._id)
    assert two[1] is x
    assert two[2] is y
    assert two[7] is z
    assert two[3:6] == (x._id, y._id, z._id)
    assert np.array_equal(two[6], z.numpy())
    assert reduced[6] == {"axis": (1,), "keepdims": False}
    assert many[2] is stacked
    assert len(many[1]) == 2
    assert all(args[-2] <= args[-1] for _, args in calls)


def test_a_backward_pass_has_a_call_a_step(diary):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(x * x)
    tape.gradient(y, x)
    assert len(diary.names("on_backward_begin")) == 1
    assert len(diary.names("on_backward_end")) == 1
    total, product = [args[0] for _, args in diary.names("on_vjp")]
    assert total[:2] == (y._id, (product[0],))
    assert product[1] == (x._id, x._id)
    assert total[2] <= total[3] <= product[2] <= product[3]
    assert not diary.names("on_adjoint")  # these contribute to each of their inputs


def test_contributions_have_calls_where_they_are_not_to_all(diary):
    x, y = tf.constant([1.0]), tf.constant([2.0])
    with tf.GradientTape() as tape:
        tape.watch(y)
        z = tf.stack([x, y])
    tape.gradient(z, y)
    assert [args[0] for _, args in diary.names("on_adjoint")] == [(y._id, 1, 0, 0)]
    ((_, (step,)),) = diary.names("on_vjp")
    assert step[:2] == (z._id, -1)


def test_a_tape_has_a_call_for_each_change(diary):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(x * x)
    tape.gradient(y, x)
    assert [args[1] for _, args in diary.names("on_tape")] == ["enter", "exit", "used"]


def test_variables_have_calls(diary):
    v = tf.Variable(1.0)
    v.assign_add(1.0)
    _ = v * 2.0
    assert [args[1] for _, args in diary.names("on_variable")][:2] == ["made", "assigned"]


def test_values_that_enter_and_leave_have_calls(diary):
    x = tf.constant([1.0])
    x.numpy()
    float(x[0])
    kinds = [args[1] for _, args in diary.names("on_host_out")]
    assert kinds == ["numpy", "python"]
    assert diary.names("on_host_in")


def test_scopes_and_modules_are_spans(diary):
    class Layer(tf.Module):
        def __call__(self, x):
            with tf.name_scope("inside"):
                return x + 1.0

    Layer(name="layer")(tf.constant(1.0))
    assert [args[:2] for _, args in diary.names("on_span_begin")] == [("module", "layer"), ("scope", "inside")]
    assert [args[1] for _, args in diary.names("on_span_end")] == [None, None]


def test_a_span_that_fails_says_so(diary):
    with pytest.raises(KeyError), tf.name_scope("part"):
        raise KeyError
    assert isinstance(diary.names("on_span_end")[0][1][1], KeyError)
