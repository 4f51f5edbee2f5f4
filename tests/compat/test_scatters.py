"""Functions of TensorFlow 1 that change parts of variables, and what else a traced function may ask of its graph."""

from __future__ import annotations

import numpy as np
import pytest

import tapeviz as tf

v1 = tf.compat.v1
# What TensorFlow 2.21 gives for [1, 2, 3] with 5 and 7 at the places 0 and 2.
ROWS = {
    "update": [5, 2, 7], "add": [6, 2, 10], "sub": [-4, 2, -4], "mul": [5, 2, 21], "div": [np.float32(0.2), 2, 3 / 7],
    "max": [5, 2, 7], "min": [1, 2, 3],
}  # fmt: skip


@pytest.mark.parametrize("how", ROWS)
def test_rows_are_changed_by_a_function(how):
    v = tf.Variable([1.0, 2.0, 3.0])
    found = getattr(v1, f"scatter_{how}")(v, [0, 2], [5.0, 7.0])
    np.testing.assert_array_equal(v, np.array(ROWS[how], np.float32))
    np.testing.assert_array_equal(found, v)


@pytest.mark.parametrize("how", ["update", "add", "sub"])
def test_elements_are_changed_by_a_function(how):
    v = tf.Variable([1.0, 2.0, 3.0])
    getattr(v1, f"scatter_nd_{how}")(v, [[0], [2]], [5.0, 7.0])
    np.testing.assert_array_equal(v, np.array(ROWS[how], np.float32))


@pytest.mark.parametrize("shape", [(2, 3), (2, 2, 3), (2, 3, 2)])
def test_slices_are_replaced_in_each_example(shape):
    rng = np.random.default_rng(0)
    start = rng.normal(size=shape).astype(np.float32)
    places = np.stack([rng.permutation(3)[:2] for _ in range(2)]) if shape != (2, 2, 3) else np.array(
        [[[0, 2], [1, 0]], [[2, 1], [0, 1]]]
    )  # fmt: skip
    new = rng.normal(size=(*places.shape, *shape[places.ndim :])).astype(np.float32)
    wanted = start.copy()
    for where in np.ndindex(places.shape):
        wanted[(*where[:-1], places[where])] = new[where]

    for change in (lambda v: v.batch_scatter_update(tf.IndexedSlices(new, places)),
                   lambda v: v1.batch_scatter_update(v, places, new),
                   tf.function(lambda v: v1.batch_scatter_update(v, places, new))):  # fmt: skip
        variable = tf.Variable(start)
        change(variable)
        np.testing.assert_array_equal(variable, wanted)


def test_slices_are_replaced_in_a_session():
    with tf.Graph().as_default(), v1.Session() as session:
        v = v1.get_variable("v", initializer=np.array([[1, 2, 3], [4, 5, 6]]))
        change = v1.batch_scatter_update(v, [[0], [2]], [[7], [9]])
        session.run(v1.global_variables_initializer())
        session.run(change)
        np.testing.assert_array_equal(session.run(v), [[7, 2, 3], [4, 5, 9]])


def test_tensors_are_stacked_in_parallel_in_graphs_alone():
    parts = [tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])]
    np.testing.assert_array_equal(tf.function(lambda: tf.parallel_stack(parts))(), [[1, 2], [3, 4]])
    with tf.Graph().as_default(), v1.Session() as session:
        np.testing.assert_array_equal(session.run(v1.parallel_stack([[1, 2], [3, 4]])), [[1, 2], [3, 4]])
    with pytest.raises(RuntimeError, match="not compatible with eager execution"):
        tf.parallel_stack(parts)


def test_losses_are_collected_in_a_traced_function():
    labels, scores = tf.constant([[1.0, 0.0]]), tf.constant([[0.5, 0.2]])

    @tf.function
    def losses(t, y):
        squares, entropy = v1.losses.mean_squared_error(t, y), v1.losses.softmax_cross_entropy(t, y)
        return squares, entropy, v1.losses.get_total_loss()

    squares, entropy, total = losses(labels, scores)
    np.testing.assert_allclose(squares, 0.145, rtol=1e-6)
    np.testing.assert_allclose(entropy, 0.55435526, rtol=1e-6)
    np.testing.assert_allclose(total, squares + entropy, rtol=1e-6)


def test_a_traced_function_has_collections_of_its_own():
    with tf.Graph().as_default() as graph:

        @tf.function
        def f(x):
            v1.add_to_collection("kept", x)
            return tf.constant(len(v1.get_collection("kept")))

        f(tf.constant(1.0))
        assert graph.get_collection("kept") == []
