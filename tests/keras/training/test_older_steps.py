"""What programs of Keras 2 call in their own layers, callbacks and steps of training."""

from __future__ import annotations

import numpy as np
import pytest

import tapeviz as tf

K, L = tf.keras, tf.keras.layers
X = np.random.RandomState(0).rand(64, 4).astype(np.float32)
Y = np.random.RandomState(1).rand(64, 1).astype(np.float32)


class Stepwise(K.Model):
    """A model whose step of training is written out."""

    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            y_pred = self(x, training=True)
            loss = self.compiled_loss(y, y_pred, regularization_losses=self.losses)
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables, strict=True))
        self.compiled_metrics.update_state(y, y_pred)
        return {metric.name: metric.result() for metric in self.metrics}


@pytest.mark.parametrize("penalty", [None, "l2"])
def test_a_step_by_compiled_loss_trains_like_keras_own(penalty):
    histories = []
    for kind in (Stepwise, K.Model):
        K.utils.set_random_seed(1)
        inputs = K.Input((4,))
        model = kind(inputs, L.Dense(1, kernel_regularizer=penalty)(inputs))
        model.compile("sgd", "mse", metrics=["mae"])
        histories.append(model.fit(X, Y, epochs=3, verbose=0).history)
    assert histories[0].keys() == {"loss", "mae"}
    for name, values in histories[1].items():
        np.testing.assert_allclose(histories[0][name], values, rtol=1e-5)


def test_a_model_that_is_not_compiled_has_no_loss():
    with pytest.raises(ValueError, match="No loss to compute"):
        K.Sequential([L.Dense(1)]).compiled_loss(Y, Y)


class Watched(L.Layer):
    """Leaves its inputs alone, and says their mean."""

    def call(self, x):
        self.add_metric(tf.reduce_mean(x), name="mean_in")
        return x


@pytest.mark.parametrize("functional", [False, True])
def test_a_metric_that_a_layer_adds_is_in_the_history(functional):
    if functional:
        inputs = K.Input((4,))
        model = K.Model(inputs, L.Dense(1)(Watched()(inputs)))
    else:
        model = K.Sequential([Watched(), L.Dense(1)])
    model.compile("sgd", "mse")
    history = model.fit(X, Y, epochs=2, verbose=0).history
    np.testing.assert_allclose(history["mean_in"], [X.mean()] * 2, rtol=1e-5)
    np.testing.assert_allclose(model.evaluate(X[:8], Y[:8], batch_size=8, return_dict=True, verbose=0)["mean_in"],
                               X[:8].mean(), rtol=1e-5)  # fmt: skip


def test_a_metric_in_an_attribute_begins_anew_in_each_epoch():
    class Counted(K.Model):
        def __init__(self):
            super().__init__()
            self.dense, self.steps = L.Dense(1), K.metrics.Sum(name="steps")

        def call(self, x):
            return self.dense(x)

        def train_step(self, data):
            self.steps.update_state(1.0)
            return super().train_step(data)

    model = Counted()
    model.compile("sgd", "mse")
    assert model.fit(X, Y, batch_size=16, epochs=2, verbose=0).history["steps"] == [4.0, 4.0]


def test_callbacks_get_a_dict_before_a_batch_and_set_the_rate_by_its_older_name():
    class Halved(K.callbacks.Callback):
        def on_train_batch_begin(self, batch, logs=None):
            assert batch < 2
            assert list(logs.keys()) == []
            self.model.optimizer.lr = self.model.optimizer.lr / 2

    model = K.Sequential([L.Dense(1)])
    model.compile(K.optimizers.SGD(0.5), "mse")
    model.fit(X, Y, batch_size=32, verbose=0, callbacks=[Halved()])
    assert float(model.optimizer.learning_rate) == 0.125


def test_masks_and_shapes_by_keras_names():
    inputs = K.Input((3,))
    embedding = L.Embedding(3, 2, mask_zero=True)
    outputs = embedding(inputs)
    assert (embedding.input_shape, embedding.output_shape) == ((None, 3), (None, 3, 2))
    tensor = embedding(tf.constant([[1, 0, 2]]))
    assert tensor._keras_mask.numpy().tolist() == [[True, False, True]]
    tensor._keras_mask = None
    assert tensor._keras_mask is None
    assert outputs.shape == (None, 3, 2)


def test_attributes_may_come_before_the_layer_is_made():
    class Early(L.Layer):
        def __init__(self):
            self.sizes, self.w = [1, 2], tf.Variable(2.0)
            super().__init__()

        def call(self, x):
            return x * self.w

    layer = Early()
    assert layer(tf.constant(3.0)).numpy() == 6.0
    assert len(layer.weights) == 1


