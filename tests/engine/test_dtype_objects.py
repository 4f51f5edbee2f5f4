"""NumPy has several objects for one dtype; tensors have one, wherever their arrays came from."""

from __future__ import annotations

import copy
import pickle
from itertools import product

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.compat import v1
from tapeviz.engine.types import with_own_dtype
from tests.ops.catalogue import gradients, host, outputs, rows, sources, weights

ROWS = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)
TYPES = ["float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
         "bool", "complex64", "complex128"]  # fmt: skip


def unpickled(array):
    return pickle.loads(pickle.dumps(array))


def with_metadata(array):
    return array.astype(np.dtype(array.dtype, metadata={"unit": "m"}))


def other_order(array):
    return array.astype(array.dtype.newbyteorder("S"))


def order_named(array):
    return array.view(array.dtype.newbyteorder("<"))


MAKERS = [unpickled, with_metadata, other_order, order_named]


def made_by(*makers):
    return pytest.mark.parametrize("make", makers or MAKERS)


def is_own(value):
    """Whether what holds the array has the one object of its dtype."""
    dtype = (value._value if isinstance(value, tf.Variable) else value)._a.dtype
    return dtype is np.dtype(dtype.type)


def assigned(array):
    variable = tf.Variable(ROWS)
    variable.assign(array)
    return variable


def added(array):
    variable = tf.Variable(ROWS)
    variable.assign_add(array)
    return variable


def restored(array, folder):
    path = tf.train.Checkpoint(v=tf.Variable(array)).save(folder / "saved")
    variable = tf.Variable(array + 1)
    tf.train.Checkpoint(v=variable).restore(path)
    return variable


def loaded(array, folder, **options):
    np.save(folder / "rows.npy", array.astype(array.dtype.str))  # without the metadata, which no file keeps
    return tf.constant(np.load(folder / "rows.npy", **options))


def cached(array, folder):
    dataset = tf.data.Dataset.from_tensors(array).cache(folder / "cache")
    list(dataset)
    return first(dataset)


def first(dataset):
    return next(iter(dataset))


def slices(array):
    return tf.data.Dataset.from_tensor_slices(array)


def weights_set(array):
    layer = tf.keras.layers.Dense(2, use_bias=False)
    layer.build((None, 2))
    layer.set_weights([array])
    return layer.kernel


def fitted(array):
    model = tf.keras.Sequential([tf.keras.layers.Dense(2)])
    model.compile("adam", "mse")
    model.fit(array, array, sample_weight=array[:, 0], validation_data=(array, array), verbose=0)
    model.train_on_batch(array, array)
    model.evaluate(array, array, verbose=0)
    model.predict(array, verbose=0)
    return model.layers[0].kernel


def with_upstream(array):
    x = tf.constant(ROWS)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    return tape.gradient(y, x, output_gradients=array)


def with_own_gradient(array):
    @tf.custom_gradient
    def doubled(x):
        return x * 2.0, lambda _upstream: array

    x = tf.constant(ROWS)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = doubled(x) * x
    return tape.gradient(y, x)


def through_a_layer(array):
    return tf.keras.layers.Dense(2)(array)


def measured(array):
    mean = tf.keras.metrics.Mean()
    mean.update_state(array)
    return mean.result()


def updated(array):
    variable = tf.Variable(ROWS)
    tf.keras.optimizers.Adam().apply_gradients([(array, variable)])
    return variable


ENTRIES = {
    "constant": tf.constant,
    "constant of a list": lambda array: tf.constant([array, array]),
    "constant of numbers": lambda array: tf.constant([array[0, 0], array[0, 1]]),
    "constant in a shape": lambda array: tf.constant(array, shape=[4]),
    "constant of a dtype": lambda array: tf.constant(ROWS, dtype=array.dtype),
    "convert_to_tensor": tf.convert_to_tensor,
    "a hint": lambda array: tf.convert_to_tensor([1.0], dtype_hint=array.dtype),
    "an operand": lambda array: tf.constant(ROWS) * array,
    "an operand on the left": lambda array: tf.multiply(array, tf.constant(ROWS)),
    "several operands": lambda array: tf.add_n([array, tf.constant(ROWS)]),
    "matmul": lambda array: tf.matmul(array, tf.constant(ROWS)),
    "einsum": lambda array: tf.einsum("ij,jk->ik", array, tf.constant(ROWS)),
    "where": lambda array: tf.where(tf.constant(ROWS) > 1, array, tf.constant(ROWS)),
    "stack": lambda array: tf.stack([array, tf.constant(ROWS)]),
    "Variable": tf.Variable,
    "Variable of a dtype": lambda array: tf.Variable([1.0], dtype=array.dtype),
    "a copied variable": lambda array: copy.deepcopy(tf.Variable(array)),
    "assign": assigned,
    "assign_add": added,
    "zeros": lambda array: tf.zeros([2], dtype=array.dtype),
    "zeros_like": lambda array: tf.zeros_like(ROWS, dtype=array.dtype),
    "cast": lambda array: tf.cast(tf.constant([1]), array.dtype),
    "bitcast": lambda array: tf.bitcast(tf.constant([1]), array.dtype),
    "random": lambda array: tf.random.normal([2], dtype=array.dtype),
    "one_hot": lambda array: tf.one_hot([1], 2, dtype=array.dtype),
    "TensorArray": lambda array: tf.TensorArray(array.dtype, 2).unstack(array).stack(),
    "numpy_function": lambda array: tf.numpy_function(lambda: array, [], array.dtype),
    "py_function": lambda array: tf.py_function(lambda: array, [], tf.float32),
    "a traced argument": tf.function(lambda x: x * ROWS),
    "a traced constant": lambda array: tf.function(lambda: tf.constant(array) * ROWS)(),
    "a captured array": lambda array: tf.function(lambda x: x * array)(tf.constant(ROWS)),
    "a pickled tensor": lambda array: unpickled(tf.constant(array)),
    "from_tensors": lambda array: first(tf.data.Dataset.from_tensors(array)),
    "from_tensor_slices": lambda array: first(slices({"x": array}))["x"],
    "a shuffled batch": lambda array: first(slices(array).shuffle(5).batch(2).prefetch(1)),
    "a mapped dataset": lambda array: first(slices(array).map(lambda x: x * tf.constant(ROWS[0]))),
    "a generator": lambda array: first(
        tf.data.Dataset.from_generator(lambda: iter([array]), output_signature=tf.TensorSpec([2, 2], array.dtype))
    ),
    "set_weights": weights_set,
    "a layer's dtype": lambda array: tf.keras.layers.Embedding(3, 2, dtype=array.dtype)(tf.constant([1])),
    "a layer's input": through_a_layer,
    "fit": fitted,
    "an optimizer": updated,
    "a metric": measured,
    "a loss": lambda array: tf.keras.losses.MeanSquaredError()(array, tf.constant(ROWS)),
    "output_gradients": with_upstream,
    "custom_gradient": with_own_gradient,
    "IndexedSlices": lambda array: tf.convert_to_tensor(tf.IndexedSlices(array, tf.constant([0, 1]), [2, 2])),
}
KEPT = {
    "a checkpoint": restored,
    "an .npy file": loaded,
    "a mapped .npy file": lambda array, folder: loaded(array, folder, mmap_mode="r"),
    "a dataset's cache": cached,
}


