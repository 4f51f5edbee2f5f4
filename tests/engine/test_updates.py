"""Steps of optimizers on large variables: in blocks, as ops that are watched, and traced, equal to the bit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.backends import NUMPY, blocks
from tapeviz.engine import formulas, updates
from tapeviz.engine.formulas import steps_of
from tapeviz.engine.kernels import raw_ops
from tests.backends.compilation import compiled_kernels

NOT_ONE_LOOP = {"AMSGrad", "Adamax", "Lion", "Ftrl"}
"""With steps that IEEE 754 does not define: a larger one of two, a sign, a power."""
SHAPE = (3, blocks.LARGE // 2 + 7)
MAKERS: dict[str, Callable[[], Any]] = {
    "SGD": lambda: tf.keras.optimizers.SGD(0.1),
    "momentum": lambda: tf.keras.optimizers.SGD(0.1, momentum=0.9),
    "Nesterov": lambda: tf.keras.optimizers.SGD(0.1, momentum=0.9, nesterov=True),
    "Adam": lambda: tf.keras.optimizers.Adam(0.1),
    "AMSGrad": lambda: tf.keras.optimizers.Adam(0.1, amsgrad=True),
    "AdamW": lambda: tf.keras.optimizers.AdamW(0.1),
    "Adamax": lambda: tf.keras.optimizers.Adamax(0.1),
    "Nadam": lambda: tf.keras.optimizers.Nadam(0.1),
    "RMSprop": lambda: tf.keras.optimizers.RMSprop(0.1),
    "RMSprop of everything": lambda: tf.keras.optimizers.RMSprop(0.1, momentum=0.5, centered=True),
    "Adagrad": lambda: tf.keras.optimizers.Adagrad(0.1),
    "Adadelta": lambda: tf.keras.optimizers.Adadelta(0.1),
    "Lion": lambda: tf.keras.optimizers.Lion(0.1),
    "Ftrl": lambda: tf.keras.optimizers.Ftrl(0.1, l1_regularization_strength=0.01),
}


@pytest.fixture(autouse=True)
def threads() -> Iterator[None]:
    yield
    blocks.set_threads(0)


def steps(make: Callable[[], Any], dtype: str = "f4", around: Any = nullcontext, traced: Any = None) -> list[bytes]:
    """Return the bits of a variable and of what is kept for it after three steps."""
    rng = np.random.default_rng(0)
    w = tf.Variable(rng.normal(size=SHAPE).astype(dtype))
    gradients = [tf.constant(rng.normal(size=SHAPE).astype(dtype)) for _ in range(3)]
    optimizer = make()
    optimizer.build([w])

    def step(gradient: Any) -> None:
        optimizer.apply_gradients([(gradient, w)])

    run = step if traced is None else tf.function(step, jit_compile=traced)
    with around():
        for gradient in gradients:
            run(gradient)
    return [np.asarray(value).tobytes() for value in [w, *optimizer.variables]]


@pytest.fixture
def in_blocks(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Return the sizes of what is cut into blocks, as they come."""
    sizes: list[int] = []

    def counted(function: Any, *arrays: Any) -> Any:
        sizes.append(arrays[-1].size)
        return blocks.into_blocks(function, *arrays)

    for module in (updates, formulas):
        monkeypatch.setattr(module, "into_blocks", counted)
    with compiled_kernels(wanted=False):
        yield sizes


@pytest.mark.parametrize("name", MAKERS)
def test_a_step_is_equal_to_the_bit_on_any_number_of_threads_watched_and_traced(name, in_blocks):
    make = MAKERS[name]
    watched = steps(make, around=tf.GradientTape)
    assert not in_blocks
    for count in (1, 2, 3, 16):
        blocks.set_threads(count)
        assert steps(make) == watched
    assert len(in_blocks) >= 12
    assert steps(make, traced=False) == watched
    assert steps(make, traced=True) == watched


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_a_step_that_is_one_loop_gives_the_same_to_the_bit_on_any_number_of_threads(name, dtype):
    with compiled_kernels(wanted=False):
        found = [steps(MAKERS[name], dtype)]
    for count in (1, 2, 3, 16):
        blocks.set_threads(count)
        with compiled_kernels(wanted=True) as compiled:
            found.append(steps(MAKERS[name], dtype))
            assert len(compiled) == (name not in NOT_ONE_LOOP)
    assert found[1:] == found[:1] * 4