def test_a_traced_call_of_a_module_is_asked_for_its_graph():
    class Scaled(tf.Module):
        def __init__(self, factor):
            super().__init__()
            self.factor = tf.Variable(factor)

        @tf.function
        def __call__(self, x):
            return x * self.factor

    two, three = Scaled(2.0), Scaled(3.0)
    graph = two.__call__.get_concrete_function(tf.TensorSpec(None, tf.float32))
    assert (graph(tf.constant(5.0)).numpy(), two(5.0).numpy(), three(5.0).numpy()) == (10.0, 10.0, 15.0)


def variational():
    """Return a model whose loss is a tensor of its own."""
    inputs = K.Input((4,))
    hidden = L.Dense(2)(inputs)
    noisy = L.Lambda(lambda h: h + K.backend.random_normal(shape=(K.backend.shape(h)[0], 2)))(hidden)
    outputs = L.Dense(4)(noisy)
    model = K.Model(inputs, outputs)
    model.add_loss(tf.reduce_mean(K.losses.mean_squared_error(inputs, outputs)))
    model.add_metric(tf.reduce_mean(hidden), name="hidden")
    return model, hidden


def test_a_tensor_of_the_model_is_added_to_the_loss():
    model, hidden = variational()
    model.compile(K.optimizers.Adam(0.01))
    history = model.fit(X, epochs=5, verbose=0).history
    assert history["loss"][-1] < history["loss"][0]
    assert history.keys() == {"loss", "hidden"}
    found = model.evaluate(X, verbose=0, return_dict=True)["hidden"]
    np.testing.assert_allclose(found, K.Model(model.inputs, hidden)(X).numpy().mean(), rtol=1e-4)
    assert model.predict(X, verbose=0).shape == (64, 4)


def test_it_is_added_to_the_loss_of_compile_with_the_same_noise():
    inputs = K.Input((4,))
    noisy = L.Lambda(lambda x: x + K.backend.random_normal(shape=(K.backend.shape(x)[0], 4)))(inputs)
    model = K.Model(inputs, noisy)
    model.add_loss(-tf.reduce_mean((noisy - inputs) ** 2))
    model.compile(loss="mse")
    assert abs(model.evaluate(X, X, verbose=0)) < 1e-5


def test_a_layer_of_ones_own_gets_the_mask_when_a_model_is_made():
    class Masked(L.Layer):
        def __init__(self):
            super().__init__()
            self.supports_masking = True

        def call(self, x, mask=None):
            return x * tf.cast(mask, "float32")[..., None]

    inputs = K.Input((None,), dtype="int32")
    outputs = Masked()(L.Dense(1, bias_initializer="ones")(L.Embedding(10, 3, mask_zero=True)(inputs)))
    found = K.Model(inputs, outputs)(np.array([[1, 0]])).numpy().ravel()
    assert found[0] != 0
    assert found[1] == 0


def test_a_model_may_be_given_itself():
    class Passed(K.Model):
        def __init__(self):
            super().__init__(self)
            self.dense = L.Dense(1)

        def call(self, x):
            return self.dense(x)

    assert Passed()(X).shape == (64, 1)


def test_normalization_tells_its_means():
    layer = L.Normalization()
    layer.adapt(X)
    np.testing.assert_allclose(layer.mean.numpy(), X.mean(0, keepdims=True), rtol=1e-5)
    np.testing.assert_allclose(layer.variance.numpy(), X.var(0, keepdims=True), rtol=1e-4)
    assert L.Normalization(mean=2.0, variance=1.0).mean == 2.0


def test_an_array_of_floats_counts_classes():
    assert tf.one_hot(np.array([1.0, 0.0], "float32"), 2).numpy().tolist() == [[0.0, 1.0], [1.0, 0.0]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="allowed values"):
        tf.one_hot(tf.constant([1.0]), 2)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        (lambda: tf.compat.v1.train.GradientDescentOptimizer(0.1), lambda: K.optimizers.SGD(0.1)),
        (lambda: tf.compat.v1.train.AdamOptimizer(0.01), lambda: K.optimizers.Adam(0.01, epsilon=1e-8)),
        (lambda: tf.compat.v1.train.MomentumOptimizer(0.1, 0.9), lambda: K.optimizers.SGD(0.1, momentum=0.9)),
    ],
)
def test_an_optimizer_of_tensorflow_1_trains_as_keras_own(older, newer):
    found = []
    for make in (older, newer):
        K.utils.set_random_seed(1)
        model = K.Sequential([L.Dense(1)])
        model.compile(make(), "mse")
        found.append(model.fit(X, Y, epochs=3, shuffle=False, verbose=0).history["loss"])
    np.testing.assert_allclose(*found, rtol=1e-4)
    assert int(model.optimizer.iterations) == 6
