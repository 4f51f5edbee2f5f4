"""One rule for the health of gradients: what it finds, where that happens, and every face that goes by it."""

import pytest

import tapeviz as tf
from tapeviz.analysis.graph import graph_of
from tapeviz.analysis.health.judgement import judgements, sources
from tapeviz.analysis.verdicts import with_verdicts
from tapeviz.analysis.verdicts.rules import coverage
from tapeviz.exports import summary_html
from tapeviz.exports.figures import ladder
from tapeviz.exports.figures.palette import FAULT
from tapeviz.recording.schema import DTYPES, HEALTHS, KINDS
from tests.analysis.cells import record_cell
from tests.recording.gradient_health import judged

SIGMOIDS = """
w = tf.Variable(1.0)
with tf.GradientTape() as tape:
    h = w
    for _ in range(40):
        h = tf.sigmoid(h)
g = tape.gradient(h, w)
"""

DATA = "rng = np.random.default_rng(0)\nx = tf.constant(rng.normal(size=(16, 4)), tf.float32)"

LAYERS = """
w1 = tf.Variable(rng.normal(size=(4, 8)), dtype=tf.float32)
b1 = tf.Variable(tf.fill([8], BIAS))
w2 = tf.Variable(rng.normal(size=(8, 1)), dtype=tf.float32)
with tf.GradientTape() as tape:
    h = tf.nn.relu(x @ w1 + b1)
    loss = tf.reduce_mean(tf.square(h @ w2 - 1.0))
g = tape.gradient(loss, [w1, b1, w2])
for v, d in zip([w1, b1, w2], g):
    v.assign_sub(0.1 * d)
"""


def findings(code, before=DATA):
    tape, names = record_cell(code, before)
    assert "error" not in names, names["error"]
    return tape.verdicts()


def test_forty_sigmoids_vanish_though_nothing_stands_beside_their_one_source():
    (found,) = findings(SIGMOIDS)
    assert (found.kind, found.severity) == ("vanishing", 2)
    assert (found.site.line, found.site.text) == (5, "h = tf.sigmoid(h)")
    assert "most of it is lost in sigmoid, 40 times on the way" in found.text
    assert "relu" in found.fix


def test_forty_sigmoids_vanish_in_a_traced_function_too():
    code = """
    @tf.function
    def step():
        with tf.GradientTape() as tape:
            h = w
            for _ in range(40):
                h = tf.sigmoid(h)
        return tape.gradient(h, w)
    w = tf.Variable(1.0)
    g = step()
    """
    (found,) = findings(code)
    assert (found.kind, found.site.line) == ("vanishing", 6)


def test_all_gradients_exactly_0_are_said_at_the_op_where_they_end():
    (found,) = findings(LAYERS.replace("BIAS", "-100.0"))
    assert (found.kind, found.severity) == ("vanishing", 2)
    assert found.text == "all 3 gradients of loss are exactly 0 (w1, b1, w2): it ends at relu"
    assert found.site.line == 5
    assert len(found.evidence["tensors"]) == 3


def test_the_site_is_where_it_happens_and_not_the_update():
    code = """
    ws = [tf.Variable(rng.normal(size=(4, 4)) * 3, dtype=tf.float32) for _ in range(30)]
    with tf.GradientTape() as tape:
        h = x
        for w in ws:
            h = h @ w
        loss = tf.reduce_sum(h)
    g = tape.gradient(loss, ws)
    for w, d in zip(ws, g):
        w.assign_sub(1e-30 * d)
    """
    found = findings(code)
    assert {one.kind for one in found} == {"exploding"}
    assert {one.site.line for one in found} == {5}


@pytest.mark.parametrize(
    "code",
    [
        # Rounding leaves next to nothing of a bias in front of a normalisation: no gradient vanished on its way.
        """
        w, b = tf.Variable(rng.normal(size=(4, 8)), dtype=tf.float32), tf.Variable(tf.zeros([8]))
        with tf.GradientTape() as tape:
            h = x @ w + b
            h = (h - tf.reduce_mean(h, 0)) / tf.sqrt(tf.math.reduce_variance(h, 0) + 1e-3)
            loss = tf.reduce_mean(tf.square(tf.tanh(h) - 0.3))
        g = tape.gradient(loss, [w, b])
        """,
        # The key's bias of an attention moves all scores of a row alike, which softmax does not see.
        """
        q, k, b = (tf.Variable(rng.normal(size=s), dtype=tf.float32) for s in ((4, 4), (4, 4), (4,)))
        with tf.GradientTape() as tape:
            a = tf.nn.softmax((x @ q) @ tf.transpose(x @ k + b))
            loss = tf.reduce_sum(tf.square(a @ x))
        g = tape.gradient(loss, [q, k, b])
        """,
        # A fit that has come as far as float32 goes.
        """
        w = tf.Variable(0.0)
        for _ in range(300):
            with tf.GradientTape() as tape:
                loss = tf.square(w - 3.0) + 1.0
            g = tape.gradient(loss, w)
            w.assign_sub(0.05 * g)
        """,
        # All classes are told apart: the loss is as small as the gradient.
        """
        w = tf.Variable([[60.0, -60.0]])
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(tf.constant([[1.0, 0.0]]), w * 0.4))
        g = tape.gradient(loss, w)
        """,
        LAYERS.replace("BIAS", "0.0"),
    ],
    ids=["normalisation", "attention", "converged", "separable", "training"],
)
def test_what_is_well_is_not_called_vanishing(code):
    assert findings(code) == []


