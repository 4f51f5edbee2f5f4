"""``tapeviz.contrib.eager``: gradients as functions, and what else was announced with them."""

from __future__ import annotations

from collections import namedtuple

import numpy as np
import pytest

import tapeviz as tf
import tapeviz.contrib.eager as tfe
from tapeviz.compat.v1.graph import v2_behavior
from tapeviz.contrib.eager import execution_modes


def numbers(tensors):
    return [None if tensor is None else tensor.numpy().tolist() for tensor in tensors]


@pytest.fixture(autouse=True)
def fresh_start(monkeypatch):
    monkeypatch.setattr(v2_behavior.Start, "options", None)
    monkeypatch.setattr(v2_behavior.Start, "graph_met", False)


def test_every_name_is_there():
    for name in tfe.__all__:
        assert getattr(tfe, name) is not None
    assert tf.contrib.eager is tfe
    assert tfe.GradientTape is tf.GradientTape
    assert tfe.Variable is tf.Variable
    assert tfe.custom_gradient is tf.custom_gradient


def test_no_other_name_is_there():
    with pytest.raises(AttributeError, match="nothing"):
        _ = tfe.nothing
    with pytest.raises(AttributeError, match="slim"):
        _ = tf.contrib.slim


def scaled(x, y, power=2):
    return x**power * y


@pytest.mark.parametrize(
    ("params", "wanted"),
    [
        (None, [24.0, 9.0]),
        ([0], [24.0]),
        ([1], [9.0]),
        ([-1], [9.0]),
        ([1, 0], [9.0, 24.0]),
        ([0, 0], [24.0, 24.0]),
        (["y"], [9.0]),
        (("y", "x"), [9.0, 24.0]),
        ([], []),
    ],
)
def test_gradients_by_params(params, wanted):
    assert numbers(tfe.gradients_function(scaled, params)(3.0, 4.0)) == wanted
    value, gradients = tfe.value_and_gradients_function(scaled, params)(3.0, 4.0)
    assert value.numpy() == 36.0
    assert numbers(gradients) == wanted


def test_an_argument_that_is_no_number_stays_as_it_is():
    given = []

    def of_a_table(x, table):
        given.append(table)
        return x * table["factor"]

    table = {"factor": 3.0}
    assert numbers(tfe.gradients_function(of_a_table, params=["x"])(2.0, table)) == [3.0]
    assert given[0] is table


def test_one_tensor_given_twice_is_two_arguments():
    x = tf.constant(3.0)
    assert numbers(tfe.gradients_function(lambda a, b: a * b * b)(x, x)) == [9.0, 18.0]


def test_variables_arrays_and_integers_as_arguments():
    product = tfe.gradients_function(lambda a, b: tf.reduce_sum(a * b))
    assert numbers(product(tf.Variable([1.0, 2.0]), np.array([3.0, 4.0], np.float32))) == [[3.0, 4.0], [1.0, 2.0]]
    assert numbers(tfe.gradients_function(lambda n: n * n)(3)) == [None]


def test_structures_of_results_add_up_and_dy_weighs_them():
    pair = namedtuple("pair", "square itself")  # noqa: PYI024 - a plain one is the subject
    both = tfe.value_and_gradients_function(lambda x: pair(x * x, x))
    value, gradients = both(3.0)
    assert (value.square.numpy(), value.itself.numpy(), numbers(gradients)) == (9.0, 3.0, [7.0])
    assert numbers(both(3.0, dy=[2.0, 1.0])[1]) == [13.0]
    assert numbers(tfe.gradients_function(lambda x: x * x)([1.0, 2.0], dy=[1.0, 10.0])) == [[2.0, 40.0]]


def test_methods_and_callable_objects():
    class Line:
        def __init__(self, slope):
            self.slope = slope

        def at(self, x):
            return self.slope * x

        __call__ = at

    line = Line(5.0)
    assert numbers(tfe.gradients_function(line.at)(1.0)) == [5.0]
    assert numbers(tfe.gradients_function(line.at, ["x"])(1.0)) == [5.0]
    assert numbers(tfe.gradients_function(line, ["x"])(1.0)) == [5.0]
    assert numbers(tfe.gradients_function(line)(1.0)) == [5.0]


