"""Programs about what a tape records and how often it answers."""

from __future__ import annotations

from tests.reference.programs import fails, program


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
