"""A recording of the newest ops: what is left is what a recording of everything has there."""

import gc
import tracemalloc

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.analysis.graph import Lists, graph_of
from tapeviz.analysis.links import Links
from tapeviz.exports import headline
from tapeviz.recording.schema import DTYPES, KINDS, PHASES, SOURCES

OP = KINDS.index("op")


class Described:
    """The newest ops of a recording: what they are, what they read and made and where that came from."""

    def __init__(self, recording, count, *, freed):
        self.recording, self.freed = recording, freed
        self.graph, self.links = graph_of(recording), Links(recording)
        ops = np.flatnonzero(recording.events.kind == OP)
        cut = len(ops) - count
        self.first = ops[cut]
        self.order = {event: at - cut for at, event in enumerate(ops.tolist())}
        self.norms = dict(zip(recording.stats.tensor.tolist(), recording.stats.norm.tolist(), strict=True))
        self.released = set(recording.releases.tensor.tolist())
        events, edges, gradients = len(recording.events), recording.edges, recording.gradients
        self.edges_of = Lists(edges.event, np.arange(len(edges)), events)
        self.parts_of = Lists(gradients.backward, np.arange(len(gradients)), events)
        self.ops = [self.op(event) for event in ops[cut:].tolist()]

    def tensor(self, row, *, made):
        if row < 0:
            return "unknown"
        maker, of, graph = int(self.links.producer[row]), self.recording.tensors[row], self.graph
        known = graph.shape(row), DTYPES[of.dtype], graph.variable_names.get(of.variable, "")
        named = graph.names.get(row)
        if maker < self.first:
            return "before", *known, named if made else None
        dead = of.id in self.released if self.freed else None
        return self.order.get(maker, "a span"), *known, named, self.norms.get(of.id), dead, of.storage == of.id

    def op(self, event):
        recording, links = self.recording, self.links
        row, touched, parts = recording.events[event], self.edges_of[event], self.parts_of[event]
        tensors = links.tensor_rows(recording.edges.tensor[touched]).tolist()
        roles, slots = recording.edges.role[touched].tolist(), recording.edges.slot[touched].tolist()
        read = [
            (role, slot, self.tensor(at, made=bool(role))) for role, slot, at in zip(roles, slots, tensors, strict=True)
        ]
        spans, above, origin = [], int(links.parent[event]), int(links.origin[event])
        while above >= 0:
            spans.append(self.graph.op(above))
            above = int(links.parent[above])
        forward = PHASES[row.phase] == "forward"
        place = recording.sites[row.site].line if forward and row.site >= 0 else None
        partner = self.order.get(origin) if origin >= self.first else None
        params = recording.text(row.params) if row.params >= 0 else ""
        flows = [
            self.tensor(at, made=True)[1:] for at in links.tensor_rows(recording.gradients.gradient[parts]).tolist()
        ]
        name = self.graph.op(event) if origin >= self.first or forward else "a step"
        return name, forward, row.status, place, partner, params, read, spans, flows


def both(program, most, *, values="stats", asked=()):
    """The program recorded whole and by a ring: what each says of the ops that the ring has, and the two tapes."""
    tapes = []
    for options in ({}, {"max_ops": most, "keep": "last"}):
        with tf.record(values=values, **options) as tape:
            for at, _ in enumerate(program()):
                if at in asked:
                    len(tape.events)
            gc.collect()  # what dies is then dead in both
        tapes.append(tape)
    left = int((tapes[1].events.kind == OP).sum())
    freed = 1 not in tapes[0].events.status  # an error that is kept holds what there was then
    whole, ring = (Described(tape.recording, left, freed=freed).ops for tape in tapes)
    return whole, ring, tapes


def agree(whole, ring):
    for at, (one, other) in enumerate(zip(whole, ring, strict=True)):
        assert one == other, f"op {at} of {len(whole)}"


def linear(steps):
    def program():
        rng = np.random.default_rng(3)
        w, b = tf.Variable(rng.random((3, 2)), name="w"), tf.Variable(np.zeros(2), name="b")
        data = tf.constant(rng.random((4, 3)))
        target = tf.constant(rng.random((4, 2)))
        loss = tf.constant(0.0, tf.float64)
        for _ in range(steps):
            with tf.GradientTape() as tape:
                guess = data @ w + b
                loss = tf.reduce_mean(tf.square(guess - target)) + 0.0 * loss
            dw, db = tape.gradient(loss, [w, b])
            w.assign_sub(0.1 * dw)
            b.assign_sub(0.1 * db)
            yield

    return program


