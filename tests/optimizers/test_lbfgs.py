"""l-BFGS: the losses of PyTorch's on a sparse autoencoder, the two-loop recursion in other words, the line search."""

from __future__ import annotations

import math

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.optimizers.curvature import History
from tests.optimizers.autoencoder import ITERATIONS, RUNS, answers, loss, pictures, rate, weights

WANTED = answers()


def trained(options, *, flat=False, traced=False):
    """Return the loss before each iteration, and how many times it was computed."""
    x = tf.constant(pictures())
    begin = weights()
    if flat:
        vector = tf.Variable(np.concatenate([value.ravel() for value in begin]))
        ends = np.cumsum([value.size for value in begin])[:-1]
        variables = [vector]

        def parts():
            return [
                tf.reshape(part, value.shape)
                for part, value in zip(tf.split(vector, np.diff([0, *ends, vector.shape[0]])), begin, strict=True)
            ]
    else:
        variables = [tf.Variable(value) for value in begin]

        def parts():
            return variables

    optimizer = tf.optimizers.LBFGS(variables, rate(options), max_iter=1, max_eval=1000, traced=traced, **options)
    closure = lambda: loss(tf, x, *parts())  # noqa: E731 - the same one each time, so that it is traced once
    return [optimizer.step(closure) for _ in range(ITERATIONS)], optimizer.evaluations


@pytest.mark.parametrize("title", RUNS)
@pytest.mark.parametrize("kind", ["variables", "vector", "traced"])
def test_the_autoencoders_losses_are_those_of_pytorch(title, kind):
    losses, evaluations = trained(RUNS[title], flat=kind == "vector", traced=kind == "traced")
    np.testing.assert_allclose(losses, WANTED[title]["losses"][:ITERATIONS], rtol=1e-8)
    assert evaluations == WANTED[title]["evaluations"][ITERATIONS - 1]
    assert losses[-1] < losses[0] / 2


@pytest.mark.parametrize("size", [1, 3, 8, 17, 30])
def test_products_with_the_history_are_those_of_the_two_loop_recursion(size):
    rng = np.random.default_rng(size)
    history, pairs = History(size), []
    for _ in range(size + 12):  # so that the oldest are forgotten
        step = rng.normal(size=40)
        change = step * rng.uniform(0.5, 2.0, 40)
        assert history.add(tf.constant(step), tf.constant(change))
        pairs = [*pairs, (step, change)][-size:]
    gradient = tf.constant(rng.normal(size=40))
    wanted = tf.optimizers.two_loop(
        gradient, *([tf.constant(one) for one in some] for some in zip(*pairs, strict=True))
    )
    np.testing.assert_allclose(history.times(gradient).numpy(), wanted.numpy(), rtol=1e-10)
    assert len(history) == size


def test_a_pair_without_curvature_is_not_kept():
    history = History(3)
    assert not history.add(tf.constant([1.0, 0.0]), tf.constant([-1.0, 5.0]))
    assert not history.add(tf.constant([0.0, 0.0]), tf.constant([1.0, 5.0]))
    assert len(history) == 0
    assert history.times(tf.constant([1.0, 2.0])).numpy().tolist() == [1.0, 2.0]


def test_a_quadratic_is_minimized_on_a_vector_and_on_variables():
    rng = np.random.default_rng(0)
    root = rng.normal(size=(6, 6))
    matrix, target = tf.constant(root @ root.T + np.eye(6)), tf.constant(rng.normal(size=6))
    wanted = np.linalg.solve(matrix.numpy(), target.numpy())

    def loss(x):
        return 0.5 * tf.tensordot(x, tf.linalg.matvec(matrix, x), 1) - tf.tensordot(target, x, 1)

    told = []
    found = tf.optimizers.lbfgs(loss, np.zeros(6), callback=lambda iteration, value: told.append((iteration, value)))
    np.testing.assert_allclose(found.position.numpy(), wanted, atol=1e-4)
    assert found.losses[1:] == [value for _, value in told]
    assert [iteration for iteration, _ in told] == list(range(1, len(told) + 1))
    assert found.losses[-1] < found.losses[0]
    a, b = tf.Variable(np.zeros((2, 2))), tf.Variable(np.zeros(2))
    parts = tf.optimizers.lbfgs(lambda: loss(tf.concat([tf.reshape(a, [-1]), b], 0)), [a, b])
    assert parts.position is None
    np.testing.assert_allclose(np.concatenate([a.numpy().ravel(), b.numpy()]), wanted, atol=1e-4)
    assert parts.evaluations == found.evaluations


