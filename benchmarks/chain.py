"""A thousand small ops and their gradient: what a library spends around each op and each step back.

``y = y * w`` and ``y = y + b``, five hundred times, on four numbers; then the gradient by ``w`` and ``b``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

import tapeviz as tf
from benchmarks.harness import Goal, Race, Row, Sample, call
from benchmarks.peers import load

__all__ = ["OPS", "parameters", "peers", "run", "tape_chain", "torch_chain"]

SUBJECT: Final = "chain"
OPS: Final = 1000
_PAIRS: Final = OPS // 2


def parameters() -> tuple[np.ndarray, ...]:
    """Return x, w, b and the gradient of the result: numbers that neither vanish nor overflow over the chain."""
    x = np.linspace(0.5, 1.5, 4, dtype="f4")
    return x, np.full(4, 0.999, "f4"), np.full(4, 0.001, "f4"), np.ones(4, "f4")


def tape_chain(library: Any, *, watched: bool = False) -> Callable[[], Any]:
    """Return the chain with a gradient tape: the same code for tapeviz and TensorFlow.

    Args:
        library: the module.
        watched: with tensors that the tape is told to watch instead of variables.
    """
    make = library.constant if watched else library.Variable
    x, w, b = library.constant(parameters()[0]), make(parameters()[1]), make(parameters()[2])

    def run() -> Any:
        with library.GradientTape() as tape:
            if watched:
                tape.watch([w, b])
            y = x
            for _ in range(_PAIRS):
                y = y * w
                y = y + b
        return tape.gradient(y, [w, b])

    return run


def torch_chain(torch: Any) -> Callable[[], Any]:
    """Return the chain in PyTorch."""
    x, w, b, ones = map(torch.from_numpy, parameters())
    w.requires_grad_()
    b.requires_grad_()

    def run() -> Any:
        y = x
        for _ in range(_PAIRS):
            y = y * w
            y = y + b
        return torch.autograd.grad(y, (w, b), ones)

    return run


def _autograd_chain(autograd: Any) -> Callable[[], Any]:
    x, w, b, ones = parameters()

    def forward(both: Any) -> Any:
        y = x
        for _ in range(_PAIRS):
            y = y * both[0]
            y = y + both[1]
        return y

    def run() -> Any:
        pull_back, _ = autograd.make_vjp(forward)((w, b))
        return pull_back(ones)

    return run


def peers() -> dict[str, Sample]:
    """Return the chain in the other libraries."""
    chains: dict[str, Callable[[], Any]] = {}
    if (torch := load("torch")) is not None:
        chains["torch"] = torch_chain(torch)
    if (tensorflow := load("tensorflow")) is not None:
        chains["tensorflow"] = tape_chain(tensorflow)
    if (autograd := load("autograd")) is not None:
        chains["autograd"] = _autograd_chain(autograd)
    return {library: call(run) for library, run in chains.items()}


def run() -> list[Row]:
    """Run the race."""
    title = "1000 ops forward and backward"
    chains = {title: tape_chain(tf), f"{title}, watched tensors": tape_chain(tf, watched=True)}
    others = peers()
    goals = {title: Goal(at_most=0.6, against="torch")} if "torch" in others else {}
    return Race(SUBJECT, {name: call(chain) for name, chain in chains.items()}, others, goals).run()
