"""The columns of a recording, as data: writer, reader, TypeScript types and reference page come from here.

Column types are those a browser views without copying, plus two of variable length:

- ``u1 u2 i4 f4 f8``: little-endian numbers. Times are whole nanoseconds since the recording began and sizes are
  bytes, both as ``f8``, which is exact up to 2**53. Indices are ``i4``; -1 means "none".
- ``text``: UTF-8. ``bytes``: raw.

A column that a writer leaves out reads as its ``none``: -1 for ``i4``, 0 for the other numbers, empty for text and
bytes, unless the column says another.

Where a number points, and what a text or a number may be, is declared here too; `Column.check` says it in a form that
both languages read. Rows that break it are found when a recording is opened (``row_checks.py``, ``checks.ts``).

A row is never changed once written. What becomes known later (the end of a span, the message of an error, a verdict)
is a row of its own table.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = [
    "DTYPES",
    "ENUMERATIONS",
    "EXITS",
    "FACTS",
    "HEALTHS",
    "KINDS",
    "NUMBERED",
    "PHASES",
    "ROLES",
    "SCHEMA",
    "SHARED",
    "SOURCES",
    "SPAN_FIELDS",
    "STATUSES",
    "TYPES",
    "Column",
    "Table",
]

TYPES: Final = ("u1", "u2", "i4", "f4", "f8", "text", "bytes")

# Enumerations: a column of type u1 that holds one of these stores its position.
KINDS: Final = ("op", "span", "transfer", "gc", "marker")
PHASES: Final = ("forward", "backward")
STATUSES: Final = ("ok", "failed", "interrupted")
ROLES: Final = ("in", "out", "saved")
SOURCES: Final = ("op", "constant", "variable", "gradient", "host", "unknown", "earlier")
EXITS: Final = ("numpy", "array", "python", "enter", "unwatched", "dtype", "shown")
HEALTHS: Final = ("ok", "zero", "vanishing", "exploding", "nonfinite", "none", "unknown")
DTYPES: Final = (
    "float16", "bfloat16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32",
    "uint64", "bool", "complex64", "complex128", "string",
)  # fmt: skip

# By name, as a column's unit and the header of a generated file say it.
ENUMERATIONS: Final[dict[str, tuple[str, ...]]] = {
    "KINDS": KINDS,
    "PHASES": PHASES,
    "STATUSES": STATUSES,
    "ROLES": ROLES,
    "SOURCES": SOURCES,
    "EXITS": EXITS,
    "HEALTHS": HEALTHS,
    "DTYPES": DTYPES,
}


NUMBERED: Final = ("event", "tensor", "variable", "tape", "graph", "function")
"""Units of columns that hold the number (id) of something."""
# Units of amounts, and the names of the columns of ``ns`` that are moments; others are durations.
_AMOUNTS: Final = ("ns", "bytes", "elements")
_MOMENTS: Final = ("t", "t0")


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its name, its type, its unit ("" where it has none), what it means in one sentence, and its none.

    ``unit`` may also say where a number points ("sites row", "event"), or name the enumeration it is a position in.
    """

    name: str
    type: str
    unit: str
    meaning: str
    none: float
    rule: str = ""
    """What holds beside the unit: ``id`` (of no other row), ``earlier`` (the number of an earlier row of this table),
    ``counts`` (a histogram), or for JSON what it is: ``json`` (any), ``list``, ``lines``, ``object``, ``sizes``."""

    @property
    def check(self) -> str:
        """What cells that are not none have to be, as words: empty where any will do.

        ``row TABLE`` (a number of a row), ``label COUNT NAME`` (a position in an enumeration), ``number KIND`` (the
        number of an event, a tensor, ...), ``finite UNIT`` (from 0 to 2**53), ``id``, ``earlier KIND``, ``counts``,
        ``json``, ``list``, ``lines`` (pairs of line numbers), ``object``, ``sizes``, and ``text RULE`` for a row of
        strings whose text is JSON.
        """
        if self.labels:
            return f"label {len(self.labels)} {self.unit}"
        if self.table:
            return f"text {self.rule}" if self.rule else f"row {self.table}"
        if self.rule:
            return f"earlier {self.unit}" if self.rule == "earlier" else self.rule
        if self.unit in NUMBERED:
            return f"number {self.unit}"
        return f"finite {self.unit}" if self.type == "f8" and self.unit in _AMOUNTS else ""

    @property
    def is_moment(self) -> bool:
        """Whether its cells are moments, counted from the recording's beginning."""
        return self.unit == "ns" and self.name in _MOMENTS

    @property
    def table(self) -> str:
        """The table whose rows its cells are positions in; empty where they are not."""
        return self.unit.removesuffix(" row") if self.unit.endswith(" row") else ""

    @property
    def labels(self) -> tuple[str, ...]:
        """The enumeration that the column's numbers are positions in; empty when they are plain numbers."""
        return ENUMERATIONS.get(self.unit, ())


