"""What the exports say about traced functions, graph by graph."""

import json

from tapeviz.exports import graph_text
from tapeviz.exports.graph_facts import Change, traced
from tapeviz.recording import Builder, read
from tests.exports.snapshots import TRACED


def graphs(*rows):
    builder = Builder()
    for number, row in enumerate(rows):
        columns = {"sort": "function", "name": "f", **row, "key": json.dumps(row.get("key", []))}
        builder.append("graphs", id=number, **columns)
    return builder.recording()


def test_a_function_has_its_traces_and_their_runs():
    (step,) = traced(read(TRACED))
    assert (step.name, step.runs, step.took) == ("step", 3, 35e6)
    first, second, third = step.traces
    assert [(trace.number, trace.runs, trace.nodes, trace.left) for trace in step.traces] == [
        (1, 0, 0, -1),
        (2, 2, 12, 10),
        (3, 1, 12, 10),
    ]
    assert str(third.place) == "cell 7, line 9"
    assert first.effects == ('print wrote "tracing (32, 64)"',)
    assert second.changes == ()
    assert third.changes == (Change("x", "float32 (32, 64)", "float32 (16, 64)"),)


def test_a_trace_is_compared_with_the_one_that_is_the_most_alike():
    keys = [[["x", "1"], ["y", "1"]], [["x", "2"], ["y", "2"]], [["x", "1"], ["y", "2"], ["z", "0"]]]
    recording = graphs(*({"key": key, "function": 0, "trace": at + 1} for at, key in enumerate(keys)))
    *_, last = traced(recording)[0].traces
    assert list(map(str, last.changes)) == ["x: 2 → 1", "z: 0 (new)"]
    assert str(Change("z", "0", "")) == "z: gone"


def test_what_the_recording_says_of_the_argument_counts_where_signatures_say_nothing():
    told = {"argument": "n", "before": "1", "after": "2", "key": "?", "function": 0, "trace": 2}
    (trace,) = traced(graphs(told))[0].traces
    assert trace.changes == (Change("n", "1", "2"),)


def test_sessions_and_cells_come_after_functions_and_branches_not_at_all():
    kinds = [{"sort": "session"}, {"sort": "cond", "parent": 0}, {"function": 3, "trace": 1}]
    assert [function.traces[0].number for function in traced(graphs(*kinds))] == [1, 1]
    lines = list(graph_text.section(graphs(*kinds)))
    assert lines[0] == "2 graphs"
    assert list(graph_text.section(Builder().recording())) == []


def test_many_functions_and_traces_are_cut():
    rows = [{"function": at // 6, "trace": at % 6 + 1} for at in range(36)]
    lines = list(graph_text.section(graphs(*rows)))
    assert lines[-1] == "  … and 2 others"
    assert lines.count("    … and 2 more traces") == 4
    assert max(map(len, lines)) <= 80
