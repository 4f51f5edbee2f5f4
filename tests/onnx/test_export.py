"""Functions written as ONNX give in onnxruntime what they give here."""

import sys

import numpy as np
import onnx
import onnxruntime
import pytest

import tapeviz as tf
from tapeviz.errors import UnimplementedError

RNG = np.random.default_rng(0)


def normal(*shape, dtype="float32"):
    return np.asarray(RNG.normal(size=shape), dtype)


def run(model, arrays):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(model.SerializeToString(), options)
    return session.run(
        None, {given.name: array for given, array in zip(session.get_inputs(), map(np.asarray, arrays), strict=True)}
    )


def agree(function, *arrays, open_axes=True, rtol=1e-5, atol=1e-5):
    """Trace for arrays of these forms, with an open first axis, and compare."""
    specs = [
        tf.TensorSpec([None, *array.shape[1:]] if open_axes and array.ndim else array.shape, array.dtype)
        for array in arrays
    ]
    model = tf.onnx.export(function, input_signature=specs)
    expected = tf.nest.flatten(function(*map(tf.constant, arrays)))
    found = run(model, arrays)
    assert len(found) == len(expected)
    for ours, theirs in zip(expected, found, strict=True):
        assert theirs.dtype == ours.numpy().dtype
        assert theirs.shape == tuple(ours.shape)
        np.testing.assert_allclose(theirs, ours.numpy(), rtol=rtol, atol=atol)
    return model


ELEMENTWISE = [
    "abs", "acos", "asin", "asinh", "atan", "ceil", "cos", "cosh", "erf", "exp", "expm1", "floor", "identity",
    "is_nan", "negative", "reciprocal", "round", "sigmoid", "sign", "sin", "sinh", "square", "tan", "tanh",
    "log_sigmoid", "softplus", "softsign", "reduce_std", "reduce_variance", "reduce_max", "reduce_logsumexp",
    "zeros_like", "ones_like", "shape", "size", "rank",
]  # fmt: skip


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_functions_of_one_tensor(name):
    function = getattr(tf, name, None) or getattr(tf.math, name, None) or getattr(tf.nn, name)
    agree(function, np.clip(normal(4, 3), -0.9, 0.9))


@pytest.mark.parametrize(
    "name", ["relu", "relu6", "elu", "selu", "silu", "gelu", "leaky_relu", "softmax", "log_softmax"]
)
def test_activations(name):
    agree(getattr(tf.nn, name), 4.0 * normal(5, 7))


@pytest.mark.parametrize("name", ["log", "log1p", "sqrt", "rsqrt", "acosh"])
def test_functions_of_positive_numbers(name):
    agree(getattr(tf.math, name), 1.0 + np.abs(normal(4, 3)))


PAIRS = [
    "add", "subtract", "multiply", "divide", "maximum", "minimum", "squared_difference", "floordiv", "floormod",
    "equal", "not_equal", "less", "less_equal", "greater", "greater_equal",
]  # fmt: skip


@pytest.mark.parametrize("name", PAIRS)
def test_functions_of_two_tensors(name):
    agree(getattr(tf.math, name), normal(4, 3), normal(1, 3), open_axes=False)


@pytest.mark.parametrize("name", ["add", "floordiv", "floormod", "maximum"])
def test_whole_numbers(name):
    x, y = np.arange(-6, 6, dtype="int32").reshape(4, 3), np.array([[-4, 3, 5]], "int32")
    agree(getattr(tf.math, name), x, y, open_axes=False)


