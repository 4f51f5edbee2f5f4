"""What recording adds to TensorFlow's programs, with values none: an op forward, and an op with its backward step.

    .venv-adapters/bin/python -m benchmarks.tensorflow_recording

The rounds with and without a recorder alternate, and the median of their differences is reported, beside what the op
takes by itself. A round within a block runs after one that warmed it up.
"""

from __future__ import annotations

import gc
from statistics import median
from time import perf_counter
from types import FunctionType

import tensorflow as tf

import tapeviz

OPS = 1000
ROUNDS = 15


def forward() -> float:
    """Seconds of a chain of small ops."""
    x = tf.ones(8)
    t0 = perf_counter()
    for _ in range(OPS):
        x = tf.sin(x)
    return perf_counter() - t0


def both() -> float:
    """Seconds of a chain of small ops and of its backward pass."""
    w = tf.Variable(tf.ones(8))
    t0 = perf_counter()
    with tf.GradientTape() as tape:
        x = w
        for _ in range(OPS):
            x = tf.sin(x)
    tape.gradient(x, w)
    return perf_counter() - t0


def added(program: FunctionType) -> tuple[float, float]:
    """Microseconds an op: those that recording adds, and those of the program by itself."""
    users = FunctionType(program.__code__, {**globals(), "__name__": "a program"})
    differences, own = [], []
    for _ in range(ROUNDS):
        gc.collect()
        own.append(users())
        with tapeviz.record(framework="tensorflow", values="none"):
            users()
            recorded = users()
        differences.append(recorded - own[-1])
    return median(differences) / OPS * 1e6, median(own) / OPS * 1e6


def main() -> None:
    """Print the two figures."""
    both()
    for name, program in (("forward only", forward), ("with its backward step", both)):
        more, own = added(program)
        print(f"{name}: {more:5.1f} µs an op, which takes {own:5.1f} µs by itself")


if __name__ == "__main__":
    main()
