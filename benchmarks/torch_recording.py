"""What recording adds to PyTorch's programs, with values none: an op forward, and an op with its backward step.

    .venv-adapters/bin/python -m benchmarks.torch_recording

The rounds without and with a recorder, and with PyTorch's own profiler with stacks and shapes, alternate, and medians
of the differences are reported: within the block, and with what comes after it, which is packing here and the export
there. A round within a block runs after one that warmed it up; of what comes after it half is its part.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
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


def recorded() -> AbstractContextManager[object]:
    """A recording, packed at its end."""
    return tapeviz.record(framework="torch", values="none")


class Profiled:
    """PyTorch's profiler, whose trace is written at the end."""

    def __enter__(self) -> None:
        self._profiler = torch.profiler.profile(with_stack=True, record_shapes=True)
        self._profiler.__enter__()

    def __exit__(self, *error: object) -> None:
        self._profiler.__exit__(*error)
        with TemporaryDirectory() as folder:
            self._profiler.export_chrome_trace(str(Path(folder, "trace.json")))


WAYS: dict[str, Callable[[], AbstractContextManager[object]]] = {"tapeviz": recorded, "torch.profiler": Profiled}


def added(program: FunctionType) -> dict[str, tuple[float, float]]:
    """Microseconds an op that each way adds: within its block, and with what comes after it."""
    users = FunctionType(program.__code__, {**globals(), "__name__": "a program"})
    found: dict[str, list[tuple[float, float]]] = {way: [] for way in WAYS}
    for _ in range(ROUNDS):
        for way, block in WAYS.items():
            gc.collect()
            alone = users()
            with block():
                users()
                inside = users()
                ended = perf_counter()
            after = (perf_counter() - ended) / 2
            found[way].append((inside - alone, inside - alone + after))
    return {
        way: (median(a for a, _ in rows) / OPS * 1e6, median(b for _, b in rows) / OPS * 1e6)
        for way, rows in found.items()
    }


def main() -> None:
    """Print the figures; those of tapeviz within the block beside what they are to be at most."""
    torch.set_num_threads(1)
    both()
    for title, program, bound in (("forward only", forward, 15), ("with backward", both, 25)):
        for way, (inside, whole) in added(program).items():
            held = f" (at most {bound})" if way == "tapeviz" else ""
            print(f"{title:13}  {way:14}  {inside:5.1f} µs an op{held}, {whole:5.1f} with what comes after the block")


if __name__ == "__main__":
    main()