@made_by()
@pytest.mark.parametrize("entry", ENTRIES)
def test_an_array_with_another_object_for_its_dtype_is_taken_as_any(entry, make):
    assert is_own(ENTRIES[entry](make(ROWS)))


@made_by()
@pytest.mark.parametrize("entry", KEPT)
def test_what_is_kept_in_files_comes_back_with_the_usual_dtype(entry, make, tmp_path):
    found = KEPT[entry](make(ROWS), tmp_path)
    assert is_own(found)
    np.testing.assert_array_equal((found * tf.constant(ROWS)).numpy(), ROWS * ROWS)


@made_by()
def test_a_session_takes_them_too(make):
    array = make(ROWS)
    with v1.Graph().as_default():
        given = v1.placeholder(array.dtype, [2, 2])
        table = v1.get_variable("table", initializer=array)
        fresh = v1.get_variable("fresh", shape=[2, 2], dtype=array.dtype, initializer=v1.ones_initializer())
        product = given * v1.constant(array) * table * fresh
        change = v1.assign(table, given)
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            np.testing.assert_array_equal(session.run(product, {given: array}), ROWS**3)
            assert session.run(change, {given: array}).dtype is ROWS.dtype
            table.load(array, session)
            assert session.run(table).dtype is ROWS.dtype


@pytest.mark.parametrize("name", TYPES)
@made_by()
def test_no_element_changes(name, make):
    array = np.arange(6).reshape(2, 3).astype(name)
    found = tf.constant(make(array))
    assert found._a.dtype is np.dtype(name)
    np.testing.assert_array_equal(found.numpy(), array)


@pytest.mark.parametrize(("name", "same"), [("longlong", "int64"), ("ulonglong", "uint64")])
def test_the_c_types_of_one_size_are_one_type(name, same):
    found = tf.constant(np.array([1, 2], name)) + tf.constant([1, 2], same)
    assert found._a.dtype is np.dtype(same)


@pytest.mark.parametrize("shape", [(), (0,), (2, 0, 3), (3, 2)])
@made_by()
def test_any_shape_and_layout_keeps_its_elements(shape, make):
    array = make(np.arange(np.prod(shape), dtype=np.float32).reshape(shape))
    for form in (array, array.T, array[::-1] if shape else array):
        found = with_own_dtype(form)
        assert found.dtype is np.dtype(np.float32)
        assert found.shape == form.shape
        np.testing.assert_array_equal(found, form)


def test_an_array_with_the_usual_object_is_given_back_as_it_is():
    for array in (ROWS, ROWS[::-1], np.array(["a"], object), np.zeros(1, [("x", np.float32)])):
        assert with_own_dtype(array) is array


@pytest.mark.parametrize(("left", "right"), list(product(MAKERS, repeat=2)))
def test_two_of_them_meet(left, right):
    assert is_own(tf.multiply(left(ROWS), right(ROWS)))


@pytest.mark.parametrize(("op", "inputs", "attrs"), rows())
def test_every_op_gives_the_usual_dtype(op, inputs, attrs):
    tensors = [host(array) for array in inputs]
    results = outputs(op, tensors, attrs)
    assert all(is_own(result) for result in results if result._a.dtype.names is None)
    if op.vjp and sources(op, tensors):
        upstream = weights(results, np.random.default_rng(0))
        found = gradients(op, tensors, attrs, upstream)
        assert all(is_own(tf.convert_to_tensor(one)) for one in found if one is not None)
