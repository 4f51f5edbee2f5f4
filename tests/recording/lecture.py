"""A recording by the engine, to go through step by step in two languages, and the steps that Python finds in it.

``python -m tests.recording.lecture`` records it anew; what is kept is the file, for times differ from run to run.
"""

from __future__ import annotations

import linecache
from typing import Any

import numpy as np

import tapeviz as tf
from tapeviz.analysis.contributions import local_of, product_of
from tapeviz.analysis.graph import graph_of
from tapeviz.analysis.walkthrough import Step, steps_of
from tapeviz.exports.contents import elements
from tapeviz.recording import Recording, read
from tests.structure.sources import ROOT

__all__ = ["FILE", "recorded", "steps"]

FILE = ROOT / "labextension/packages/recording/fixtures/lecture.tape"


PROGRAM = """\
draw = np.random.default_rng(4)
x, y = tf.constant(draw.normal(size=(4, 3)), tf.float32), tf.constant(draw.normal(size=(4, 1)), tf.float32)
w1 = tf.Variable(draw.normal(size=(3, 5)), dtype=tf.float32, name="w1")
b1 = tf.Variable(draw.normal(size=5), dtype=tf.float32, name="b1")
w2 = tf.Variable(draw.normal(size=(5, 1)), dtype=tf.float32, name="w2")
v = tf.Variable([2.0, 3.0], name="v")

@tf.function
def repeated(h):
    for _ in tf.range(2):
        h = tf.nn.relu(h - b1)
    return h

with tf.record(values="all") as tape:
    scale = tf.Variable(0.5, name="scale")
    with tf.GradientTape() as g:
        h = tf.tanh(x @ w1 + b1)
        p = tf.nn.softmax(tf.matmul(h, w1, transpose_b=True)) @ w1 @ w2
        loss = tf.reduce_mean((p - y) ** 2) + scale * tf.reduce_sum(w2 * w2) + tf.reduce_sum(repeated(h))
    g.gradient(loss, [w1, b1, w2, scale])
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            cube = tf.reduce_sum(v * v * v)
        slope = inner.gradient(cube, v)
    outer.gradient(slope, v)
    scale.assign_add(1.0)
"""


def recorded() -> tf.Tape:
    """Record broadcast sums, a tensor that is read twice, transposed products, a traced loop and a second order."""
    linecache.cache["lecture.py"] = (len(PROGRAM), None, PROGRAM.splitlines(keepends=True), "lecture.py")
    names = {"tf": tf, "np": np}
    exec(compile(PROGRAM, "lecture.py", "exec"), names)
    return names["tape"]


def steps(source: Recording) -> dict[str, Any]:
    """Return the steps as JSON can say them, numbered from 0."""
    graph = graph_of(source)
    row_of = {number: row for row, number in enumerate(source.tensors.id.tolist())}
    found = steps_of(source, lambda number: elements(graph, row_of[number]) if number in row_of else None)
    return {str(number): _plain(step) for number, step in enumerate(found)}


def _plain(step: Step) -> dict[str, Any]:
    product, local = (product_of(step), local_of(step)) if step.kind == "backward" else (None, None)
    return {
        "kind": step.kind, "event": step.event, "op": "" if step.kind == "seed" else step.op, "formula": step.formula,
        "line": -1 if step.site is None else step.site.line, "name": step.result.name,
        "inputs": [quantity.tensor for quantity in step.inputs] if step.kind in ("forward", "backward") else [],
        "upstream": -1 if step.upstream is None else step.upstream.tensor, "result": step.result.tensor,
        "axes": list(step.summed_axes), "elementwise": step.elementwise,
        "product": product and [[f.tensor, t] for f, t in zip(product.factors, product.transposed, strict=True)],
        "local": local and _numbers(local.value),
    }  # fmt: skip


def _numbers(value: Any) -> list[float | None]:
    return [None if isinstance(x, type(np.ma.masked)) else float(f"{x:.4g}") for x in np.ma.masked_array(value).ravel()]


if __name__ == "__main__":
    FILE.write_bytes(recorded().recording.to_bytes())
    print(len(steps(read(FILE))), "steps")
