"""Programs about variables, modules, and NumPy on either side."""

from __future__ import annotations

import numpy as np

from tests.reference.programs import program


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