@dataclass(frozen=True, slots=True)
class Table:
    """One table: what a row is, and its columns in order."""

    name: str
    row: str
    columns: tuple[Column, ...]


def _table(name: str, row: str, *columns: tuple[str, str, str, str] | tuple[str, str, str, str, float | str]) -> Table:
    return Table(name, row, tuple(_column(*column) for column in columns))


def _column(name: str, type_: str, unit: str, meaning: str, more: float | str = "") -> Column:
    """A column; ``more`` is its none where that is another than usual, or its rule."""
    rule = more if isinstance(more, str) else ""
    none = more if isinstance(more, (int, float)) else -1 if type_ == "i4" else 0
    if not rule and unit == "JSON":
        rule = "list"
    return Column(name, type_, unit, meaning, none, rule)


_NAN: Final = float("nan")


_TABLES = (
    _table(
        "events", "something that happened: an op run, the start of a span, a transfer, a GC pause, a marker",
        ("id", "i4", "event", "number of the event, counting up in the order of starting, rank by rank", "id"),
        ("parent", "i4", "event", "the span it happened in, -1 at the top", "earlier"),
        ("kind", "u1", "KINDS", "what sort of event it is"),
        ("op", "i4", "ops row", "the declaration that ran, -1 for a span"),
        ("phase", "u1", "PHASES", "forward, or part of a backward pass"),
        ("origin", "i4", "event", "the forward event that a backward event is the partner of, -1 for others",
         "earlier"),
        ("device", "u1", "devices row", "where it ran"),
        ("thread", "u1", "threads row", "the thread that ran it"),
        ("t0", "f8", "ns", "when it began"),
        ("dur", "f8", "ns", "how long it took; 0 for a span, whose end is a row of ends"),
        ("status", "u1", "STATUSES", "how it ended"),
        ("site", "i4", "sites row", "the line of the user's that called it"),
        ("params", "i4", "strings row", "attributes as JSON, such as axis; for a span its sort and name", "object"),
        ("step", "i4", "", "the training step it belongs to, -1 outside one"),
    ),
    _table(
        "ends", "the end of a span",
        ("event", "i4", "event", "the span that ended"),
        ("t", "f8", "ns", "when it ended"),
        ("status", "u1", "STATUSES", "how it ended"),
    ),
    _table(
        "messages", "what an error or a warning of an event said",
        ("event", "i4", "event", "the event it belongs to"),
        ("type", "text", "", "the class of the error"),
        ("text", "text", "", "its message"),
    ),
    _table(
        "ops", "a declaration that was used, so that views need no engine",
        ("name", "text", "", "the op's name"),
        ("family", "text", "", "what sort of op: linalg, elementwise, reduction, shape, collective and so on"),
        ("formula", "text", "LaTeX", "what it computes"),
        ("vjp_formula", "text", "LaTeX", "its gradient, one line an input, in the order of the inputs"),
        ("differentiable", "text", "", "one 0 or 1 an input; a single * where all have a gradient; empty: none has"),
        ("traits", "text", "", "what else is true of it: words of tapeviz.engine.traits and its effects, by spaces"),
        ("domain", "text", "", "the ends of the interval that its last input has to be inside, such as -1 1 or 0 inf"),
        ("surrogate", "text", "", "of an op without a gradient what to use in its place, as a clause"),
    ),
    _table(
        "edges", "a tensor touched by an event",
        ("event", "i4", "event", "the event"),
        ("tensor", "i4", "tensor", "the tensor"),
        ("role", "u1", "ROLES", "read by it, made by it, or kept for the backward pass"),
        ("slot", "u2", "", "which input or output of the event it is"),
    ),
    _table(
        "tensors", "a tensor coming to life",
        ("id", "i4", "tensor", "number of the tensor", "id"),
        ("shape", "i4", "strings row", "its shape as JSON, such as [32, 64]", "sizes"),
        ("dtype", "u1", "DTYPES", "the type of its elements"),
        ("device", "u1", "devices row", "where its memory is"),
        ("nbytes", "f8", "bytes", "size of its elements in memory"),
        ("storage", "i4", "tensor", "the tensor whose memory it shares; itself when the memory is its own"),
        ("producer", "i4", "event", "the event that made it, -1 when that is not in the recording"),
        ("variable", "i4", "variable", "the variable whose value it is, -1 for others"),
        ("source", "u1", "SOURCES", "where it came from"),
    ),
    _table(
        "names", "a name the user gave a tensor: the name stored right after the call that made it",
        ("tensor", "i4", "tensor", "the tensor"),
        ("name", "text", "", "the user's name"),
        ("t", "f8", "ns", "when it was given"),
    ),
    _table(
        "releases", "the end of a tensor",
        ("tensor", "i4", "tensor", "the tensor"),
        ("t", "f8", "ns", "when the last reference to it went"),
    ),
    _table(
        "gradients", "a contribution to a gradient; the last row of a tensor in a backward pass has its whole gradient",
        ("backward", "i4", "event", "the backward event, or the backward span for a seed"),
        ("tensor", "i4", "tensor", "the forward tensor whose gradient it is"),
        ("gradient", "i4", "tensor", "the sum so far, this contribution included"),
        ("addend", "i4", "tensor", "this contribution"),
    ),
    _table(
        "requests", "one source of one call of gradient()",
        ("event", "i4", "event", "the span of the backward pass"),
        ("tape", "i4", "tape", "the tape asked"),
        ("target", "i4", "tensor", "the tensor that was differentiated (the first, when there were several)"),
        ("source", "i4", "tensor", "the tensor it was differentiated by; for a variable its value then"),
        ("variable", "i4", "variable", "the variable it was differentiated by, -1 for a tensor"),
        ("gradient", "i4", "tensor", "the answer, -1 for None"),
        ("filled", "u1", "bool", "1 when the user got zeros in the place of None, as asked for"),
    ),
    _table(
        "variables", "a variable that was made or used",
        ("id", "i4", "variable", "number of the variable", "id"),
        ("name", "text", "", "its name in TensorFlow's form, such as Variable:0"),
        ("trainable", "u1", "bool", "1 when tapes watch it by themselves"),
        ("site", "i4", "sites row", "where it was made, -1 when it was there before"),
    ),
    _table(
        "tapes", "the life of a gradient tape: a row when it starts to record and a row at each change",
        ("id", "i4", "tape", "number of the tape"),
        ("t", "f8", "ns", "when"),
        ("change", "text", "", "enter, exit, stop, resume, reset or used"),
        ("persistent", "u1", "bool", "1 when it answers more than one question"),
        ("accessed", "u1", "", "1 when it watches trainable variables by itself, 2 when it watches all tensors"),
        ("site", "i4", "sites row", "the line that did it"),
    ),
    _table(
        "watches", "a tape told to watch a tensor",
        ("tape", "i4", "tape", "the tape"),
        ("tensor", "i4", "tensor", "the tensor; for a variable its value then"),
        ("t", "f8", "ns", "when"),
        ("automatic", "u1", "bool", "1 for a variable watched because it was read"),
    ),
    _table(
        "stats", "a summary of a tensor's elements; the figures are over the finite ones",
        ("tensor", "i4", "tensor", "the tensor"),
        ("min", "f8", "", "smallest", _NAN),
        ("max", "f8", "", "largest", _NAN),
        ("mean", "f8", "", "mean", _NAN),
        ("std", "f8", "", "standard deviation", _NAN),
        ("norm", "f8", "", "Euclidean norm of all elements; nan or inf when one is", _NAN),
        ("nan", "f8", "elements", "how many are NaN"),
        ("posinf", "f8", "elements", "how many are +inf"),
        ("neginf", "f8", "elements", "how many are -inf"),
        ("zero", "f8", "elements", "how many are 0"),
        ("negative", "f8", "elements", "how many are finite and below 0"),
        ("bad", "f8", "element", "flat index of the first one that is not finite, -1 when all are", -1),
        ("histogram", "bytes", "u4 counts", "32 equal bins from min to max", "counts"),
    ),
    _table(
        "values", "a run of a tensor's elements",
        ("tensor", "i4", "tensor", "the tensor"),
        ("offset", "f8", "elements", "flat index of the first element here"),
        ("length", "f8", "elements", "how many follow"),
        ("data", "bytes", "elements", "the elements in the tensor's own dtype, C order"),
    ),
    _table(
        "exits", "mathematics leaving or entering the engine",
        ("event", "i4", "event", "the last event before it"),
        ("tensor", "i4", "tensor", "the tensor read, or the tensor made from a host array"),
        ("kind", "u1", "EXITS", "how"),
        ("site", "i4", "sites row", "the line"),
        ("memory", "f8", "address", "where the array's memory is, to match an exit with an entry; 0 unknown"),
        ("t", "f8", "ns", "when"),
    ),
    _table(
        "sites", "a line of the user's code: the nearest frame outside tapeviz",
        ("file", "text", "", "the file, or the notebook cell's made-up file name"),
        ("line", "i4", "", "line in the file or cell, from 1"),
        ("column", "i4", "", "first character of the call in the line, from 0, -1 unknown"),
        ("end_column", "i4", "", "one past its last character"),
        ("function", "text", "", "qualified name of the function"),
        ("cell", "i4", "cells row", "the notebook cell, -1 outside one"),
        ("text", "text", "", "the source line"),
    ),
    _table(
        "cells", "a notebook cell that ran while recording",
        ("number", "i4", "", "its execution count"),
        ("file", "text", "", "the made-up file name that tracebacks use for it"),
        ("text", "text", "", "its source, the magic line included"),
        ("first", "i4", "", "which of the text's lines is line 1 of the file: 1, or 2 below a cell magic", 1),
    ),
    _table(
        "devices", "a device",
        ("name", "text", "", "such as CPU:0"),
        ("rank", "i4", "ranks row", "the process that has it, -1 where the recording is of one alone"),
    ),
    _table(
        "threads", "a thread",
        ("name", "text", "", "its name"),
        ("rank", "i4", "ranks row", "the process that it is of, -1 where the recording is of one alone"),
    ),
    _table(
        "ranks", "a process whose recording is a part of this one; a recording of one process alone has none",
        ("number", "i4", "", "its rank, from 0"),
        ("t0", "f8", "ns", "when its own recording began"),
        ("ahead", "f8", "", "how many ns its clock was said to be ahead of the first rank's; NaN: taken as 0", _NAN),
        ("uncertainty", "f8", "", "how many ns its beginning may be wrong by its own clock; NaN: not known", _NAN),
        ("event", "i4", "event", "its first event; its others have the numbers that follow, up to the next rank's"),
        ("tensor", "i4", "tensor", "its first tensor"),
        ("variable", "i4", "variable", "its first variable"),
        ("tape", "i4", "tape", "its first tape"),
        ("graph", "i4", "graph", "its first graph"),
    ),
    _table("strings", "a text that other tables point to", ("text", "text", "", "the text")),
    _table(
        "verdicts", "a finding about this recording",
        ("kind", "text", "", "what sort of finding it is, such as gradient_none or broadcast"),
        ("severity", "u1", "", "1 worth knowing, 2 likely a fault, 3 a fault"),
        ("event", "i4", "event", "where to look, -1 nowhere in particular"),
        ("tensor", "i4", "tensor", "what to look at, -1 nothing in particular"),
        ("site", "i4", "sites row", "the line"),
        ("text", "text", "", "the finding as a sentence"),
        ("fix", "text", "", "what to do"),
        ("evidence", "text", "", "figures as JSON; for gradient_none the reason, the path from source and from target",
         "json"),
    ),
    _table(
        "health", "a gradient judged, written with the verdicts: each one asked for, and others that are not well",
        ("request", "i4", "requests row", "the source asked for, -1 for a gradient on the way"),
        ("tensor", "i4", "tensor", "the tensor it is the gradient by"),
        ("gradient", "i4", "tensor", "the gradient, -1 for None"),
        ("health", "u1", "HEALTHS", "what it is; unknown when there are no statistics to tell by"),
        ("low", "f8", "", "the norm below which it is called vanishing; NaN when that is not known", _NAN),
        ("high", "f8", "", "the norm above which it is called exploding; NaN when that is not known", _NAN),
    ),
    _table(
        "graphs", "a traced graph: one trace of a function, a branch or body inside one, or a graph built by hand",
        ("id", "i4", "graph", "number of the graph", "id"),
        ("parent", "i4", "graph", "the graph that it is a branch or body of, or was traced inside; -1 for others",
         "earlier"),
        ("name", "text", "", "of a trace the function's name, else what it is, such as true branch"),
        ("sort", "text", "", "function, cond, while, gradient, session or cell"),
        ("function", "i4", "function", "number of the traced function, which all its traces share; -1 for others"),
        ("trace", "i4", "", "which trace of that function it is, from 1"),
        ("site", "i4", "sites row", "the call that made the trace"),
        ("definition", "i4", "sites row", "the first line of the function's own text"),
        ("t", "f8", "ns", "when tracing began"),
        ("converting", "f8", "ns", "how long AutoGraph took"),
        ("tracing", "f8", "ns", "how long tracing took, without AutoGraph"),
        ("planning", "f8", "ns", "how long the passes and the executor's making took"),
        ("key", "text", "JSON", "the signature: a list of [argument, what it was traced as]"),
        ("reason", "text", "", "why it was traced, as a sentence"),
        ("argument", "text", "", "the argument whose change made it a retrace; empty for a first trace"),
        ("before", "text", "", "what the argument was in the nearest earlier trace"),
        ("after", "text", "", "what it is in this one"),
        ("fix", "text", "", "what to do against it, empty where nothing should be done"),
        ("source", "i4", "strings row", "the function's text"),
        ("generated", "i4", "strings row", "what AutoGraph made of it, -1 where it did not run"),
        ("lines", "text", "JSON", "which of the user's lines each generated one comes from: [[generated, line]]",
         "lines"),
    ),
    _table(
        "nodes", "a node of a graph",
        ("graph", "i4", "graph", "the graph it is in"),
        ("number", "i4", "", "its number in the graph, counting up in the order of tracing"),
        ("name", "text", "", "its name with its scopes, such as dense/MatMul"),
        ("op", "i4", "ops row", "what it computes"),
        ("params", "i4", "strings row", "attributes as JSON", "object"),
        ("shapes", "text", "JSON", "the shapes of its outputs, null for a size that is not known"),
        ("dtypes", "text", "JSON", "the dtypes of its outputs"),
        ("device", "text", "", "the device asked for, empty for any"),
        ("site", "i4", "sites row", "the line of the user's that made it"),
        ("region", "i4", "graph", "the first graph inside it (branch, body, called function); the others follow it"),
        ("regions", "u1", "", "how many graphs are inside it"),
        ("fate", "text", "", "what the passes did with it: kept, pruned, folded, merged, simplified, fused or inlined"),
        ("into", "i4", "", "the number of the node that stands for it then; its own when kept, -1 when gone"),
        ("stage", "i4", "passes row", "the pass that did it, -1 when kept"),
    ),
    _table(
        "node_edges", "an output of a node that another one takes",
        ("graph", "i4", "graph", "the graph"),
        ("source", "i4", "", "the number of the node that makes it"),
        ("slot", "u2", "", "which output it is"),
        ("target", "i4", "", "the number of the node that takes it"),
        ("position", "i4", "", "which input it is; -1 when the target only has to run later"),
    ),
    _table(
        "passes", "a pass over a graph",
        ("graph", "i4", "graph", "the graph"),
        ("name", "text", "", "prune, fold, merge, simplify, inline, fuse, ..."),
        ("dur", "f8", "ns", "how long it took"),
        ("before", "i4", "", "how many nodes there were"),
        ("after", "i4", "", "how many there are"),
        ("text", "text", "", "what it did, as a sentence"),
    ),
    _table(
        "graph_runs", "a run of a graph",
        ("event", "i4", "event", "the span of the run"),
        ("graph", "i4", "graph", "the graph"),
        ("fed", "text", "JSON", "of a session the names of what was fed"),
        ("fetched", "text", "JSON", "of a session the names of what was fetched"),
        ("pruned", "i4", "", "how many of the graph's nodes did not have to run"),
        ("stepped", "u1", "bool", "1 when it ran node by node, as it was traced; 0 when as the passes made it"),
    ),
    _table(
        "node_runs", "an event that ran a node of a graph; a fused node runs as one event, its members have a row each",
        ("event", "i4", "event", "the op's event, inside the span of the graph's run"),
        ("graph", "i4", "graph", "the graph"),
        ("node", "i4", "", "the number of the node in the graph"),
    ),
    _table(
        "trace_effects", "something that Python did while a function was traced, and does not do when it runs",
        ("graph", "i4", "graph", "the trace"),
        ("kind", "text", "", "print, list, dict, attribute or other"),
        ("site", "i4", "sites row", "the line"),
        ("text", "text", "", "what it was, as a sentence"),
    ),
    _table(
        "trace_reads", "what a trace took from Python, or did to it, once for all runs of its graph",
        ("graph", "i4", "graph", "the trace, -1 for that of a function of a data pipeline"),
        ("kind", "text", "", "value, counter (a number it changed), list (it grew), random, clock or iterator"),
        ("name", "text", "", "the name or the call, as the source says it"),
        ("site", "i4", "sites row", "the line"),
        ("then", "text", "", "what the value was for the trace"),
        ("now", "text", "", "what it was at the first run that would have read another one"),
        ("event", "i4", "event", "the span of that run, -1 where it is not about a value"),
    ),
    _table(
        "device_times", "when a device that works on its own ran an op; the event itself is the launch",
        ("event", "i4", "event", "the op's event"),
        ("t0", "f8", "ns", "when the device began with it"),
        ("dur", "f8", "ns", "how long the device took"),
    ),
    _table(
        "pools", "how full a device's memory pool was, from then until the device's next row",
        ("device", "u1", "devices row", "the device"),
        ("t", "f8", "ns", "when it was asked: soon after an op was launched, or a step of a backward pass"),
        ("used", "f8", "bytes", "what arrays use, recorded or not"),
        ("total", "f8", "bytes", "what the pool has taken from the device"),
    ),
    _table(
        "waits", "time in which an op of a merged recording stood still for another process",
        ("event", "i4", "event", "the op"),
        ("dur", "f8", "ns", "how long"),
        ("rank", "i4", "ranks row", "the process that came last"),
    ),
    _table(
        "setups", "work done once, beside the ops, that later runs find done",
        ("kind", "text", "", "first_use (the function of an op was generated) or import (a module was loaded)"),
        ("name", "text", "", "the op or the module"),
        ("t0", "f8", "ns", "when it began"),
        ("dur", "f8", "ns", "how long it took"),
        ("site", "i4", "sites row", "the line of the user's that needed it"),
        ("thread", "u1", "threads row", "the thread that waited for it"),
    ),
    _table(
        "meta", "a fact about the recording; a later row with the same key replaces an earlier one",
        ("key", "text", "", "such as title, overhead, evicted, versions, truncated, dropped"),
        ("value", "text", "", "as JSON", "json"),
    ),
)  # fmt: skip

