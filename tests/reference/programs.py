"""Short programs about tapes, variables and their kin, for TensorFlow and for tapeviz: what they return must agree.

Each takes the module as ``tf``. ``fails`` gives the class of an error whose text must contain a phrase.
"""

from __future__ import annotations

from collections import OrderedDict, namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np

PROGRAMS: dict[str, Callable[[Any], Any]] = {}


def program(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Add a program to the list."""
    PROGRAMS[function.__name__] = function
    return function


def fails(function: Callable[[], Any], phrase: str) -> str:
    """Return the class of the error that ``function`` raises."""
    try:
        value = function()
    except Exception as error:  # its class is the answer
        if phrase not in str(error):
            raise AssertionError(f"{phrase!r} is not in {error}") from error
        return type(error).__name__
    return f"no error: {value}"


# Tapes


@program
def one_gradient(tf):
    w = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    b = tf.Variable([0.5, -0.5])
    x = tf.constant([[1.0, -1.0]])
    with tf.GradientTape() as tape:
        y = tf.reduce_mean(tf.tanh(x @ w + b) ** 2)
    return [y, tape.gradient(y, [w, b])]


@program
def a_tape_answers_once(tf):
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    return [
        tape.gradient(y, x),
        fails(
            lambda: tape.gradient(y, x),
            "A non-persistent GradientTape can only be used to compute one set of gradients",
        ),
    ]


@program
def a_persistent_tape_answers_often(tf):
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        z = y * y
    return [tape.gradient(z, x), tape.gradient(y, x), tape.gradient(z, y)]


@program
def third_order(tf):
    x = tf.Variable(2.0)
    with tf.GradientTape() as t3:
        with tf.GradientTape() as t2:
            with tf.GradientTape() as t1:
                y = x**4
            first = t1.gradient(y, x)
        second = t2.gradient(first, x)
    return [first, second, t3.gradient(second, x)]


@program
def third_order_of_a_function_of_many(tf):
    x = tf.constant([0.1, 0.5, -0.3])
    with tf.GradientTape() as t3:
        t3.watch(x)
        with tf.GradientTape() as t2:
            t2.watch(x)
            with tf.GradientTape() as t1:
                t1.watch(x)
                y = tf.reduce_sum(tf.nn.softmax(x) * tf.sin(x))
            first = t1.gradient(y, x)
            weighed = tf.reduce_sum(first * [1.0, 2.0, 3.0])
        second = t2.gradient(weighed, x)
    return [first, second, t3.gradient(second, x)]


@program
def a_gradient_inside_its_tape(tf):
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x**3
        first = tape.gradient(y, x)
    return [first, tape.gradient(first, x)]


@program
def a_gradient_inside_a_tape_that_answers_once(tf):
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x**3
        first = tape.gradient(y, x)
    return [first, fails(lambda: tape.gradient(y, x), "non-persistent")]


@program
def a_tensor_is_not_watched_by_itself(tf):
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        y = x * x
    return tape.gradient(y, x)


@program
def watched_too_late(tf):
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        y = x * x
        tape.watch(x)
        z = x + y
    return tape.gradient(z, x)


@program
def watching_structures(tf):
    a, b = tf.constant(1.0), tf.Variable(2.0, trainable=False)
    with tf.GradientTape() as tape:
        tape.watch({"a": a, "b": [b]})
        y = a * b
    return tape.gradient(y, {"a": a, "b": [b]})


@program
def watching_what_is_no_tensor(tf):
    with tf.GradientTape() as tape:
        return [fails(lambda: tape.watch(1.0), "of type"), fails(lambda: tape.watch(["a"]), "of type")]


@program
def variables_only_when_asked(tf):
    v, w = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(v)
        y = v * w
    return tape.gradient(y, [v, w])


@program
def variables_that_are_not_trained(tf):
    v = tf.Variable(2.0, trainable=False)
    with tf.GradientTape() as tape:
        y = v * v
    return [tape.gradient(y, v), len(tape.watched_variables())]


@program
def the_variables_watched(tf):
    v, w = tf.Variable(2.0, name="v"), tf.Variable(3.0, name="w")
    with tf.GradientTape() as tape:
        y = w * 2.0 + v * w
    return [[variable.name for variable in tape.watched_variables()], y]


@program
def recording_stopped(tf):
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        with tape.stop_recording():
            z = y * y
        u = y + z
    return tape.gradient(u, x)


@program
def recording_stopped_where_it_is_not_on(tf):
    tape = tf.GradientTape()

    def stop():
        with tape.stop_recording():
            pass

    return fails(stop, "Trying to stop recording a tape which is not recording.")


@program
def a_tape_reset(tf):
    x, v = tf.constant(3.0), tf.Variable(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * v
        tape.reset()
        z = y * v
    return tape.gradient(z, [x, v])


@program
def entered_twice(tf):
    tape = tf.GradientTape(persistent=True)
    x = tf.constant(3.0)
    with tape:
        tape.watch(x)
        y = x * x
        inside = fails(
            tape.__enter__, "Tape is still recording, This can happen if you try to re-enter an already-active tape."
        )
    with tape:
        z = y * x
    return [inside, tape.gradient(z, x)]


@program
def output_gradients(tf):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x**2
        z = x**3
    return [
        tape.gradient(y, x, output_gradients=tf.constant([1.0, 10.0])),
        tape.gradient([y, z], x, output_gradients=[tf.constant([1.0, 0.0]), tf.constant([0.0, 1.0])]),
    ]


@program
def several_targets_add_up(tf):
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y, z = x * x, 2.0 * x
    return [tape.gradient([y, z], x), tape.gradient({"y": y, "z": [z]}, x), tape.gradient([y, y], x)]


@program
def unconnected(tf):
    x, other, v = tf.constant([1.0, 2.0]), tf.constant([[3.0]]), tf.Variable([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, other])
        y = x * 2.0
    zero = tf.UnconnectedGradients.ZERO
    return [
        tape.gradient(y, [x, other, v]),
        tape.gradient(y, [x, other, v], unconnected_gradients=zero),
        tape.gradient(y, other, unconnected_gradients="zero"),
        fails(lambda: tape.gradient(y, x, unconnected_gradients="nothing"), "unconnected_gradients"),
    ]


@program
def sources_in_structures(tf):
    point = namedtuple("point", "x y")  # noqa: PYI024 - a plain one is the subject
    a, b, c = tf.Variable(1.0), tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as tape:
        y = a * b * c
    return [
        tape.gradient(y, [a, [b, c]]),
        tape.gradient(y, (a, (b,))),
        sorted(tape.gradient(y, {"b": b, "a": a}).items()),
        list(tape.gradient(y, point(a, b))),
        [type(tape.gradient(y, one)).__name__ for one in ([a], (a,), {"a": a}, point(a, b), OrderedDict(a=a))],
        list(tape.gradient(y, OrderedDict([("z", a), ("y", b)])).items()),
        tape.gradient(y, [a, a]),
        tape.gradient(y, []),
    ]


@program
def a_source_that_is_none(tf):
    x = tf.constant(1.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
    return fails(lambda: tape.gradient(y, [x, None]), "")[-5:]


@program
def sources_in_the_middle(tf):
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        z = tf.exp(y)
    return [tape.gradient(z, y), tape.gradient(z, [x, y, z]), tape.gradient(y, z)]


@program
def the_target_is_the_source(tf):
    x, v = tf.constant([1.0, 2.0]), tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        _ = v * 1.0
    return [tape.gradient(x, x), tape.gradient(v, v)]


@program
def a_variable_assigned_inside(tf):
    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = v * v
        v.assign_add(1.0)
        z = v * 10.0
    return [tape.gradient([y, z], v), v]


@program
def a_variable_assigned_from_itself(tf):
    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        v.assign(v * 3.0)
        y = v * v
    return tape.gradient(y, v)


@program
def a_variable_rebound_to_a_tensor(tf):
    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        w = v + 1.0
        y = w * w
    return tape.gradient(y, [w, v])


@program
def integers_have_no_gradient(tf):
    x, v = tf.constant(3), tf.Variable(2)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x * v
    return tape.gradient(y, [x, v])


@program
def through_integers(tf):
    x = tf.constant([1.5, 2.5])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * tf.cast(tf.cast(x, tf.int32), tf.float32)
    return tape.gradient(y, x)


@program
def through_numpy(tf):
    x = tf.constant([1.5, 2.5])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.constant(np.square(x))
    return tape.gradient(y, x)


@program
def broadcasting_is_undone(tf):
    a, b, c = tf.constant([[1.0], [2.0]]), tf.constant([1.0, 2.0, 3.0]), tf.constant(4.0)
    with tf.GradientTape() as tape:
        tape.watch([a, b, c])
        y = (a + b) * c - b / a
    return tape.gradient(y, [a, b, c])


@program
def one_tensor_used_often(tf):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x + x * x[0] + tf.stack([x[1], x[1]])
    return tape.gradient(y, x)


@program
def two_tapes_at_once(tf):
    a, b = tf.constant(2.0), tf.constant(3.0)
    with tf.GradientTape() as first, tf.GradientTape() as second:
        first.watch(a)
        second.watch(b)
        y = a * b
    return [first.gradient(y, a), second.gradient(y, b)]


@program
def tapes_that_overlap(tf):
    x = tf.constant(2.0)
    first, second = tf.GradientTape(), tf.GradientTape()
    with first:
        first.watch(x)
        y = x * x
        with second:
            second.watch(y)
            z = y * y
    return [second.gradient(z, y), first.gradient(z, x)]


@program
def after_the_tape_nothing_is_recorded(tf):
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    z = y * 3.0
    return tape.gradient(z, x)


@program
def a_loop(tf):
    x = tf.constant(1.1)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x
        for _ in range(20):
            y = y * x + tf.sin(y)
    return [y, tape.gradient(y, x)]


@program
def training_a_network(tf):
    rng = np.random.default_rng(1)
    x = tf.constant(rng.normal(size=(8, 4)).astype("float32"))
    labels = tf.constant(rng.integers(0, 3, 8).astype("int32"))
    w1 = tf.Variable(rng.normal(size=(4, 5)).astype("float32"))
    b1 = tf.Variable(tf.zeros([5]))
    w2 = tf.Variable(rng.normal(size=(5, 3)).astype("float32"))
    losses = []
    for _ in range(5):
        with tf.GradientTape() as tape:
            logits = tf.nn.relu(x @ w1 + b1) @ w2
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
        for variable, gradient in zip((w1, b1, w2), tape.gradient(loss, (w1, b1, w2)), strict=True):
            variable.assign_sub(0.1 * gradient)
        losses.append(loss)
    return [losses, w1, b1, w2]


# Variables


@program
def names_and_scopes(tf):
    with tf.name_scope("outer") as outer:
        a = tf.Variable(1.0, name="a")
        with tf.name_scope("inner") as inner:
            b = tf.Variable(1.0)
    return [outer, inner, a.name, b.name, tf.Variable(1.0, name="c").name]


@program
def the_assign_family(tf):
    v = tf.Variable([1.0, 2.0])
    before = v.value()
    chained = v.assign([3.0, 4.0]).assign_add([1.0, 1.0]).assign_sub([0.5, 0.5])
    return [before, v, chained, v.assign([0.0, 0.0], read_value=False), v.read_value(), v.numpy()]


@program
def what_was_read_stays(tf):
    v = tf.Variable([1.0, 2.0])
    seen, doubled, array = v.value(), v * 2.0, v.numpy()
    v.assign([5.0, 6.0])
    array[0] = 9.0
    return [seen, doubled, v]


@program
def variables_from_variables(tf):
    v = tf.Variable([1.0, 2.0])
    w = tf.Variable(v)
    v.assign([5.0, 6.0])
    return [v, w, tf.convert_to_tensor(v)]


@program
def variables_in_ops(tf):
    v, w = tf.Variable(2.0), tf.Variable([1.0, 2.0])
    return [v + 1.0, 1.0 - v, v * w, w[0], -v, abs(v), v**2.0, v > 1.0, w[1:], float(v)]


@program
def a_module(tf):
    class Dense(tf.Module):
        def __init__(self, rows, columns, name=None):
            super().__init__(name=name)
            self.w = tf.Variable(tf.ones([rows, columns]), name="w")
            self.b = tf.Variable(tf.zeros([columns]), name="b", trainable=False)

        def __call__(self, x):
            return x @ self.w + self.b

    class Network(tf.Module):
        def __init__(self):
            super().__init__()
            self.layers = [Dense(2, 3, name="first"), Dense(3, 1)]
            self.named = {"scale": tf.Variable(2.0, name="scale")}

        @tf.Module.with_name_scope
        def scoped(self):
            return tf.Variable(1.0, name="inside").name

    network = Network()
    return [
        [variable.name for variable in network.variables],
        [variable.name for variable in network.trainable_variables],
        [module.name for module in network.submodules],
        [network.name, network.scoped()],
        network.layers[0](tf.ones([1, 2])),
    ]


# Gradients of one's own


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


# NumPy both ways


@program
def who_wins_over_numpy(tf):
    t, array = tf.constant([1.0, 2.0]), np.array([3.0, 4.0], np.float32)
    results = [
        array + t, array - t, array * t, array / t, array**t, array == t, array < t, t + array, t * array,
        np.float32(2) * t, np.float64(2) - t, np.int64(2) * t, np.multiply(t, array),
        np.add(t, 1), np.sum(t), np.stack([t, t]), np.asarray(t), np.dot(t, array),
    ]  # fmt: skip
    return [[type(r).__name__ in ("ndarray", "float32", "float64") for r in results], results]


@program
def arrays_are_copied(tf):
    array = np.array([1.0, 2.0])
    t, v = tf.constant(array), tf.Variable(array)
    array[0] = 9.0
    out = t.numpy()
    out[1] = 9.0
    return [t, v]