def test_weights_behind_one_that_begins_at_0_are_only_worth_knowing():
    code = """
    w1, w2 = tf.Variable(tf.ones([4, 8])), tf.Variable(tf.zeros([8, 1]))
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(x @ w1 @ w2 - 1.0))
    g = tape.gradient(loss, [w1, w2])
    """
    (found,) = findings(code)
    assert (found.severity, found.site.line) == (1, 3)
    assert "multiplied by 0" in found.text
    assert "it moves first" in found.fix


def test_an_exact_fit_is_said_with_its_loss_of_0():
    (found,) = findings(
        "w = tf.Variable(3.0)\nwith tf.GradientTape() as t:\n    loss = (w - 3.0) ** 2\ng = t.gradient(loss, w)"
    )
    assert found.severity == 1
    assert "loss is 0 as well" in found.text


@pytest.mark.parametrize("code", [SIGMOIDS, LAYERS.replace("BIAS", "-100.0"), LAYERS.replace("BIAS", "0.0")])
def test_every_face_says_the_same(code):
    """Verdicts, the table that the views read, the summary and the ladder go by one judgement."""
    tape, _ = record_cell(code, DATA)
    graph, recording = graph_of(tape.recording), with_verdicts(tape.recording)
    asked = sources(graph, int(tape.requests.event[-1]))
    told = {tensor for one in tape.verdicts() for tensor in one.evidence["tensors"]}
    bad = {graph.tensor_id(source.tensor) for source in asked if source.health != "ok"}
    assert told == bad
    rows = recording.health.request >= 0
    assert [HEALTHS[n] for n in recording.health.health[rows]] == [HEALTHS[n] for n in judgements(graph).health]
    drawn = [text for axes in ladder.gradients(recording).axes for text in axes.texts if text.get_color() == FAULT]
    assert len(drawn) == len(["vanishing", "exploding"]) + len(bad)


def test_the_recording_says_what_was_looked_for():
    tape, _ = record_cell("y = x + 1.0", DATA)
    found = with_verdicts(tape.recording).meta_dict()["looked_for"]
    assert found["text"].startswith("No finding; looked for")
    assert found["unseen"] == []
    for kind in ("dead_units", "update_ratio", "cancellation"):
        assert kind in tape.verdicts().not_looked_for
        assert kind not in found["kinds"]
    assert "Not looked for: " in str(tape.verdicts())


def test_what_cannot_be_there_is_not_said_to_have_been_looked_for():
    tape, _ = record_cell("y = x + 1.0", DATA)
    kinds = tape.verdicts().looked_for
    assert {"nonfinite", "broadcast", "failed", "soft_placement"} <= set(kinds)
    assert {"gradient_none", "vanishing", "exploding", "retrace", "frozen"}.isdisjoint(kinds)
    said = "No finding; looked for mistakes in values, shapes, losses, ops and devices."
    assert str(tape.verdicts()).startswith(
        f"{said}\nLooked for: NaN or infinity, columns that are broadcast over vectors"
    )
    assert with_verdicts(tape.recording).meta_dict()["looked_for"]["text"] == said
    assert said in " ".join(str(tape).split())
    assert said in " ".join(summary_html.summary(with_verdicts(tape.recording)).split())
    code = "with tf.GradientTape() as t:\n    y = w * 2.0\ng = t.gradient(y, w)"
    asked, _ = record_cell(code, "w = tf.Variable(3.0)")
    assert "gradient_none" in asked.verdicts().looked_for


