"""``Model.save`` and ``load_model``: models come back without the code that made them."""

import random
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.errors import DataLossError, FailedPreconditionError

layers = tf.keras.layers
ROOT = Path(__file__).parents[3]
RNG = np.random.default_rng(0)


def normal(*shape):
    return RNG.normal(size=shape).astype("f")


def there_and_back(model, path, **options):
    model.save(path / "model.keras")
    return tf.keras.models.load_model(path / "model.keras", **options)


PICTURES, ROWS, STEPS = (2, 8, 8, 3), (3, 5), (2, 6, 4)
LAYERS = {
    "dense": (layers.Dense(3, activation="relu", kernel_regularizer="l2", bias_constraint="non_neg"), ROWS),
    "conv": (layers.Conv2D(4, 3, strides=2, padding="same", dilation_rate=1, activation="gelu"), PICTURES),
    "conv1d": (layers.Conv1D(4, 3, padding="causal"), STEPS),
    "transposed": (layers.Conv2DTranspose(4, 3, strides=2), PICTURES),
    "depthwise": (layers.DepthwiseConv2D(3, depth_multiplier=2), PICTURES),
    "separable": (layers.SeparableConv2D(5, 3), PICTURES),
    "pooling": (layers.MaxPooling2D(2), PICTURES),
    "global": (layers.GlobalAveragePooling2D(keepdims=True), PICTURES),
    "padding": (layers.ZeroPadding2D(((1, 2), (0, 1))), PICTURES),
    "upsampling": (layers.UpSampling2D(2), PICTURES),
    "batch": (layers.BatchNormalization(momentum=0.9), PICTURES),
    "layer": (layers.LayerNormalization(), ROWS),
    "dropout": (layers.Dropout(0.5), ROWS),
    "flatten": (layers.Flatten(), PICTURES),
    "reshape": (layers.Reshape((-1, 2)), STEPS),
    "permute": (layers.Permute((2, 1)), STEPS),
    "rnn": (layers.SimpleRNN(3, return_sequences=True), STEPS),
    "lstm": (layers.LSTM(3), STEPS),
    "gru": (layers.GRU(3, reset_after=False), STEPS),
    "bidirectional": (layers.Bidirectional(layers.LSTM(3, return_sequences=True)), STEPS),
    "distributed": (layers.TimeDistributed(layers.Dense(2)), STEPS),
    "activation": (layers.Activation("tanh"), ROWS),
    "relu": (layers.ReLU(max_value=1.0), ROWS),
    "leaky": (layers.LeakyReLU(negative_slope=0.1), ROWS),
}  # fmt: skip


@pytest.mark.parametrize("name", LAYERS)
def test_layers_come_back(tmp_path, name):
    layer, shape = LAYERS[name]
    model = tf.keras.Sequential([layer])
    x = tf.constant(normal(*shape))
    expected = model(x).numpy()
    loaded = there_and_back(model, tmp_path)
    assert type(loaded) is tf.keras.Sequential
    assert type(loaded.layers[0]) is type(layer)
    assert loaded.layers[0].get_config() == layer.get_config()
    np.testing.assert_array_equal(loaded(x).numpy(), expected)


def test_embedding_and_attention(tmp_path):
    inputs = tf.keras.Input((6,), dtype="int32")
    found = layers.Embedding(10, 4)(inputs)
    found = layers.MultiHeadAttention(2, 3)(found, found)
    model = tf.keras.Model(inputs, layers.Dense(1)(found))
    x = tf.constant(RNG.integers(0, 10, (2, 6)), tf.int32)
    loaded = there_and_back(model, tmp_path)
    np.testing.assert_array_equal(loaded(x).numpy(), model(x).numpy())


def branched():
    one, other = tf.keras.Input((4,), name="one"), tf.keras.Input((3,), name="other")
    shared = layers.Dense(5, activation="relu", name="shared")
    first, second = shared(one), shared(layers.Dense(4)(other))
    joined = layers.Concatenate()([layers.Add()([first, second]), first])
    return tf.keras.Model([one, other], {"big": layers.Dense(3, name="big")(joined), "small": layers.Dense(1)(second)})


def test_functional_models_with_several_inputs_and_shared_layers(tmp_path):
    model = branched()
    given = [tf.constant(normal(2, 4)), tf.constant(normal(2, 3))]
    loaded = there_and_back(model, tmp_path)
    assert loaded.count_params() == model.count_params()
    expected, found = model(given), loaded(given)
    assert set(found) == {"big", "small"}
    for key, value in expected.items():
        np.testing.assert_array_equal(found[key].numpy(), value.numpy())


