"""Compiled programs: what they refuse, what they share, who may run meanwhile, and when they are made."""

import subprocess
import sys
import threading

import numpy as np
import pytest
from hypothesis import given

import tapeviz as tf
from tapeviz.graphs.native import compile_policy
from tapeviz.graphs.run import executable as programs
from tapeviz.graphs.run.executable import Executable
from tapeviz.graphs.run.fallbacks import clear_fallbacks, fallbacks
from tapeviz.native import machine
from tests.example_counts import exploring
from tests.graphs.native.ways import compiled, equal_numbers, regions_in
from tests.graphs.random_graphs import apply, graphs


@exploring(40, 3000)
@given(graphs())
def test_random_graphs(drawn):
    inputs, recipe, outputs = drawn
    tensors = [tf.constant(x) for x in inputs]
    wanted = [apply(recipe, tensors)[place]._a for place in outputs]
    program = compiled(lambda *xs: [apply(recipe, list(xs))[place] for place in outputs], *tensors)
    for _ in range(2):
        assert all(map(equal_numbers, program([tensor._a for tensor in tensors]), wanted))


@exploring(25, 2000)
@given(graphs(most=20))
def test_gradients_of_random_graphs(drawn):
    inputs, recipe, outputs = drawn
    tensors = [tf.constant(x) for x in inputs]

    def gradient(*xs):
        with tf.GradientTape() as tape:
            tape.watch(xs)
            made = apply(recipe, list(xs))
            target = sum(tf.reduce_sum(made[place]) for place in outputs)
        return tape.gradient(target, xs, unconnected_gradients="zero")

    wanted = [tensor._a for tensor in gradient(*tensors)]
    program = compiled(gradient, *tensors)
    for _ in range(2):
        assert all(map(equal_numbers, program([tensor._a for tensor in tensors]), wanted))


def training(library):
    """Return a step of Adam on a small network, and its variables."""
    rng = np.random.default_rng(0)
    weights = [tf.Variable(rng.normal(size=shape).astype("f4") * 0.1) for shape in ((6, 16), (16,), (16, 3), (3,))]
    optimizer = library.keras.optimizers.Adam(0.01)
    optimizer.build(weights)

    def step(x, labels):
        with tf.GradientTape() as tape:
            hidden = tf.nn.relu(x @ weights[0] + weights[1])
            logits = hidden @ weights[2] + weights[3]
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
            loss = tf.reduce_mean(losses)
        optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights, strict=True))
        return loss

    return step, weights


def test_training_goes_the_same_way_to_the_bit():
    rng = np.random.default_rng(1)
    batches = [
        (tf.constant(rng.normal(size=(9, 6)).astype("f4")), tf.constant(rng.integers(0, 3, 9))) for _ in range(40)
    ]
    ways = {}
    for name, wrap in (("eager", lambda f: f), ("compiled", lambda f: tf.function(f, jit_compile=True))):
        step, weights = training(tf)
        run = wrap(step)
        ways[name] = [run(*batch).numpy() for batch in batches], [weight.numpy() for weight in weights]
    assert ways["eager"][0] == ways["compiled"][0]
    assert all(map(equal_numbers, ways["eager"][1], ways["compiled"][1]))


def test_a_training_step_is_one_call():
    step, _ = training(tf)
    program = compiled(step, tf.ones([9, 6]), tf.zeros([9], tf.int32))
    assert regions_in(program) == 1
    assert "matmul" not in program.source


def test_a_label_that_is_no_class_is_the_ops_error_at_the_users_line():
    def loss(labels, logits):
        return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits * 2.0) + 1.0

    logits = tf.ones([3, 4])
    run = tf.function(loss, jit_compile=True)
    for _ in range(3):
        run(tf.constant([1, 2, 3]), logits)
    line = loss.__code__.co_firstlineno + 1
    with pytest.raises(tf.errors.InvalidArgumentError, match=rf"Received a label value of 9(?s:.*)line {line}"):
        run(tf.constant([1, 9, 3]), logits)
    with pytest.raises(tf.errors.InvalidArgumentError, match="-1"):
        run(tf.constant([-1, 0, 3]), logits)
    assert np.isfinite(run(tf.constant([1, 2, 3]), logits)).all()