SHAPING = {
    "reshape": lambda x: tf.reshape(x, [tf.shape(x)[0] * 2, -1]),
    "reshape_to_known": lambda x: tf.reshape(x, [-1, 4]),
    "floor_of_sizes": lambda x: tf.reshape(x, [tf.shape(x)[0] // 2, -1]),
    "transpose": lambda x: tf.transpose(x, [1, 0, 2]),
    "transpose_all": tf.transpose,
    "expand": lambda x: tf.expand_dims(x, -1),
    "squeeze": lambda x: tf.squeeze(x[:, :1], 1),
    "concat": lambda x: tf.concat([x, 2.0 * x], 1),
    "stack": lambda x: tf.stack([x, x + 1.0], 1),
    "split": lambda x: tf.split(x, 2, 1),
    "split_sizes": lambda x: tf.split(x, [1, 3], 1),
    "unstack": lambda x: tf.unstack(x, axis=1),
    "slices": lambda x: x[1:, ::2, tf.newaxis, 1],
    "ellipsis": lambda x: x[..., -1],
    "backwards": lambda x: x[::-1, 2:0:-1],
    "last": lambda x: x[-1],
    "pad": lambda x: tf.pad(x, [[0, 0], [1, 2], [0, 1]], constant_values=3.0),
    "reflect": lambda x: tf.pad(x, [[0, 0], [1, 2], [0, 1]], "REFLECT"),
    "tile": lambda x: tf.tile(x, [1, 2, 1]),
    "broadcast": lambda x: tf.broadcast_to(x[:, :1], [tf.shape(x)[0], 4, 3]),
    "fill": lambda x: x + tf.fill([tf.shape(x)[0], 1, 1], 2.0),
    "zeros": lambda x: x + tf.zeros([tf.shape(x)[0], 1, 1]) + tf.ones([4, 1]),
    "range": lambda x: tf.range(tf.shape(x)[0]),
    "range_of_floats": lambda x: x + tf.range(0.0, 3.0),
    "reverse": lambda x: tf.reverse(x, [1, 2]),
    "gather": lambda x: tf.gather(x, [2, 0], axis=1),
    "gather_nd": lambda x: tf.gather_nd(x, [[0, 1], [1, 2]]),
    "where": lambda x: tf.where(x > 0.0, x, tf.zeros_like(x)),
    "cast": lambda x: tf.cast(x, tf.int32),
    "one_hot": lambda x: tf.one_hot(tf.constant([0, 5, -1, 2]), 3),
    "argmax": lambda x: (tf.argmax(x, -1), tf.argmin(x, 1, tf.int32)),
    "top_k": lambda x: tuple(tf.math.top_k(x, 2)),
    "cumsum": lambda x: (tf.cumsum(x, 1), tf.cumsum(x, 1, exclusive=True, reverse=True)),
    "sums": lambda x: (tf.reduce_sum(x, [0, 2]), tf.reduce_mean(x, 1, keepdims=True), tf.reduce_min(x)),
    "truths": lambda x: (tf.reduce_any(x > 1.0, 1), tf.reduce_all(x > -1.0)),
    "clip": lambda x: tf.clip_by_value(x, -0.5, 0.5),
    "add_n": lambda x: tf.add_n([x, x, x]),
    "pow": lambda x: x**2.0,
    "einsum": lambda x: tf.einsum("bij,bkj->bik", x, x),
    "batches": lambda x: tf.matmul(x, x, transpose_b=True),
    "moments": lambda x: tuple(tf.nn.moments(x, [0, 1])),
}


@pytest.mark.parametrize("name", SHAPING)
def test_shapes_and_parts(name):
    agree(SHAPING[name], normal(4, 4, 3))


@pytest.mark.parametrize("padding", ["SAME", "VALID", [[0, 0], [2, 1], [0, 1], [0, 0]]])
@pytest.mark.parametrize(("strides", "dilations"), [(1, 1), (2, 1), (1, 2)])
def test_convolutions(padding, strides, dilations):
    x, filters = normal(2, 9, 8, 4), normal(3, 2, 4, 6)
    agree(lambda x: tf.nn.conv2d(x, filters, strides, padding, dilations=dilations), x, rtol=1e-4, atol=1e-4)


def test_other_convolutions():
    line, cube, apart, back = normal(3, 4, 5), normal(2, 2, 2, 3, 4), normal(3, 3, 4, 2), normal(3, 3, 5, 4)
    agree(lambda x: tf.nn.conv1d(x, line, 1, "SAME"), normal(2, 9, 4), rtol=1e-4, atol=1e-4)
    agree(lambda x: tf.nn.conv3d(x, cube, [1] * 5, "VALID"), normal(1, 4, 5, 4, 3), rtol=1e-4, atol=1e-4)
    agree(lambda x: tf.nn.depthwise_conv2d(x, apart, [1, 2, 2, 1], "SAME"), normal(2, 9, 8, 4), atol=1e-4)
    for padding, size in (("SAME", 8), ("VALID", 9)):
        agree(
            lambda x, p=padding, s=size: tf.nn.conv2d_transpose(x, back, [2, s, s, 5], 2, p),
            normal(2, 4, 4, 4), open_axes=False, rtol=1e-4, atol=1e-4,
        )  # fmt: skip


def test_sizes_of_pictures_that_are_not_known():
    filters = normal(3, 3, 2, 4)
    model = tf.onnx.export(
        lambda x: tf.nn.max_pool2d(tf.nn.conv2d(x, filters, 1, "SAME"), 2, 2, "SAME"),
        input_signature=[tf.TensorSpec([None, None, None, 2])],
    )
    for size in (6, 7):
        x = normal(1, size, size + 2, 2)
        expected = tf.nn.max_pool2d(tf.nn.conv2d(x, filters, 1, "SAME"), 2, 2, "SAME")
        np.testing.assert_allclose(run(model, [x])[0], expected.numpy(), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize("kind", ["max_pool2d", "avg_pool2d"])
def test_pooling(kind, padding):
    agree(lambda x: getattr(tf.nn, kind)(x, 3, 2, padding), normal(2, 8, 7, 3))


def test_a_function_with_variables_choices_and_calls():
    weight = tf.Variable(normal(3, 2), name="weight")

    @tf.function
    def inner(x):
        return tf.nn.relu(x @ weight)

    @tf.function(input_signature=[tf.TensorSpec([None, 3], name="x")])
    def outer(x):
        y = inner(x)
        if tf.reduce_sum(x) > 0.0:
            y = y + 1.0
        if tf.reduce_sum(x) < 0.0:
            y = y * tf.reduce_mean(x)
        return {"y": y, "size": tf.shape(x)[0]}

    model = tf.onnx.export(outer)
    assert [value.name for value in model.graph.input] == ["x"]
    assert [value.name for value in model.graph.output] == ["size", "y"]
    for sign in (1.0, -1.0):
        x = sign * np.abs(normal(4, 3))
        expected, (size, y) = outer(tf.constant(x)), run(model, [x])
        np.testing.assert_allclose(y, expected["y"].numpy(), rtol=1e-5, atol=1e-6)
        assert size == 4


def test_a_classifier_of_layers(tmp_path):
    layers = tf.keras.layers
    model = tf.keras.Sequential([
        layers.Conv2D(4, 3, padding="same", activation="relu"), layers.BatchNormalization(), layers.MaxPooling2D(),
        layers.Conv2D(8, 3), layers.AveragePooling2D(), layers.Dropout(0.5), layers.Flatten(),
        layers.Dense(16, activation="tanh"), layers.LayerNormalization(), layers.Dense(10, activation="softmax"),
    ])  # fmt: skip
    x = normal(3, 16, 16, 1)
    expected = model(x)
    made = tf.onnx.export(model, tmp_path / "model.onnx", [tf.TensorSpec([None, 16, 16, 1], name="images")])
    assert onnx.load(tmp_path / "model.onnx") == made
    (found,) = run(made, [x])
    np.testing.assert_allclose(found, expected.numpy(), rtol=1e-4, atol=1e-5)
    assert "dense" in " ".join(value.name for value in made.graph.initializer)


def collatz(n):
    steps = tf.constant(0)
    while n > 1:
        n = tf.where(n % 2 == 0, n // 2, 3 * n + 1)
        steps += 1
    return steps, n


def powers(x):
    total = tf.zeros_like(x)
    for k in tf.range(4):
        total += x ** tf.cast(k, tf.float32)
    return total


LOOPS = {
    "steps": (collatz, np.int32(27)),
    "none": (collatz, np.int32(1)),
    "a_row": (powers, normal(3)),
    "map": (lambda x: tf.map_fn(lambda row: tf.reduce_sum(row) * row, x), normal(3, 2)),
    "scan": (lambda x: tf.scan(lambda sums, row: sums + row, x), normal(4, 2)),
    "scan_back": (lambda x: tf.scan(lambda sums, row: sums + row, x, reverse=True), normal(4, 2)),
    "at_most": (lambda x: tf.while_loop(lambda x: x < 9.0, lambda x: [2.0 * x], [x], maximum_iterations=2), normal()),
}  # fmt: skip


@pytest.mark.parametrize("name", LOOPS)
def test_loops(name):
    function, array = LOOPS[name]
    agree(tf.function(function), array, open_axes=False)


@pytest.mark.parametrize("kind", ["SimpleRNN", "LSTM", "GRU"])
def test_recurrent_layers(kind):
    layer = getattr(tf.keras.layers, kind)
    model = tf.keras.Sequential([
        tf.keras.layers.Bidirectional(layer(4, return_sequences=True)), layer(3), tf.keras.layers.Dense(2),
    ])  # fmt: skip
    model(tf.zeros([2, 5, 3]))
    agree(model, normal(2, 5, 3))


# What cannot be written.


def test_an_op_that_is_not_known_is_named_with_its_line():
    with pytest.raises(UnimplementedError, match=r"(?s)op 'lgamma' \(Lgamma\) of node .*test_export.py: .*lgamma\(x\)"):
        tf.onnx.export(lambda x: tf.math.lgamma(x) * 2.0, input_signature=[tf.TensorSpec([2])])


def test_variables_and_chance_have_no_place():
    count = tf.Variable(0.0, name="count")

    def counting(x):
        count.assign_add(1.0)
        return x + count

    with pytest.raises(UnimplementedError, match="it assigns variable count:0, and ONNX has no variables"):
        tf.onnx.export(counting, input_signature=[tf.TensorSpec([2])])
    with pytest.raises(UnimplementedError, match="The op 'random_normal'"):
        tf.onnx.export(lambda x: x + tf.random.normal([2]), input_signature=[tf.TensorSpec([2])])


def test_what_is_needed(monkeypatch):
    with pytest.raises(ValueError, match="needs an input_signature"):
        tf.onnx.export(tf.nn.relu)
    with pytest.raises(TypeError, match="takes a concrete function, or something to call"):
        tf.onnx.export(3)
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ImportError, match=r'pip install "tapeviz\[onnx\]"'):
        tf.onnx.export(tf.nn.relu, input_signature=[tf.TensorSpec([2])])
