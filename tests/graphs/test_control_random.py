"""Random programs of branches, loops, lists and functions in each other: traced as eager, and differentiated twice."""

import random

import numpy as np
import pytest

import tapeviz as tf

V, K = tf.Variable([0.7, -0.4]), tf.constant([0.9, 0.3])
INPUTS = (tf.constant([0.4, -0.8]), tf.constant([1.1, 0.2]))
PAIRS = (
    lambda x, y: x + y, lambda x, y: x * y, lambda x, y: tf.tanh(x) - y, lambda x, y: tf.reduce_sum(x) * y,
)  # fmt: skip
ONES = (tf.sin, tf.tanh, tf.square, lambda x: x * 0.5, lambda x: tf.reverse(x, [0]))


class Programs:
    """Makes functions from a list of tensors of two elements to one such tensor."""

    def __init__(self, seed):
        self.choose = random.Random(seed)

    def program(self, depth):
        if not depth:
            return self.leaf()
        kinds = [self.one, self.two] * 2
        kinds += [self.branch, self.loop, self.two_values, self.function, self.mapped, self.scanned, self.folded]
        return self.choose.choice([*kinds, self.written])(depth - 1)

    def leaf(self):
        which = self.choose.randrange(5)
        return lambda known: [known[0], known[-1], V * 1.0, K, known[len(known) // 2]][which]

    def one(self, depth):
        op, a = self.choose.choice(ONES), self.program(depth)
        return lambda known: op(a(known))

    def two(self, depth):
        op, a, b = self.choose.choice(PAIRS), self.program(depth), self.leaf()
        return lambda known: op(a(known), b(known))

    def branch(self, depth):
        p, a, b = (self.program(depth) for _ in range(3))
        limit = self.choose.uniform(-0.5, 0.5)
        return lambda known: tf.cond(tf.reduce_sum(p(known)) > limit, lambda: a(known), lambda: b(known))

    def loop(self, depth):
        a, b, count = self.program(depth), self.program(depth), self.choose.randrange(4)
        return lambda known: tf.while_loop(
            lambda i, _: i < count, lambda i, x: (i + 1, tf.tanh(b([*known, x]))), (0, a(known))
        )[1]

    def two_values(self, depth):
        a, b, count = self.program(depth), self.program(depth), self.choose.randrange(4)
        return lambda known: tf.while_loop(
            lambda i, _x, _y: i < count,
            lambda i, x, y: (i + 1, tf.tanh(y) * 0.9, tf.sin(b([*known, x, y]))),
            (0, a(known), known[0]),
        )[2]

    def function(self, depth):
        a = self.program(depth)
        return lambda known: tf.function(lambda *given: a(list(given)), autograph=False)(*known)

    def mapped(self, depth):
        a = self.program(depth)
        return lambda known: tf.map_fn(lambda v: tf.reduce_sum(a([*known, known[0] * v])), known[-1])

    def scanned(self, depth):
        a, backwards = self.program(depth), self.choose.random() < 0.5
        return lambda known: tf.reduce_sum(
            tf.scan(
                lambda x, v: tf.tanh(a([*known, x * v])), tf.stack([known[0], known[-1]]), known[-1], reverse=backwards
            ),
            0,
        )

    def folded(self, depth):
        a = self.program(depth)
        return lambda known: tf.foldr(
            lambda x, v: tf.tanh(a([*known, x * v])), tf.stack([known[0], known[-1]]), known[0]
        )

    def written(self, depth):
        a, b, count = self.program(depth), self.program(depth), self.choose.randrange(1, 4)

        def run(known):
            array = tf.TensorArray(tf.float32, count + 1, clear_after_read=False, element_shape=[2])
            _, array = tf.while_loop(
                lambda i, _: i < count,
                lambda i, t: (i + 1, t.write(i, tf.tanh(a([*known, t.read(count)])))),
                (0, array.write(count, b(known))),
            )
            return tf.reduce_sum(array.stack(), 0) + array.read(0)

        return run


def derived(f, tensors):
    sources = [*tensors, V]
    with tf.GradientTape() as outer:
        outer.watch(tensors)
        with tf.GradientTape() as inner:
            inner.watch(tensors)
            result = f(*tensors)
        first = inner.gradient(result, sources, unconnected_gradients="zero")
    return result, first, outer.gradient(first, sources, unconnected_gradients="zero")


def close(found, wanted):
    for one, other in zip(tf.nest.flatten(found), tf.nest.flatten(wanted), strict=True):
        np.testing.assert_allclose(one.numpy(), other.numpy(), rtol=2e-3, atol=1e-4)


def compare(seed):
    program = Programs(seed).program(3)

    def f(x, y):
        return program([x, y])

    def whole(x, y):
        return derived(f, (x, y))

    wanted = whole(*INPUTS)
    spec = tf.TensorSpec([None], tf.float32)
    close(tf.function(whole, autograph=False)(*INPUTS), wanted)
    close(derived(tf.function(f, autograph=False), INPUTS), wanted)
    close(tf.function(whole, autograph=False, input_signature=[spec, spec])(*INPUTS), wanted)


@pytest.mark.parametrize("seed", range(12))
def test_traced_as_eager(seed):
    compare(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12, 120))
def test_more_of_them(seed):
    compare(seed)
