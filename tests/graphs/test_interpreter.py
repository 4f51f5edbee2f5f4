"""The interpreter of nodes: what a hook sees, what it may change, and where a run stops and goes on."""

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.graphs.run.executable import Executable
from tapeviz.graphs.run.interpreter import Hook, Interpreter, run_once


def program_of(function, *specs):
    concrete = tf.function(function).get_concrete_function(*specs)
    return Executable(concrete.graph, concrete.outputs)


@pytest.fixture
def program():
    def function(x):
        return tf.exp(x) * 2.0 + 1.0

    return program_of(function, tf.TensorSpec([3]))


X = np.array([0.0, 1.0, 2.0], "f4")
Y = np.exp(X) * np.float32(2) + np.float32(1)


class Log(Hook):
    def __init__(self):
        self.calls = []

    def before(self, run, node):
        self.calls.append(("before", node.op.name, run.place))

    def source(self, _run, node, tensor):
        self.calls.append(("source", node.op.name, tensor.numpy().item()))
        return tensor

    def after(self, run, node, outputs):
        assert all(run.values[id(tensor)] is array for tensor, array in zip(node.outputs, outputs, strict=True))
        self.calls.append(("after", node.op.name, run.place))

    def failed(self, _run, node, error):
        self.calls.append(("failed", node.op.name, type(error).__name__))


def named(program, name):
    return next(node for node in program.nodes if node.op.name == name)


def test_a_hook_is_called_around_each_node(program):
    log = Log()
    run = Interpreter(program, [X], log)
    assert run.run()
    np.testing.assert_array_equal(run.outputs[0], Y)
    around = [call for call in log.calls if call[0] != "source"]
    assert around == [
        (when, node.op.name, place + (when == "after"))
        for place, node in enumerate(program.nodes)
        for when in ("before", "after")
    ]
    assert [call[2] for call in log.calls if call[0] == "source"] == [2.0, 1.0]


def test_a_run_without_a_hook_gives_the_same_and_lets_arrays_go(program):
    run = Interpreter(program, [X])
    assert run.run()
    np.testing.assert_array_equal(run.outputs[0], run_once(program, [X])[0])
    assert list(run.values) == [id(program.outputs[0])]


def test_a_run_stops_in_front_of_a_node_and_goes_on(program):
    run = Interpreter(program, [X], Hook())
    times = named(program, "multiply")
    assert not run.run(until=times)
    assert program.nodes[run.place] is times
    assert id(times.outputs[0]) not in run.values
    assert run.run()
    np.testing.assert_array_equal(run.outputs[0], Y)


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_hook_stops_a_run_which_goes_on_behind_the_stop(program, when):
    class Stop(Hook):
        stops = 1

    def stop(self, _run, node, *_outputs):
        self.stops -= node.op.name == "multiply"
        return node.op.name == "multiply" and self.stops == 0

    setattr(Stop, when, stop)
    run = Interpreter(program, [X], Stop())
    assert not run.run()
    times = named(program, "multiply")
    assert (id(times.outputs[0]) in run.values) == (when == "after")
    assert run.run()
    np.testing.assert_array_equal(run.outputs[0], Y)


def test_a_hook_replaces_values(program):
    class Replace(Hook):
        def source(self, _run, _node, tensor):
            return tensor * 10.0

        def after(self, run, node, _outputs):
            if node.op.name == "exp":
                run.values[id(node.outputs[0])] = X

    run = Interpreter(program, [X], Replace())
    run.run()
    np.testing.assert_array_equal(run.outputs[0], X * 20 + 10)


def test_a_failure_is_explained_and_told_to_the_hook():
    def function(x, y):
        return tf.exp(x) + y

    program = program_of(function, tf.TensorSpec([None]), tf.TensorSpec([None]))
    log = Log()
    with pytest.raises(tf.errors.InvalidArgumentError) as raised:
        Interpreter(program, [X, X[:2]], log).run()
    assert log.calls[-1] == ("failed", "add", type(raised.value).__name__)
    assert "tf.exp(x) + y" in str(raised.value)


def test_sizes_known_late_are_those_of_the_run():
    def function(x):
        return tf.reshape(x, [tf.shape(x)[1], -1])

    program = program_of(function, tf.TensorSpec([None, None]))
    array = np.arange(6, dtype="f4").reshape(2, 3)
    run = Interpreter(program, [array], Hook())
    run.run()
    np.testing.assert_array_equal(run.outputs[0], array.reshape(3, 2))


def test_a_variable_is_read_and_assigned_in_order():
    variable = tf.Variable(1.0)

    def function(x):
        before = variable * 1.0
        variable.assign(x)
        return before, variable + 1.0

    program = program_of(function, tf.TensorSpec([]))
    run = Interpreter(program, [np.float32(5)], Hook())
    run.run()
    assert list(run.outputs) == [1.0, 6.0]
    assert variable.numpy() == 5.0
