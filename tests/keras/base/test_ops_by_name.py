"""``keras.ops``, ``keras.random``, ``keras.config`` and the older place of optimizers."""

from __future__ import annotations

import numpy as np
import pytest

import tapeviz as tf

K = tf.keras
A = np.random.RandomState(0).rand(3, 4).astype(np.float32)
AS_IN_NUMPY = {
    "amax": (A, 1), "arccos": (A,), "arctan2": (A, A + 1), "argsort": (A,), "ceil": (A,), "cumprod": (A, 1),
    "diag": (A[0],), "diagonal": (A,), "expm1": (A,), "flip": (A, [0]), "floor_divide": (A, 0.3),
    "full_like": (A, 2.0), "isnan": (A,), "log10": (A,), "log1p": (A,), "logical_xor": (A > 0.5, A > 0.2),
    "matmul": (A, A.T), "max": (A, 0), "mean": (A, 1), "mod": (A, 0.3), "moveaxis": (A, 0, 1), "outer": (A[0], A[1]),
    "pad": (A, [[1, 0], [0, 2]]), "power": (A, 2.0), "prod": (A, 0), "ravel": (A,), "repeat": (A, 2, 1),
    "roll": (A, 1, 0), "std": (A, 0), "sum": (A, 1), "swapaxes": (A, 0, 1), "take": (A, [2, 0], 1), "tile": (A, [2, 1]),
    "trace": (A,), "tril": (A,), "triu": (A, 1), "true_divide": (A, 3.0), "var": (A, 1), "vstack": ([A, A],),
    "concatenate": ([A, A],), "where": (A > 0.5, A, 0.0), "eye": (3,), "arange": (2, 8, 3), "linspace": (0.0, 1.0, 5),
}  # fmt: skip


@pytest.mark.parametrize("name", AS_IN_NUMPY)
def test_functions_give_what_numpys_give(name):
    found = getattr(K.ops, name)(*AS_IN_NUMPY[name])
    np.testing.assert_allclose(K.ops.convert_to_numpy(found), getattr(np, name)(*AS_IN_NUMPY[name]), rtol=2e-5)


def test_functions_of_keras_own():
    assert K.ops.shape(tf.ones([2, 3])) == (2, 3)
    assert K.ops.one_hot([2], num_classes=3).numpy().tolist() == [[0.0, 0.0, 1.0]]
    assert K.ops.scatter([[1]], [5.0], [3]).numpy().tolist() == [0.0, 5.0, 0.0]
    assert K.ops.scatter_update(tf.zeros([3]), [[1]], [5.0]).numpy().tolist() == [0.0, 5.0, 0.0]
    updated = K.ops.slice_update(tf.zeros([2, 3]), [1, 1], tf.ones([1, 2]))
    assert updated.numpy().tolist() == [[0.0, 0.0, 0.0], [0.0, 1.0, 1.0]]
    assert K.ops.segment_sum([1.0, 2.0, 4.0], [0, 1, 0], 2).numpy().tolist() == [5.0, 2.0]
    assert K.ops.fori_loop(0, 3, lambda i, x: x * 2, tf.constant(1)).numpy() == 8
    assert K.ops.zeros((2,)).dtype == K.ops.arange(3.0).dtype == "float32"

    @tf.function(input_signature=[tf.TensorSpec([None, 4])])
    def halves(x):
        return K.ops.reshape(x, (K.ops.shape(x)[0] * 2, 2))

    assert halves(A).shape == (6, 2)


def test_functions_on_inputs_of_a_model():
    inputs = K.Input((4,))
    outputs = K.ops.sum(K.ops.relu(inputs - 0.5), axis=1, keepdims=True)
    found = K.Model(inputs, outputs).predict(A, verbose=0)
    np.testing.assert_allclose(found, np.maximum(A - 0.5, 0).sum(1, keepdims=True), rtol=1e-5)


def test_random_numbers_by_keras_names():
    seed = K.random.SeedGenerator(3)
    assert K.random.normal((2, 3), seed=seed).shape == (2, 3)
    assert K.random.truncated_normal((2,), dtype="float64", seed=1).dtype == "float64"
    drawn = K.random.randint((50,), 2, 5).numpy()
    assert set(drawn.tolist()) == {2, 3, 4}
    assert (K.random.uniform((50,), 2.0, 3.0, seed=seed).numpy() >= 2).all()
    assert K.random.categorical([[0.0, -1e9]], 4).numpy().tolist() == [[0, 0, 0, 0]]
    shuffled = K.random.shuffle(tf.constant([[1, 2, 3]]), axis=1).numpy()
    assert sorted(shuffled[0].tolist()) == [1, 2, 3]
    assert K.random.dropout(tf.ones([8]), 0.5, seed=1).shape == (8,)
    assert isinstance(seed.next(), int)


def test_settings_and_older_places():
    K.config.disable_traceback_filtering()
    assert K.config.floatx() == K.backend.floatx()
    assert K.optimizers.legacy.Adam is tf.optimizers.legacy.Adam is K.optimizers.Adam


def test_losses_of_the_whole_batch():
    losses = tf.constant([1.0, 2.0, 3.0])
    assert tf.nn.compute_average_loss(losses).numpy() == 2.0
    assert tf.nn.compute_average_loss(losses, sample_weight=[0.0, 1.0, 1.0], global_batch_size=10).numpy() == 0.5
    assert tf.nn.scale_regularization_loss([1.0, 0.5]).numpy() == 1.5