@pytest.mark.parametrize("optimizer", ["adam", tf.keras.optimizers.SGD(0.1, momentum=0.9, nesterov=True)])
def test_training_goes_on(tmp_path, optimizer):
    """The optimizer's state, and what compile was told, are in the file."""
    model = tf.keras.Sequential([layers.Dense(4, activation="tanh"), layers.BatchNormalization(), layers.Dense(1)])
    x, y = normal(32, 3), normal(32, 1)
    model.compile(optimizer, "mse", metrics=["mae"])
    model.fit(x, y, epochs=2, verbose=0, shuffle=False)
    loaded = there_and_back(model, tmp_path)
    assert int(loaded.optimizer.iterations) == int(model.optimizer.iterations)
    assert loaded.optimizer.get_config() == model.optimizer.get_config()
    more = [each.fit(x, y, epochs=2, verbose=0, shuffle=False).history for each in (model, loaded)]
    assert more[0] == more[1]
    assert len(more[0]) == 2
    bare = tf.keras.models.load_model(tmp_path / "model.keras", compile=False)
    assert not bare.compiled
    np.testing.assert_array_equal(bare(x[:1]).shape, (1, 1))


class Scaled(layers.Layer):
    def __init__(self, factor, **options):
        super().__init__(**options)
        self.factor = factor

    def call(self, x):
        return x * self.factor

    def get_config(self):
        return {**super().get_config(), "factor": self.factor}


class Own(tf.keras.Model):
    def __init__(self, units, **options):
        super().__init__(**options)
        self.units = units
        self.inner = layers.Dense(units)
        self.scaled = Scaled(2.0)

    def call(self, x):
        return self.scaled(self.inner(x))

    def get_config(self):
        return {**super().get_config(), "units": self.units}


def shifted(x):
    return x + 1.0


def test_classes_and_functions_of_ones_own(tmp_path):
    x = tf.constant(normal(2, 3))
    model = Own(4)
    expected = model(x).numpy()
    objects = {"Own": Own, "Scaled": Scaled}
    loaded = there_and_back(model, tmp_path, custom_objects=objects)
    assert type(loaded) is Own
    np.testing.assert_array_equal(loaded(x).numpy(), expected)
    with pytest.raises(ValueError, match=r"'Own'.*custom_objects"):
        tf.keras.models.load_model(tmp_path / "model.keras")
    with tf.keras.utils.custom_object_scope(objects):
        tf.keras.models.load_model(tmp_path / "model.keras")
    model = tf.keras.Sequential([layers.Dense(2, activation=shifted), layers.Lambda(shifted)])
    expected = model(x).numpy()
    loaded = there_and_back(model, tmp_path, custom_objects={"shifted": shifted})
    np.testing.assert_array_equal(loaded(x).numpy(), expected)


def test_without_its_code(tmp_path):
    model = tf.keras.Sequential([layers.Dense(4, activation="relu"), layers.Dense(1)])
    x = normal(1, 3)
    expected = model(x).numpy().tolist()
    model.save(tmp_path / "model.keras")
    program = (
        "import sys, tapeviz as tf\nmodel = tf.keras.models.load_model(sys.argv[1])\n"
        f"print(model(tf.constant({x.tolist()})).numpy().tolist())"
    )
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path / "model.keras")], cwd=ROOT,
                          capture_output=True, text=True, check=True)  # fmt: skip
    assert done.stdout.strip() == str(expected)


def test_export_of_several_inputs(tmp_path):
    model = branched()
    one, other = normal(2, 4), normal(2, 3)
    expected = model([tf.constant(one), tf.constant(other)])
    model.export(tmp_path / "folder")
    found = tf.saved_model.load(tmp_path / "folder").signatures["serving_default"](one=one, other=other)
    assert set(found) == set(expected)
    for name, value in expected.items():
        np.testing.assert_allclose(found[name].numpy(), value.numpy(), rtol=1e-5)


def test_export(tmp_path):
    model = tf.keras.Sequential([layers.Dense(4, activation="relu"), layers.Dense(2)])
    x = tf.constant(normal(3, 5))
    expected = model(x).numpy()
    model.export(tmp_path / "folder")
    loaded = tf.saved_model.load(tmp_path / "folder")
    np.testing.assert_allclose(loaded.signatures["serving_default"](x)["output_0"].numpy(), expected, rtol=1e-6)
    model.export(tmp_path / "model.onnx", format="onnx")
    import onnxruntime

    session = onnxruntime.InferenceSession(tmp_path / "model.onnx")
    (found,) = session.run(None, {session.get_inputs()[0].name: x.numpy()})
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    with pytest.raises(ValueError, match="Unrecognized format=other"):
        model.export(tmp_path / "x", format="other")
    with pytest.raises(ValueError, match="has not yet been built"):
        tf.keras.Sequential([layers.Dense(4)]).export(tmp_path / "x")