def failing(x, y):
    try:
        x + y
    except tf.errors.InvalidArgumentError:
        return
    raise AssertionError("it did not fail")


def of_every_kind(steps):
    """Outputs by the pair, spans, persistent tapes, second derivatives, aliases, functions, host data, failures."""

    def program():
        v = tf.Variable([1.0, 2.0], name="v")
        kept = [tf.ones([2])]
        first, three = tf.ones([2]) * 3.0, tf.ones([3])

        @tf.function
        def halved(x):
            with tf.GradientTape() as tape:
                y = tf.reduce_sum(tf.sin(x * v))
            return tape.gradient(y, v), y / 2.0

        with tf.name_scope("all"):
            for step in range(steps):
                with tf.name_scope("step"), tf.GradientTape(persistent=True) as outer:
                    with tf.GradientTape() as inner:
                        y = tf.reduce_sum(v * v * v)
                    dy = inner.gradient(y, v)
                    one, two = tf.split(dy, 2)
                    z = tf.reduce_sum(one * two)
                ddy = outer.gradient(dy, v)
                outer.gradient(z, v)
                g, _half = halved(tf.constant([float(step), 1.0]))
                kept = [*kept[-3:], tf.reshape(ddy + g, [1, 2])]
                v.assign(tf.reshape(tf.math.tanh(kept[0]), [-1])[:2] + 0.0 * first)
                if step % 7 == 3:
                    failing(first, three)
                yield

    return program


@pytest.mark.parametrize("asked", [(), (3, 200)], ids=["dropped before packing", "dropped rows"])
@pytest.mark.parametrize("most", [60, 1000])
@pytest.mark.parametrize("program", [linear(400), of_every_kind(250)], ids=["linear", "every kind"])
def test_what_is_left_is_what_a_recording_of_everything_has_there(program, most, asked):
    whole, ring, (everything, newest) = both(program, most, asked=asked)
    assert 3 * most // 4 <= len(ring) <= most
    agree(whole, ring)
    dropped = newest.recording.meta_dict()["dropped"]
    assert dropped["ops"] + len(ring) == int((everything.events.kind == OP).sum())
    failed = newest.recording.events.status.tolist().count(1)
    assert sum(dropped["failures"].values()) + failed == everything.recording.events.status.tolist().count(1)


@pytest.mark.parametrize("asked", [False, True])
def test_what_is_from_before_is_said_to_be(asked):
    w = tf.Variable([1.0, 2.0], name="w")
    with tf.record(max_ops=100, keep="last") as tape:
        product = w * 2.0
        for _ in range(3000):
            last = product + 1.0
        if asked:
            len(tape.events)
        for _ in range(3000):
            last = product + 1.0
        with tf.GradientTape() as gradients:
            loss = tf.reduce_sum(product * last)
        gradients.gradient(loss, w)
    tensors = tape.tensors
    (row,) = np.flatnonzero(tensors.id == tape.number(product))
    assert SOURCES[tensors.source[row]] == "earlier"
    assert tensors.producer[row] == -1
    assert tape.number("product") == tape.number(product)
    assert tape.stats.norm[tape.stats.tensor == tape.number(product)] == pytest.approx(np.sqrt(20))
    read = np.flatnonzero(tape.edges.tensor == tape.number(product))
    assert len(read) > 70
    answer = tape.why(loss, w)
    assert answer.reason in {"unconnected", "outside_tape", "not_watched"}
    assert not [finding for finding in tape.verdicts() if finding.kind == "failed"]


def test_why_says_that_the_target_is_from_before_the_window():
    w = tf.Variable([1.0, 2.0])
    with tf.record(max_ops=100, keep="last") as tape:
        with tf.GradientTape() as gradients:
            loss = tf.stop_gradient(w)
        for _ in range(6000):
            tf.square(1.0)
        gradients.gradient(loss, w)
    assert "before the ops that the recording kept" in str(tape.why())


def test_what_is_said_of_the_whole():
    with tf.record(max_ops=100, keep="last") as tape:
        for step in range(6000):
            tf.square(1.0)
            if step == 9:
                failing(tf.ones([2]), tf.ones([3]))
    assert "the last 100 of 6\u202f003 ops" in " · ".join(headline.facts(tape.recording))
    assert "some failed: add 1" in str(tape)
    assert tape.recording.meta_dict()["ops"] == 6003


def test_the_file_has_what_is_left(tmp_path):
    path = tmp_path / "run.tape"
    with tf.record(max_ops=100, keep="last", save=path) as tape:
        for _ in range(6000):
            tf.square(1.0)
        assert path.stat().st_size < 100
    loaded = tf.load(path)
    assert loaded.recording.problem is None
    assert loaded.recording.to_bytes() == tape.recording.to_bytes()
    assert len(loaded.events) == 100
    assert loaded.recording.meta_dict()["dropped"]["ops"] == 5900


