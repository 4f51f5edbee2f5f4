"""``tf.function``: what is traced when, what comes back, and how gradients go through it."""

import copy
import gc
import logging
import threading
import weakref

import numpy as np
import pytest

import tapeviz as tf


@tf.function
def two_sums(x):
    return tf.stack([tf.reduce_sum(x * x), tf.reduce_prod(x)])


@pytest.fixture
def x():
    return tf.constant([1.0, 2.0, 3.0])


# Arguments and results.


def test_arguments_of_every_kind():
    @tf.function
    def many(x, *others, scale=1.0, **named):
        return x * scale + sum(others) + named.get("extra", 0)

    given = many(tf.constant(1.0), 2, tf.constant(3.0), scale=2.0, extra=tf.constant(1.0))
    assert given.numpy() == 8.0
    assert many.experimental_get_tracing_count() == 1
    many(tf.constant(5.0), 2, tf.constant(0.0), scale=2.0, extra=tf.constant(2.0))
    assert many.experimental_get_tracing_count() == 1
    many(tf.constant(5.0), 3, tf.constant(0.0), scale=2.0, extra=tf.constant(2.0))
    assert many.experimental_get_tracing_count() == 2


def test_structures_go_in_and_come_out():
    @tf.function
    def rearranged(d):
        return {"sum": d["a"] + d["b"][0], "rest": [d["b"][1], None], "number": 3}

    found = rearranged({"a": tf.constant(1), "b": (tf.constant(2), tf.constant([1.5]))})
    assert found["sum"].numpy() == 3
    assert found["rest"][0].numpy() == [1.5]
    assert found["rest"][1] is None
    assert found["number"].numpy() == 3


def test_arrays_are_tensors_and_python_numbers_are_not():
    seen = []

    @tf.function
    def look(value):
        seen.append(type(value).__name__)
        return value

    for value in (np.float32(1.0), np.ones(1, np.float32), 1.5, 2.5):
        look(value)
    assert seen == ["SymbolicTensor", "SymbolicTensor", "float", "float"]


def test_a_result_that_is_no_tensor_is_refused():
    with pytest.raises(TypeError, match="found return value of type"):
        tf.function(lambda x: object())(tf.constant(1.0))


def test_a_tensor_of_a_trace_has_no_value_outside(x):
    kept = []
    tf.function(lambda x: kept.append(x * 2) or x)(x)
    with pytest.raises(TypeError, match="out of scope"):
        kept[0] + 1.0


# Signatures.


def test_an_input_signature_leaves_sizes_open(x):
    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def total(values):
        return tf.reduce_sum(values) / tf.cast(tf.shape(values)[0], tf.float32)

    assert [total(x).numpy(), total([4.0]).numpy(), total(np.float32([1, 2])).numpy()] == [2.0, 4.0, 1.5]
    assert total.experimental_get_tracing_count() == 1
    for wrong in (tf.ones([2, 2]), tf.constant([1, 2])):
        with pytest.raises(TypeError, match="Can not cast TensorSpec"):
            total(wrong)


def test_reduced_retracing_traces_twice():
    @tf.function(reduce_retracing=True)
    def total(values):
        return tf.reduce_sum(values)

    assert [total(tf.ones([n])).numpy() for n in range(1, 7)] == [1, 2, 3, 4, 5, 6]
    assert total.experimental_get_tracing_count() == 2


def test_concrete_functions(x):
    concrete = two_sums.get_concrete_function(tf.TensorSpec([3], tf.float32))
    assert concrete(x).numpy().tolist() == [14.0, 6.0]
    assert concrete.structured_outputs.shape == (2,)
    assert [tensor.name for tensor in concrete.inputs] == ["x:0"]


def test_one_warning_names_the_argument_and_the_fix(caplog):
    @tf.function
    def busy(x, scale):
        return x * scale

    with caplog.at_level(logging.WARNING, "tapeviz"):
        for number in range(20):
            busy(tf.constant(1.0), number)
    (record,) = caplog.records
    text = record.getMessage()
    assert text.startswith("5 out of the last 5 calls to <function ")
    assert "triggered tf.function retracing" in text
    assert "pass scale as a tensor" in text


