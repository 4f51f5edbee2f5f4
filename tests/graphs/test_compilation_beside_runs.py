"""Programs that are compiled while they run: the same numbers before and after, in threads, forks, and at the end."""

import os
import subprocess
import sys
import threading

import numpy as np
import pytest
from hypothesis import given

import tapeviz as tf
from tapeviz.graphs.native import compile_policy
from tapeviz.graphs.run import regions
from tapeviz.graphs.run.executable import NUMPY
from tapeviz.graphs.run.fallbacks import clear_fallbacks, fallbacks
from tapeviz.native.machine import CompilationError
from tapeviz.process import background
from tests.example_counts import exploring
from tests.graphs.native.ways import equal_numbers
from tests.graphs.random_graphs import apply, graphs


@pytest.fixture(autouse=True)
def _beside(monkeypatch):
    """Have programs be compiled after two runs, beside those that follow."""
    monkeypatch.setattr(compile_policy, "_BESIDE", True)
    yield
    background.wait_for_all()


def program_of(run, *given):
    return run.get_concrete_function(*given)._routine.program(NUMPY)


def chain(x, w):
    for _ in range(60):
        x = x * w + 0.001
    return x


@exploring(25, 2000)
@given(graphs())
def test_random_graphs_before_and_after(drawn):
    inputs, recipe, outputs = drawn
    tensors = [tf.constant(x) for x in inputs]
    wanted = [apply(recipe, tensors)[place]._a for place in outputs]
    run = tf.function(lambda *xs: [apply(recipe, list(xs))[place] for place in outputs], autograph=False)
    for turn in range(5):
        assert all(map(equal_numbers, [tensor._a for tensor in run(*tensors)], wanted))
        if turn > 2:
            background.wait_for_all()
    program = program_of(run, *tensors)
    assert program._native
    assert program._version.stage == "compile"


def trained(wish, turns=40):
    rng = np.random.default_rng(0)
    weights = [tf.Variable(rng.normal(size=shape).astype("f4") * 0.1) for shape in ((6, 16), (16,), (16, 3), (3,))]
    optimizer = tf.keras.optimizers.Adam(0.01)
    optimizer.build(weights)

    @tf.function(jit_compile=wish)
    def step(x):
        with tf.GradientTape() as tape:
            y = tf.nn.tanh(x @ weights[0] + weights[1]) @ weights[2] + weights[3]
            loss = tf.reduce_mean(tf.nn.softmax(y) ** 2.0)
        optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights, strict=True))
        return loss

    x = tf.constant(rng.normal(size=(8, 6)).astype("f4"))
    losses = [step(x).numpy().tobytes() for _ in range(turns)]
    while wish is None and not program_of(step, x)._native:
        losses.append(step(x).numpy().tobytes())
    return losses, [weight.numpy() for weight in weights]


def test_a_training_is_the_same_to_the_bit():
    losses, weights = trained(None)
    assert len(set(losses)) > 20
    wanted = trained(False, len(losses))
    assert losses == wanted[0]
    assert all(map(np.array_equal, weights, wanted[1]))


def test_open_sizes_are_compiled_for_each_shape_beside_the_runs():
    @tf.function(input_signature=[tf.TensorSpec([None, 4])])
    def run(x):
        return tf.reduce_sum(tf.nn.relu(x - 1.0) * 2.0, axis=1)

    for turn in range(60):
        rows = (3, 5, 7)[turn % 3]
        assert (run(tf.fill([rows, 4], float(turn))).numpy() == max(0, turn - 1) * 8).all()
        if turn > 20:
            background.wait_for_all()
    versions = program_of(run)._versions
    assert [versions[(rows, 4),].stage for rows in (3, 5, 7)] == ["compile"] * 3


def test_a_body_is_swapped_in_the_middle_of_its_loop():
    @tf.function
    def run(x, n):
        return tf.while_loop(lambda k, _: k < n, lambda k, y: (k + 1, tf.tanh(y) * 1.5 + 0.25), (0, x))[1]

    x, n = tf.linspace(-1.0, 1.0, 5), tf.constant(3000)
    wanted = tf.function(run.python_function, jit_compile=False)(x, n)
    for _ in range(3):
        assert np.array_equal(run(x, n), wanted)
        background.wait_for_all()


