"""What looks wrong: each finding with its line, what to do and the figures, and no alarm where nothing is wrong."""

import json

import pytest

import tapeviz as tf
from tapeviz.analysis.graph import graph_of
from tapeviz.analysis.verdicts import verdicts, with_verdicts
from tapeviz.backends import NUMPY
from tapeviz.engine.devices import devices
from tapeviz.recording import Builder, read
from tapeviz.recording.schema import KINDS
from tests.analysis.cells import record_cell

NETWORK = """
rng = np.random.default_rng(0)
x = tf.constant(rng.normal(size=(64, 20)), tf.float32)
y = tf.constant(rng.integers(0, 5, 64))
def layer(n, m, scale):
    return tf.Variable(rng.normal(size=(n, m)) * scale, dtype=tf.float32), tf.Variable(np.zeros(m), dtype=tf.float32)
"""

TRAIN = """
w1, b1 = layer(20, 16, (2 / 20) ** 0.5)
w2, b2 = layer(16, 5, (2 / 16) ** 0.5)
for step in range(5):
    with tf.GradientTape() as tape:
        h = tf.nn.relu(x @ w1 + b1)
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, h @ w2 + b2))
    gradients = tape.gradient(loss, [w1, b1, w2, b2])
    for v, g in zip([w1, b1, w2, b2], gradients):
        v.assign_sub(0.5 * g)
"""

DEEP = """
layers = [layer(20, 20, SCALE) for _ in range(DEPTH)]
with tf.GradientTape() as tape:
    h = x
    for w, b in layers:
        h = tf.ACTIVATION(h @ w + b)
    loss = tf.reduce_mean(h * h)
sources = [w for w, b in layers]
gradients = tape.gradient(loss, sources)
"""


def deep(scale, depth, activation):
    code = DEEP.replace("SCALE", str(scale)).replace("DEPTH", str(depth)).replace("ACTIVATION", activation)
    tape, names = record_cell(code, NETWORK)
    assert "error" not in names, names["error"]
    return tape


def test_a_healthy_network_raises_no_alarm():
    tape, names = record_cell(TRAIN, NETWORK)
    assert "error" not in names, names["error"]
    assert tape.verdicts() == []
    assert str(tape.verdicts()).startswith("No finding; looked for mistakes in gradients")


@pytest.mark.parametrize("scale", [0.01, 1.0])
def test_nor_does_a_network_that_begins_badly(scale):
    tape, _ = record_cell(TRAIN.replace("(2 / 20) ** 0.5", str(scale)), NETWORK)
    assert [v.kind for v in tape.verdicts()] == []


def test_gradients_that_vanish_with_depth():
    tape = deep(0.1, 20, "sigmoid")
    found = tape.verdicts()
    assert {v.kind for v in found} == {"vanishing"}
    first = min(found, key=lambda v: v.evidence["ratio"])
    assert (first.severity, first.site.cell, first.site.line) == (2, 2, 5)
    assert first.evidence["ratio"] < first.evidence["threshold"] == 1e-5
    assert "relu" in first.fix
    # The first layer's, and the last layer's is not among them.
    shallow = tape.requests.source[[0, -1]]
    assert shallow[0] in [v.tensor for v in found]
    assert shallow[1] not in [v.tensor for v in found]


def test_gradients_that_explode_with_depth():
    found = deep(2.0, 12, "nn.relu").verdicts()
    assert {v.kind for v in found} == {"exploding"}
    assert all(v.evidence["ratio"] > v.evidence["threshold"] == 1e3 for v in found)
    assert "clip" in found[0].fix


def test_a_parameter_that_gets_exactly_nothing():
    code = """
    w1, b1 = layer(20, 16, 0.3)
    w2, b2 = layer(16, 5, 0.3)
    with tf.GradientTape() as tape:
        h = tf.nn.relu(x @ w1 - 1000.0)
        loss = tf.reduce_mean(tf.square(h @ w2 + b2 - 1.0))
    gradients = tape.gradient(loss, [w1, b2])
    """
    (found,) = record_cell(code, NETWORK)[0].verdicts()
    assert (found.kind, found.site.line) == ("vanishing", 4)
    assert "exactly 0" in found.text
    assert found.text.startswith("every element of w1's")


def test_an_op_that_failed():
    tape, names = record_cell("h = x @ x", NETWORK)
    (found,) = tape.verdicts()
    assert (found.kind, found.severity, found.site.line) == ("failed", 3, 1)
    assert found.text.startswith("matmul failed:")
    assert "shapes" in found.fix
    assert names["error"] is not None


def test_an_error_that_the_program_caught_is_only_worth_knowing():
    code = "try:\n    h = x + tf.constant(1.0, tf.float64)\nexcept Exception:\n    h = x"
    (found,) = record_cell(code, NETWORK)[0].verdicts()
    assert (found.kind, found.severity, found.evidence["caught"]) == ("failed", 1, True)
    assert "tf.cast" in found.fix


