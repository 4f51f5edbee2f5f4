"""Programs: buffers never leave them, runs within runs and in threads have their own, errors name the user's line."""

import sys
import threading
import tracemalloc

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.graphs.memory import flat_packs
from tapeviz.graphs.run.executable import Executable
from tests.memory_in_use import memory_in_use
from tests.ops.catalogue import same

N = 64


def routine_of(call, *arguments):
    return tf.function(call, autograph=False).get_concrete_function(*arguments)._routine


def buffers(program):
    """Return the arrays that the idle sets of a program own."""
    return [
        value
        for function in program._version.idle
        for name, value in function.__globals__.items()
        if name.startswith("b") and isinstance(value, np.ndarray)
    ]


VIEWS = {
    "itself": lambda y: y,
    "reshape": lambda y: tf.reshape(y, [-1]),
    "transpose": tf.transpose,
    "slice": lambda y: y[1:],
    "expand": lambda y: tf.expand_dims(y, 0),
    "identity": tf.identity,
    "broadcast": lambda y: tf.broadcast_to(y, [2, 4, 4]),
    "unstack": lambda y: tf.unstack(y)[1],
    "split": lambda y: tf.split(y, 2)[0],
    "ensure": lambda y: tf.ensure_shape(y, [4, 4]),
    "reverse": lambda y: tf.reverse(y, [0]),
    "diag": tf.linalg.diag_part,
    "real": tf.math.real,
    "bitcast": lambda y: tf.bitcast(y, tf.int32),
}


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_no_output_shares_memory_with_a_buffer(view):
    x = tf.constant(np.arange(16, dtype=np.float32).reshape(4, 4))
    routine = routine_of(lambda x: (view(tf.exp(tf.sin(x) + x)), tf.reduce_sum(tf.cos(tf.sin(x)))), x)
    program = Executable(routine.graph, routine.outputs)
    first = program([x._a])
    kept = first[0].copy()
    program([x._a * 2])
    assert same(first[0], kept)
    assert buffers(program)
    assert not any(np.shares_memory(first[0], buffer) for buffer in buffers(program))


def test_no_assigned_value_shares_memory_with_a_buffer():
    v = tf.Variable(np.zeros((4, 4), np.float32))
    x = tf.constant(np.ones((4, 4), np.float32))

    def step(x):
        v.assign(tf.transpose(tf.exp(x) * 2.0 + v))
        return tf.reduce_sum(tf.exp(x + v))

    program = Executable(*_parts(routine_of(step, x)))
    for _ in range(3):
        program([x._a])
        assert not any(np.shares_memory(v._value._a, buffer) for buffer in buffers(program))


def _parts(routine):
    return routine.graph, routine.outputs


def test_what_python_is_given_stays():
    kept = []

    def keep(x):
        kept.append(x)
        return x

    f = tf.function(lambda x: tf.reduce_sum(tf.py_function(keep, [tf.exp(x) * 2.0], tf.float32) + tf.exp(x)))
    f(tf.constant([0.0, 0.0]))
    f(tf.constant([1.0, 1.0]))
    assert kept[0].numpy().tolist() == [2.0, 2.0]


def test_a_run_within_a_run_has_buffers_of_its_own():
    depth = []

    def again(x):
        if len(depth) < 3:
            depth.append(0)
            return f(x + 1.0)
        return x

    @tf.function
    def f(x):
        y = tf.exp(x) * 0.5
        z = tf.py_function(again, [x], tf.float32)
        return tf.reduce_sum(y + y * y) + tf.reduce_sum(z)

    def plain(x, depth):
        y = np.exp(x) * np.float32(0.5)
        return (y + y * y).sum() + (plain(x + 1, depth - 1) if depth else x.sum())

    x = np.array([0.1, 0.2, 0.3], np.float32)
    assert f(tf.constant(x)).numpy() == pytest.approx(plain(x, 3), rel=1e-6)


def test_threads_run_one_program_at_a_time_each_with_its_own_buffers():
    @tf.function
    def f(x):
        y = tf.exp(x) + x
        for _ in range(20):
            y = tf.tanh(y * 1.5) + x
        return y

    xs = [np.full((50, 50), k / 8, np.float32) for k in range(8)]
    wanted = [f(tf.constant(x)).numpy() for x in xs]
    wrong = []

    def work(k):
        wrong.extend(k for _ in range(40) if not same(f(tf.constant(xs[k])).numpy(), wanted[k]))

    threads = [threading.Thread(target=work, args=[k]) for k in range(8)]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(before)
    assert not wrong


def test_errors_name_the_line_also_inside_fused_and_inlined_nodes():
    inner = tf.function(lambda x, i: tf.gather(tf.exp(x) * 2.0, i))  # the line

    def f(x, i):
        return inner(tf.exp(x) + 1.0, i) * 2.0

    g = tf.function(f)
    x = tf.constant([1.0, 2.0])
    assert g(x, tf.constant(1)).shape == []
    with pytest.raises(tf.errors.InvalidArgumentError, match="the line"):
        g(x, tf.constant(7))
    assert g(x, tf.constant(0)).shape == []