def test_runs_do_not_wait_for_the_compiler(monkeypatch):
    goes_on, begun = threading.Event(), threading.Event()
    compiled = regions.compiled

    def slowly(text):
        begun.set()
        assert goes_on.wait(60)
        return compiled(text)

    monkeypatch.setattr(regions, "compiled", slowly)
    run, x, w = tf.function(chain), tf.ones([3]), tf.constant([0.5, 0.9, 1.1])
    wanted = chain(x, w).numpy()
    for _ in range(6):
        run(x, w)
    assert begun.wait(60)
    program = program_of(run, x, w)
    for _ in range(50):
        assert np.array_equal(run(x, w), wanted)
    assert not program._native
    goes_on.set()
    background.wait_for_all()
    assert np.array_equal(run(x, w), wanted)
    assert program._native


def test_threads_run_it_while_it_is_swapped():
    run, w = tf.function(chain), tf.constant([0.5, 0.9, 1.1])
    xs = [tf.constant([k, -k, k / 3], tf.float32) for k in range(1, 5)]
    wanted = [chain(x, w).numpy() for x in xs]
    wrong = []
    program = program_of(run, xs[0], w)

    def call(x, right):
        for turn in range(100_000):
            if not np.array_equal(run(x, w), right):
                wrong.append(turn)
            if turn > 200 and program._native:
                break

    threads = [threading.Thread(target=call, args=pair) for pair in zip(xs, wanted, strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert program._native


@pytest.mark.parametrize("error", [CompilationError("no memory that can be run"), MemoryError("none"), SystemExit(3)])
def test_a_failure_is_said_once_and_the_plan_runs_on(monkeypatch, error):
    def fail(_text):
        raise error

    monkeypatch.setattr(regions, "compiled", fail)
    clear_fallbacks()
    run, x, w = tf.function(chain), tf.ones([3]), tf.ones([3])
    for _ in range(4):
        run(x, w)
    background.wait_for_all()
    with pytest.warns(RuntimeWarning, match=f"a graph runs without being compiled .*{type(error).__name__}") as said:
        found = [run(x, w).numpy() for _ in range(20)]
    assert all(np.array_equal(each, chain(x, w)) for each in found)
    assert len(said) == len(fallbacks) == 1
    assert not program_of(run, x, w)._native
    clear_fallbacks()


def test_work_may_pause_at_each_op_of_a_large_graph(monkeypatch):
    seen = []
    worker = background._worker
    monkeypatch.setattr(type(worker), "check", lambda _self: seen.append(threading.current_thread()))
    run, x, w = tf.function(chain), tf.ones([3]), tf.ones([3])
    for _ in range(4):
        run(x, w)
    background.wait_for_all()
    assert len(seen) > 4 * 120  # units, buffers, regions and code
    assert threading.current_thread() not in seen


_WORK = """
import os, sys, time
import numpy as np
import tapeviz as tf
from tapeviz.process import background

def chain(x):
    for _ in range(300):
        x = x * 0.99 + 0.001
    return x

run, x = tf.function(chain), tf.ones([3])
wanted = chain(x).numpy()
for _ in range(18):
    run(x)
assert background._worker.jobs
"""
_FORK = """
child = os.fork()
for _ in range(2000):
    assert np.array_equal(run(x), wanted)
    if run.get_concrete_function(x)._routine.program(tf.graphs.run.executable.NUMPY)._native:
        break
    time.sleep(0.002)
else:
    sys.exit(3)
if child == 0:
    os._exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def ran(code, *, delay=0.0):
    code = f"{_WORK}\ntime.sleep({delay})\n{code}"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a system without forks")
@pytest.mark.parametrize("delay", [0, 0.02, 0.1])
def test_a_fork_goes_on_with_what_its_parent_compiles(delay):
    found = ran(_FORK, delay=delay)
    assert (found.returncode, found.stdout.split(), found.stderr) == (0, ["7"], "")


@pytest.mark.parametrize("delay", [0, 0.005, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3])
def test_the_interpreter_ends_in_the_middle_of_it(delay):
    found = ran("print('done')", delay=delay)
    assert (found.returncode, found.stdout.split(), found.stderr) == (0, ["done"], "")
