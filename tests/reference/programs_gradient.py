"""Programs about what ``gradient`` is asked and what it gives."""

from __future__ import annotations

from collections import OrderedDict, namedtuple

import numpy as np

from tests.reference.programs import fails, program


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
def a_variable_as_the_target(tf):
    v, fixed = tf.Variable(2.0), tf.Variable(3.0, trainable=False)
    with tf.GradientTape(persistent=True) as tape:
        result = v if fixed > 1.0 else v**2
        y = v * v
        v.assign_add(1.0)
    with tf.GradientTape(watch_accessed_variables=False) as unwatching:
        pass
    return [
        tape.gradient(result, v),
        tape.gradient([y, v], v),
        tape.gradient(fixed, fixed),
        tape.jacobian(v, v),
        unwatching.gradient(v, v),
    ]


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
