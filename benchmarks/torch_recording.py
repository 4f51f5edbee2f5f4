"""What recording adds to PyTorch's programs, with values none: an op forward, and an op with its backward step.

    .venv-adapters/bin/python -m benchmarks.torch_recording

The rounds with and without a recorder alternate, and the median of their differences is reported. A round within a
block runs after one that warmed it up.
"""

from __future__ import annotations

import gc
from statistics import median
from time import perf_counter
from types import FunctionType

import torch

import tapeviz

OPS = 1000
ROUNDS = 15


def forward() -> float:
    """Seconds of a chain of small ops."""
    x = torch.ones(8)
    t0 = perf_counter()
    for _ in range(OPS):
        x = x * 1.0001
    return perf_counter() - t0


def both() -> float:
    """Seconds of a chain of small ops and of its backward pass."""
    w = torch.ones(8, requires_grad=True)
    t0 = perf_counter()
    x = w
    for _ in range(OPS):
        x = x * 1.0001
    x.sum().backward()
    return perf_counter() - t0


def added(program: FunctionType) -> float:
    """Microseconds an op."""
    users = FunctionType(program.__code__, {**globals(), "__name__": "a program"})
    differences = []
    for _ in range(ROUNDS):
        gc.collect()
        alone = users()
        with tapeviz.record(framework="torch", values="none"):
            users()
            recorded = users()
        differences.append(recorded - alone)
    return median(differences) / OPS * 1e6


def main() -> None:
    """Print the two figures beside the bounds that the tests hold."""
    torch.set_num_threads(1)
    both()
    print(f"forward only: {added(forward):5.1f} µs an op (bound 15)")
    print(f"with hooks:   {added(both):5.1f} µs an op (bound 25)")


if __name__ == "__main__":
    main()
