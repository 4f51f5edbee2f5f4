"""Traced graphs in a recording: what they are, and their runs, as one step or node by node."""

import json

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.compat import v1


def recorded(values, *, traced_before=False):
    w = tf.Variable(np.full((3, 4), 0.1, np.float32), name="w")
    b = tf.Variable(np.zeros(4, np.float32), name="b")

    @tf.function
    def model(x):
        h = tf.tanh(x @ w + b)
        return tf.reduce_sum(h * h)

    x = tf.ones([2, 3])
    if traced_before:
        model(x)
    with tf.record(values=values) as tape:
        with tf.GradientTape() as inner:
            loss = model(x)
        gradients = inner.gradient(loss, [w, b])
    with tf.GradientTape() as outside:
        again = model(x)
    return tape, loss, gradients, again, outside.gradient(again, [w, b])


def table(tape, name):
    return tape.recording.table(name)


@pytest.mark.parametrize("traced_before", [False, True])
@pytest.mark.parametrize("values", ["none", "stats", "all"])
def test_recording_changes_nothing(values, traced_before):
    _, loss, gradients, again, without = recorded(values, traced_before=traced_before)
    assert loss.numpy() == again.numpy()
    for one, other in zip(gradients, without, strict=True):
        assert np.array_equal(one.numpy(), other.numpy())


@pytest.mark.parametrize("values", ["none", "stats"])
def test_the_graph_is_part_of_the_recording(values):
    tape = recorded(values)[0]
    graphs, nodes, edges = (table(tape, name) for name in ("graphs", "nodes", "node_edges"))
    assert next(iter(graphs.cells("name"))) == "model"
    assert json.loads(graphs.cells("key")[0]) == [["x", "tensor (2, 3) float32"]]
    assert graphs.cells("reason")[0] == "the first call"
    assert graphs.cells("tracing")[0] > 0
    names = list(nodes.cells("name"))
    assert names == [
        "x", "w/Read/ReadVariableOp", "MatMul", "b/Read/ReadVariableOp", "add", "Tanh", "mul", "Sum",
    ]  # fmt: skip
    lines = [tape.sites.text[site].strip() for site in nodes.cells("site")]
    assert lines[2] == lines[5] == "h = tf.tanh(x @ w + b)"
    matmul = [
        (source, position)
        for source, target, position in zip(*(edges.cells(c) for c in ("source", "target", "position")), strict=True)
        if target == 2
    ]
    assert matmul == [(0, 0), (1, 1)]


def test_one_step_when_no_contents_are_kept():
    tape = recorded("none")[0]
    events = table(tape, "events")
    ops = [table(tape, "ops").cells("name")[op] for op in events.cells("op") if op >= 0]
    assert ops == ["call", "call"]
    assert list(table(tape, "graph_runs").cells("pruned")) == [0]
    assert len(table(tape, "node_runs")) == 0


def test_node_by_node_it_reads_like_an_eager_run():
    tape = recorded("stats")[0]
    events = table(tape, "events")
    names = [table(tape, "ops").cells("name")[op] for op in events.cells("op") if op >= 0]
    assert names == [
        "matmul",
        "add",
        "tanh",
        "multiply",
        "reduce_sum",
        "reduce_sum",
        "multiply",
        "tanh",
        "add",
        "matmul",
    ]
    runs = table(tape, "node_runs")
    assert list(runs.cells("node")) == [2, 4, 5, 6, 7]
    origins = [events.cells("op")[origin] for origin in events.cells("origin") if origin >= 0]
    assert [table(tape, "ops").cells("name")[op] for op in origins] == names[5:]
    assert "h" in list(table(tape, "names").cells("name"))


def test_a_failing_node_is_the_last_event_and_names_the_line():
    @tf.function(input_signature=[tf.TensorSpec([None]), tf.TensorSpec([None])])
    def summed(x, y):
        return x + y

    with pytest.raises(tf.errors.InvalidArgumentError, match=r"(?s)return x \+ y"), tf.record() as tape:
        summed(tf.ones([2]), tf.ones([3]))
    events = table(tape, "events")
    assert list(events.cells("status"))[-1] == 1
    assert len(table(tape, "messages")) == 1


def test_check_numerics_finds_the_node():
    @tf.function
    def roots(x):
        return tf.math.log(x) * 0.0

    tf.debugging.enable_check_numerics()
    try:
        with pytest.raises(tf.errors.InvalidArgumentError, match="Log"):
            roots(tf.constant([0.0, 1.0]))
    finally:
        tf.debugging.disable_check_numerics()