def test_the_order_is_as_high_as_one_nests():
    def derivative(f):
        first = tfe.gradients_function(f)
        return lambda x: first(x)[0]

    f, found = (lambda x: x**5), []
    for _ in range(6):
        found.append(f(2.0).numpy() if isinstance(f(2.0), tf.Tensor) else f(2.0))
        f = derivative(f)
    assert found == [32.0, 80.0, 160.0, 240.0, 240.0, 120.0]


def test_an_outer_tape_sees_gradients_function():
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        (slope,) = tfe.gradients_function(lambda t: t**3)(x)
    assert tape.gradient(slope, x).numpy() == 18.0


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: tfe.gradients_function(lambda _x: None)(1.0), ValueError,
         "Cannot differentiate a function that returns None; did you forget to return a value from <lambda>?"),
        (lambda: tfe.gradients_function(scaled, ["z"])(1.0, 2.0), ValueError, "'z' is not in list"),
        (lambda: tfe.gradients_function(scaled, ["y", 0])(1.0, 2.0), ValueError, "params must be all strings or all"),
        (lambda: tfe.gradients_function(scaled, [0, "y"])(1.0, 2.0), ValueError, "params must be all strings or all"),
        (lambda: tfe.gradients_function(scaled, [7])(1.0, 2.0), IndexError, "list index out of range"),
        (lambda: tfe.gradients_function(scaled)(1.0, y=2.0), ValueError, "cannot receive keyword arguments"),
        (tfe.implicit_gradients(lambda: None), ValueError, "returns None"),
        (lambda: tfe.implicit_gradients(lambda x: x)(1.0), ValueError, "No trainable variables were accessed"),
    ],
)  # fmt: skip
def test_what_is_refused(call, error, words):
    with pytest.raises(error) as caught:
        call()
    assert words in str(caught.value)


def test_implicit_gradients_come_in_the_order_of_the_variables_making():
    first, second, unused = tf.Variable(2.0), tf.Variable(3.0), tf.Variable(4.0)
    fixed = tf.Variable(10.0, trainable=False)

    def loss(x, scale=1.0):
        return second * x + first * fixed * scale + 0.0 * tf.stop_gradient(unused)

    value, pairs = tfe.implicit_value_and_gradients(loss)(5.0, scale=2.0)
    assert value.numpy() == 55.0
    assert [variable is one for (_, variable), one in zip(pairs, (first, second, unused), strict=True)] == [True] * 3
    assert numbers(gradient for gradient, _ in pairs) == [20.0, 5.0, None]
    again = tfe.implicit_gradients(loss)(5.0)
    assert numbers(gradient for gradient, _ in again) == [10.0, 5.0, None]


def test_eager_execution_may_be_enabled_again():
    for _ in range(2):
        tfe.enable_eager_execution()
    tfe.enable_eager_execution(device_policy=None, execution_mode=None)
    assert tf.executing_eagerly()
    assert tfe.executing_eagerly()
    assert tfe.in_eager_mode()


def test_eager_execution_comes_too_late():
    execution_modes.meet_graph()
    with pytest.raises(ValueError, match=r"^tf.enable_eager_execution must be called at program startup\.$"):
        tfe.enable_eager_execution()


def test_eager_execution_keeps_its_options():
    tfe.enable_eager_execution(device_policy=tfe.DEVICE_PLACEMENT_SILENT)
    tfe.enable_eager_execution()
    tfe.enable_eager_execution(device_policy=tfe.DEVICE_PLACEMENT_SILENT)
    with pytest.raises(ValueError, match="Trying to change the options of an active eager execution"):
        tfe.enable_eager_execution(device_policy=tfe.DEVICE_PLACEMENT_EXPLICIT)


@pytest.mark.parametrize(
    ("options", "words"),
    [({"device_policy": 7}, "device_policy must be one of"), ({"execution_mode": "fast"}, "execution_mode must be")],
)
def test_eager_execution_with_an_unknown_option(options, words):
    with pytest.raises(ValueError, match=words):
        tfe.enable_eager_execution(**options)


def test_shape_and_dtype():
    one = tfe.ShapeAndDtype([2, None], "float32")
    assert one == tfe.ShapeAndDtype(shape=[2, None], dtype=tf.float32)
    assert one != tfe.ShapeAndDtype([2, 3], tf.float32)
    assert len({one, tfe.ShapeAndDtype([2, None], tf.float32)}) == 1
    assert repr(one) == "ShapeAndDtype(shape=(2, None), dtype=tf.float32)"