def test_steps_go_on_where_they_ended():
    x = tf.Variable([-1.2, 1.0], dtype="float64")

    def valley():
        return (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2

    optimizer = tf.optimizers.LBFGS(x, max_iter=5, line_search_fn="strong_wolfe")
    before = [optimizer.step(valley) for _ in range(12)]
    assert before[0] == pytest.approx(24.2)
    assert sorted(before, reverse=True) == before
    assert x.numpy() == pytest.approx([1.0, 1.0], abs=1e-4)


def test_a_recording_shows_iterations():
    x = tf.Variable([1.0, 2.0])
    with tf.record() as run:
        tf.optimizers.lbfgs(lambda: tf.reduce_sum(tf.square(x)), x)
    assert x.numpy() == pytest.approx([0.0, 0.0], abs=1e-5)
    assert '{"span": "scope", "name": "lbfgs"}' in [row.text for row in run.strings]


def wolfe(value, slope, t, start_value, start_slope):
    return value <= start_value + 1e-4 * t * start_slope and abs(slope) <= 0.9 * abs(start_slope)


@pytest.mark.parametrize("first", [1e-3, 0.1, 1.0, 10.0, 100.0])
@pytest.mark.parametrize(
    "function",
    [
        lambda t: ((t - 3) ** 2, 2 * (t - 3)),
        lambda t: (math.exp(-t) + 0.1 * t * t, -math.exp(-t) + 0.2 * t),
        lambda t: (t**4 - 3 * t**3 - t, 4 * t**3 - 9 * t**2 - 1),
        lambda t: (-t / (t * t + 2), (t * t - 2) / (t * t + 2) ** 2),
        lambda t: (abs(t - 5) ** 1.5, 1.5 * math.copysign(abs(t - 5) ** 0.5, t - 5)),
    ],
)
def test_the_line_search_satisfies_the_wolfe_conditions(function, first):
    asked = []

    def at(t):
        asked.append(t)
        return tf.optimizers.Point(t, *function(t))

    start = tf.optimizers.Point(0.0, *function(0.0))
    found, trials = tf.optimizers.strong_wolfe(at, start, first)
    assert trials == len(asked)
    assert wolfe(found.value, found.slope, found.t, start.value, start.slope)


def test_a_line_search_beyond_all_numbers_stays_at_the_best_point():
    def at(t):
        return tf.optimizers.Point(t, math.nan if t > 1e-3 else -t, math.nan if t > 1e-3 else -1.0)

    found, _ = tf.optimizers.strong_wolfe(at, tf.optimizers.Point(0.0, 0.0, -1.0), 1.0)
    assert not math.isnan(found.value)


def test_bad_arguments():
    x = tf.Variable([1.0])
    with pytest.raises(ValueError, match="`line_search_fn` is None or 'strong_wolfe'"):
        tf.optimizers.LBFGS(x, line_search_fn="armijo")
    with pytest.raises(ValueError, match="The variables must be of one dtype: there are none"):
        tf.optimizers.LBFGS([])
    with pytest.raises(ValueError, match="must be of one dtype: a:0 is float32, b:0 is float64"):
        tf.optimizers.LBFGS([tf.Variable(1.0, name="a"), tf.Variable(1.0, name="b", dtype="float64")])
    with pytest.raises(ValueError, match=r"The loss depends on none of the variables \['c:0'\]"):
        tf.optimizers.lbfgs(lambda: tf.constant(1.0), [tf.Variable(1.0, name="c")])
