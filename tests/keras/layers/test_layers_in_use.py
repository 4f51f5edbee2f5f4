"""What layers do that a table of numbers does not show: chance, masks that go along, sequences of any length."""

from __future__ import annotations

import numpy as np
import pytest

import tapeviz as tf
from tests.keras.layers.agreement import inputs_of, prepared
from tests.keras.layers.cases import Case, cases

L = tf.keras.layers
FREE = [case for case in cases() if "stateful" not in case.layer]


@pytest.mark.parametrize("case", FREE, ids=str)
def test_a_function_for_any_number_of_examples_gives_the_same(case: Case):
    layer, inputs = prepared(case, "float64")
    before = layer.get_weights()
    expected = tf.nest.flatten(eval(case.call, {**inputs, "layer": layer}))
    layer.set_weights(before)
    names = list(inputs)
    form = [tf.TensorSpec((None, *x.shape[1:]), x.dtype) for x in inputs.values()]

    @tf.function(input_signature=form)
    def run(*tensors):
        return tf.nest.flatten(eval(case.call, {**dict(zip(names, tensors, strict=True)), "layer": layer}))

    for found, value in zip(run(*inputs.values()), expected, strict=True):
        np.testing.assert_allclose(found.numpy(), value.numpy(), rtol=1e-9, atol=1e-12)


IMAGES = [
    L.Conv2D(2, 3, padding="same"), L.Conv2D(2, 3, strides=2), L.Conv2DTranspose(2, 3, strides=2), L.MaxPooling2D(),
    L.DepthwiseConv2D(3), L.SeparableConv2D(2, 3), L.AveragePooling2D(2, padding="same"), L.GlobalMaxPooling2D(),
    L.ZeroPadding2D(), L.Cropping2D(1), L.UpSampling2D(2), L.BatchNormalization(), L.SpatialDropout2D(0.5),
]  # fmt: skip


