"""Recordings as they were written before ``ops`` had columns for traits, and what was said of them then.

python -m tests.recording.older_files

writes them again as today's version does, so it was run at the last version without those columns (commit 21cd54d).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tapeviz.analysis.differences import differences
from tapeviz.analysis.graph import graph_of
from tapeviz.analysis.health.judgement import health_rows
from tapeviz.analysis.nonfinite.origins import nonfinite
from tapeviz.analysis.verdicts import with_verdicts
from tapeviz.exports.diff_text import summary as diff_summary
from tapeviz.exports.schedule import by_order
from tapeviz.exports.summary_text import summary
from tapeviz.recording import Recording, read
from tests.analysis.cells import Notebook

FOLDER = Path(__file__).parent / "before"

NONFINITE = """\
zero, ones = tf.constant([0.0, 1.0, 2.0]), tf.ones([3])
with tf.GradientTape(persistent=True) as tape:
    tape.watch([zero, ones])
    a = tf.reduce_sum(tf.math.log(zero))
    b = tf.reduce_sum(tf.math.log(tf.nn.softmax(zero * 200.0)))
    c = tf.reduce_sum(tf.math.log(tf.reduce_sum(tf.exp(zero - 200.0))))
    d = tf.reduce_sum(tf.math.log1p(zero - 1.0))
    e = tf.reduce_sum(tf.sqrt(zero))
    f = tf.norm(zero * 0.0)
    g = tf.reduce_sum(ones / zero)
    h = tf.reduce_sum(ones / tf.math.reduce_std(ones))
    i = tf.reduce_sum(tf.math.reciprocal(zero))
    j = tf.reduce_sum(tf.math.rsqrt(zero))
    k = tf.reduce_sum(tf.pow(zero, -1.0))
    l = tf.reduce_sum(tf.acos(zero))
    m = tf.reduce_sum(tf.math.acosh(zero))
    n = tf.reduce_sum(tf.exp(zero * 100.0))
    o = tf.reduce_sum(tf.sinh(zero * 100.0))
    p = tf.reduce_sum(tf.square(zero * 1e30))
    q = tf.reduce_prod(zero * 1e20 + 1e20)
    r = tf.reduce_sum(tf.matmul([[1e30]], [[1e30]]))
    s = tf.reduce_sum(tf.where(zero > 0.0, tf.math.log(zero), 0.0))
    t = tf.reduce_sum(tf.nn.softmax(zero - float("inf")))
    u = tf.math.reduce_std(ones)
for target in (a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u):
    tape.gradient(target, [zero, ones])
"""
GRADIENTS = """\
x, classes, whole = tf.Variable([0.3, 2.0, 4.0]), tf.constant([0, 2]), tf.Variable([1, 2])
bound = tf.Variable(1.0)
@tf.custom_gradient
def own(value):
    return value * 2.0, lambda upstream: upstream
with tf.GradientTape(persistent=True) as tape:
    tape.watch(classes)
    targets = [
        tf.cast(tf.argmax(x), tf.float32) * 1.0, tf.reduce_sum(tf.floor(x)), tf.reduce_sum(tf.sign(x)),
        tf.reduce_sum(tf.cast(x > 1.0, tf.float32)), tf.reduce_sum(tf.stop_gradient(x)),
        tf.reduce_sum(tf.cast(tf.cast(x, tf.int32), tf.float32)), tf.reduce_sum(own(x)),
        tf.reduce_sum(tf.one_hot(tf.cast(x, tf.int32), 5)), tf.reduce_sum(tf.gather(x, classes)),
        tf.reduce_sum(tf.sigmoid(x * 100.0)), tf.reduce_sum(tf.nn.relu(-x)), tf.reduce_sum(tf.nn.softmax(x)),
        tf.reduce_sum(tf.tanh(tf.tanh(x * 9.0))), tf.reduce_sum(tf.clip_by_value(x, 5.0, 6.0)),
        tf.reduce_sum(tf.matmul(x[None], tf.zeros([3, 2]))), tf.reduce_sum(tf.exp(x * 18.0)),
    ]
    bound.assign(tf.reduce_sum(x))
    through = bound * 2.0
tape.gradient(through, x)
tape.gradient(targets[8], classes)
tape.gradient(through, whole)
updated = x - 0.1 * tape.gradient(targets[6], x)
with tf.GradientTape() as later:
    loss = tf.reduce_sum(updated * updated)
later.gradient(loss, updated)
"""
EACH = "".join(f"tape.gradient(targets[{place}], x)\n" for place in range(16))
STEP = """\
w = tf.Variable(tf.linspace(-1.0, 1.0, 200)[:, None] * tf.ones([1, 40]))
x = tf.reshape(tf.linspace(-1.0, 1.0, 2000), [10, 200])
@tf.function
def traced(x):
    return tf.reduce_mean(tf.cumsum(tf.nn.softmax(tf.identity(x @ w) + FACTOR)) - tf.reduce_sum(tf.tanh(x)))
with tf.GradientTape() as tape:
    loss = traced(x) if TRACED else traced.python_function(x)
tape.gradient(loss, w)
w.assign_sub(w * 0.1)
tf.transpose(tf.cast(w, tf.float64))
"""
CELLS = {
    "nonfinite": NONFINITE,
    "gradients": GRADIENTS + EACH,
    "eager": "FACTOR, TRACED = 1.0, False\n" + STEP,
    "traced": "FACTOR, TRACED = 1.0, True\n" + STEP,
    "other": "FACTOR, TRACED = 1.0 + 1e-6, False\n" + STEP,
}


def answers(recording: Recording) -> dict[str, Any]:
    """Return what is said of a recording, as JSON holds it."""
    judged = with_verdicts(recording)
    schedule = by_order(graph_of(recording))
    said = {
        "verdicts": [[row.kind, row.severity, row.event, row.tensor, row.text, row.fix, row.evidence]
                     for row in judged.verdicts],
        "nonfinite": [[found.op, found.phase, found.pattern, found.harmless, found.sentence, found.fix]
                      for found in nonfinite(recording)],
        "health": [[row[name] for name in sorted(row)] for row in health_rows(graph_of(recording))],
        "schedule": [schedule.start.tolist(), schedule.end.tolist()],
        # What is looked for grows; what is said of it is said without.
        "summary": summary(judged).partition("No finding;")[0],
    }  # fmt: skip
    found: dict[str, Any] = json.loads(json.dumps(said, default=float))
    return found


def compared(a: Recording, b: Recording) -> str:
    """Return how two recordings differ, in words."""
    return diff_summary(differences(a, b))


def main() -> None:
    """Write the recordings and what is said of them."""
    FOLDER.mkdir(exist_ok=True)
    said: dict[str, Any] = {}
    for name, code in CELLS.items():
        tape = Notebook().record(code, values="stats")
        tape.save(FOLDER / f"{name}.tape")
        said[name] = answers(read(FOLDER / f"{name}.tape"))
    for name in ("traced", "other"):
        said[f"eager, {name}"] = compared(*(read(FOLDER / f"{one}.tape") for one in ("eager", name)))
    (FOLDER / "answers.json").write_text(json.dumps(said, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
