"""Programs with gradients of their own."""

from __future__ import annotations

from tests.reference.programs import fails, program


@program
def a_custom_gradient(tf):
    @tf.custom_gradient
    def log1pexp(x):
        e = tf.exp(x)
        return tf.math.log(1 + e), lambda upstream: upstream * (1 - 1 / (1 + e))

    x = tf.constant(100.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = log1pexp(x) * 2.0
    return [y, tape.gradient(y, x)]


@program
def a_custom_gradient_of_two(tf):
    @tf.custom_gradient
    def both(x, y):
        def grad(upstream, other):
            return upstream * 10.0 + other, None

        return (x * y, x + y), grad

    a, b = tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])
    with tf.GradientTape() as tape:
        tape.watch([a, b])
        p, q = both(a, b)
        y = p * 2.0 + q * 3.0
    return [p, q, tape.gradient(y, [a, b])]


@program
def a_custom_gradient_with_variables(tf):
    v = tf.Variable(3.0)

    @tf.custom_gradient
    def scaled(x):
        def grad(upstream, variables):
            return upstream * 100.0, [upstream * 7.0 for _ in variables]

        return x * v, grad

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = scaled(x)
    return [y, tape.gradient(y, [x, v])]


@program
def a_custom_gradient_that_forgets_variables(tf):
    v = tf.Variable(3.0)

    @tf.custom_gradient
    def scaled(x):
        return x * v, lambda upstream: upstream

    def run():
        with tf.GradientTape() as tape:
            x = tf.constant(2.0)
            tape.watch(x)
            return scaled(x)

    return fails(run, "variables")


@program
def second_order_of_a_custom_gradient(tf):
    @tf.custom_gradient
    def cube(x):
        return x**3, lambda upstream: upstream * 3.0 * x**2

    x = tf.constant(2.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = cube(x)
        first = inner.gradient(y, x)
    return [first, outer.gradient(first, x)]


@program
def custom_gradients_nested(tf):
    @tf.custom_gradient
    def doubled(x):
        return x * 2.0, lambda upstream: upstream * 20.0

    @tf.custom_gradient
    def outer(x):
        y = doubled(x)
        return y + 1.0, lambda upstream: upstream * 5.0

    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = outer(x) + doubled(x)
    return [y, tape.gradient(y, x)]


@program
def a_custom_gradient_of_the_wrong_number(tf):
    @tf.custom_gradient
    def wrong(x, y):
        return x * y, lambda upstream: upstream

    def run():
        a, b = tf.constant(1.0), tf.constant(2.0)
        with tf.GradientTape() as tape:
            tape.watch([a, b])
            z = wrong(a, b)
        return tape.gradient(z, a)

    return fails(run, "gradient")


@program
def gradients_that_stop(tf):
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.stop_gradient(x * x) * x
    return tape.gradient(y, x)