@pytest.mark.parametrize("layer", IMAGES, ids=lambda layer: type(layer).__name__)
def test_a_function_for_images_of_any_size_gives_the_same(layer):
    image = tf.random.normal([2, 5, 6, 3])
    expected = layer(image)
    run = tf.function(layer, input_signature=[tf.TensorSpec((None, None, None, 3))])
    np.testing.assert_allclose(run(image).numpy(), expected.numpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("length", [None, 70])
@pytest.mark.parametrize("kind", [L.SimpleRNN, L.LSTM, L.GRU])
def test_a_loop_along_sequences_gives_what_steps_give(kind, length, masked):
    """In a function the steps are a loop where there are many, or nobody knows how many."""
    steps = length or 4
    layer = kind(3, return_sequences=True, return_state=True, go_backwards=masked, dtype="float64")
    x = tf.constant(np.random.RandomState(0).standard_normal((2, steps, 2)))
    mask = tf.constant(np.random.RandomState(1).standard_normal((2, steps)) > 0) if masked else None

    def results(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            outputs = layer(x, mask=mask)
            loss = tf.add_n([tf.reduce_sum(tf.sin(y)) for y in outputs])
        return [*outputs, *tape.gradient(loss, [x, *layer.trainable_weights])]

    expected = results(x)
    run = tf.function(results, input_signature=[tf.TensorSpec((2, length, 2), tf.float64)])
    for found, value in zip(run(x), expected, strict=True):
        np.testing.assert_allclose(found.numpy(), value.numpy(), rtol=1e-9, atol=1e-12)


def test_a_loop_is_one_node():
    layer = L.LSTM(3)
    layer.build((None, None, 2))
    graph = tf.function(layer).get_concrete_function(tf.TensorSpec((None, None, 2))).graph
    assert [node.op.name for node in graph.nodes if node.op.name == "while"] == ["while"]


# Chance.


NOISY = [
    L.Dropout(0.3), L.SpatialDropout1D(0.3), L.GaussianNoise(0.3), L.GaussianDropout(0.3), L.AlphaDropout(0.3),
]  # fmt: skip


@pytest.mark.parametrize("layer", NOISY, ids=lambda layer: type(layer).__name__)
def test_noise_is_in_training_alone_and_keeps_the_mean(layer):
    x = tf.random.normal([400, 5, 50], 1.0 if "Alpha" not in type(layer).__name__ else 0.0)
    assert layer(x) is x or bool(tf.reduce_all(layer(x) == x))
    noisy = layer(x, training=True)
    assert not bool(tf.reduce_all(noisy == x))
    assert abs(float(tf.reduce_mean(noisy)) - float(tf.reduce_mean(x))) < 0.03


def test_alpha_dropout_keeps_the_variance():
    noisy = L.AlphaDropout(0.3)(tf.random.normal([400, 500]), training=True)
    assert abs(float(tf.math.reduce_variance(noisy)) - 1.0) < 0.05


def test_dropout_drops_its_share_and_scales_the_rest():
    kept = L.Dropout(0.25)(tf.ones([200, 200]), training=True).numpy()
    assert set(np.unique(kept)) == {np.float32(0.0), np.float32(1.0 / 0.75)}
    assert abs((kept == 0).mean() - 0.25) < 0.01


def test_dropout_of_a_shape_is_the_same_along_axes_of_one():
    kept = L.Dropout(0.5, noise_shape=(None, 1, 4))(tf.ones([3, 5, 4]), training=True).numpy()
    assert (kept == kept[:, :1]).all()


def test_spatial_dropout_drops_whole_channels():
    last = L.SpatialDropout2D(0.5)(tf.ones([3, 4, 5, 6]), training=True).numpy()
    assert (last == last[:, :1, :1]).all()
    first = L.SpatialDropout2D(0.5, data_format="channels_first")(tf.ones([3, 6, 4, 5]), training=True).numpy()
    assert (first == first[:, :, :1, :1]).all()


def test_the_same_seed_draws_the_same_and_each_call_anew():
    def drawn():
        tf.random.set_seed(3)
        layer = L.Dropout(0.5, seed=1)
        return [layer(tf.ones([50]), training=True).numpy() for _ in range(2)]

    first, second = drawn(), drawn()
    assert all((a == b).all() for a, b in zip(first, second, strict=True))
    assert (first[0] != first[1]).any()


def test_a_function_draws_anew_at_each_call():
    run = tf.function(lambda x: L.Dropout(0.5)(x, training=True))
    assert (run(tf.ones([50])).numpy() != run(tf.ones([50])).numpy()).any()


@pytest.mark.parametrize("kind", [L.SimpleRNN, L.LSTM, L.GRU])
def test_dropout_of_a_recurrent_layer_is_the_same_at_each_step(kind):
    x = tf.ones([2, 3, 40])
    layer = kind(4, dropout=0.5, recurrent_dropout=0.5)
    quiet = layer(x)
    assert (layer(x).numpy() == quiet.numpy()).all()
    assert (layer(x, training=True).numpy() != quiet.numpy()).any()
    kept = layer.cell.noises(x, True)
    assert [tuple(one.shape) for one in kept] == [(2, 40), (2, 4)]


# Masks go along.


@pytest.mark.parametrize("make", [
    lambda: L.LSTM(3), lambda: L.GRU(3, return_sequences=True), lambda: L.Bidirectional(L.SimpleRNN(3)),
    L.GlobalAveragePooling1D,
], ids=["LSTM", "GRU", "Bidirectional", "GlobalAveragePooling1D"])  # fmt: skip
def test_the_mask_of_an_embedding_goes_to_the_next_layer(make):
    words = tf.constant([[3, 1, 0, 0], [2, 0, 0, 0]])
    embedding, layer = L.Embedding(5, 2, mask_zero=True), make()
    vectors = embedding(words)
    given = layer(vectors).numpy()
    plain = tf.identity(vectors)
    assert (given == layer(plain, mask=words != 0).numpy()).all()
    assert (given != layer(plain).numpy()).any()
    model = tf.keras.Sequential([embedding, L.Dropout(0.1), layer])
    np.testing.assert_allclose(model(words).numpy(), given, rtol=1e-6)


def test_attention_does_not_look_at_what_is_masked():
    words = tf.constant([[3, 1, 0, 0]])
    vectors = L.Embedding(5, 4, mask_zero=True)(words)
    layer = L.MultiHeadAttention(2, 3)
    _, weights = layer(vectors, vectors, return_attention_scores=True)
    assert (weights.numpy()[..., :2, 2:] == 0).all()
    assert (weights.numpy()[..., :2, :2] > 0).all()


def test_concatenated_and_added_inputs_have_masks():
    words = tf.constant([[3, 1, 0]])
    both = [L.Embedding(5, 2, mask_zero=True)(words) for _ in range(2)]
    for layer in (L.Add(), L.Concatenate()):
        assert layer.compute_mask(both, [words != 0, words != 0]).numpy().tolist() == [[True, True, False]]
    assert L.Add().compute_mask(both, [words != 0, None]) is None
    assert L.Concatenate(axis=1).compute_mask(both, [words != 0, None]).numpy().tolist() == [
        [True, True, False] + [True] * 3
    ]


# States, steps, and what a call changes.


def test_a_stateful_layer_goes_on_where_the_last_batch_ended():
    x = tf.random.normal([2, 6, 3])
    whole = L.LSTM(4)
    expected = whole(x)
    parts = L.LSTM(4, stateful=True)
    parts(x[:, :3])
    parts.set_weights(whole.get_weights())
    parts.reset_states()
    parts(x[:, :3])
    np.testing.assert_allclose(parts(x[:, 3:]).numpy(), expected.numpy(), rtol=1e-5, atol=1e-6)
    parts.reset_states()
    assert all((state.numpy() == 0).all() for state in parts.states)


def test_a_normalization_of_each_step_moves_its_averages_at_each_step():
    x = tf.random.normal([8, 3, 2])
    layer = L.TimeDistributed(L.BatchNormalization(momentum=0.5))
    layer(x, training=True)
    other = L.BatchNormalization(momentum=0.5)
    for step in range(3):
        other(x[:, step], training=True)
    np.testing.assert_allclose(layer.layer.moving_mean.numpy(), other.moving_mean.numpy(), rtol=1e-5, atol=1e-6)


def test_a_frozen_normalization_is_in_inference():
    x = tf.random.normal([8, 2])
    layer = L.BatchNormalization()
    layer(x)
    layer.trainable = False
    assert (layer(x, training=True).numpy() == layer(x).numpy()).all()
    assert layer.trainable_weights == []
    layer.trainable = True
    layer(x, training=True)
    assert (layer.moving_mean.numpy() != 0).any()


def test_a_cell_of_ones_own_goes_along_sequences():
    class Sum(tf.keras.layers.Layer):
        state_size = 2

        def call(self, inputs, states):
            total = inputs + states[0]
            return total, [total]

    x = tf.constant([[[1.0, 2.0], [3.0, 4.0]]])
    assert L.RNN(Sum())(x).numpy().tolist() == [[4.0, 6.0]]
    assert tf.function(L.RNN(Sum(), return_sequences=True))(x).numpy().tolist() == [[[1.0, 2.0], [4.0, 6.0]]]


def test_an_embedding_begins_with_a_table():
    table = np.arange(6.0, dtype=np.float32).reshape(3, 2)
    assert L.Embedding(3, 2, weights=[table])(tf.constant([2])).numpy().tolist() == [[4.0, 5.0]]


def test_gradients_of_an_embedding_are_those_of_the_rows_that_were_used():
    layer = L.Embedding(5, 2)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(layer(tf.constant([1, 1, 3])))
    gradient = tf.convert_to_tensor(tape.gradient(loss, layer.embeddings))
    assert gradient.numpy()[:, 0].tolist() == [0.0, 2.0, 0.0, 1.0, 0.0]


def test_functions_of_merging_layers():
    one, two = tf.constant([[1.0, 2.0]]), tf.constant([[3.0, 5.0]])
    found = {name: getattr(L, name)([one, two]).numpy().tolist() for name in
             ("add", "subtract", "multiply", "average", "maximum", "minimum", "concatenate", "dot")}  # fmt: skip
    assert found == {
        "add": [[4.0, 7.0]], "subtract": [[-2.0, -3.0]], "multiply": [[3.0, 10.0]], "average": [[2.0, 3.5]],
        "maximum": [[3.0, 5.0]], "minimum": [[1.0, 2.0]], "concatenate": [[1.0, 2.0, 3.0, 5.0]], "dot": [[13.0]],
    }  # fmt: skip


def test_half_precision_normalization_does_not_overflow():
    x = tf.constant([[1000.0], [3000.0]], "float16")
    batch, example = L.BatchNormalization(dtype="float16"), L.LayerNormalization(axis=1, dtype="float16")
    for found in (batch(x, training=True), batch(x), example(x * [[1.0, 2.0]])):
        assert found.dtype == tf.float16
        assert np.isfinite(found).all()
    assert batch.moving_variance.dtype == tf.float16


def test_inputs_of_the_table_never_change():
    first = inputs_of(cases()[0], "float64")["x"].numpy()
    assert (first == inputs_of(cases()[0], "float64")["x"].numpy()).all()


def test_a_layer_twice_in_a_sequential_has_its_weights_once():
    layer = tf.keras.layers.Dense(3)
    model = tf.keras.Sequential([layer, tf.keras.layers.ReLU(), layer])
    x = tf.constant([[1.0, -2.0, 3.0]])
    np.testing.assert_array_equal(model(x), layer(tf.nn.relu(layer(x))))
    assert len(model.weights) == 2
    with pytest.raises(ValueError, match="should have unique names"):
        model.add(tf.keras.layers.Dense(3, name=layer.name))
