"""Models: made as chains, of inputs and outputs, and as classes; what goes wrong with them."""

from __future__ import annotations

import gc
import json
import weakref
from typing import Any

import numpy as np
import pytest

import tapeviz as tf

keras, layers = tf.keras, tf.keras.layers


@pytest.fixture(autouse=True)
def _names_begin_anew():
    keras.backend.clear_session()


class Net(keras.Model):
    """Two layers, one of them a model."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.first = layers.Dense(3)
        self.inner = keras.Sequential([layers.Dense(2)])

    def call(self, x: Any) -> Any:
        return self.inner(self.first(x))


def test_a_chain_is_built_by_its_first_input():
    model = keras.Sequential([layers.Dense(4), layers.Dense(2)])
    assert (model.built, model.weights, model.name) == (False, [], "sequential")
    y = model(np.ones((5, 3)))
    assert (y.shape, model.input_shape, model.output_shape) == ((5, 2), (None, 3), (None, 2))
    assert [weight.name for weight in model.weights] == [
        "dense/kernel:0", "dense/bias:0", "dense_1/kernel:0", "dense_1/bias:0",
    ]  # fmt: skip
    assert model(np.ones((7, 3))).shape == (7, 2)


@pytest.mark.parametrize("first", [
    {"input_shape": (None, 3)}, {"batch_input_shape": (None, None, 3)}, {"input_shape": [None, 3]},
])  # fmt: skip
def test_a_chain_whose_first_layer_says_what_comes_in(first: Any):
    model = keras.Sequential([layers.Dense(4, **first), layers.Dense(2)])
    assert (model.built, model.input_shape, model.output_shape) == (True, (None, None, 3), (None, None, 2))
    assert keras.Sequential([layers.Dense(1, input_dim=3)]).input_shape == (None, 3)


def test_a_chain_grows_and_shrinks():
    model = keras.Sequential()
    model.add(keras.Input((3,)))
    model.add(layers.Dense(4))
    model.add(layers.Dense(2))
    assert (model.output_shape, len(model.layers)) == ((None, 2), 2)
    gone = model.pop()
    assert (gone.units, model.output_shape, len(model.weights)) == (2, (None, 4), 2)
    model.add(layers.Dense(7))
    assert model(tf.ones([1, 3])).shape == (1, 7)
    for _ in range(2):
        model.pop()
    with pytest.raises(IndexError, match="There are no layers in the model 'sequential'"):
        model.pop()


def test_what_cannot_be_in_a_chain():
    model = keras.Sequential([layers.Dense(2, name="a"), layers.Dense(2)])
    with pytest.raises(ValueError, match=r"Only instances of `keras.Layer` can be added .* Received: 3 "):
        model.add(3)
    with pytest.raises(ValueError, match=r"Put the function into a `keras.layers.Lambda`"):
        model.add(lambda x: x)
    with pytest.raises(ValueError, match=r'unique names. Name "a" is already the name of a layer'):
        model.add(layers.Dense(2, name="a"))
    with pytest.raises(ValueError, match=r"Sequential model empty cannot be built because it has no layers"):
        keras.Sequential(name="empty")(tf.ones([1, 2]))
    built = keras.Sequential([keras.Input((3,)), layers.Dense(2)])
    with pytest.raises(ValueError, match=r"expected min_ndim=4, found ndim=2"):
        built.add(layers.Conv2D(2, 3))
    assert len(built.layers) == 1
    assert built(tf.ones([1, 3])).shape == (1, 2)


def test_a_layer_that_needs_values_is_built_in_its_turn():
    class Counting(layers.Layer):
        def call(self, x: Any) -> Any:
            return x + float(np.sum(x.numpy()))

    model = keras.Sequential([Counting(), layers.Dense(2)])
    assert model(tf.ones([1, 3])).shape == (1, 2)
    assert len(model.weights) == 2


def test_models_of_inputs_and_outputs():
    x, y = keras.Input((3,), name="x"), keras.Input((2,), name="y")
    shared = layers.Dense(2, name="shared", kernel_initializer="ones")
    both = tf.concat([shared(x), tf.nn.relu(y) * 2.0], axis=-1)
    model = keras.Model(inputs={"x": x, "y": y}, outputs=[both, shared(x) - 1.0], name="m")
    given = {"x": np.array([[1.0, 2.0, 3.0]]), "y": np.array([[-1.0, 4.0]])}
    first, second = model(given)
    assert first.numpy().tolist() == [[6.0, 6.0, 0.0, 8.0]]
    assert second.numpy().tolist() == [[5.0, 5.0]]
    assert [layer.name for layer in model.layers] == ["y", "x", "shared"]  # the farthest from the outputs first
    assert model.get_layer("shared") is shared
    assert model.get_layer(index=2) is shared
    assert (model.input_names, model.output_shape) == (["x", "y"], [(None, 4), (None, 2)])
    again = keras.Model.from_config(json.loads(json.dumps(model.get_config())))
    assert again(given)[0].numpy().tolist() == first.numpy().tolist()
    found = tf.function(model)({key: tf.constant(value, "float32") for key, value in given.items()})
    assert found[0].numpy().tolist() == first.numpy().tolist()


def test_a_model_of_a_part_of_a_model():
    x = keras.Input((3,))
    h = layers.Dense(4, name="hidden")(x)
    model = keras.Model(x, layers.Dense(2)(h))
    part = keras.Model(model.input, model.get_layer("hidden").output)
    rest = keras.Model(h, model.output)
    given = tf.ones([2, 3])
    assert part.layers[1] is model.layers[1]
    assert np.allclose(rest(part(given)), model(given))


def test_models_in_models_share_their_weights():
    inner = keras.Sequential([keras.Input((3,)), layers.Dense(3, name="d")], name="inner")
    x = keras.Input((3,))
    model = keras.Model(x, inner(inner(x)))
    assert [weight.name for weight in model.weights] == ["d/kernel:0", "d/bias:0"]
    inner.layers[0].set_weights([2 * np.eye(3), np.zeros(3)])
    assert model(np.ones((1, 3))).numpy().tolist() == [[4.0, 4.0, 4.0]]


@pytest.mark.parametrize("size", [2, 5])
def test_sizes_that_are_known_when_a_model_runs(size: int):
    x = keras.Input((None, 4))
    rows = tf.shape(x)[0]
    flat = tf.reshape(x, [rows, tf.shape(x)[1] * 4])
    model = keras.Model(x, [flat, tf.zeros([rows, 2])])
    value = np.ones((3, size, 4))
    assert [tuple(y.shape) for y in model(value)] == [(3, 4 * size), (3, 2)]
    traced = tf.function(model)
    assert traced(tf.constant(value, "float32"))[0].shape == (3, 4 * size)
    spec = tf.TensorSpec([None, None, 4])
    assert traced.get_concrete_function(spec)(tf.ones([1, size, 4]))[0].shape == (1, 4 * size)


def test_operators_and_indices_on_inputs():
    x = keras.Input((3,))
    model = keras.Model(x, -(x[:, 1:] ** 2.0) / (1.0 + x[:, :1]) @ tf.ones([2, 1]))
    assert model(np.array([[1.0, 2.0, 4.0]])).numpy().tolist() == [[-10.0]]
    again = keras.Model.from_config(json.loads(json.dumps(model.get_config())))
    assert again(np.array([[1.0, 2.0, 4.0]])).numpy().tolist() == [[-10.0]]
    assert [type(layer).__name__ for layer in model.layers] == ["InputLayer"]


def test_inputs_of_another_dtype_or_rank_are_fitted():
    x = keras.Input((1,))
    model = keras.Model(x, 2.0 * x)
    assert model(np.arange(3)).numpy().tolist() == [[0.0], [2.0], [4.0]]
    one = keras.Input((3,), dtype="int32")
    model = keras.Model(one, layers.Embedding(5, 2, embeddings_initializer="ones")(one))
    assert model(np.ones((2, 3))).shape == (2, 3, 2)


def test_arguments_of_calls_are_kept():
    class Twice(layers.Layer):
        def call(self, x: Any, by: float = 1.0, training: Any = None) -> Any:
            return {"a": x * by, "b": (x, x + (1.0 if training else 0.0))}

    x = keras.Input((2,))
    out = Twice()(x, by=3.0, training=True)
    model = keras.Model(x, [out["a"], out["b"][1]])
    assert [y.numpy().tolist() for y in model(tf.ones([1, 2]))] == [[[3.0, 3.0]], [[2.0, 2.0]]]


def test_models_that_cannot_be_made():
    x, y = keras.Input((2,), name="x"), keras.Input((2,), name="y")
    with pytest.raises(ValueError, match=r"not connected to its inputs alone: they need .*'y:0'.* among the inputs"):
        keras.Model(x, layers.Add()([x, y]))
    with pytest.raises(ValueError, match=r"All `inputs` values must be KerasTensors"):
        keras.Model(tf.ones([1]), x)
    with pytest.raises(ValueError, match=r"contains the same input multiple times"):
        keras.Model([x, x], x * 2.0)
    with pytest.raises(ValueError, match=r"made of `inputs` and `outputs`; one of them is missing"):
        keras.Model(inputs=x)
    same = [layers.Dense(2, name="d"), layers.Dense(2, name="d")]
    with pytest.raises(ValueError, match=r'The name "d" is used 2 times in the model'):
        keras.Model(x, same[1](same[0](x)))
    with pytest.raises(ValueError, match=r"The variable 'v:0' is used by an op on inputs of a model"):
        x * tf.Variable([1.0, 2.0], name="v")
    with pytest.raises(ValueError, match=r"You must pass a `shape` argument"):
        keras.Input()
    with pytest.raises(ValueError, match=r"cannot pass both `shape` and `batch_shape`"):
        keras.Input((1,), batch_shape=(1, 1))


def test_inputs_that_a_model_cannot_take():
    x, y = keras.Input((2,), name="x"), keras.Input((3,), name="y")
    model = keras.Model({"x": x, "y": y}, tf.concat([x, y], -1), name="m")
    with pytest.raises(ValueError, match=r"Missing data for input \"y\".* keys \['x'\]. Expected .* \['x', 'y'\]"):
        model({"x": tf.ones([1, 2])})
    with pytest.raises(ValueError, match=r"Layer \"m\" expects 2 input\(s\), \['x', 'y'\], but it received 1"):
        model(tf.ones([1, 2]))
    with pytest.raises(
        ValueError, match=r"Input 1 of layer \"m\" .*: expected shape=\(None, 3\), found shape=\(1, 4\)"
    ):
        model({"x": tf.ones([1, 2]), "y": tf.ones([1, 4])})


def test_models_as_classes():
    net = Net()
    assert (net.built, net.weights) == (False, [])
    assert net(np.ones((2, 4))).shape == (2, 2)
    assert [weight.name for weight in net.weights] == [
        "net/dense/kernel:0", "net/dense/bias:0", "net/dense_1/kernel:0", "net/dense_1/bias:0",
    ]  # fmt: skip
    assert [layer.name for layer in net.layers] == ["dense", "sequential"]
    assert net.get_config() == {"name": "net", "trainable": True, "dtype": "float32"}
    clone = keras.models.clone_model(net)
    assert (type(clone), clone.built) == (Net, False)
    built = Net()
    built.build((None, 4))
    assert (built.built, len(built.weights)) == (True, 4)


def test_a_class_says_what_it_lacks():
    class Sized(keras.Model):
        def __init__(self, size: int) -> None:
            super().__init__()
            self.size = size

    assert Sized(2).get_config() == Sized(size=2).get_config() == {"size": 2}
    with pytest.raises(NotImplementedError, match=r"Sized has arguments \['size'\] that are not plain"):
        Sized(np.int64).get_config()
    with pytest.raises(NotImplementedError, match=r"Model Sized does not have a `call\(\)` method"):
        Sized(2)(tf.ones([1]))
    with pytest.raises(ValueError, match=r"No such layer: x. Existing layers are: \['dense', 'sequential'\]"):
        Net().get_layer("x")
    with pytest.raises(ValueError, match="index 5 but model only has 2 layers"):
        Net().get_layer(index=5)
    with pytest.raises(ValueError, match="Provide either a layer name or layer index"):
        Net().get_layer()
    with pytest.raises(ValueError, match="You can only build the model 'net_3' with the shape of its inputs"):
        Net().build()


def test_summaries_before_and_after_building():
    net = Net(name="n")
    lines: list[str] = []
    net.summary(print_fn=lambda text: lines.extend(text.splitlines()))
    assert lines[0] == 'Model: "n"'
    assert lines[4].split("│")[1:4] == [f" {'dense (Dense)':31} ", f" {'?':22} ", f" {'0 (unbuilt)':>13} "]
    net(tf.ones([2, 4]))
    lines.clear()
    net.summary(print_fn=lambda text: lines.extend(text.splitlines()), expand_nested=True, show_trainable=True)
    rows = [[part.strip() for part in line.split("│")[1:-1]] for line in lines if line.startswith("│")]
    assert rows == [
        ["dense (Dense)", "(2, 3)", "15", "Y"], ["sequential (Sequential)", "(2, 2)", "8", "Y"],
        ["└ dense_1 (Dense)", "(None, 2)", "8", "Y"],
    ]  # fmt: skip
    assert lines[-3] == " Total params: 23 (92.00 B)"
    assert len({len(line) for line in lines[1:-3]}) == 1
    with pytest.raises(ValueError, match=r"names of two layers of the model. Received: \['dense', 'x'\]"):
        net.summary(layer_range=["dense", "x"])


def test_clones_by_a_function_and_from_other_inputs():
    x = keras.Input((3,))
    model = keras.Model(x, layers.Lambda(lambda v: v + 1.0)(layers.Dense(2, name="d")(x)))
    other = keras.Input((3,), name="other")
    wider = lambda layer: layers.Dense(5) if layer.name == "d" else layer  # noqa: E731
    clone = keras.models.clone_model(model, input_tensors=other, clone_function=wider)
    assert (clone.output_shape, clone.input_names) == ((None, 5), ["other"])
    assert keras.models.clone_model(model)(tf.ones([1, 3])).shape == (1, 2)
    with pytest.raises(ValueError, match="Expected `model` argument to be a `Model` instance"):
        keras.models.clone_model(layers.Dense(1))


def test_registered_classes_come_back():
    @keras.saving.register_keras_serializable(package="tests")
    class Doubled(layers.Layer):
        def call(self, x: Any) -> Any:
            return 2.0 * x

    model = keras.Sequential([keras.Input((2,)), Doubled()])
    config = model.get_config()
    assert config["layers"][1]["registered_name"] == "tests>Doubled"
    assert isinstance(keras.Sequential.from_config(config).layers[0], Doubled)
    with pytest.raises(ValueError, match=r"Unknown object: 'Nothing' of 'keras.layers'"):
        keras.saving.deserialize_keras_object({"module": "keras.layers", "class_name": "Nothing", "config": {}})
    with pytest.raises(ValueError, match="Unknown object: 'system' of 'os'"):
        keras.saving.deserialize_keras_object({"module": "os", "class_name": "system", "config": {"command": "true"}})
    with pytest.raises(ValueError, match="'clone_model' is not a class"):
        keras.saving.deserialize_keras_object({"module": "keras.models", "class_name": "clone_model", "config": {}})
    with keras.utils.custom_object_scope({"Mine": Doubled}):
        assert isinstance(keras.saving.deserialize_keras_object({"class_name": "Mine", "config": {}}), Doubled)


def test_a_model_goes_with_its_last_reference():
    x = keras.Input((2,))
    model = keras.Model(x, layers.Dense(3)(x))
    model(tf.ones([1, 2]))
    before = weakref.ref(model.weights[0])
    del model, x
    gc.collect()
    assert before() is None


def test_what_comes_in_gets_the_rank_and_the_dtype_of_what_was_said_to_come():
    line = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=[1])])
    line.compile("sgd", "mse")
    line.fit(np.arange(6.0), np.arange(6.0), verbose=0)
    assert line.predict(np.array([10.0]), verbose=0).shape == (1, 1)
    assert line(np.ones((3, 1, 1), "float32")).shape == (3, 1)
    pixels = np.full((2, 8, 8, 1), 200, "uint8")
    for said in ({"input_shape": (8, 8, 1)}, {}):
        picture = tf.keras.Sequential([tf.keras.layers.Conv2D(2, 3, **said)])
        np.testing.assert_allclose(picture(pixels), picture(pixels.astype("float32")), rtol=1e-6)
    words = tf.keras.Sequential([tf.keras.layers.Embedding(3, 2, input_length=4)])
    assert words(np.zeros((2, 4), "int64")).shape == (2, 4, 2)
    assert words(np.zeros((2, 5), "int64")).shape == (2, 5, 2)
