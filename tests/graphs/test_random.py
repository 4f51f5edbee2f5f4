"""Draws in graphs: new ones at each run, the same ones after ``set_seed``, and generators that go on."""

import numpy as np
import pytest

import tapeviz as tf

DRAWS = {
    "normal": lambda: tf.random.normal([3]),
    "uniform": lambda: tf.random.uniform([3], maxval=2.0),
    "integers": lambda: tf.random.uniform([8], maxval=1000, dtype=tf.int32),
    "truncated": lambda: tf.random.truncated_normal([3]),
    "gamma": lambda: tf.random.gamma([3], 2.0),
    "poisson": lambda: tf.random.poisson([8], 100.0),
    "categorical": lambda: tf.random.categorical(tf.zeros([1, 50]), 8),
    "shuffle": lambda: tf.random.shuffle(tf.range(20)),
    "dropout": lambda: tf.nn.dropout(tf.ones([40]), 0.5),
}


def equal(first, second):
    return np.array_equal(first.numpy(), second.numpy())


@pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)
def test_each_run_draws_anew_and_again_after_set_seed(draw):
    drawn = tf.function(draw)
    tf.random.set_seed(5)
    first, second = drawn(), drawn()
    assert not equal(first, second)
    tf.random.set_seed(5)
    assert equal(drawn(), first)
    assert equal(drawn(), second)
    tf.random.set_seed(5)
    assert equal(draw(), first)


def test_two_draws_of_one_run_differ():
    first, second = tf.function(lambda: (tf.random.normal([4]), tf.random.normal([4])))()
    assert not equal(first, second)


def test_a_seed_of_its_own():
    drawn = tf.function(lambda: tf.random.normal([3], seed=7))
    tf.random.set_seed(1)
    first, second = drawn(), drawn()
    tf.random.set_seed(1)
    assert equal(drawn(), first)
    assert not equal(first, second)


def test_a_generator_goes_on():
    made = tf.random.Generator.from_seed(1)
    eager = tf.random.Generator.from_seed(1)

    @tf.function
    def drawn():
        before = made.state.read_value()
        numbers = made.normal([2])
        return numbers, before, made.state.read_value()

    for _ in range(3):
        numbers, before, after = drawn()
        assert equal(before, eager.state)
        assert equal(numbers, eager.normal([2]))
        assert equal(after, eager.state)
    assert equal(made.state, eager.state)


@pytest.mark.parametrize("draw", [
    lambda g: g.uniform([3]), lambda g: g.uniform([3], 0, 9, dtype=tf.int32), lambda g: g.truncated_normal([3]),
    lambda g: g.uniform_full_int([3]), lambda g: g.binomial([3], 10.0, 0.5), lambda g: g.make_seeds(2),
    lambda g: g.skip(5),
])  # fmt: skip
def test_draws_of_a_generator(draw):
    traced, eager = (tf.random.Generator.from_seed(3) for _ in range(2))
    drawn = tf.function(lambda: draw(traced))
    for _ in range(2):
        assert equal(drawn(), draw(eager))


def test_a_generator_is_reset_in_a_graph():
    made = tf.random.Generator.from_seed(1)

    @tf.function
    def again():
        made.reset_from_seed(7)
        return made.normal([2])

    assert equal(again(), again())


@pytest.mark.parametrize("draw", [
    lambda s: tf.random.stateless_uniform([3], s), lambda s: tf.random.stateless_normal([3], s),
    lambda s: tf.random.stateless_uniform([3], s, 0, 9, tf.int32), lambda s: tf.random.stateless_gamma([3], s, 2.0),
    lambda s: tf.random.stateless_poisson([3], s, 5.0), lambda s: tf.random.stateless_truncated_normal([3], s),
    lambda s: tf.random.stateless_categorical(tf.zeros([1, 9]), 4, s), lambda s: tf.random.split(s, 3),
    lambda s: tf.random.fold_in(s, 4), lambda s: tf.random.stateless_binomial([3], s, 9.0, 0.5),
    lambda s: tf.nn.experimental.stateless_dropout(tf.ones([9]), 0.5, s),
])  # fmt: skip
@pytest.mark.parametrize("spec", [[2], [None]], ids=str)
def test_seeds_that_the_graph_is_given(draw, spec):
    drawn = tf.function(draw, input_signature=[tf.TensorSpec(spec, tf.int32)])
    for seed in ([1, 2], [3, 4]):
        assert equal(drawn(tf.constant(seed)), draw(seed))


def test_seeds_drawn_in_the_graph():
    @tf.function
    def both(seed):
        first, second = tf.unstack(tf.random.split(seed))
        return tf.random.stateless_normal([2], first), tf.random.stateless_normal([2], second)

    eager = both.python_function(tf.constant([1, 2]))
    assert all(map(equal, both(tf.constant([1, 2])), eager))


def test_shapes_of_draws_that_the_graph_is_given():
    @tf.function(input_signature=[tf.TensorSpec([], tf.int32), tf.TensorSpec([None, None])])
    def f(n, x):
        return tf.random.normal([n, 2]), tf.random.uniform(tf.shape(x)), tf.nn.dropout(x, 0.5), tf.random.shuffle(x)

    a, b, c, d = f(tf.constant(3), tf.reshape(tf.range(6.0), [2, 3]))
    assert [tuple(t.shape) for t in (a, b, c, d)] == [(3, 2), (2, 3), (2, 3), (2, 3)]
    assert sorted(d.numpy().ravel().tolist()) == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]


def test_the_gradient_of_dropout_knows_what_was_dropped():
    x = tf.ones([100])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.function(lambda x: tf.nn.dropout(x, 0.5))(x)
    assert equal(tape.gradient(y, x), y)


def test_gradients_flow_to_the_parameters_of_gamma():
    alpha = tf.constant(2.0)
    tf.random.set_seed(3)
    with tf.GradientTape() as tape:
        tape.watch(alpha)
        y = tf.random.gamma([4], alpha)
    wanted = tape.gradient(y, alpha)
    tf.random.set_seed(3)
    with tf.GradientTape() as tape:
        tape.watch(alpha)
        y = tf.function(lambda a: tf.random.gamma([4], a))(alpha)
    assert equal(tape.gradient(y, alpha), wanted)
