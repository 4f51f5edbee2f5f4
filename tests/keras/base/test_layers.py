"""Layers: when they are built, what they are made of, what they are told, and what goes wrong."""

from __future__ import annotations

import copy
import gc
import inspect
import weakref
from typing import Any

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.engine.variable_options import variable_constraint
from tapeviz.keras.masks import mask_of

keras, layers = tf.keras, tf.keras.layers


@pytest.fixture(autouse=True)
def _names_begin_anew():
    keras.backend.clear_session()


class Scaled(layers.Layer):
    """One weight, a factor."""

    def build(self, input_shape: Any) -> None:
        self.seen = input_shape
        self.factor = self.add_weight(name="factor", shape=(input_shape[-1],), initializer="ones", regularizer="l2")

    def call(self, x: Any) -> Any:
        return x * self.factor


class Told(layers.Layer):
    """Gives what it is told, and keeps it."""

    def call(self, x: Any, training: Any = None) -> Any:
        self.told = training
        return x * 1.0


class Outer(layers.Layer):
    """Layers in attributes, lists and dicts."""

    def __init__(self) -> None:
        super().__init__()
        self.one = Scaled()
        self.many = [layers.Dense(1), Told()]
        self.named = {"z": layers.Dense(3), "a": layers.Dense(1)}

    def call(self, x: Any) -> Any:
        y = self.one(x)
        return self.many[1](self.many[0](y)) + self.named["a"](self.named["z"](y))


def test_a_layer_is_built_when_it_is_first_called():
    layer = Scaled()
    assert (layer.built, layer.weights) == (False, [])
    layer(tf.ones([2, 3]))
    assert (layer.built, layer.seen, layer.factor.name) == (True, (2, 3), "scaled/factor:0")
    factor = layer.factor
    layer(tf.ones([5, 3]))
    assert layer.factor is factor


def test_build_can_be_called():
    layer = layers.Dense(2)
    layer.build((None, 3))
    assert layer.built
    assert [(weight.name, tuple(weight.shape)) for weight in layer.weights] == [
        ("dense/kernel:0", (3, 2)), ("dense/bias:0", (2,)),
    ]  # fmt: skip
    assert layer.count_params() == 8


def test_names_count_up_until_the_session_is_cleared():
    assert [layers.Dense(1).name, layers.Dense(1).name, Scaled().name] == ["dense", "dense_1", "scaled"]
    assert layers.Dense(1, name="own").name == "own"
    keras.backend.clear_session()
    assert layers.Dense(1).name == "dense"
    assert layers.Conv2D(1, 1).name == "conv2d"


def test_weights_of_nested_layers_are_in_keras_order():
    outer = Outer()
    outer(tf.ones([1, 2]))
    assert [weight.name for weight in outer.weights] == [
        "outer/scaled/factor:0", "outer/dense/kernel:0", "outer/dense/bias:0", "outer/dense_1/kernel:0",
        "outer/dense_1/bias:0", "outer/dense_2/kernel:0", "outer/dense_2/bias:0",
    ]  # fmt: skip
    assert [layer.name for layer in outer._layers()] == ["scaled", "dense", "told", "dense_1", "dense_2"]
    assert [name for name, _ in outer._checkpoint_children()] == ["one", "many", "named"]


def test_lists_are_looked_into_when_they_are_asked():
    outer = Outer()
    outer.many.append(layers.Dense(4, name="late"))
    outer.many[2].build((None, 2))
    assert [weight.name for weight in outer.weights] == ["late/kernel:0", "late/bias:0"]