def test_an_iterator_gives_tensors():
    point = namedtuple("point", "x y")  # noqa: PYI024 - a plain one is the subject
    elements = [(np.zeros(2, np.float32), {"label": 1}), (point(1.0, [2]),)]
    iterator = tfe.Iterator(elements)
    (features, labels), (made,) = iterator
    assert features.shape == (2,)
    assert labels["label"].dtype == tf.int32
    assert isinstance(made, point)
    assert made.y.numpy().tolist() == [2]
    with pytest.raises(StopIteration):
        iterator.next()
    with pytest.raises(tf.errors.OutOfRangeError, match="End of sequence"):
        iterator.get_next()
    assert tfe.Iterator(range(3)).get_next().numpy() == 0


def test_defun_traces_once_for_each_signature():
    seen = []

    @tfe.defun
    def squared(x, *, offset=0.0):
        """Square it."""
        seen.append(x)
        return x * x + offset

    for number in (3.0, 5.0):
        assert squared(tf.constant(number), offset=1.0).numpy() == number**2 + 1.0
    assert len(seen) == 1
    assert squared(tf.constant(3.0)).numpy() == 9.0
    assert len(seen) == 2
    assert squared.__doc__ == "Square it."
    assert squared.python_function(2.0) == 4.0
    assert numbers(tfe.gradients_function(squared)(3.0)) == [6.0]


def test_defun_makes_variables_in_its_first_call_alone():
    made = []

    @tfe.defun
    def counted(x):
        if not made:
            made.append(tf.Variable(10.0))
        return made[0].assign_add(x)

    assert [float(counted(tf.constant(1.0))) for _ in range(3)] == [11.0, 12.0, 13.0]

    @tfe.defun
    def careless(x):
        return x + tf.Variable(1.0)

    with pytest.raises(ValueError, match="tried to create variables on non-first call"):
        careless(tf.constant(1.0))


def test_defun_checks_its_signature():
    class Model:
        @tfe.defun(input_signature=[tf.TensorSpec([None], tf.float32)])
        def total(self, x):
            return tf.reduce_sum(x)

    model = Model()
    assert model.total([1, 2, 3]).numpy() == 6.0
    with pytest.raises(TypeError, match="Can not cast TensorSpec"):
        model.total(tf.constant([[1.0]]))
    with pytest.raises(TypeError, match="too many positional arguments"):
        model.total(1.0, 2.0)


def test_a_recording_shows_defuns_call_as_the_run_of_a_graph():
    @tfe.defun
    def tower(x):
        return tf.exp(x) * x

    with tf.record() as run:
        tower(tf.constant(1.0))
    assert any('"graph"' in text and '"tower"' in text for text in run.recording.strings.text)


def test_without_a_gpu():
    assert tfe.list_devices()[0].endswith("/device:CPU:0")
    assert tfe.num_gpus() == len(tfe.list_devices()) - 1


def derivative(function, order):
    """The function's derivative of an order, by so many calls of ``gradients_function``."""
    if not order:
        return function
    slopes = tfe.gradients_function(function)
    return derivative(lambda *args: slopes(*args)[0], order - 1)


def test_the_derivatives_of_a_polynomial_are_zero_in_the_end():
    def square(x):
        return tf.multiply(x, x)

    assert [derivative(square, order)(3.0).numpy() for order in range(1, 6)] == [6.0, 2.0, 0.0, 0.0, 0.0]
    cubes = [derivative(lambda x: 2.0 * x**3, order)(3.0).numpy() for order in range(1, 6)]
    assert cubes == [54.0, 36.0, 12.0, 0.0, 0.0]
    rows = derivative(square, 3)([1.0, 2.0])
    assert rows.numpy().tolist() == [0.0, 0.0]
    assert tf.function(derivative(square, 3))(tf.constant(3.0)).numpy() == 0.0


def test_a_parameter_that_nothing_depends_on_has_no_derivative_of_any_order():
    slopes = tfe.gradients_function(lambda x, y: x * x)
    assert slopes(3.0, 4.0)[1] is None
    second = tfe.gradients_function(lambda x, y: slopes(x, y)[0])
    assert [second(3.0, 4.0)[0].numpy(), second(3.0, 4.0)[1]] == [2.0, None]


def test_a_slope_that_is_infinite_stays_so():
    slopes = tfe.gradients_function(lambda x: tfe.gradients_function(tf.sqrt)(x)[0])
    assert slopes(0.0)[0].numpy() == -np.inf
