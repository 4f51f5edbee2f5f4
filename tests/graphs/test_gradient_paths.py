"""Gradients that a program asks for while it builds a graph, by any tensor: values as TensorFlow gives them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapeviz as tf

v1 = tf.compat.v1


def _run(build: Callable[[], Any], kind: str) -> Any:
    """What ``build`` makes, as arrays: in a traced function, or in a graph that a session runs."""
    if kind == "function":
        return tf.nest.map_structure(lambda tensor: tensor.numpy(), tf.function(build)())
    with v1.Graph().as_default():
        made = build()
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            return session.run(made)


KINDS = pytest.mark.parametrize("kind", ["function", "session"])


@KINDS
def test_a_gradient_by_what_was_made_in_the_graph_of_constants_is_no_none(kind: str) -> None:
    def build() -> Any:
        x, ones = tf.constant(3.0), tf.ones([2])
        return v1.gradients(x * x * tf.reduce_sum(ones * ones), [x, ones])

    by_x, by_ones = _run(build, kind)
    assert by_x == 12.0
    assert by_ones.tolist() == [18.0, 18.0]


@KINDS
def test_a_gradient_of_a_loop_by_a_constant_that_it_begins_with(kind: str) -> None:
    def build() -> Any:
        x = tf.constant(2.0)
        _, end = tf.while_loop(lambda i, _: i < 2, lambda i, x: (i + 1, x**2), (0, x))
        with tf.control_dependencies([end]):
            return v1.gradients(end, x)[0]

    assert _run(build, kind) == 32.0


@KINDS
def test_a_gradient_asked_for_in_a_loop_goes_on_through_the_graph_around_it(kind: str) -> None:
    def build() -> Any:
        x = tf.constant(5.0)
        squared = tf.square(x)

        def body(i: Any, total: Any) -> Any:
            scaled = tf.constant([1.0, 2.0, 3.0]) * squared
            return i + 1, total + v1.gradients(scaled, x)[0]

        return tf.while_loop(lambda i, _: i < 10, body, (0, 0.0))[1]

    assert _run(build, kind) == 600.0


@KINDS
def test_a_gradient_asked_for_in_an_inner_function_counts_every_path(kind: str) -> None:
    def build() -> Any:
        first, second = tf.identity(1.0), tf.identity(2.0)
        product = first * second

        @tf.function
        def outer() -> Any:
            again = tf.identity(first)

            @tf.function
            def inner() -> Any:
                ends = [tf.identity(again), tf.identity(second), tf.identity(product), first]
                return v1.gradients(ends, [first, second])

            return inner()

        return outer()

    assert _run(build, kind) == [4.0, 2.0]


@KINDS
def test_a_gradient_asked_for_in_a_branch(kind: str) -> None:
    def build() -> Any:
        x = tf.identity(2.0)
        y = x * x
        return tf.cond(x > 0.0, lambda: v1.gradients(y * 3.0, x)[0], lambda: tf.constant(0.0))

    assert _run(build, kind) == 12.0


def test_a_tape_in_a_loop_of_a_session_graph_follows_the_variables_that_are_read_there() -> None:
    def build() -> Any:
        v = v1.get_variable("v", [], initializer=v1.ones_initializer())

        def body(i: Any, total: Any) -> Any:
            with tf.GradientTape() as tape:
                doubled = v * 2.0
            return i + 1, total + tape.gradient(doubled, v)

        return tf.while_loop(lambda i, _: i < 3, body, (0, 0.0))[1]

    assert _run(build, "session") == 6.0


@KINDS
def test_the_gradient_of_a_custom_gradient_by_a_constant_is_the_custom_one(kind: str) -> None:
    @tf.custom_gradient
    def odd(x: Any) -> Any:
        return x * 1.0, lambda upstream: upstream * 100.0

    def build() -> Any:
        x = tf.constant(3.0)
        return v1.gradients(odd(x) * 2.0, x)[0]

    assert _run(build, kind) == 200.0


def test_a_copy_of_a_constant_inside_a_loop_is_an_error_and_no_missing_part_of_a_sum() -> None:
    @tf.function
    def f() -> Any:
        x = tf.constant(2.0)
        _, end = tf.while_loop(lambda i, _: i < 2, lambda i, y: (i + 1, y * x), (0, 1.0))
        return tf.gradients(end + x, x)[0]

    with pytest.raises(NotImplementedError, match=r"has a copy: its gradient is not known.*tf\.identity"):
        f()


OPS: tuple[Callable[[Any, Any], Any], ...] = (
    lambda a, b: a * b,
    lambda a, b: a + tf.sin(b),
    lambda a, b: tf.tanh(a) - b,
    lambda a, b: tf.where(a > b, a, b * 2.0),
    lambda a, b: tf.reduce_sum(tf.stack([a, b, a]) ** 2),
)
WRAPPERS: dict[str, Callable[[Callable[[], Any]], Any]] = {
    "none": lambda make: make(),
    "function": lambda make: tf.function(make)(),
    "branch": lambda make: tf.cond(tf.identity(1.0) > 0.0, make, lambda: [tf.constant(0.0)] * 3),
    "loop": lambda make: tf.while_loop(
        lambda i, *_: i < 1, lambda i, *_: (i + 1, *make()), (0, tf.constant(0.0), tf.constant(0.0), tf.constant(0.0))
    )[1:],
}


@KINDS
@pytest.mark.parametrize("seed", range(12))
def test_random_graphs_in_graphs_give_the_gradients_of_an_eager_tape(kind: str, seed: int) -> None:
    numbers = np.random.default_rng(seed)
    plan = [(OPS[numbers.integers(len(OPS))], *numbers.integers(0, 3 + i, 2)) for i in range(8)]
    names = [str(numbers.choice(list(WRAPPERS))) for _ in range(2)]
    cuts = sorted(int(cut) for cut in numbers.integers(0, 9, 2))
    starts = [float(value) for value in numbers.normal(size=3)]

    def values(made: list[Any], steps: Any) -> list[Any]:
        for op, first, second in steps:
            made = [*made, op(made[first], made[second])]
        return made

    def nested() -> Any:
        begin = [tf.identity(start) for start in starts]
        outer = values(begin, plan[: cuts[0]])

        def middle() -> Any:
            between = values(outer, plan[cuts[0] : cuts[1]])
            return list(WRAPPERS[names[1]](lambda: v1.gradients(values(between, plan[cuts[1] :])[-1], begin,
                                                                unconnected_gradients="zero")))  # fmt: skip

        return list(WRAPPERS[names[0]](middle))

    with tf.GradientTape() as tape:
        begin = [tf.constant(start) for start in starts]
        tape.watch(begin)
        end = values(begin, plan)[-1]
    wanted = tape.gradient(end, begin, unconnected_gradients="zero")
    np.testing.assert_allclose(_run(nested, kind), [gradient.numpy() for gradient in wanted], rtol=1e-5, atol=1e-6)


def test_back_prop_false_lets_no_gradient_through_a_loop_of_a_graph() -> None:
    x = tf.constant([1.0, 2.0])
    loops: list[Callable[[], Any]] = [
        lambda: tf.while_loop(lambda i, _: i < 3, lambda i, y: (i + 1, y * x), (0, x), back_prop=False)[1],
        lambda: tf.map_fn(tf.square, x, back_prop=False),
        lambda: tf.foldl(lambda a, y: a * y, x, back_prop=False),
        lambda: tf.foldr(lambda a, y: a * y, x, back_prop=False),
        lambda: tf.scan(lambda a, y: a * y, x, back_prop=False),
    ]
    for loop in loops:

        @tf.function
        def f(loop: Any) -> Any:
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = loop()
            return tape.gradient(y, x, unconnected_gradients="zero")

        assert f(loop).numpy().tolist() == [0.0, 0.0]


def test_gradients_refuses_words_and_complex_tensors_that_tensorflow_refuses() -> None:
    with v1.Graph().as_default():
        x = tf.constant(1.0)
        with pytest.raises(ValueError, match="Unknown value for unconnected_gradients: 'nonsense'"):
            v1.gradients(x, x, unconnected_gradients="nonsense")
        z = tf.constant(1 + 1j)
        with pytest.raises(TypeError, match="Gradients of complex tensors"):
            v1.gradients(z * z, z)