def test_arrays_that_do_not_lie_row_by_row():
    def call(x):
        return x * 2.0 + 1.0, tf.reduce_sum(tf.sqrt(x), axis=0)

    x = np.arange(12, dtype="f4").reshape(3, 4)
    program = compiled(call, tf.constant(x))
    wide = np.zeros((3, 8), "f4")
    wide[:, ::2] = x
    odd = np.frombuffer(b"0" + x.tobytes(), np.uint8)[1:].view("f4").reshape(3, 4)
    for array in (np.asfortranarray(x), wide[:, ::2], x[::-1][::-1], odd, x.view(np.memmap)):
        one, other = program([array])
        assert (one == x * 2 + 1).all()
        assert np.allclose(other, np.sqrt(x).sum(0))


def test_what_was_given_before_stays():
    program = compiled(lambda x: (tf.sqrt(x) + 1.0, x * 2.0), tf.ones([5]))
    first = program([np.full(5, 4, "f4")])
    program([np.full(5, 9, "f4")])
    assert (first[0] == 3).all()
    assert (first[1] == 8).all()


def test_random_numbers_are_drawn_once_for_each_run():
    def call(x):
        return tf.random.uniform([4]) * x + 1.0

    tf.random.set_seed(3)
    wanted = [call(tf.ones([4])).numpy() for _ in range(25)]
    tf.random.set_seed(3)
    run = tf.function(call)
    for want in wanted:
        assert (run(tf.ones([4])).numpy() == want).all()


def test_threads_have_memory_of_their_own():
    program = compiled(lambda x: tf.reduce_sum(tf.sqrt(x * x + 1.0) @ tf.transpose(x)), tf.ones([200, 300]))
    given = [np.full((200, 300), number, "f4") for number in range(6)]
    wanted = [program([array])[0].item() for array in given]
    wrong = []

    def work(number):
        wrong.extend(1 for _ in range(60) if program([given[number]])[0].item() != wanted[number])

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_calls_keep_nothing():
    program = compiled(lambda x: (tf.sqrt(x) + 1.0, tf.reduce_sum(x * 2.0)), tf.ones([5]))
    array = np.ones(5, "f4")
    program([array])
    before = sys.getrefcount(array), sys.getrefcount(None), sys.getrefcount(True)
    for _ in range(1000):
        program([array])
    after = sys.getrefcount(array), sys.getrefcount(None), sys.getrefcount(True)
    assert all(abs(one - other) < 50 for one, other in zip(before, after, strict=True))


@pytest.mark.parametrize(("wish", "runs"), [(None, 16), (True, 1), (False, 0)])
def test_when_it_is_compiled(monkeypatch, wish, runs):
    monkeypatch.setattr(compile_policy, "_RUNS", 16)
    monkeypatch.setattr(programs, "_UNPLANNED", 1)
    run = tf.function(lambda x: tf.sqrt(x) + x * 2.0, jit_compile=wish)
    x = tf.ones([3])
    routine = run.get_concrete_function(x)._routine
    program = routine.program(programs.NUMPY)
    seen = []
    for _ in range(20):
        run(x)
        seen.append(program._native)
    assert seen == [bool(runs) and number > runs for number in range(1, 21)]


def test_functions_inside_take_the_wish_of_the_one_around_them(monkeypatch):
    monkeypatch.setattr(compile_policy, "_RUNS", 16)
    inner = tf.function(lambda x: tf.sqrt(x) + 1.0)
    outer = tf.function(lambda x: tf.map_fn(inner, x) * 2.0, jit_compile=False)
    for _ in range(30):
        outer(tf.ones([3, 2]))
    graph = outer.get_concrete_function(tf.ones([3, 2])).graph
    assert compile_policy.runs_before(graph) == 0
    assert all(compile_policy.runs_before(region) == 0 for node in graph.nodes for region in node.regions)