SCHEMA: Final[dict[str, Table]] = {table.name: table for table in _TABLES}

FACTS: Final[dict[str, str | dict[str, str]]] = {
    "title": "text",
    "mode": "text",
    "device": "text",
    "started": "text",
    "clock": {"wall": "number", "at": "number", "uncertainty": "number", "resolution": "number"},
    "rank": "number",
    "merged": "text",
    "cell": "number",
    "ops": "amount",
    "seconds": "number",
    "versions": "object",
    "policy": {"values": "text", "budget": "number", "program": "number"},
    "overhead": {"ns_per_op": "number", "inside_s": "number", "stats_s": "number"},
    "evicted": {"tensors": "amount", "bytes": "amount"},
    "left_out": {"tensors": "amount", "bytes": "amount", "limit": "number"},
    "unsummarised": {"tensors": "amount"},
    "dropped": {"ops": "amount", "failures": "object"},
    "truncated": {"ops": "amount"},
    "rerun": {"replaced": "list", "dtype": "text", "stale": "list", "branches": "list"},
    "stopped": {"event": "number", "line": "number", "type": "text", "text": "text"},
    "looked_for": {"kinds": "list", "text": "text", "not": "text", "unseen": "list", "expected": "text"},
    "thresholds": "object",
}
"""What the facts of ``meta`` that views know are: text, number, amount (a number that adds up over ranks), list,
object, or an object with these fields.

Each may be null, and so may a field, which may also be missing.
"""

SHARED: Final = frozenset(column.table for table in _TABLES for column in table.columns) & frozenset(
    table.name for table in _TABLES if not any(column.unit in NUMBERED for column in table.columns)
)
"""The tables that others point into and whose rows are about nothing that has a number, such as lines and names."""

SPAN_FIELDS: Final[dict[str, str]] = {"tape": "tape", "made": "sites row"}
"""The units of the numbers that the ``params`` of a span hold."""
