"""Ops that raised an error."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import numpy as np

from tapeviz.analysis.foreign_words import framework_of
from tapeviz.analysis.graph import Graph
from tapeviz.analysis.verdicts.verdict import FAULT, WORTH_KNOWING, Rule, Thresholds, Verdict, verdict_at
from tapeviz.recording.schema import STATUSES

__all__ = ["FAILURES"]

_FAILED: Final = STATUSES.index("failed")


def _failed(graph: Graph, _: Thresholds) -> Iterator[Verdict]:
    """Ops that raised. One whose error the user's code caught is no fault by itself."""
    if framework_of(graph.recording) == "torch":  # where an error of autograd's is explained
        return
    events, messages = graph.recording.events, graph.recording.messages
    stopped = graph.recording.meta_dict().get("stopped") or {}
    failed = np.flatnonzero((events.status == _FAILED) & (events.op >= 0))
    said = {event: row for row, event in enumerate(messages.event.tolist())}
    for row in failed.tolist():
        message = said.get(graph.event_id(row), -1)
        text = messages.text[message].partition("\n")[0] if message >= 0 else "it raised an error"
        uncaught = bool(stopped) and row == failed[-1]
        yield verdict_at(
            graph, row, "failed", FAULT if uncaught else WORTH_KNOWING,
            f"{graph.op(row)} failed: {text.rstrip('.')}", _repair(text),
            evidence={"type": messages.type[message] if message >= 0 else "", "caught": not uncaught},
        )  # fmt: skip


def _repair(message: str) -> str:
    lowered = message.lower()
    if "non-persistent gradienttape" in lowered:
        return "make the tape with persistent=True, or ask for all gradients in one call of gradient()"
    if allowed := re.search(r"not in the list of allowed values: ([\w, ]+)", lowered):
        return f"give that input one of these dtypes, with tf.cast: {allowed[1].strip()}"
    if "valid range" in lowered or "out of range" in lowered or "out of bounds" in lowered:
        return "classes, rows and positions count from 0: compare the smallest and largest of them with the size"
    if "was expected to be a" in lowered or "dtype" in lowered or "attr 't'" in lowered:
        return "give all inputs one dtype, with tf.cast"
    if any(word in lowered for word in ("shape", "size", "dimension", "axis", "rank", "matrix")):
        return "compare the shapes in the message: transpose or reshape one of the inputs"
    return "look at the inputs of that op"


FAILURES: Final = Rule(
    _failed, {"failed": "ops that failed"}, "ops", applies=lambda recording: framework_of(recording) != "torch"
)
