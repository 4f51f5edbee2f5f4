"""Saved models run without their code, as they did with it."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.errors import DataLossError, FailedPreconditionError, NotFoundError, UnimplementedError

ROOT = Path(__file__).parents[2]
RNG = np.random.default_rng(0)


class Net(tf.Module):
    """Two layers, with everything that graphs have: calls, choices, loops, sizes that are not known, counts."""

    def __init__(self):
        super().__init__(name="net")
        self.layers = [
            {"w": tf.Variable(RNG.normal(size=(3, 4)).astype("f"), name="w"), "b": tf.Variable(tf.zeros([4]))},
            {"w": tf.Variable(RNG.normal(size=(4, 2)).astype("f")), "b": tf.Variable(tf.ones([2]))},
        ]
        self.calls = tf.Variable(0, trainable=False, name="calls")

    @tf.function
    def layer(self, x, number, relu=False):
        y = x @ self.layers[number]["w"] + self.layers[number]["b"]
        return tf.nn.relu(y) if relu else y

    @tf.function(input_signature=[tf.TensorSpec([None, 3], name="x")])
    def __call__(self, x):
        self.calls.assign_add(1)
        y = self.layer(self.layer(x, 0, relu=True), 1)
        if tf.reduce_sum(y) > 0.0:
            y = y * 2.0
        for _ in tf.range(tf.shape(x)[0]):
            y = y + 1.0
        return tf.reshape(y, [-1, tf.shape(x)[0]])

    @tf.function(input_signature=[tf.TensorSpec([], tf.int32), tf.TensorSpec([2], tf.complex64)])
    def structured(self, place, z):
        chosen = tf.switch_case(place, [lambda: tf.math.real(z), lambda: tf.math.imag(z)])
        return {"part": chosen, "others": (z[1:], [tf.constant(["a", "b"])])}


@pytest.fixture
def pair(tmp_path):
    net = Net()
    tf.saved_model.save(net, tmp_path / "net", signatures={"serve": net.__call__, "parts": net.structured})
    return net, tf.saved_model.load(tmp_path / "net")


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_what_it_computes(pair, count, sign):
    net, loaded = pair
    x = sign * RNG.normal(size=(count, 3)).astype("f")
    np.testing.assert_array_equal(loaded(tf.constant(x)).numpy(), net(tf.constant(x)).numpy())
    np.testing.assert_array_equal(loaded(x).numpy(), net(tf.constant(x)).numpy())
    assert int(loaded.calls) == 2


def test_structures(pair):
    net, loaded = pair
    z = tf.constant([1.0 + 2.0j, 3.0 - 1.0j], tf.complex64)
    for place in (0, 1):
        ours, theirs = net.structured(place, z), loaded.structured(place, z)
        tf.nest.assert_same_structure(ours, theirs)
        for mine, other in zip(tf.nest.flatten(ours), tf.nest.flatten(theirs), strict=True):
            assert mine.dtype == other.dtype
            assert mine.numpy().tolist() == other.numpy().tolist()


def test_variables_are_there_and_gradients_go_through(pair):
    net, loaded = pair
    assert [v.name for v in loaded.variables] == [v.name for v in net.variables]
    assert len(loaded.trainable_variables) == 4
    assert loaded.layers[0]["w"].name == "w:0"
    x = tf.constant(np.abs(RNG.normal(size=(2, 3))).astype("f"))
    gradients = []
    for model in pair:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(model(x) ** 2)
        gradients.append(tape.gradient(loss, [part["w"] for part in model.layers]))
    for mine, other in zip(*gradients, strict=True):
        np.testing.assert_allclose(mine.numpy(), other.numpy(), rtol=1e-6)
    loaded.layers[1]["b"].assign([100.0, 100.0])
    assert not np.array_equal(loaded(x).numpy(), net(x).numpy())


def test_traces_of_a_method_are_chosen_by_the_arguments(tmp_path):
    net = Net()
    x = tf.constant(RNG.normal(size=(2, 3)).astype("f"))
    net.layer(x, 0)
    net.layer(x, 0, relu=True)
    tf.saved_model.save(net, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    np.testing.assert_array_equal(loaded.layer(x, 0).numpy(), net.layer(x, 0).numpy())
    np.testing.assert_array_equal(loaded.layer(x, relu=True, number=0).numpy(), net.layer(x, 0, relu=True).numpy())
    with pytest.raises(
        ValueError, match=r"(?s)Could not find matching concrete function to call.*Option 1: x=TensorSpec"
    ):
        loaded.layer(x, 7)
    with pytest.raises(ValueError, match="Could not find matching concrete function"):
        loaded.layer(tf.constant([[1, 2, 3]]), 0)


def test_signatures(pair, tmp_path):
    net, loaded = pair
    x = tf.constant([[1.0, 2.0, 3.0]])
    assert set(loaded.signatures) == {"serve", "parts"}
    assert loaded.signatures["serve"](x=x)["output_0"].numpy().tolist() == net(x).numpy().tolist()
    assert loaded.signatures["serve"](x)["output_0"].numpy().tolist() == net(x).numpy().tolist()
    with pytest.raises(TypeError, match="takes x; got 0 positional arguments and y"):
        loaded.signatures["serve"](y=x)

    class One(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([2], name="x")])
        def twice(self, x):
            return {"b": x + x, "a": x}

    tf.saved_model.save(One(), tmp_path / "one")
    (name,) = (one := tf.saved_model.load(tmp_path / "one")).signatures
    assert name == tf.saved_model.DEFAULT_SERVING_SIGNATURE_DEF_KEY
    found = one.signatures[name](x=[1.0, 2.0])
    assert {key: value.numpy().tolist() for key, value in found.items()} == {"a": [1.0, 2.0], "b": [2.0, 4.0]}


def test_inside_a_function_and_saved_again(pair, tmp_path):
    net, loaded = pair
    x = tf.constant(RNG.normal(size=(2, 3)).astype("f"))
    outer = tf.function(lambda x: loaded(x) + 1.0)
    np.testing.assert_array_equal(outer(x).numpy(), net(x).numpy() + 1.0)
    tf.saved_model.save(loaded, tmp_path / "again")
    again = tf.saved_model.load(tmp_path / "again")
    np.testing.assert_array_equal(again(x).numpy(), net(x).numpy())


def test_without_its_code(pair, tmp_path):
    net, _ = pair
    done = subprocess.run(
        [sys.executable, "-m", "tests.saved_model.separate_process", str(tmp_path / "net"), "1", "2", "3"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.strip() == str(net(tf.constant([[1.0, 2.0, 3.0]])).numpy().tolist())


def test_checkpoints_of_what_is_loaded(pair, tmp_path):
    net, loaded = pair
    net.layers[0]["b"].assign([1.0, 2.0, 3.0, 4.0])
    prefix = tf.train.Checkpoint(net=net).write(tmp_path / "values")
    tf.train.Checkpoint(net=loaded).read(prefix).assert_consumed()
    assert loaded.layers[0]["b"].numpy().tolist() == [1.0, 2.0, 3.0, 4.0]


def test_a_keras_model(tmp_path):
    layers = tf.keras.layers
    model = tf.keras.Sequential([layers.Conv2D(3, 3, activation="relu"), layers.BatchNormalization(), layers.Flatten(),
                                 layers.Dropout(0.5), layers.Dense(2, activation="softmax")])  # fmt: skip
    x = tf.constant(RNG.normal(size=(4, 6, 6, 1)).astype("f"))
    expected = model(x).numpy()
    tf.saved_model.save(model, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    np.testing.assert_allclose(loaded(x).numpy(), expected, rtol=1e-6)
    np.testing.assert_allclose(loaded.signatures["serving_default"](x[:1])["output_0"], expected[:1], rtol=1e-5)


def collected(x):
    found = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
    for k in tf.range(tf.shape(x)[0]):
        found = found.write(k, x[k] * tf.cast(k, tf.float32))
    return found.stack(), found.gather([1, 0])


FUNCTIONS = {
    "array": collected,
    "map": lambda x: tf.map_fn(lambda row: tf.reduce_sum(row) * row, x),
    "scan": lambda x: tf.scan(lambda sums, row: sums + row, x, reverse=True),
    "while": lambda x: tf.while_loop(lambda i, x: i < 3, lambda i, x: [i + 1, x * 2.0], [0, x]),
    "slices": lambda x: (x[1:, ..., tf.newaxis], tf.gather(x, [1, 0]), tf.one_hot([1], tf.shape(x)[0])),
    "kinds": lambda x: (tf.cast(x, tf.bfloat16), tf.complex(x, x), tf.range(tf.shape(x)[0]), tf.reduce_max(x, 1)),
    "nothing": lambda x: None,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(tmp_path, name):
    module = tf.Module()
    module.f = tf.function(FUNCTIONS[name], input_signature=[tf.TensorSpec([None, 2])])
    tf.saved_model.save(module, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    x = tf.constant(RNG.normal(size=(3, 2)).astype("f"))
    expected, found = tf.nest.flatten(module.f(x)), tf.nest.flatten(loaded.f(x))
    assert len(found) == len(expected)
    for mine, theirs in zip(expected, found, strict=True):
        if mine is not None:
            assert theirs.dtype == mine.dtype
            np.testing.assert_array_equal(theirs.numpy(), mine.numpy())


@pytest.mark.parametrize("kind", ["LSTM", "GRU"])
def test_recurrent_layers(tmp_path, kind):
    model = tf.keras.Sequential([getattr(tf.keras.layers, kind)(3), tf.keras.layers.Dense(2)])
    x = tf.constant(RNG.normal(size=(2, 4, 3)).astype("f"))
    expected = model(x).numpy()
    tf.saved_model.save(model, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    np.testing.assert_allclose(loaded(x).numpy(), expected, rtol=1e-5)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(loaded(x))
    assert all(gradient is not None for gradient in tape.gradient(loss, loaded.trainable_variables))


# What cannot be.


def test_what_cannot_be_saved(tmp_path):
    outside = tf.Variable(1.0, name="outside")

    class Module(tf.Module):
        pass

    module = Module()
    module.f = tf.function(lambda x: x * outside, input_signature=[tf.TensorSpec([])])
    with pytest.raises(AssertionError, match="references an 'untracked' resource: outside:0"):
        tf.saved_model.save(module, tmp_path)
    module.outside = outside
    tf.saved_model.save(module, tmp_path)
    assert tf.saved_model.contains_saved_model(tmp_path)
    module.f = tf.function(lambda x: tf.py_function(lambda x: x, [x], tf.float32), input_signature=[tf.TensorSpec([])])
    with pytest.raises(
        UnimplementedError, match=r"(?s)EagerPyFunc.* cannot be saved: .*test_saved_model.py: .*py_func"
    ):
        tf.saved_model.save(module, tmp_path)
    module.f = tf.function(lambda x: x + tf.random.normal([]), input_signature=[tf.TensorSpec([])])
    with pytest.raises(UnimplementedError, match="cannot be saved: a number that is drawn at each run"):
        tf.saved_model.save(module, tmp_path)
    assert float(tf.saved_model.load(tmp_path).f(2.0)) == 2.0  # what was there before
    for given in (3, outside, lambda: 3):
        with pytest.raises(ValueError, match="Expected an object with variables as its attributes"):
            tf.saved_model.save(given, tmp_path)
    with pytest.raises(ValueError, match="Expected a TensorFlow function for which to generate a signature"):
        tf.saved_model.save(Module(), tmp_path, signatures=tf.function(lambda x: x))
    (tmp_path / "file").write_text("")
    with pytest.raises(FailedPreconditionError, match=r"Cannot write a saved model to .*file: File exists"):
        tf.saved_model.save(Module(), tmp_path / "file")


def test_what_cannot_be_loaded(tmp_path):
    assert not tf.saved_model.contains_saved_model(tmp_path)
    with pytest.raises(OSError, match="SavedModel file does not exist at") as caught:
        tf.saved_model.load(tmp_path)
    assert isinstance(caught.value, NotFoundError)
    tf.saved_model.save(Net(), tmp_path)
    for pattern in ("*.index", "*.safetensors"):
        (path,) = tmp_path.glob(pattern)
        whole = path.read_bytes()
        for damaged in (whole[:-3], whole[:60] + b"?" + whole[61:]):
            path.write_bytes(damaged)
            with pytest.raises(DataLossError, match=path.name.replace(".", r"\.")):
                tf.saved_model.load(tmp_path)
        path.write_bytes(whole)
    tf.saved_model.load(tmp_path)
