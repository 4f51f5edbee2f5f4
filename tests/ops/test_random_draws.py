"""Draws of every distribution: their moments, their seeds, the states of generators, and gamma's gradient."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import tapeviz as tf

N = 20_000
SEED = [3, 4]
STATELESS = {
    "uniform": (lambda n: tf.random.stateless_uniform([n], SEED, 2.0, 5.0), stats.uniform(2, 3)),
    "normal": (lambda n: tf.random.stateless_normal([n], SEED, 1.0, 3.0), stats.norm(1, 3)),
    "truncated": (lambda n: tf.random.stateless_truncated_normal([n], SEED), stats.truncnorm(-2, 2)),
    "between": (
        lambda n: tf.random.stateless_parameterized_truncated_normal([n], SEED, 1.0, 2.0, 0.0, 6.0),
        stats.truncnorm(-0.5, 2.5, 1.0, 2.0),
    ),
    "far tail": (
        lambda n: tf.random.stateless_parameterized_truncated_normal([n], SEED, 0.0, 1.0, 12.0, 14.0),
        stats.truncnorm(12, 14),
    ),
    "gamma": (lambda n: tf.random.stateless_gamma([n], SEED, 2.5, 4.0), stats.gamma(2.5, scale=0.25)),
    "small gamma": (lambda n: tf.random.stateless_gamma([n], SEED, 0.1), stats.gamma(0.1)),
    "poisson": (lambda n: tf.random.stateless_poisson([n], SEED, 3.5), stats.poisson(3.5)),
    "large poisson": (lambda n: tf.random.stateless_poisson([n], SEED, 1e6), stats.poisson(1e6)),
    "binomial": (lambda n: tf.random.stateless_binomial([n], SEED, 12.0, 0.3), stats.binom(12, 0.3)),
    "large binomial": (lambda n: tf.random.stateless_binomial([n], SEED, 1e5, 0.999), stats.binom(100_000, 0.999)),
    "generator": (lambda n: tf.random.Generator.from_seed(5).normal([n]), stats.norm()),
    "stateful gamma": (lambda n: tf.random.gamma([n], 2.0, seed=1), stats.gamma(2.0)),
    "stateful poisson": (lambda n: tf.random.poisson([n], 2.0, seed=1), stats.poisson(2.0)),
}


@pytest.fixture(autouse=True)
def _afresh():
    tf.random.set_seed(7)
    yield
    tf.random.set_seed(0)


@pytest.mark.parametrize(("draw", "said"), STATELESS.values(), ids=STATELESS)
def test_the_distribution_is_the_one_said(draw, said):
    numbers = draw(N).numpy().astype(np.float64)
    error = said.std() / np.sqrt(N)
    assert numbers.mean() == pytest.approx(said.mean(), abs=5 * error)
    assert numbers.std() == pytest.approx(said.std(), rel=0.08)
    for share in (0.1, 0.5, 0.9):
        assert np.mean(numbers <= said.ppf(share)) == pytest.approx(said.cdf(said.ppf(share)), abs=0.02)


def test_categorical_draws_in_proportion():
    logits = np.log([[0.1, 0.2, 0.7], [0.5, 0.5, 1e-30]])
    for drawn in (tf.random.categorical(logits, N), tf.random.stateless_categorical(logits, N, SEED)):
        shares = np.stack([np.bincount(row, minlength=3) / N for row in drawn.numpy()])
        np.testing.assert_allclose(shares, np.exp(logits), atol=0.02)


def test_integers_over_all_of_a_dtype():
    drawn = tf.random.stateless_uniform([N], SEED, None, None, tf.int32).numpy().astype(np.float64)
    assert drawn.mean() == pytest.approx(0.0, abs=5 * 2**32 / np.sqrt(12 * N))
    assert drawn.min() < -(2**30)
    assert drawn.max() > 2**30


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16])
def test_short_types_stay_below_the_limit(dtype):
    numbers = tf.cast(tf.random.uniform([N], dtype=dtype), tf.float32).numpy()
    assert numbers.max() < 1.0
    assert numbers.min() >= 0.0
    assert numbers.mean() == pytest.approx(0.5, abs=0.02)


@pytest.mark.parametrize(("draw", "said"), list(STATELESS.values())[:11], ids=list(STATELESS)[:11])
def test_the_same_seed_gives_the_same_numbers(draw, said):
    assert said is not None
    assert np.array_equal(draw(5).numpy(), draw(5).numpy())


def test_other_seeds_give_other_numbers():
    drawn = {tuple(tf.random.stateless_normal([3], [a, b]).numpy().tolist()) for a in range(4) for b in range(4)}
    assert len(drawn) == 16


def test_seeds_of_stateful_draws():
    for draw in (
        lambda **options: tf.random.gamma([3], 2.0, **options),
        lambda **options: tf.random.poisson([9], 50.0, **options),
        lambda **options: tf.random.categorical(tf.zeros([1, 1000]), 5, **options),
    ):
        for options in ({}, {"seed": 4}):
            tf.random.set_seed(1)
            first, second = draw(**options).numpy(), draw(**options).numpy()
            tf.random.set_seed(1)
            assert np.array_equal(draw(**options).numpy(), first)
            assert np.array_equal(draw(**options).numpy(), second)
            assert not np.array_equal(first, second)


def test_a_generator_goes_on_and_can_be_put_back():
    g = tf.random.Generator.from_seed(5)
    state = g.state.numpy()
    first, second = g.normal([3]).numpy(), g.normal([3]).numpy()
    assert not np.array_equal(first, second)
    g.reset(state)
    assert np.array_equal(g.normal([3]).numpy(), first)
    copy = tf.random.Generator(copy_from=g)
    assert np.array_equal(copy.normal([3]).numpy(), second)
    one, other = g.split(2)
    assert not np.array_equal(one.uniform([3]).numpy(), other.uniform([3]).numpy())


def test_the_counter_carries():
    g = tf.random.Generator.from_state([-1, 5, 9], "philox")
    g.skip(1)
    assert g.state.numpy().tolist() == [255, 6, 9]


def test_the_programs_own_generator():
    g = tf.random.Generator.from_seed(5)
    tf.random.set_global_generator(g)
    assert tf.random.get_global_generator() is g


@pytest.mark.parametrize("alpha", [0.3, 1.0, 2.5, 80.0])
def test_gammas_gradient_is_the_slope_at_the_same_chance(alpha):
    step = 1e-5 * alpha
    at = [tf.random.stateless_gamma([50], SEED, c, dtype=tf.float64).numpy() for c in (alpha - step, alpha + step)]
    x = tf.constant(alpha, tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.random.stateless_gamma([50], SEED, x, dtype=tf.float64)
    slope = (at[1] - at[0]) / (2 * step)
    np.testing.assert_allclose(tape.gradient(y, x).numpy(), slope.sum(), rtol=1e-5)


def test_gammas_gradient_for_alpha_and_beta():
    alpha, beta = tf.constant([0.5, 2.0]), tf.constant([[1.0], [3.0], [4.0]])
    with tf.GradientTape() as tape:
        tape.watch([alpha, beta])
        y = tf.random.gamma([4], alpha, beta)
    d_alpha, d_beta = tape.gradient(y, [alpha, beta])
    assert d_alpha.shape == (2,)
    np.testing.assert_allclose(d_beta.numpy(), -(y.numpy() / beta.numpy()).sum((0, 2))[:, None], rtol=1e-4)


@pytest.mark.parametrize("function", [lambda a: tf.random.gamma([4], a), lambda a: a * tf.random.gamma([4], a)])
def test_gammas_gradient_has_no_gradient(function):
    alpha = tf.constant([0.5, 2.0])
    with tf.GradientTape() as outer:
        outer.watch(alpha)
        with tf.GradientTape() as inner:
            inner.watch(alpha)
            y = function(alpha)
        first = inner.gradient(y, alpha)
    with pytest.raises(LookupError, match="gradient registry has no entry for: RandomGammaGrad"):
        outer.gradient(first, alpha)


GENERATOR = tf.random.Generator.from_seed(3)


@pytest.mark.parametrize("way", [lambda f: f(), lambda f: tf.function(f)()], ids=["eagerly", "in a function"])
@pytest.mark.parametrize("draw", [
    lambda: tf.random.stateless_binomial([4], [1, 2], [5.0], [0.4]),
    lambda: GENERATOR.binomial([4], [5.0], 0.4),
    lambda: tf.random.stateless_poisson([4], [1, 2], [5.0]),
])  # fmt: skip
def test_a_shape_that_does_not_end_with_that_of_the_parameters_is_refused(draw, way):
    with pytest.raises(tf.errors.InvalidArgumentError, match="must end with broadcasted shape"):
        way(draw)
