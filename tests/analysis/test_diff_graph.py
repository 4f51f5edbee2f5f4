"""An eager tape beside one of a graph: what the passes did is no difference of the program, and devices are none."""

import numpy as np
import pytest

import tapeviz as tf
from tests.analysis.cells import Notebook
from tests.engine.strict_gpu import standing_in
from tests.recording.network import Network

X = np.linspace(-1, 1, 6, dtype="f4")


class Program(Network):
    """A network whose tensors have values."""

    def valued(self, tensor, array):
        array = np.asarray(array, "f4")
        self.builder.append("values", tensor=tensor, length=float(array.size), data=array.tobytes())
        return tensor

    def run(self, name, inputs, array, line, **columns):
        return self.valued(self.op(name, inputs, np.shape(array), line, **columns), array)

    def node(self, number, name, line, fate="kept", into=None):
        self.builder.append(
            "nodes", graph=0, number=number, op=self._op(name), site=line - 1, fate=fate,
            into=number if into is None else into,
        )  # fmt: skip


def eager():
    net = Program()
    x = net.valued(net.tensor([6], "host"), X)
    one = net.run("exp", [net.valued(net.tensor([], "host"), 0)], 1.0, 2)
    y = net.run("add", [x, one], X + 1, 3)
    y = net.run("square", [y], (X + 1) ** 2, 4)
    again = net.run("square", [net.run("add", [x, one], X + 1, 5)], (X + 1) ** 2, 5)
    net.run("multiply", [y, again], (X + 1) ** 4, 6)
    return net.builder.recording()


def graph(*, last=1.0, name="square"):
    """Return a run in which exp was folded, add went into square, and the second of each was merged with the first."""
    net = Program()
    net.node(0, "exp", 2, "folded", -1)
    net.node(1, "add", 3, "fused", 2)
    net.node(2, "square", 4)
    net.node(3, "add", 5, "merged", 1)
    net.node(4, "square", 5, "merged", 2)
    net.node(5, "multiply", 6)
    x = net.valued(net.tensor([6], "host"), X)
    y = net.run(name, [x], (X + 1) ** 2, 4)
    net.run("multiply", [y, y], (X + 1) ** 4 * np.float32(last), 6)
    net.builder.extend("node_runs", {"event": [0, 0, 1], "graph": [0, 0, 0], "node": [1, 2, 5]})
    return net.builder.recording()


def told(diff):
    return [(row.op, row.line, row.what, row.a, row.b, row.material) for row in diff]


@pytest.mark.parametrize("name", ["square", "fused"])
def test_what_was_folded_fused_or_merged_is_no_difference(name):
    diff = tf.diff(eager(), graph(name=name))
    assert told(diff) == [
        ("exp", 2, "only_a", 0, -1, False),
        ("add", 3, "fused", 1, 0, False),
        ("square", 4, "equal", 2, 0, False),
        ("add", 5, "fused", 3, 0, False),
        ("square", 5, "equal", 4, 0, False),
        ("multiply", 6, "equal", 5, 1, False),
    ]
    assert diff[0].note == "folded into a constant of the graph"
    assert diff.first is None
    assert diff.summary == (
        "No difference: 3 rows agree to the last bit; 2 ran inside fused ops; "
        "1 ran in one of the two, where the other need not."
    )


def test_a_difference_after_them_is_its_own():
    diff = tf.diff(eager(), graph(last=1.5))
    assert (diff.first.op, diff.first.line, diff.first.inherited) == ("multiply", 6, False)


@pytest.mark.parametrize("turned", [False, True])
def test_either_of_the_two_may_be_the_graph(turned):
    tapes = [eager(), graph()]
    diff = tf.diff(*(reversed(tapes) if turned else tapes))
    assert diff.first is None
    assert [row.what for row in diff if row.op == "exp"] == ["only_b" if turned else "only_a"]


def test_another_device_is_no_difference():
    recordings = []
    for device in (0, 1):
        net = Program()
        x = net.valued(net.tensor([6], "host", device=device), X)
        net.run("square", [x], X**2, 3, device=device)
        recordings.append(net.builder.recording())
    diff = tf.diff(*recordings)
    assert [row.what for row in diff] == ["equal"]


def test_a_program_on_another_device_is_the_same_program():
    def run(device):
        with tf.device(device), tf.record(values="all") as tape:
            w = tf.Variable([[0.5], [-0.3]], name="w")
            with tf.GradientTape() as g:
                loss = tf.reduce_sum(tf.tanh(tf.constant([[1.0, 2.0]]) @ w))
            g.gradient(loss, w)
        return tape

    with standing_in():
        tapes = [run("/cpu:0"), run("/gpu:0")]
    assert [list(tape.recording.devices.name) for tape in tapes] == [["CPU:0"], ["CPU:0", "GPU:0"]]
    diff = tf.diff(*tapes)
    assert diff.first is None
    assert diff.counts[0] > 6
    assert {row.what for row in diff if row.op != "copy_to_device"} == {"equal"}


def test_ops_that_compute_nothing_may_be_in_one_alone():
    one, other = Program(), Program()
    for net in (one, other):
        x = net.valued(net.tensor([6], "host"), X)
        if net is other:
            x = net.run("read_variable", [x], X, 3)
        net.run("square", [x], X**2, 3)
    diff = tf.diff(one.builder.recording(), other.builder.recording())
    assert [(row.op, row.what, row.material, row.note) for row in diff] == [
        ("read_variable", "only_b", False, "computes nothing"),
        ("square", "equal", False, ""),
    ]


FUNCTION = """
w = tf.Variable([[0.5], [-0.3]], name="w")
def step(x, c):
    h = tf.matmul(x, w)
    h = tf.sin(h) + h * c
    return tf.reduce_sum(h)
traced = tf.function(step)
x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
"""


@pytest.fixture(scope="module")
def notebook():
    notebook = Notebook()
    notebook.run(FUNCTION)
    return notebook


def call(notebook, name, c="2.0"):
    code = f"c = tf.constant({c})\nwith tf.GradientTape() as g:\n    loss = {name}(x, c)\ndw = g.gradient(loss, w)"
    tape = notebook.record(code, values="all")
    assert "error" not in notebook.names
    return tape


@pytest.mark.parametrize("names", [("step", "traced"), ("traced", "step"), ("traced", "traced")])
def test_a_function_and_its_graph(notebook, names):
    diff = tf.diff(*(call(notebook, name) for name in names))
    assert diff.first is None
    assert {row.what for row in diff} == {"equal"}
    assert [row.op for row in diff][:5] == ["matmul", "sin", "multiply", "add", "reduce_sum"]
    assert diff[-1].title == "gradient of w"
    assert diff.counts == (10, 0, 0)


@pytest.mark.parametrize("names", [("step", "traced"), ("traced", "traced")])
def test_what_differs_in_a_graph_has_its_cause(notebook, names):
    diff = tf.diff(call(notebook, names[0]), call(notebook, names[1], "2.5"))
    assert (diff.first.op, diff.first.line, diff.first.name) == ("constant", 1, "c")
    assert {row.cause for row in diff if row.material} == {-1, diff.first.index}
    assert next(row.op for row in diff if row.inherited) == "multiply"
    assert sum(row.material and not row.inherited for row in diff) == 1


def test_each_tensor_of_a_graph_run_has_one_row(notebook):
    numbers = call(notebook, "traced").tensors.id.tolist()
    assert len(numbers) == len({*numbers})
