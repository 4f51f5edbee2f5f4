"""One call of ``gradient`` by sources of every health, with what each was judged to be, for tests in two languages."""

from __future__ import annotations

import json

from tapeviz.analysis.graph import graph_of
from tapeviz.analysis.health.judgement import health_rows
from tapeviz.recording import Builder
from tapeviz.recording.schema import DTYPES, KINDS

__all__ = ["SOURCES", "judged"]

# Name, norm of the source, norm of its gradient (None: no gradient; no statistics where that is nan), health.
SOURCES: tuple[tuple[str, float, float | None, str], ...] = (
    ("large", 1.0, 1e7, "exploding"),
    ("fine", 1.0, 0.5, "ok"),
    ("small", 1.0, 1e-9, "vanishing"),
    ("nothing", 1.0, 0.0, "zero"),
    ("lost", 1.0, None, "none"),
    ("infinite", 1.0, float("inf"), "nonfinite"),
    ("evicted", 1.0, float("nan"), "unknown"),
)


def judged() -> Builder:
    """Return the recording, with the table ``health`` as the rule fills it."""
    builder = Builder()
    shape = builder.intern("[4]")
    builder.append("events", id=0, parent=-1, kind=KINDS.index("span"), op=-1)
    _tensor(builder, 0, shape, 2.0)
    for number, (name, own, norm, _) in enumerate(SOURCES):
        source, gradient = 1 + 2 * number, 2 + 2 * number
        _tensor(builder, source, shape, own)
        builder.append("names", tensor=source, name=name)
        if norm is not None:
            _tensor(builder, gradient, shape, norm)
        builder.append("requests", event=0, target=0, source=source, variable=-1,
                       gradient=gradient if norm is not None else -1)  # fmt: skip
    for row in health_rows(graph_of(builder.recording())):
        builder.append("health", **row)
    builder.append("meta", key="expected", value=json.dumps({name: health for name, *_, health in SOURCES}))
    return builder


def _tensor(builder: Builder, number: int, shape: int, norm: float) -> None:
    builder.append("tensors", id=number, shape=shape, dtype=DTYPES.index("float32"), producer=-1, variable=-1)
    if norm == norm:  # noqa: PLR0124 - not nan
        builder.append("stats", tensor=number, norm=norm)
