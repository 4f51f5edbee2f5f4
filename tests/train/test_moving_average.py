"""``tf.train.ExponentialMovingAverage``: the numbers are TensorFlow 2.21's."""

import numpy as np
import pytest

import tapeviz as tf
import tapeviz.compat.v1 as tf1


@pytest.mark.parametrize(("options", "expected"), [({}, [1.38, 2.57]), ({"num_updates": 3}, [2.8106508, 4.715976])])
def test_an_average_of_a_variable_begins_at_its_value(options, expected):
    weight = tf.Variable([1.0, 2.0], name="weight")
    averages = tf.train.ExponentialMovingAverage(0.9, **options)
    averages.apply([weight])
    weight.assign([3.0, 5.0])
    for _ in range(2):
        averages.apply([weight])
    np.testing.assert_allclose(averages.average(weight), expected, rtol=1e-6)
    assert averages.average_name(weight) == "weight/ExponentialMovingAverage"
    assert not averages.average(weight).trainable


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, ([1.29, 2.29], 1.084)), ({"num_updates": 3}, ([2.597633, 3.597633], 3.8834774)),
        ({"zero_debias": True}, ([1.29, 2.29], 4.0)),
    ],
)  # fmt: skip
def test_in_a_graph_an_operation_brings_averages_up_to_date(options, expected):
    with tf1.Graph().as_default(), tf1.Session() as session:
        weight, bias = tf1.Variable([1.0, 2.0], name="weight"), tf1.Variable(1.0, name="bias")
        scaled = tf1.multiply(bias, 4.0, name="scaled")
        averages = tf1.train.ExponentialMovingAverage(0.9, **options)
        update, step = averages.apply([weight, scaled]), weight.assign_add([1.0, 1.0])
        session.run(tf1.global_variables_initializer())
        for _ in range(3):
            session.run(update)
            session.run(step)
        np.testing.assert_allclose(session.run(averages.average(weight)), expected[0], rtol=1e-6)
        np.testing.assert_allclose(session.run(averages.average(scaled)), expected[1], rtol=1e-6)
        assert tf1.get_collection("moving_average_variables") == [weight]
        restored = averages.variables_to_restore()
        assert restored["weight/ExponentialMovingAverage"] is weight
        assert restored["bias/ExponentialMovingAverage"] is bias


def test_a_saver_gives_variables_their_averages(tmp_path):
    with tf1.Graph().as_default(), tf1.Session() as session:
        weight = tf1.Variable(4.0, name="weight")
        averages = tf1.train.ExponentialMovingAverage(0.5)
        update = averages.apply()
        session.run(tf1.global_variables_initializer())
        session.run(weight.assign(0.0))
        session.run(update)
        path = tf1.train.Saver().save(session, str(tmp_path / "model"))
        tf1.train.Saver(averages.variables_to_restore([weight])).restore(session, path)
        assert session.run(weight) == 2.0


def test_whole_numbers_have_no_average():
    with pytest.raises(TypeError, match="must be half, float, or double: step:0 is int32"):
        tf.train.ExponentialMovingAverage(0.9).apply([tf.Variable(3, name="step")])
    assert tf.train.ExponentialMovingAverage(0.9).average(tf.Variable(1.0)) is None