def test_the_recorder_packs_whatever_numbers_it_meets():
    # Two numbers an op, so that half of all numbers are never those of an op's output.
    x = tf.Variable(1.0)
    with tf.record(values="none", max_ops=4096) as tape:
        for _ in range(12_000):
            x.assign(x * 1.0)
    assert tape.recording.meta_dict()["truncated"]["ops"] < 12_000


def a_training_step(w, b, x):
    with tf.GradientTape() as inner:
        h = tf.tanh(x @ w + b)
        loss = tf.reduce_sum(h * h)
    dw, db = inner.gradient(loss, [w, b])
    w.assign_sub(0.1 * dw)
    b.assign_sub(0.1 * db)
    return loss


def rows_of(tape):
    """Return what each op's event says, whatever its number."""
    events, ops = table(tape, "events"), table(tape, "ops").cells("name")
    return [
        (ops[op], phase, tape.sites.text[site])
        for op, phase, site in zip(*(events.cells(c) for c in ("op", "phase", "site")), strict=True)
        if op >= 0
    ]


@pytest.mark.parametrize("values", ["stats", "all"])
def test_a_gradient_inside_is_recorded_as_of_an_eager_step(values):
    tapes = []
    for step in (a_training_step, tf.function(a_training_step)):
        w, b = tf.Variable(tf.fill([3, 4], 0.1), name="w"), tf.Variable(tf.zeros([4]), name="b")
        with tf.record(values=values) as tape:
            step(w, b, tf.ones([2, 3]))
        tapes.append(tape)
    eager, graph = tapes
    assert rows_of(eager) == rows_of(graph)
    assert tf.diff(eager, graph).first is None, str(tf.diff(eager, graph))
    assert len(table(graph, "requests")) == len(table(eager, "requests")) == 2
    assert len(table(graph, "gradients")) == len(table(eager, "gradients"))
    assert list(table(graph, "tapes").cells("change")) == ["enter", "exit", "used"]
    assert graph.why("loss", "w").reason is None