def test_the_setting():
    assert tf.config.optimizer.get_jit() == "autoclustering"
    tf.config.optimizer.set_jit(False)
    try:
        assert tf.config.optimizer.get_jit() == ""
        graph = tf.function(lambda x: x + 1.0).get_concrete_function(1.0).graph
        assert compile_policy.runs_before(graph) == 0
    finally:
        tf.config.optimizer.set_jit("autoclustering")
    with pytest.raises(ValueError, match="set_jit takes"):
        tf.config.optimizer.set_jit("always")


def test_without_a_compiler(monkeypatch):
    monkeypatch.setattr(compile_policy, "is_installed", lambda: False)
    run = tf.function(lambda x: tf.sqrt(x) + 1.0, jit_compile=True)
    assert [run(tf.constant([4.0])).numpy().tolist() for _ in range(4)] == [[3.0]] * 4
    program = run.get_concrete_function(tf.constant([4.0]))._routine.program(programs.NUMPY)
    assert not program._native


def test_where_nothing_can_be_compiled(monkeypatch):
    monkeypatch.setattr(programs, "is_available", lambda: False)
    run = tf.function(lambda x: tf.sqrt(x) + 1.0, jit_compile=True)
    assert [run(tf.constant([4.0])).numpy().tolist() for _ in range(4)] == [[3.0]] * 4


def test_importing_does_not_load_the_compiler():
    code = "import sys, tapeviz as tf; tf.function(lambda x: x + 1.0)(tf.ones([2])); print('llvmlite' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["False"]


def test_what_cannot_be_compiled_runs_as_it_is(monkeypatch):
    def refuse(_text):
        raise machine.CompilationError("no memory that can be run")

    routine = tf.function(lambda x: tf.sqrt(x) + 1.0, autograph=False).get_concrete_function(tf.ones([2]))._routine
    program = Executable(routine.graph, routine.outputs)
    monkeypatch.setattr("tapeviz.graphs.run.regions.compiled", refuse)
    given = [np.float32([4, 9])]
    with pytest.warns(RuntimeWarning, match="without being compiled .*no memory that can be run"):
        found = [program(given)[0].tolist() for _ in range(4)]
    assert found == [[3, 4]] * 4
    assert [fallback.stage for fallback in fallbacks] == ["compile"]
    clear_fallbacks()


def test_open_sizes(monkeypatch):
    monkeypatch.setattr(compile_policy, "_RUNS", 2)

    @tf.function(input_signature=[tf.TensorSpec([None, 4])])
    def call(x):
        return tf.reduce_sum(tf.nn.relu(x - 1.0) * 2.0, axis=1)

    for turn in range(40):
        rows = (3, 5)[turn % 2]
        assert (call(tf.fill([rows, 4], float(turn))).numpy() == max(0, turn - 1) * 8).all()


def test_a_gradient_of_operands_of_one_shape_sums_nothing():
    @tf.function(input_signature=[tf.TensorSpec([None, 4]), tf.TensorSpec([None, 4])], jit_compile=True)
    def gradients(x, y):
        with tf.GradientTape() as tape:
            tape.watch((x, y))
            loss = tf.reduce_sum(tf.sqrt((x * y + x) * (y - x) * 0.5 + 9.0))
        return tape.gradient(loss, (x, y))

    rng = np.random.default_rng(0)
    for rows in (3, 1, 3, 5) * 6:
        given = [tf.constant(rng.uniform(size=(rows, 4)), tf.float32) for _ in range(2)]
        wanted = gradients.python_function(*given)
        assert all(map(np.array_equal, gradients(*given), wanted))
    program = gradients.get_concrete_function()._routine.program(programs.NUMPY)
    source = program._versions[(3, 4), (3, 4)].source
    assert source.count("(memory, ") == 2
    assert source.count("shape=") == 1  # the sum's gradient, between them
