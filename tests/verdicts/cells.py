"""Short programs on which a rule is tried: those with its mistake, and those that only look alike."""

from __future__ import annotations

import textwrap
from typing import Any

import numpy as np

import tapeviz as tf

__all__ = ["findings", "grave"]

_START = """
import numpy as np
import tapeviz as tf
tf.random.set_seed(0)
rng = np.random.default_rng(0)
layers, optimizers = tf.keras.layers, tf.keras.optimizers
x = tf.constant(rng.normal(size=(16, 4)).astype("float32"))
y = tf.constant(rng.normal(size=(16, 1)).astype("float32"))
def mse(a, b): return tf.reduce_mean(tf.square(a - b))
"""


def findings(body: str, kind: str) -> list[tuple[Any, str]]:
    """What is said of a kind above "worth knowing", each with the text of its line."""
    program = _START + textwrap.dedent(body)
    lines = program.splitlines()
    with tf.record() as tape, np.errstate(all="ignore"):
        exec(compile(program, "<cell>", "exec"), {"__name__": "cell"})
    return [(one, lines[one.site.line - 1].strip() if one.site else "") for one in grave(tape) if one.kind == kind]


def grave(tape: tf.Tape) -> list[Any]:
    """The findings above "worth knowing"."""
    return [one for one in tape.verdicts() if one.severity > 1]