def test_arrays_of_other_shapes_run_without_buffers():
    x = tf.constant(np.ones((4, 3), np.float32))
    routine = routine_of(lambda x: tf.reduce_sum(tf.exp(x) * 2.0 + x), x)
    program = Executable(*_parts(routine))
    for shape in ((4, 3), (1, 3), (4, 3), (7, 3)):
        array = np.full(shape, 0.5, np.float32)
        assert program([array])[0] == pytest.approx((np.exp(array) * 2 + array).sum(), rel=1e-6)


def test_shapes_that_change_keep_memory_and_versions_bounded():
    f = tf.function(lambda x: tf.reduce_sum(tf.exp(x) * 2.0 + x), input_signature=[tf.TensorSpec([None], tf.float32)])
    program = f.get_concrete_function()._routine.program
    sizes = np.random.default_rng(1).integers(1, 300, 2000)
    xs = {int(n): tf.constant(np.ones(n, np.float32)) for n in sizes}
    for n in sizes[:1000]:
        f(xs[int(n)])
    tracemalloc.start()
    before = memory_in_use()
    for n in sizes[1000:]:
        assert f(xs[int(n)]).numpy() > 0
    grown = memory_in_use() - before
    tracemalloc.stop()
    assert grown < 200_000
    kept = program(xs[int(sizes[0])]._backend)._versions
    assert len(kept) <= N
    assert f.experimental_get_tracing_count() == 1


# Variables that are assigned together.


def optimizer(shapes):
    """Return variables, and a step that changes them all in the same way."""
    variables = [tf.Variable(np.arange(np.prod(shape), dtype=np.float32).reshape(shape) / 8) for shape in shapes]
    slots = [tf.Variable(np.zeros(shape, np.float32)) for shape in shapes]

    def step(x):
        for variable, slot in zip(variables, slots, strict=True):
            gradient = variable * x - tf.abs(variable)
            slot.assign(slot * 0.9 + gradient * 0.1)
            variable.assign_sub(slot / (tf.sqrt(slot * slot) + 0.5))
        return tf.reduce_sum(variables[0])

    return variables, slots, step


SHAPES = {"small": [(3, 4), (4,), (2, 2, 2)], "in pieces": [(300, 500), (500,), (100, 200)]}


@pytest.mark.parametrize("shapes", SHAPES.values(), ids=SHAPES)
def test_variables_that_are_assigned_together_are_those_of_an_eager_step(shapes, monkeypatch):
    monkeypatch.setattr(flat_packs, "_MUCH", 1000)
    monkeypatch.setattr(flat_packs, "_PIECE", 4096)
    ours, theirs = optimizer(shapes), optimizer(shapes)
    traced = tf.function(ours[2])
    for number in range(6):
        x = tf.constant(np.float32(number / 4))
        assert same(traced(x)._a, theirs[2](x)._a)
        for one, other in zip(ours[0] + ours[1], theirs[0] + theirs[1], strict=True):
            assert same(one._value._a, other._value._a)
        if number == 3:  # from outside, too
            for variables in (ours[0], theirs[0]):
                variables[1].assign(tf.ones(shapes[1]))
    assert "bank" in traced.get_concrete_function(x)._routine.program(x._backend).source


def test_what_a_variable_has_been_stays_as_it_was():
    variables, _, step = optimizer(SHAPES["small"])
    traced = tf.function(step)
    x = tf.constant(0.5)
    held = []
    for _ in range(8):
        traced(x)
        value = variables[0].read_value()
        held.append((value, value.numpy(), np.asarray(tf.reshape(variables[0], [-1])), variables[0].numpy().ravel()))
    for value, then, view, flat in held:
        assert same(value._a, then)
        assert same(view, flat)
    assert len({then.tobytes() for _, then, _, _ in held}) == len(held)


def test_variables_of_one_model_trained_by_threads_never_share_memory_with_what_is_being_written():
    variables, _, step = optimizer([(64, 64), (64,)])
    traced = tf.function(step)
    x = tf.constant(0.25)
    traced(x)
    stop, wrong = threading.Event(), []

    def read():
        while not stop.is_set():
            value = variables[0]._value
            first = value._a.copy()
            if not same(first, value._a.copy()):
                wrong.append(1)

    readers = [threading.Thread(target=read) for _ in range(2)]
    writers = [threading.Thread(target=lambda: [traced(x) for _ in range(200)]) for _ in range(2)]
    for thread in (*readers, *writers):
        thread.start()
    for thread in writers:
        thread.join()
    stop.set()
    for thread in readers:
        thread.join()
    assert not wrong


def test_variables_that_python_assigns_in_between_are_what_they_were_when_they_were_read():
    def build():
        variables = [tf.Variable(np.full(shape, 2.0, np.float32)) for shape in SHAPES["small"]]

        def meddle():
            for variable in variables:
                variable.assign(tf.fill(variable.shape, 7.0))

        def step(x):
            before = [variable.read_value() for variable in variables]
            tf.py_function(meddle, [], [])
            for variable, value in zip(variables, before, strict=True):
                variable.assign(value * x + value)
            return x

        return variables, step

    ours, theirs = build(), build()
    traced = tf.function(ours[1], autograph=False)
    for _ in range(4):
        traced(tf.constant(0.5))
        theirs[1](tf.constant(0.5))
        for one, other in zip(ours[0], theirs[0], strict=True):
            assert same(one._value._a, other._value._a)