def test_double_precision_goes_in_blocks_too(in_blocks):
    assert steps(MAKERS["Adam"], "f8") == steps(MAKERS["Adam"], "f8", tf.GradientTape)
    assert len(in_blocks) == 3


def test_values_read_before_a_step_stay_as_they_were():
    w = tf.Variable(tf.ones(SHAPE))
    before = w.value()
    tf.keras.optimizers.SGD(0.5).apply_gradients([(tf.ones(SHAPE), w)])
    assert (before.numpy() == 1).all()
    assert (w.numpy() == 0.5).all()


def test_a_gradient_that_lies_otherwise_changes_a_variable_likewise():
    g = np.random.default_rng(0).normal(size=SHAPE[::-1]).astype("f4")
    found = []
    for gradient in (tf.transpose(tf.constant(g)), tf.constant(np.ascontiguousarray(g.T))):
        w = tf.Variable(tf.ones(SHAPE))
        tf.keras.optimizers.Adam(0.5).apply_gradients([(gradient, w)])
        found.append(w.numpy().tobytes())
    assert found[0] == found[1]


def test_a_formula_of_ufuncs_becomes_steps_that_make_few_arrays():
    F = raw_ops(NUMPY)

    def formula(F: Any, g: Any, w: Any, rate: Any) -> list[Any]:
        m = 0.5 * (g - w) + F.square(g) / (rate - F.sqrt(w))
        return [w - m, m]

    rng = np.random.default_rng(0)
    g, w, rate = rng.random(100, "f4"), rng.random(100, "f4"), np.full((), 3, "f4")
    steps = steps_of(formula, F, 2, [rate])
    found = [np.empty_like(g) for _ in range(2)]
    assert steps is not None
    steps(g, w, *found)
    for one, wanted in zip(found, formula(F, g, w, rate), strict=True):
        assert one.tobytes() == wanted.tobytes()
    assert steps._count <= 3


@pytest.mark.parametrize(
    "formula",
    [
        lambda _F, g, w: [w],
        lambda _F, g, w, *_: [g - w] * 2,
        lambda _F, g, w: [w**2],
        lambda F, g, w: [F.relu(g)],
        lambda _F, g, w: [0.5],
    ],
)
def test_other_formulas_are_called_with_arrays(formula):
    assert steps_of(formula, raw_ops(NUMPY), 2, []) is None
    w = tf.Variable(tf.ones(SHAPE))
    variables = [w, tf.Variable(tf.ones(SHAPE))][: len(formula(raw_ops(NUMPY), np.ones(3), np.ones(3)))]
    updates.update(formula, tf.fill(SHAPE, 3.0), variables)
    expected = np.broadcast_to(formula(raw_ops(NUMPY), np.full(3, 3.0), np.ones(3))[0], (3,))
    for variable in variables:
        np.testing.assert_array_equal(np.asarray(variable)[0, :3], expected)


def test_a_power_that_is_no_root_changes_large_variables_too():
    def make() -> Any:
        return tf.keras.optimizers.Ftrl(0.1, learning_rate_power=-0.4)

    assert steps(make) == steps(make, around=tf.GradientTape)


def test_numpy_does_not_warn_of_gradients_that_are_too_large():
    blocks.set_threads(3)
    w = tf.Variable(tf.ones(SHAPE))
    with np.errstate(all="raise"):
        tf.keras.optimizers.Adam(0.1).apply_gradients([(tf.fill(SHAPE, 3e38), w)])
    assert np.isfinite(w.numpy()).all()