def test_a_ring_that_is_never_full_is_a_recording_like_another():
    with tf.record(max_ops=100, keep="last") as tape:
        tf.square(tf.square(2.0))
    assert "dropped" not in tape.recording.meta_dict()
    assert SOURCES.index("earlier") not in tape.tensors.source


def test_a_pass_that_is_longer_than_the_ring():
    x = tf.Variable(1.5)
    with tf.record(max_ops=50, keep="last") as tape:
        with tf.GradientTape() as gradients:
            y = x * 1.0
            for _ in range(6000):
                y = y * 0.9999
        dx = gradients.gradient(y, x)
        assert float(dx) == pytest.approx(0.9999**6000, rel=1e-3)
    assert int((tape.events.kind == OP).sum()) <= 50
    assert str(tape)
    assert tape.recording.to_bytes()
    assert tape.nonfinite() is not None


@pytest.mark.parametrize("values", ["none", "stats", "all"])
def test_values_go_with_their_ops(values):
    with tf.record(values=values, max_ops=64, keep="last") as tape:
        for _ in range(5000):
            tf.square(tf.ones([10]))
    known = set(tape.tensors.id.tolist())
    assert len(tape.stats) == (len(known) if values != "none" else 0)
    assert set(tape.values.tensor.tolist()) == (known if values == "all" else set())
    assert "evicted" not in tape.recording.meta_dict()


@pytest.mark.parametrize(
    ("options", "said"),
    [({"keep": "newest", "max_ops": 3}, "choose first or last"), ({"keep": "last"}, "goes with max_ops")],
)
def test_options_that_make_no_sense(options, said):
    with pytest.raises(ValueError, match=said):
        tf.record(**options)


# Memory.


def model():
    found = tf.keras.Sequential([tf.keras.layers.Dense(8, activation="relu"), tf.keras.layers.Dense(2)])
    found.compile("adam", "mse")
    return found


@pytest.mark.parametrize("asking", [False, True], ids=["unasked", "asked"])
@pytest.mark.parametrize("steps", [60, pytest.param(2500, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("values", ["none", "stats"])
@pytest.mark.parametrize("eagerly", [True, False], ids=["eager", "graph"])
def test_steps_of_fit_leave_nothing_but_the_last(eagerly, values, steps, asking):
    net, rng = model(), np.random.default_rng(2)
    x, y = rng.random((4 * steps, 4), "f4"), rng.random((4 * steps, 2), "f4")
    net.run_eagerly = eagerly
    peaks = []
    short = values == "none" and not eagerly  # a traced step is an op
    most, calls = (50, 12) if short else (400, 6)
    with tf.record(values=values, max_ops=most, keep="last") as tape:
        net.fit(x, y, batch_size=4, epochs=1, verbose=0)
        len(tape.events) if asking else None
        tracemalloc.start()
        try:
            for _ in range(4 if steps > 1000 else calls):
                gc.collect()
                tracemalloc.reset_peak()
                net.fit(x, y, batch_size=4, epochs=1, verbose=0)
                peaks.append(tracemalloc.get_traced_memory()[1])
        finally:
            tracemalloc.stop()
    # Between one and two rings' worth is held: each half of the calls saw a ring at its fullest.
    half = len(peaks) // 2
    assert max(peaks[half:]) < max(peaks[:half]) + 1_000_000
    assert 0.7 * most < int((tape.events.kind == OP).sum()) <= most
    assert tape.recording.to_bytes()
    assert str(tape)


@pytest.mark.parametrize("most", [5, 7, 20, 60])
def test_a_session_s_training_leaves_the_newest_ops(most):
    tf1, graph = tf.compat.v1, tf.Graph()
    with graph.as_default():
        x = tf1.placeholder(tf.float32)
        w = tf1.get_variable("w", initializer=tf.constant(0.5))
        loss = tf.square(x * x * w + w - 1.0)
        train = tf1.train.GradientDescentOptimizer(0.01).minimize(loss)
        begin = tf1.global_variables_initializer()
    with tf.record(max_ops=most, keep="last") as tape, tf1.Session(graph=graph) as session:
        session.run(begin)
        for value in np.linspace(0.0, 1.0, 60):
            session.run([train, loss], {x: value})
    assert 0 < int((tape.events.kind == OP).sum()) <= most
    assert tape.recording.to_bytes()
    assert str(tape)