def test_a_gradient_of_a_gradient_inside_is_the_same_too():
    @tf.function
    def curvature(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = x * x * x
            slope = inner.gradient(y, x)
        return outer.gradient(slope, x)

    x = tf.constant(2.0)
    with tf.record(values="all") as tape:
        assert curvature(x).numpy() == 12.0
    assert len(table(tape, "requests")) == 2


def test_what_python_did_while_tracing_is_told():
    seen, kept = [], {}

    @tf.function
    def noisy(x):
        print("tracing")
        seen.append(1)
        kept["last"] = x.name
        y = x * 2
        tf.print(y)
        return y

    with tf.record() as tape:
        noisy(tf.constant(1.0))
    effects = table(tape, "trace_effects")
    lines = [tape.sites.text[site].strip() for site in effects.cells("site")]
    assert list(zip(effects.cells("kind"), lines, strict=True)) == [
        ("print", 'print("tracing")'), ("list", "seen.append(1)"), ("dict", 'kept["last"] = x.name'),
    ]  # fmt: skip
    assert effects.cells("text")[1].startswith("seen.append(...) ran once, while tracing")


def test_what_the_passes_did_is_told():
    @tf.function
    def wasteful(x):
        unused = x * 5.0
        del unused
        y = (x + 1.0) * (x + 1.0)
        return tf.reduce_sum(tf.exp(-y))

    with tf.record(values="none") as tape:
        wasteful(tf.ones([3]))
    passes, nodes = table(tape, "passes"), table(tape, "nodes")
    assert list(passes.cells("name"))[:2] == ["prune", "inline"]
    assert all(text for text in passes.cells("text"))
    fates = dict(zip(nodes.cells("name"), nodes.cells("fate"), strict=True))
    assert fates["mul"] == "pruned"
    assert fates["add_1"] == "merged"
    stages = dict(zip(nodes.cells("name"), nodes.cells("stage"), strict=True))
    assert passes.cells("name")[stages["mul"]] == "prune"
    assert passes.cells("name")[stages["add_1"]] == "merge"
    assert table(tape, "graphs").cells("planning")[0] > 0


def events_of(tape):
    """Name, inputs and outputs of each op that ran."""
    events, edges, ops = (table(tape, name) for name in ("events", "edges", "ops"))
    touched = list(zip(*(edges.cells(name) for name in ("event", "role", "tensor")), strict=True))
    rows = zip(events.cells("id"), events.cells("op"), events.cells("phase"), strict=True)
    return [
        (ops.cells("name")[op], *([t for e, r, t in touched if e == event and r == role] for role in (0, 1)))
        for event, op, phase in rows
        if op >= 0 and phase == 0
    ]


@pytest.mark.parametrize("values", ["none", "stats"])
@pytest.mark.parametrize("sort", ["loop", "branch"])
def test_what_runs_a_graph_takes_the_variables_that_it_reads(values, sort):
    w = tf.Variable(1.1, name="w")

    @tf.function
    def power(x):
        for _ in tf.range(4):
            x = x * w
        return x

    @tf.function
    def scaled(x):
        return x * w if x > 0.0 else x

    with tf.record(values=values) as tape:
        (power if sort == "loop" else scaled)(tf.constant(1.0))
    tensors = table(tape, "tensors")
    held = dict(zip(tensors.cells("id"), tensors.cells("variable"), strict=True))
    name = "call" if values == "none" else {"loop": "while", "branch": "cond"}[sort]
    (taken,) = [inputs for op, inputs, _ in events_of(tape) if op == name]
    assert len([tensor for tensor in taken if held[tensor] >= 0]) == 1


def test_the_seed_of_a_traced_pass_has_statistics():
    x = tf.Variable(3.0, name="x")

    @tf.function
    def step():
        with tf.GradientTape() as inner:
            y = x * x
        return inner.gradient(y, x)

    with tf.record(values="stats") as tape:
        step()
    gradients, stats = table(tape, "gradients"), table(tape, "stats")
    norms = dict(zip(stats.cells("tensor"), stats.cells("norm"), strict=True))
    assert norms[gradients.cells("gradient")[0]] == 1.0


def spans_of(tape):
    events = table(tape, "events")
    ends = dict(zip(*(table(tape, "ends").cells(name) for name in ("event", "t")), strict=True))
    found = {}
    for event, kind, params, t0 in zip(*(events.cells(name) for name in ("id", "kind", "params", "t0")), strict=True):
        span = json.loads(tape.recording.text(params)) if kind == 1 else {}
        if span.get("span") in {"trace", "plan"}:
            found.setdefault(span["name"], (t0, ends[event]))
    return found


@pytest.mark.parametrize("values", ["none", "stats"])
def test_tracing_and_planning_are_spans_of_the_time_they_took(values):
    @tf.function
    def step(x):
        v = tf.Variable(2.0) if not made else made[0]
        made[:] = [v]
        return x * v

    made = []
    with tf.record(values=values) as tape:
        step(tf.constant(1.0))
        step(tf.constant(1.0))
        step(tf.constant([1.0]))
    spans = spans_of(tape)
    assert list(spans) == ["tracing step", "tracing step again", "planning step"]
    tracing = table(tape, "graphs").cells("tracing")
    took = {name: end - start for name, (start, end) in spans.items()}
    assert took["tracing step again"] >= tracing[list(table(tape, "graphs").cells("trace")).index(2)]
    assert spans["tracing step"][1] <= spans["tracing step again"][0] <= spans["planning step"][0]


def test_variables_of_graphs_have_rows_in_recordings_like_all_others():
    with v1.Graph().as_default():
        several = [v1.get_variable(f"v{n}", initializer=float(n)) for n in range(3)]
        total = several[1] + several[2]
        with tf.record() as tape, v1.Session() as session:
            session.run(v1.global_variables_initializer())
            session.run(total)
    eager = tf.Variable(1.0)
    numbers = {variable._number for variable in several}
    assert len({*numbers, eager._number}) == 4
    assert min(numbers) >= 0
    columns = tape.recording.tensors.variable, tape.recording.variables.id
    assert all(int(number) == -1 or int(number) in numbers for column in columns for number in column)


def test_a_tape_made_before_the_recording_has_a_number_of_its_own():
    w = tf.Variable([1.0, 2.0])
    tapes = [tf.GradientTape(), tf.GradientTape()]
    tf.ones([1])
    with tf.record() as recorded:
        for tape in tapes:
            with tape:
                loss = tf.reduce_sum(w * w)
            tape.gradient(loss, w)
    rows = {name: table(recorded, name) for name in ("tapes", "watches", "requests")}
    numbers = rows["requests"].cells("tape")
    assert min(numbers) >= 0
    assert len({*numbers}) == 2
    assert {*rows["tapes"].cells("id")} == {*rows["watches"].cells("tape")} == {*numbers}
