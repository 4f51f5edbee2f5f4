"""What fails in the planner or the compiler reaches nobody: results are the same, there is one warning, and a count."""

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.graphs.lowering.rule import LOWERINGS
from tapeviz.graphs.passes import pipeline
from tapeviz.graphs.run import codegen, regions, specializations
from tapeviz.graphs.run import executable as programs
from tapeviz.graphs.run import fallbacks as module
from tapeviz.graphs.run.fallbacks import clear_fallbacks, fallbacks

CALLS = 6
MAKING = {
    **{f"pass {name}": (pipeline.PASSES, name) for name in pipeline.PASSES},
    "units": (programs, "opened"), "sizes": (programs, "Sizes"), "memory": (programs, "Memory"),
    "text": (programs, "Codegen"), "regions": (codegen, "regions_of"), "code": (regions, "write_all"),
    "llvm": (regions, "compiled"), "version": (programs, "Version"), "lines": (codegen, "written"),
}  # fmt: skip
FAULTS = [KeyError("u1"), RuntimeError("")]


@pytest.fixture(autouse=True)
def _forget():
    """Have each test begin without failures, and leave none for the others."""
    clear_fallbacks()
    yield
    clear_fallbacks()


def model():
    """Return a step of a model with variables, a branch, a loop and a loss, and what it trains."""
    weights = [tf.Variable(tf.ones([3, 4]) * 0.1), tf.Variable(tf.zeros([4]))]
    optimizer = tf.keras.optimizers.Adam(0.1)
    optimizer.build(weights)

    def step(x):
        with tf.GradientTape() as tape:
            y = tf.nn.relu(x @ weights[0] + weights[1])
            y = tf.cond(tf.reduce_sum(y) > 0.0, lambda: y * 2.0 + 1.0, lambda: y - 1.0)
            y = tf.while_loop(lambda n, _: n < 3, lambda n, z: (n + 1, z * 0.5 + 1.0), (0, y))[1]
            loss = tf.reduce_mean(tf.nn.softmax(y) ** 2.0)
        optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights, strict=True))
        return loss

    return step, weights


def trained(wrap):
    step, weights = model()
    run = wrap(step)
    losses = [run(tf.ones([2, 3]) * number).numpy() for number in range(CALLS)]
    return [*losses, *(weight.numpy() for weight in weights)]


def compiled(step):
    return tf.function(step, jit_compile=True)


def planned(step):
    return tf.function(step, jit_compile=False)


def open_sizes(step):
    return tf.function(step, input_signature=[tf.TensorSpec([None, 3])], jit_compile=True)


def same(found, wanted):
    return all(np.array_equal(one, other) for one, other in zip(found, wanted, strict=True))


def break_in(monkeypatch, place, error):
    """Have a function of the planner or the compiler raise."""

    def fail(*_args, **_kwargs):
        raise error

    room, name = place
    if isinstance(room, dict):
        monkeypatch.setitem(room, name, fail)
    else:
        monkeypatch.setattr(room, name, fail)