def test_variables_and_modules_in_attributes_are_weights():
    class Part(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.w = tf.Variable(1.0, name="w")

    layer = layers.Layer()
    layer.own, layer.still, layer.part = tf.Variable(1.0, name="own"), tf.Variable(2.0, trainable=False), Part()
    assert [weight.name for weight in layer.trainable_weights] == ["own:0", "w:0"]
    assert layer.non_trainable_weights == [layer.still]
    del layer.own
    layer.part = None
    assert layer.weights == [layer.still]


def test_frozen_layers_and_variables():
    outer = Outer()
    outer(tf.ones([1, 2]))
    outer.trainable = False
    assert (len(outer.trainable_weights), len(outer.non_trainable_weights)) == (0, 7)
    assert not outer.one.trainable
    outer.trainable = True
    assert len(outer.trainable_weights) == 7
    outer.one.trainable = False
    assert id(outer.one.factor) not in map(id, outer.trainable_weights)
    assert len(outer.trainable_weights) == 6
    with tf.GradientTape() as tape:
        outer(tf.ones([1, 2]))
    assert len(tape.watched_variables()) == 7  # freezing is the layer's: TensorFlow's tape watches them all
    still = layers.Layer()
    still.add_weight(name="count", shape=(), dtype="int32", trainable=False)
    still.trainable = True
    assert still.trainable_weights == []


def test_a_layer_made_frozen_has_no_trainable_weights():
    layer = layers.Dense(2, trainable=False)
    layer(tf.ones([1, 3]))
    assert (len(layer.trainable_weights), len(layer.non_trainable_weights)) == (0, 2)
    layer.trainable = True
    assert len(layer.trainable_weights) == 2


@pytest.mark.parametrize("traced", [False, True])
def test_a_variable_of_a_list_taken_before_the_layer_froze_is_trained_still(traced):
    outer = Outer()
    outer(tf.ones([1, 2]))
    listed = outer.trainable_weights
    outer.one.trainable = False

    def gradients():
        with tf.GradientTape() as tape:
            total = tf.reduce_sum(outer(tf.ones([1, 2])))
        return tape.gradient(total, listed, unconnected_gradients="none")

    found = (tf.function(gradients) if traced else gradients)()
    assert not any(gradient is None for gradient in found)
    assert all(variable.trainable for variable in listed)
    assert [id(variable) for variable in listed] == [id(v) for v in outer.weights if v.trainable]


def test_a_layer_thawed_in_a_frozen_one_is_trained_by_itself_alone():
    outer = Outer()
    outer(tf.ones([1, 2]))
    outer.trainable = False
    outer.one.trainable = True
    assert outer.trainable_weights == []
    assert len(outer.one.trainable_weights) == 1


@pytest.mark.parametrize("arguments", [("w", (2, 3)), ((2, 3),), ("w", (2, 3), "float64", "ones"), ((2, 3), "ones")])
def test_arguments_of_add_weight_in_both_orders(arguments: Any):
    made = layers.Layer().add_weight(*arguments)
    assert tuple(made.shape) == (2, 3)
    assert (made.numpy() == 1).all() == ("ones" in arguments)


def test_weights_without_names_have_one_of_their_own_in_checkpoints():
    layer = layers.Layer()
    for _ in range(3):
        layer.add_weight(shape=())
    assert [name for name, _ in layer._checkpoint_children()] == ["variable", "variable_1", "variable_2"]


def test_a_constraint_is_kept_with_its_variable():
    layer = layers.Dense(2, kernel_constraint="non_neg")
    layer.build((None, 1))
    assert variable_constraint(layer.kernel)(tf.constant([-1.0, 1.0])).numpy().tolist() == [0.0, 1.0]
    assert variable_constraint(layer.bias) is None


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_the_dtype_of_a_layer(dtype: str):
    layer = layers.Dense(2, dtype=dtype)
    y = layer(np.ones((1, 3)))
    assert {y.dtype.name, layer.kernel.dtype.name, layer.dtype, layer.compute_dtype} == {dtype}
    assert layer(tf.ones([1, 3], "float32")).dtype.name == dtype
    assert layer(np.ones((1, 3), "int64")).dtype.name == dtype


def test_floatx_is_the_dtype_of_layers_that_say_none():
    keras.backend.set_floatx("float64")
    try:
        assert layers.Dense(2)(np.ones((1, 3), "float32")).dtype == tf.float64
        assert keras.Input((3,)).dtype == tf.float64
    finally:
        keras.backend.set_floatx("float32")
    with pytest.raises(ValueError, match="Unknown `floatx` value: int8"):
        keras.backend.set_floatx("int8")


def test_training_is_as_given_else_as_around_else_false():
    outer = Outer()
    outer(tf.ones([1, 2]))
    told = outer.many[1]
    assert told.told is None
    outer(tf.ones([1, 2]), training=True)
    assert told.told is True
    told(tf.ones([1]), training=False)
    assert told.told is False
    model = keras.Sequential([told])
    model(tf.ones([1]), training=True)
    assert told.told is True
    model(tf.ones([1]))
    assert told.told is None


def test_training_without_a_default_is_false():
    class Asked(layers.Layer):
        def call(self, x: Any, training: Any) -> Any:
            return (x, training)

    assert Asked()(tf.ones([1]))[1] is False


def test_masks_go_from_layer_to_layer():
    class Masked(layers.Layer):
        supports_masking = True

        def call(self, x: Any, mask: Any = None) -> Any:
            self.found = mask
            return x

    embedding, dense, end = layers.Embedding(5, 3, mask_zero=True), layers.Dense(2), Masked()
    y = dense(embedding(tf.constant([[1, 2, 0]])))
    assert mask_of(y).numpy().tolist() == [[True, True, False]]
    end(y)
    assert end.found.numpy().tolist() == [[True, True, False]]
    given = tf.constant([[False, True, True]])
    end(y, mask=given)
    assert end.found is given
    end(tf.ones([1, 3, 2]))
    assert end.found is None
    before = weakref.ref(y)
    del y
    gc.collect()
    assert before() is None


def test_a_mask_that_is_lost_is_said():
    y = layers.Embedding(5, 3, mask_zero=True)(tf.constant([[1, 0]]))
    with pytest.warns(UserWarning, match=r"Layer 'scaled' .* does not support masking"):
        Scaled()(y)


def test_losses_of_the_last_call_and_of_weights():
    class Adds(layers.Layer):
        def call(self, x: Any) -> Any:
            self.add_loss(tf.reduce_sum(x))
            return x

    model = keras.Sequential([Scaled(), Adds(), layers.Dense(1, activity_regularizer="l1", kernel_initializer="ones")])
    for x in (tf.ones([1, 2]), 2 * tf.ones([1, 2])):
        model(x)
        found = [float(loss) for loss in model.losses]
        assert found == pytest.approx([float(tf.reduce_sum(x)), 0.01 * float(tf.reduce_sum(x)), 0.02])
    assert [float(loss) for loss in model.layers[0].losses] == pytest.approx([0.02])


def test_losses_that_are_functions():
    layer = Scaled()
    layer.add_loss(lambda: tf.reduce_sum(layer.factor))
    layer(tf.ones([1, 2]))
    assert [float(loss) for loss in layer.losses] == pytest.approx([2.0, 0.02])


def test_a_shared_layer_adds_a_loss_a_call():
    x = keras.Input((2,))
    shared = layers.Dense(2, activity_regularizer="l1", kernel_initializer="ones")
    model = keras.Model(x, shared(shared(x)))
    assert model.losses == []
    for _ in range(2):
        model(tf.ones([1, 2]))
        assert [round(float(loss), 6) for loss in model.losses] == [0.04, 0.08]


def test_configs_give_the_layer_back():
    layer = layers.Dense(3, activation="tanh", kernel_regularizer=keras.regularizers.L2(0.1), dtype="float64", name="d",
                         kernel_initializer=keras.initializers.RandomNormal(stddev=0.1, seed=4))  # fmt: skip
    config = keras.layers.Layer.from_config({"name": "x", "dtype": "float64"}).get_config()
    assert config == {"name": "x", "trainable": True, "dtype": "float64"}
    again = layers.Dense.from_config(layer.get_config())
    assert again.get_config() == layer.get_config()
    x = tf.ones([1, 2], "float64")
    assert (again(x).numpy() == layer(x).numpy()).all()
    assert layers.Dense(1, activation=tf.nn.relu).get_config()["activation"] == "relu"


def test_a_layer_of_several_inputs_is_built_by_their_shapes():
    class Pair(layers.Layer):
        def build(self, query_shape: Any, value_shape: Any, key_shape: Any = None) -> None:
            self.shapes = (query_shape, value_shape, key_shape)

        def call(self, query: Any, value: Any, key: Any = None) -> Any:
            return (query, value, key)

    pair = Pair()
    pair(tf.ones([1, 2]), tf.ones([3]))
    assert pair.shapes == ((1, 2), (3,), None)

    class Several(layers.Layer):
        def build(self, input_shape: Any) -> None:
            self.shape = input_shape

        def call(self, inputs: Any) -> Any:
            return inputs

    several = Several()
    several([tf.ones([1, 2]), tf.ones([3])])
    assert several.shape == [(1, 2), (3,)]


def test_flatten_of_sizes_that_are_not_known():
    flatten = layers.Flatten()
    assert flatten(keras.Input((None, 4))).shape == (None, None)
    assert flatten(keras.Input((3, 4))).shape == (None, 12)
    assert flatten(keras.Input(())).shape == (None, 1)
    assert flatten.compute_output_shape((None, 3, 4)) == (None, 12)
    first = layers.Flatten(data_format="channels_first")(tf.reshape(tf.range(12), [1, 2, 3, 2]))
    assert first.numpy().tolist() == [[0, 6, 1, 7, 2, 8, 3, 9, 4, 10, 5, 11]]
    with pytest.raises(ValueError, match="`data_format` argument must be one of"):
        layers.Flatten("last")


def test_functions_as_layers():
    def scaled(x: Any, by: float, training: Any = None) -> Any:
        return x * by if training else x

    layer = layers.Lambda(scaled, arguments={"by": 3.0})
    assert layer(tf.ones([1]), training=True).numpy().tolist() == [3.0]
    assert layer(tf.ones([1])).numpy().tolist() == [1.0]
    assert layers.Lambda(lambda x: x[:, :2]).compute_output_shape((None, 5)) == (None, 2)
    assert layers.Lambda(lambda x: x, output_shape=(7,)).compute_output_shape((None, 5)) == (None, 7)
    with pytest.raises(ValueError, match="cannot be looked up by its name"):
        layers.Lambda(lambda x: x).get_config()


def test_copies_have_weights_of_their_own():
    outer = Outer()
    x = tf.ones([1, 2])
    y = outer(x).numpy()
    other = copy.deepcopy(outer)
    assert (other(x).numpy() == y).all()
    other.one.factor.assign([5.0, 5.0])
    assert (outer(x).numpy() == y).all()
    assert not (other(x).numpy() == y).all()
    assert other.weights[0] is other.one.factor


def test_a_layer_goes_with_its_last_reference():
    model = keras.Sequential([keras.Input((2,)), layers.Dense(2, activity_regularizer="l1")])
    model(tf.ones([1, 2]))
    before = weakref.ref(model.layers[0].kernel)
    del model
    gc.collect()
    assert before() is None


def test_a_class_of_ones_own_shows_its_own_arguments():
    class Scaled(tf.keras.layers.Layer):
        def __init__(self, factor=2.0, **kwargs):
            super().__init__(**kwargs)
            self.factor = factor

    class Shifted(Scaled):
        def __init__(self, shift, factor=3.0):
            super().__init__(factor)
            self.shift = shift

    assert list(inspect.signature(Scaled).parameters) == ["factor", "kwargs"]
    assert list(inspect.signature(Shifted).parameters) == ["shift", "factor"]
    assert Shifted(1.5).get_config()["shift"] == 1.5
    assert Shifted(1.5, factor=4.0).get_config()["factor"] == 4.0
    assert Scaled(5.0, name="one").get_config()["factor"] == 5.0
