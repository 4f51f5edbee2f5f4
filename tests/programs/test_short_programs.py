"""Each short program gives the same eagerly and as a graph, and what it is known to give."""

import numpy as np
import pytest

import tapeviz as tf
import tapeviz.compat.v1 as tf1
from tests.programs.short import SHORT
from tests.programs.ways import WAYS, in_both_ways

NAN = float("nan")
KNOWN = {
    "product": [[[4.0]]],
    "product_and_offset": [[[22.0, 22.0], [23.0, 13.0]]],
    "a_variable_that_is_given": [1, 2, 3, 3],
    "a_variable_that_is_kept": [13.0, 21.0],
    "tensors_and_arrays": [
        [[2, 3], [4, 5]], [[2, 6], [12, 20]], [[6, 8], [10, 12]], [[5, 12], [21, 32]], [[2, 6], [12, 20]]
    ],
    "names_of_other_libraries": [15.0, [[0.0, 3.0], [1.0, 4.0], [2.0, 5.0]]],
    "collatz": [9, 16, 111, 9232, 0, 1],
    "fizzbuzz": [[0, 0, 3, 0, 5, 3, 0, 0, 3, 5, 0, 3, 0, 0, 15], 15],
    "square_and_its_slopes": [9.0, 6.0, 2.0],
    "slopes_to_third_order": [12.0, 12.0, 6.0],
    "the_branch_that_was_taken": [1.0, -1.0],
    "a_tape_and_a_variable": [[[2.0]]],
    "log_of_one_and_exp": [0.5, 0.5, NAN, 1.0],
    "clipped_gradient": [25.0, [0.6, 0.8]],
    "implicit_gradients": [25.0, 30.0],
    "copies_to_devices": [[[7.0, 10.0], [15.0, 22.0]]],
}  # fmt: skip


def values(found):
    return [np.asarray(leaf) for leaf in tf.nest.flatten(found)]


@pytest.mark.parametrize("name", SHORT)
def test_the_same_eagerly_and_as_a_graph(name):
    eager, graph = (values(found) for found in in_both_ways(SHORT[name]))
    assert len(eager) == len(graph) == len(KNOWN[name])
    for one, other, known in zip(eager, graph, KNOWN[name], strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)
        np.testing.assert_allclose(one, known, rtol=1e-6)


def test_a_product_of_what_is_fed():
    """A placeholder times itself in a session; the same function of the same array, eagerly and traced."""
    given = np.random.default_rng(0).random((32, 32)).astype(np.float32)
    found = [way(lambda x: tf.matmul(x, x))(given).numpy() for way in WAYS.values()]
    with tf1.Graph().as_default(), tf1.Session() as session:
        x = tf1.placeholder(tf1.float32, shape=(32, 32))
        found.append(session.run(tf1.matmul(x, x), feed_dict={x: given}))
    for one in found:
        np.testing.assert_array_equal(one, found[0])


def test_noise_in_a_gradient_is_the_same_noise():
    """A square with noise on its way back: one seed, one series of slopes, whichever way."""

    @tf.custom_gradient
    def noisy(x):
        return x * x, lambda dy: dy * (2.0 * x + tf.random.normal([], stddev=0.1, seed=7))

    def slopes(way):
        tf.random.set_seed(3)

        @way
        def slope(x):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = noisy(x)
            return tape.gradient(y, x)

        return [slope(tf.constant(3.0)).numpy() for _ in range(200)]

    eager, graph = in_both_ways(slopes)
    assert graph == eager
    for found in (eager, graph):
        assert len(set(found)) > 100
        assert np.mean(found) == pytest.approx(6.0, abs=0.05)
        assert np.std(found) == pytest.approx(0.1, abs=0.03)


def test_what_python_prints_and_what_tensors_print(capsys):
    """Python's print speaks while a function is traced; tf.print at each run, and eagerly both at each call."""
    said = {}
    for name, way in WAYS.items():

        @way
        def shifted(b):
            y = tf.matmul([[10.0, 10.0], [11.0, 1.0]], [[1.0, 0.0], [0.0, 1.0]]) + b
            print("PRINT")
            tf.print("TF-PRINT:", y[0, 0])
            return y

        for _ in range(2):
            shifted(tf.constant(12.0))
        shown = capsys.readouterr()
        said[name] = shown.out.count("PRINT\n"), shown.err.count("TF-PRINT: 22\n")
    assert said == {"eager": (2, 2), "graph": (1, 2)}