@pytest.mark.filterwarnings("ignore:a graph runs:RuntimeWarning")
@pytest.mark.parametrize("way", [compiled, planned, open_sizes])
@pytest.mark.parametrize("error", FAULTS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("place", MAKING)
def test_a_fault_in_making_a_program_changes_no_result(monkeypatch, place, error, way):
    wanted = trained(lambda step: step)
    break_in(monkeypatch, MAKING[place], error)
    assert same(trained(way), wanted)
    assert fallbacks or (way is not compiled and place in ("regions", "code", "llvm")) or way is open_sizes


@pytest.mark.filterwarnings("ignore:a graph runs:RuntimeWarning")
@pytest.mark.parametrize("way", [compiled, planned])
@pytest.mark.parametrize("line", ["raise KeyError('u1')", "undefined_name", "(1).shape", "empty((2, 3), 'no dtype')"])
def test_a_fault_in_what_was_written_changes_no_result(monkeypatch, line, way):
    wanted = trained(lambda step: step)
    written = codegen.written

    def wrong(writer, step, out):
        return [line] if step.op.name in ("relu", "softmax", "exp") else written(writer, step, out)

    monkeypatch.setattr(codegen, "written", wrong)
    for rule in LOWERINGS.values():
        monkeypatch.setattr(rule, "code", lambda *_: None)
    assert same(trained(way), wanted)
    assert {fallback.stage for fallback in fallbacks} <= {"buffers", "compile"}
    assert fallbacks


@pytest.mark.filterwarnings("ignore:a graph runs:RuntimeWarning")
def test_code_that_raises_when_it_runs_changes_no_result(monkeypatch):
    wanted = trained(lambda step: step)

    def raising(_self, _forms):
        def fail(*_arrays):
            raise SystemError("returned a result with an exception set")

        return fail

    monkeypatch.setattr(regions.Region, "function", raising)
    assert same(trained(compiled), wanted)
    assert fallbacks[0].stage == "compile"


def test_it_is_said_in_one_line_once(monkeypatch):
    break_in(monkeypatch, (programs, "Memory"), KeyError("u1"))
    functions = [tf.function(lambda x: x * 2.0 + 1.0, jit_compile=False) for _ in range(3)]
    with pytest.warns(RuntimeWarning) as warned:
        assert [run(tf.constant(2.0)).numpy() for run in functions for _ in range(4)] == [5.0] * 12
    assert [str(each.message) for each in warned] == [
        "a graph runs without memory of its own (KeyError: 'u1'). What it computes is the same; please report this"
    ]
    assert [(each.stage, each.error) for each in fallbacks] == [("buffers", "KeyError: 'u1'")] * 3


def test_a_programs_own_errors_are_none_of_the_planners():
    v = tf.Variable(0.0)

    @tf.function(jit_compile=True)
    def read(x, n):
        v.assign_add(1.0)
        return tf.gather(x * 2.0, n)

    checked = tf.function(lambda x: tf.debugging.check_numerics(tf.math.log(x) * 2.0, "seen"), jit_compile=True)
    for _ in range(3):
        read(tf.ones([3]), 1)
        checked(tf.ones([2]))
    for _ in range(2):
        with pytest.raises(tf.errors.InvalidArgumentError, match="indices"):
            read(tf.ones([3]), 7)
        with pytest.raises(tf.errors.InvalidArgumentError, match="seen"):
            checked(-tf.ones([2]))
    assert not fallbacks


def test_python_runs_once_though_what_follows_fails():
    calls = []

    def note(x):
        calls.append(float(x))
        return x

    @tf.function(jit_compile=False)
    def run(x):
        y = tf.py_function(note, [x], tf.float32)
        y.set_shape([])
        return tf.gather([1.0, 2.0], tf.cast(y, tf.int32))

    for _ in range(3):
        run(1.0)
    calls.clear()
    with pytest.raises(tf.errors.InvalidArgumentError):
        run(9.0)
    assert calls == [9.0]


def test_an_error_that_came_of_drawn_numbers_is_not_drawn_away():
    drawn = tf.function(lambda: tf.debugging.check_numerics(tf.math.log(tf.random.uniform([40]) - 0.5), "seen"))
    for _ in range(20):
        with pytest.raises(tf.errors.InvalidArgumentError, match="seen"):
            drawn()
    assert not fallbacks


def test_compiled_code_reads_no_memory_that_is_not_the_arrays():
    @tf.function(jit_compile=True)
    def run(x):
        y = tf.numpy_function(lambda x: x, [x], tf.float32)
        y.set_shape([100_000])
        return y * 2.0 + 1.0, tf.sqrt(y)

    for _ in range(3):
        assert run(tf.ones([100_000]))[0].shape == [100_000]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"expected a value of shape \[100000\], got one of \[3\]"):
        run(tf.ones([3]))


def test_memory_of_another_dtype_is_converted_before_code_reads_it():
    routine = tf.function(lambda x: (x * 2.0, x + 1.0), autograph=False).get_concrete_function(tf.ones([4]))._routine
    program = programs.Executable(routine.graph, routine.outputs)
    while not program._native:
        program([np.ones(4, "f4")])
    for array in (np.full(4, 3, ">f4"), np.full(4, 3, np.dtype("f4", metadata={"from": "a file"}))):
        assert [found.tolist() for found in program([array])] == [[6.0] * 4, [4.0] * 4]


def test_only_so_many_are_kept(monkeypatch):
    graph = tf.function(lambda x: x).get_concrete_function(1.0).graph
    monkeypatch.setattr(module, "_warned", {("plan", "ValueError: x")})
    for _ in range(1100):
        module.fall_back("plan", graph, ValueError("x"))
    assert len(fallbacks) == 1000


def test_each_version_can_run_node_by_node():
    routine = tf.function(lambda x: x * 2.0, autograph=False).get_concrete_function(tf.ones([2]))._routine
    version = specializations.NodeVersion(programs.Executable(routine.graph, routine.outputs))
    assert version.run([np.ones(2, "f4")])[0].tolist() == version.made()(np.ones(2, "f4"))[0].tolist() == [2.0, 2.0]