def test_no_finding_is_never_said_over_what_was_not_looked_at():
    tape, _ = record_cell("y = x + 1.0", DATA, values="none")
    assert tape.verdicts() == []
    assert "nonfinite" not in tape.verdicts().looked_for
    assert "no statistics were kept" in str(tape.verdicts())
    assert "NaN" not in str(tape.verdicts()).splitlines()[0]
    assert "no statistics were kept" in " ".join(str(tape).split())
    tape, _ = record_cell("y = x\nfor _ in range(30):\n    y = y + 1.0", DATA, max_ops=10, keep="last")
    assert tape.verdicts().unseen == ("the 20 ops before these, which were not kept",)


def test_tensors_and_gradients_without_statistics_are_counted():
    builder = judged()
    builder.append("ops", name="exp")
    builder.append("events", id=1, kind=KINDS.index("op"), op=0)
    builder.append("tensors", id=100, dtype=DTYPES.index("float32"), producer=1, variable=-1)
    found = coverage(graph_of(builder.recording()))
    assert found.unseen == (
        "1 of 15 tensors, which have no statistics", "1 of 7 gradients asked for, which have no statistics",
    )  # fmt: skip


@pytest.mark.parametrize("persistent", [False, True])
def test_a_gradient_by_a_variable_that_was_assigned_on_the_way_is_measured(persistent):
    code = f"""
    with tf.GradientTape(persistent={persistent}) as tape:
        loss = tf.reduce_sum(x * w)
        w.assign_sub(tf.ones([4]))
        loss += tf.reduce_sum(x * w)
    g = tape.gradient(loss, w)
    """
    tape, names = record_cell(code, DATA + "\nw = tf.Variable(tf.ones([4]))")
    (source,) = sources(graph_of(tape.recording), int(tape.requests.event[-1]))
    assert source.health == "ok"
    assert source.norm == pytest.approx(float(tf.norm(names["g"]).numpy()))
    assert tape.verdicts().unseen == ()


@pytest.mark.parametrize(
    ("line", "cause", "fix"),
    [
        ("tf.reduce_sum(tf.nn.softmax(w))", "softmax, whose outputs count alike", "weigh the outputs"),
        ("tf.reduce_sum(tf.nn.softmax(w * 1000.0) * [1.0, 2.0])", "it ends at softmax", "make the numbers"),
    ],
)
def test_a_softmax_whose_outputs_are_added_up_is_not_called_saturated(line, cause, fix):
    cell = f"with tf.GradientTape() as tape:\n    loss = {line}\ng = tape.gradient(loss, w)"
    tape, names = record_cell(cell, "w = tf.Variable([[0.5, -1.0]])")
    assert not names["g"].numpy().any()
    (verdict,) = tape.verdicts()
    assert cause in str(verdict)
    assert fix in str(verdict)


@pytest.mark.parametrize(
    ("before", "line", "cause", "fix"),
    [
        ("w = tf.Variable(1.0)", "h = h * 0.1 + 1.0", "at multiply, it is too small for float32", "look at the factor"),
        ("w = tf.Variable(1.0)", "h = tf.sigmoid(h)", "at sigmoid, it is too small for float32", "does not saturate"),
        ("w = tf.Variable(tf.constant(1.0, tf.float16))", "h = h * 0.1 + 1.0", "too small for float16", "LossScale"),
    ],
)
def test_a_gradient_that_shrinks_below_the_dtype_is_not_said_to_end_where_a_slope_is_zero(before, line, cause, fix):
    loop = f"    h = w\n    for _ in range(100):\n        {line}\n"
    cell = f"with tf.GradientTape() as tape:\n{loop}g = tape.gradient(h, w)"
    tape, names = record_cell(cell, before)
    assert names["g"].numpy() == 0
    (verdict,) = tape.verdicts()
    assert cause in verdict.text
    assert fix in verdict.fix
    assert "slope is 0" not in str(verdict)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_bias_whose_mean_is_subtracted_does_not_vanish(dtype):
    """What is left of its gradient are roundings of very many terms, which are small but for their sum."""
    code = f"""
    x = tf.random.normal((4, 24, 24, 3), dtype="{dtype}")
    k = tf.Variable(tf.random.normal((3, 3, 3, 8), dtype="{dtype}") * 0.2)
    b = tf.Variable(tf.fill((8,), tf.constant(0.3, "{dtype}")))
    w = tf.Variable(tf.random.normal((8, 3), dtype="{dtype}"))
    with tf.GradientTape() as tape:
        h = tf.nn.bias_add(tf.nn.conv2d(x, k, 1, "SAME"), b)
        mean, variance = tf.nn.moments(h, [1, 2], keepdims=True)
        h = tf.reduce_mean(tf.tanh((h - mean) / tf.sqrt(variance + 1e-5)), [1, 2])
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits([0, 1, 2, 0], h @ w))
    g = tape.gradient(loss, [k, b, w])
    """
    assert not [one for one in findings(code) if one.kind == "vanishing"]