def test_a_device_that_is_not_there(monkeypatch):
    monkeypatch.setattr(devices, "known", [NUMPY])
    monkeypatch.setattr(devices, "visible", [NUMPY])
    monkeypatch.setattr(devices, "_obstacle", "no usable GPU here: missing CuPy")
    code = """
    for _ in range(3):
        with tf.device("/gpu:0"):
            h = x * 2.0
            with tf.name_scope("inside"), tf.device("/cpu:0"):
                h = h * h + h
    with tf.device("/cpu:7"):
        h = x * x
    """
    tape, _ = record_cell(code, NETWORK)
    gpu, cpu = tape.verdicts()
    assert (gpu.kind, gpu.severity, gpu.tensor) == ("soft_placement", 1, -1)
    assert (gpu.site.cell, gpu.site.line, gpu.site.text) == (2, 2, 'with tf.device("/gpu:0"):')
    assert gpu.text == "tf.device('/gpu:0') ran on CPU:0 (3 times), because there is no usable GPU here"
    assert gpu.fix.startswith("ask for /cpu:0, have such a line raise")
    assert gpu.fix.endswith("or make a GPU usable: missing CuPy")
    assert gpu.evidence == {
        "asked": "/gpu:0", "device": "CPU:0", "lacking": "no usable GPU here: missing CuPy", "times": 3, "ops": 3,
    }  # fmt: skip
    assert graph_of(tape.recording).links.spans[gpu.event] == ("device", "/gpu:0")
    assert (cpu.site.line, cpu.evidence["lacking"], cpu.evidence["ops"]) == (6, "", 1)
    assert cpu.text == "tf.device('/cpu:7') ran on CPU:0, because there is no such device here"
    assert "tf.config.list_logical_devices()" in cpu.fix
    again = read(with_verdicts(tape.recording).to_bytes())
    assert again.verdicts.kind == ["soft_placement", "soft_placement"]
    assert again.sites.line[again.verdicts.site].tolist() == [2, 6]


def test_a_device_that_is_there_is_no_finding():
    tape, _ = record_cell('with tf.device("/cpu:0"), tf.device(None):\n    h = x * x', NETWORK)
    assert tape.verdicts() == []


def test_a_device_whose_facts_are_damaged_is_no_finding():
    builder = Builder()
    for text in ['{"span": "device", "placed": "CPU:0"}', '{"span": "device", "name": "/gpu:0"}', "[]", "no JSON"]:
        builder.append("events", kind=KINDS.index("span"), op=-1, params=builder.intern(text))
    assert verdicts(builder.recording()) == []


def test_faults_stand_before_what_is_worth_knowing():
    code = """
    w1, b1 = layer(20, 5, 0.3)
    unused = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        tf.math.log(x - x)
        h = tf.stop_gradient(x @ w1)
        loss = tf.reduce_sum(h * b1)
    gradients = tape.gradient(loss, [w1, b1, unused])
    """
    found = record_cell(code, NETWORK)[0].verdicts()
    assert [(v.kind, v.severity) for v in found] == [("gradient_none", 3), ("gradient_none", 2), ("nonfinite", 1)]
    assert [v.evidence.get("reason") for v in found] == ["stop_gradient", "unconnected", None]


def test_the_evidence_of_a_gradient_that_is_none():
    code = """
    w1, b1 = layer(20, 5, 0.3)
    with tf.GradientTape() as tape:
        h = x @ w1
        loss = tf.reduce_sum(tf.constant(h.numpy()) * b1)
    gradients = tape.gradient(loss, [w1, b1])
    """
    tape, _ = record_cell(code, NETWORK)
    recording = with_verdicts(tape.recording)
    row = recording.verdicts[0]
    evidence = json.loads(row.evidence)
    assert (evidence["reason"], evidence["certain"]) == ("left_engine", True)
    assert row.tensor == evidence["from_source"][0] == tape.requests.source[0]
    assert evidence["from_target"][0] == tape.requests.target[0]
    assert evidence["gap"]["tensor"] == evidence["from_source"][-1]
    assert "h.numpy()" in evidence["gap"]["text"]
    assert recording.sites.line[row.site] == 4
    assert row.fix == tape.verdicts()[0].fix


def test_verdicts_become_rows_once_and_survive_the_file():
    tape, _ = record_cell("y = tf.math.log(x - x)", NETWORK)
    recording = with_verdicts(tape.recording)
    assert len(tape.recording.verdicts) == 0
    assert len(recording.verdicts) == len(tape.verdicts()) == 1
    assert with_verdicts(recording) is recording
    again = read(recording.to_bytes())
    assert again.verdicts.text == recording.verdicts.text
    assert [v.row() for v in verdicts(again)] == [v.row() for v in tape.verdicts()]
    json.loads(again.verdicts.evidence[0])


def test_an_input_of_a_dtype_that_the_op_has_not_is_told_the_dtypes_it_has():
    code = """
    tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.constant([1.0]), logits=tf.ones([1, 2]))
    """
    (found,) = record_cell(code)[0].verdicts()
    assert found.kind == "failed"
    assert "int32, int64" in found.fix
    assert "all inputs one dtype" not in found.fix


@pytest.mark.parametrize("way", ["eager", "traced"])
def test_zeros_that_were_asked_for_are_no_missing_gradient(way):
    w, other = tf.Variable(2.0, name="w"), tf.Variable(3.0, name="other")

    def step():
        with tf.GradientTape() as tape:
            loss = w * w
        return tape.gradient(loss, [w, other], unconnected_gradients="zero")

    step = step if way == "eager" else tf.function(step)
    step()
    with tf.record() as tape:
        _, zero = step()
    assert float(zero) == 0.0
    assert tape.verdicts() == []
    assert tape.requests.filled.tolist() == [0, 1]
    if way == "eager":
        assert tape.why(source="other").reason == "unconnected"


def test_contributions_that_cancel_are_no_dead_gradient():
    scale, shift = tf.Variable(2.0, name="scale"), tf.Variable(1.0, name="shift")
    with tf.record() as tape:
        with tf.GradientTape() as g:
            loss = (tf.constant(3.0) * scale + shift) - (tf.constant(1.0) * scale + shift)
        g.gradient(loss, [scale, shift])
    (found,) = tape.verdicts()
    assert (found.kind, found.severity) == ("vanishing", 1)
    assert found.text.startswith("every element of shift's gradient is exactly 0: its contributions cancel")
