"""Scatter-add and sums of segments of many rows: as NumPy adds them up one after the other, to the bit."""

import numpy as np
import pytest

import tapeviz as tf

RNG = np.random.default_rng(5)
SHAPES = [(3000, (5,)), (900, (2, 3)), (5000, (1,)), (1, (5000,)), (70, (64,))]
DTYPES = ["float32", "float64", "complex64", "complex128"]


def added(rows, places, count):
    whole = np.zeros((count, *rows.shape[1:]), rows.dtype)
    np.add.at(whole, places, rows)
    return whole


def example(size, inner, dtype, count=40):
    rows = RNG.normal(size=(size, *inner)).astype(dtype)
    rows[0] = -0.0
    rows[-1, ..., 0] = np.inf
    return rows, RNG.integers(0, count, size).astype(np.int32), count


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("size", "inner"), SHAPES)
def test_rows_are_added_up_in_their_order(size, inner, dtype):
    rows, places, count = example(size, inner, dtype)
    expected = added(rows, places, count).tobytes()
    assert tf.math.unsorted_segment_sum(rows, places, count).numpy().tobytes() == expected
    assert tf.scatter_nd(places[:, None], rows, (count, *inner)).numpy().tobytes() == expected


def test_rows_of_negative_numbers_are_left_out_and_places_without_rows_are_zero():
    rows, places, count = example(3000, (4,), "float32")
    places[::3] = -1
    kept = places >= 0
    found = tf.math.unsorted_segment_sum(rows, places, count + 2).numpy()
    assert found.tobytes() == added(rows[kept], places[kept], count + 2).tobytes()
    assert not found[count:].any()


def test_rows_that_do_not_lie_one_after_the_other():
    rows, places, count = example(5000, (6,), "float32")
    across = np.asfortranarray(rows)
    assert (tf.math.unsorted_segment_sum(across, places, count).numpy() == added(rows, places, count)).all()
    backwards = rows[::-2, ::-1]
    found = tf.math.unsorted_segment_sum(backwards, places[: len(backwards)], count).numpy()
    assert (found == added(backwards, places[: len(backwards)], count)).all()


def test_the_gradient_of_a_lookup_is_eager_traced_and_by_hand_the_same():
    table, ids = tf.Variable(RNG.normal(size=(50, 32)).astype("float32")), RNG.integers(0, 50, (20, 15))

    def slopes():
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.nn.embedding_lookup(table, ids) ** 3)
        return tf.convert_to_tensor(tape.gradient(loss, table))

    by_hand = added(3 * table.numpy()[ids.ravel()] ** 2, ids.ravel(), 50)
    eager, traced = slopes().numpy(), tf.function(slopes)().numpy()
    np.testing.assert_allclose(eager, by_hand, rtol=1e-6)
    assert eager.tobytes() == traced.tobytes()