def test_names_of_older_programs_hold_the_same(tmp_path):
    model = tf.keras.Sequential([layers.Dense(2)])
    x = tf.ones([1, 2])
    before = model(x).numpy()
    for name in ("model", "model.h5"):
        with pytest.warns(UserWarning, match="neither HDF5 nor a folder"):
            model.save(tmp_path / name)
        np.testing.assert_array_equal(tf.keras.models.load_model(tmp_path / name)(x).numpy(), before)
    tf.keras.models.save_model(model, tmp_path / "model.keras")


# What cannot be.


def test_what_cannot_be_saved(tmp_path):
    model = tf.keras.Sequential([layers.Dense(2)])
    model(tf.ones([1, 2]))
    with pytest.raises(ValueError, match="Invalid filepath extension for saving"):
        model.save(tmp_path / "model.zip")
    model.save(tmp_path / "model.keras")
    with pytest.raises(FileExistsError, match="overwrite=False"):
        model.save(tmp_path / "model.keras", overwrite=False)
    with pytest.raises(FailedPreconditionError, match="Cannot write a model to"):
        model.save(tmp_path / "model.keras" / "inside.keras")
    with pytest.raises(ValueError, match="cannot be looked up by its name"):
        tf.keras.Sequential([layers.Lambda(lambda x: x)]).save(tmp_path / "lambda.keras")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model.keras"]


def test_damaged_files(tmp_path):
    """A flipped bit or a cut is found, or does not matter."""
    model = tf.keras.Sequential([layers.Dense(3), layers.Dense(2)])
    x = tf.constant(normal(2, 4))
    expected = model(x).numpy()
    path = tmp_path / "model.keras"
    model.save(path)
    whole, chance, found = path.read_bytes(), random.Random(0), 0
    for turn in range(60):
        content = bytearray(whole)
        if turn % 3:
            place = chance.randrange(8 * len(content))
            content[place // 8] ^= 1 << place % 8
        else:
            del content[chance.randrange(len(content)) :]
        path.write_bytes(content)
        try:
            loaded = tf.keras.models.load_model(path)
        except DataLossError as error:
            found += "model.keras" in str(error)
        else:
            np.testing.assert_array_equal(loaded(x).numpy(), expected)
    assert found > 45
    with pytest.raises(ValueError, match=r"File not found: filepath=.*none\.keras"):
        tf.keras.models.load_model(tmp_path / "none.keras")


def test_files_hold_no_code(tmp_path):
    model = tf.keras.Sequential([layers.Dense(3)])
    model(tf.ones([1, 2]))
    model.save(tmp_path / "model.keras")
    with zipfile.ZipFile(tmp_path / "model.keras") as archive:
        names = archive.namelist()
    assert sorted(Path(name).suffix for name in names) == [".index", ".json", ".json", ".safetensors"]


class Stretched(layers.Layer):
    """Says nothing of its config; its arguments are plain."""

    def __init__(self, factors, power=1, **options):
        super().__init__(**options)
        self.factors, self.power = factors, power

    def call(self, x):
        return x**self.power * tf.constant(self.factors)


class Silent(tf.keras.Model):
    """Says nothing of its config either, and takes no name."""

    def __init__(self, units):
        super().__init__()
        self.inner = layers.Dense(units)

    def call(self, x):
        return self.inner(x)


def test_arguments_that_a_class_does_not_say(tmp_path):
    layer = Stretched([1.0, 2.0], power=2, name="s")
    assert layer.get_config() == {
        "factors": [1.0, 2.0], "power": 2, "name": "s", "trainable": True, "dtype": "float32"
    }  # fmt: skip
    x = tf.constant(normal(2, 2))
    model = tf.keras.Sequential([layer])
    expected = model(x).numpy()
    loaded = there_and_back(model, tmp_path, custom_objects={"Stretched": Stretched})
    np.testing.assert_array_equal(loaded(x).numpy(), expected)
    silent = Silent(3)
    expected = silent(x).numpy()
    assert silent.get_config() == {"units": 3}
    loaded = there_and_back(silent, tmp_path, custom_objects={"Silent": Silent})
    np.testing.assert_array_equal(loaded(x).numpy(), expected)
    with pytest.raises(NotImplementedError, match=r"Stretched has arguments \['factors'\]"):
        tf.keras.Sequential([Stretched(np.ones(2))]).save(tmp_path / "other.keras")