def test_the_cache_is_bounded_and_the_count_is_not():
    @tf.function
    def length(x):
        return tf.size(x)

    for n in range(300):
        assert length(tf.zeros([n])).numpy() == n
    assert length.experimental_get_tracing_count() == 300
    assert len(length.traces) <= 256


# Methods, state, threads.


class Adder:
    def __init__(self):
        self.total = tf.Variable(0.0)
        self.traces = 0

    @tf.function
    def add(self, x):
        self.traces += 1
        self.total.assign_add(x)
        return self.total * 2.0


def test_methods_have_traces_of_their_own_and_keep_nothing_alive():
    first, second = Adder(), Adder()
    assert [first.add(tf.constant(2.0)).numpy() for _ in range(2)] == [4.0, 8.0]
    assert second.add(tf.constant(5.0)).numpy() == 10.0
    assert (first.traces, second.traces) == (1, 1)
    gone = weakref.ref(first)
    del first
    gc.collect()
    assert gone() is None


def test_functions_run_eagerly_when_told_to():
    seen = []

    @tf.function
    def look(x):
        seen.append(tf.executing_eagerly())
        return x

    tf.config.run_functions_eagerly(True)
    try:
        look(tf.constant(1.0))
    finally:
        tf.config.run_functions_eagerly(False)
    look(tf.constant(1.0))
    assert seen == [True, False]


def test_calls_from_many_threads():
    @tf.function
    def total(x):
        return tf.reduce_sum(x)

    found = {}

    def work(number):
        found[number] = float(total(tf.ones([number % 5 + 1])))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert found == {number: number % 5 + 1 for number in range(40)}
    assert total.experimental_get_tracing_count() == 5


def test_draws_are_new_at_each_run_and_can_be_had_again():
    @tf.function
    def draw():
        return tf.random.normal([3])

    assert (draw() != draw()).numpy().all()
    runs = []
    for _ in range(2):
        tf.random.set_seed(7)
        runs.append([draw().numpy().tolist(), draw().numpy().tolist()])
    assert runs[0] == runs[1]


def test_assignments_and_reads_keep_their_order():
    v = tf.Variable(1.0)

    @tf.function
    def mixed():
        before = v.read_value()
        v.assign(before * 10.0)
        between = v + 1.0
        v.assign_add(5.0)
        return before, between, v.read_value()

    assert [part.numpy() for part in mixed()] == [1.0, 11.0, 15.0]
    assert v.numpy() == 15.0


# Gradients.


def test_jacobian_outside_and_inside(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = two_sums(x)
    assert tape.jacobian(y, x).numpy().tolist() == [[2.0, 4.0, 6.0], [6.0, 3.0, 2.0]]

    @tf.function
    def inside(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = two_sums(x)
        return tape.jacobian(y, x)

    assert inside(x).numpy().tolist() == [[2.0, 4.0, 6.0], [6.0, 3.0, 2.0]]


def test_forward_mode_outside_and_inside(x):
    with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 0.0, 0.0])) as accumulator:
        y = two_sums(x)
    assert accumulator.jvp(y).numpy().tolist() == [2.0, 6.0]

    @tf.function
    def inside(x):
        with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
            y = tf.sin(x)
        return accumulator.jvp(y)

    np.testing.assert_allclose(inside(x).numpy(), np.cos([1, 2, 3]), rtol=1e-6)


def test_a_hessian_by_a_persistent_tape_that_goes_on(x):
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        loss = tf.reduce_sum(two_sums(x) ** 2)
        slope = tape.gradient(loss, x)
    assert slope.numpy().tolist() == [128.0, 148.0, 192.0]
    assert tape.gradient(slope, x).numpy().tolist() == [296.0, 266.0, 280.0]


def test_gradients_of_captured_tensors_and_variables():
    w, c = tf.Variable(2.0), tf.constant(3.0)
    product = tf.function(lambda x: x * w * c)
    with tf.GradientTape() as tape:
        tape.watch(c)
        y = product(tf.constant(5.0))
    assert [g.numpy() for g in tape.gradient(y, [w, c])] == [15.0, 10.0]


def test_custom_gradients_inside():
    @tf.custom_gradient
    def tenfold(x):
        return x * x, lambda dy: dy * 10.0 * x

    x = tf.constant(3.0)
    f = tf.function(lambda x: tenfold(x) + tenfold(2.0 * x))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert tape.gradient(y, x).numpy() == 150.0


def test_shapes_that_do_not_fit_are_a_value_error_with_the_line():
    square = tf.function(lambda x: tf.matmul(x, x))
    with pytest.raises(ValueError, match=r"(?s)Matrix size-incompatible.*tf\.matmul\(x, x\)"):
        square(tf.ones([2, 3]))


def test_a_constant_of_the_program_that_is_watched_is_followed_into_branches():
    @tf.function
    def slope(flag):
        x = tf.constant(2.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.cond(flag, lambda: x * x, lambda: x * 3.0)
        return tape.gradient(y, x)

    assert [slope(tf.constant(flag)).numpy() for flag in (True, False)] == [4.0, 3.0]


def test_a_function_that_ran_is_copied_with_what_holds_it():
    class Model(tf.Module):
        def __init__(self):
            super().__init__()
            self.scale = tf.Variable(2.0)
            self.step = tf.function(self.scaled)

        def scaled(self, x):
            return self.scale * x

    model = Model()
    for _ in range(20):  # compiled by then
        model.step(tf.constant(3.0))
    other = copy.deepcopy(model)
    other.scale.assign(5.0)
    assert (model.step(tf.constant(3.0)).numpy(), other.step(tf.constant(3.0)).numpy()) == (6.0, 15.0)


def test_what_a_trace_computes_for_gradients_stands_under_tensorflows_name_for_it():
    w = tf.Variable(2.0, name="w")

    @tf.function
    def step(x):
        with tf.name_scope("inner"), tf.GradientTape() as tape:
            loss = (w * x) ** 2
        return tape.gradient(loss, w) + loss

    with tf.record() as recorded:
        step(tf.constant(3.0))
    names = [str(name) for name in recorded.recording.nodes.name]
    gradients = [name for name in names if name.startswith("gradient_tape/")]
    assert len(gradients) > 3
    assert names[-1].rpartition("/")[0] != "gradient_tape"  # the sum afterwards is the user's own
    assert any(name.startswith("inner/") for name in names)


def test_what_a_trace_computes_for_gradients_stands_under_the_scopes_of_what_it_goes_back_through():
    w = tf.Variable(2.0, name="w")

    @tf.function
    def step(x):
        with tf.GradientTape() as tape:
            with tf.name_scope("first"):
                y = tf.sin(w * x)
            with tf.name_scope("second"):
                loss = tf.exp(y) * y
        return tape.gradient(loss, w)

    with tf.record() as recorded:
        step(tf.constant(3.0))
    names = [str(name) for name in recorded.recording.nodes.name]
    scopes = [name.rpartition("/")[0] for name in names if name.startswith("gradient_tape/")]
    assert list(dict.fromkeys(scopes)) == ["gradient_tape", "gradient_tape/second", "gradient_tape/first"]


def test_the_read_of_a_variable_says_no_scope_twice():
    with tf.name_scope("dense"):
        w = tf.Variable(2.0, name="kernel")

    @tf.function
    def layer(x):
        with tf.name_scope("dense"):
            return w * x

    names = [node.name for node in layer.get_concrete_function(tf.constant(1.0)).graph.nodes]
    assert "dense/kernel/Read/ReadVariableOp" in names


def test_an_iterator_is_the_functions_alone():
    @tf.function
    def digits(items):
        total = 0
        for item in items:
            total = total * 10 + item
        return total

    assert digits(iter([1, 2, 3])) == 123
    assert digits(item for item in (4, 5)) == 45
    assert digits(iter(tf.data.Dataset.from_tensor_slices([1, 2]))) == 12
