"""Watching a training step from inside: its loss and its gradients, just before the optimizer applies them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

import numpy as np

from tapeviz.engine.indexed_slices import IndexedSlices
from tapeviz.engine.state import local
from tapeviz.engine.tensor import wrap
from tapeviz.graphs.ir.special_nodes import ArrayCall
from tapeviz.ops.math.gradient_figures import figures, gradient_figures

__all__ = ["StepStopped", "Watch", "watched"]


class StepStopped(Exception):  # noqa: N818 - no error: a watch asked for it, before anything was changed
    """A step of training was stopped before its gradients were applied. ``fit`` ends, and says why.

    Args:
        reason: what was found.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Watch(Protocol):
    """Who wants to see losses and gradients, and may run steps in a way of their own."""

    def saw(self, variables: Sequence[Any], found: np.ndarray | None, loss: float | None) -> None:
        """Look at a step. May raise :class:`StepStopped`: then its gradients are not applied.

        Args:
            variables: the variables that have gradients.
            found: the sum of squares of each gradient and its number of zeros, as two rows; None where not measured.
            loss: the loss of the batch; None where a ``train_step`` of the user's does not say.
        """

    def step(self, run: Callable[[Any, bool], Any], data: Any) -> Any:
        """Run a step on a batch: ``run(data, measuring)``, or otherwise."""


@contextmanager
def watched(
    optimizer: Any, current: Callable[[], Watch | None], loss: Callable[[], Any], *, measuring: bool = True,
    applying: bool = True,
) -> Iterator[None]:  # fmt: skip
    """Have a watch look at what is given to an optimizer inside.

    Args:
        optimizer: the optimizer.
        current: gives the watch, at each run of a graph that is traced here.
        loss: gives the loss that the gradients are of, or None.
        measuring: whether gradients are measured; the loss is told anyway.
        applying: whether the gradients are applied then.
    """
    if optimizer is None:
        yield
        return
    apply = optimizer.apply

    def apply_watched(grads: Any, trainable_variables: Any = None) -> None:
        variables = optimizer._variables_for(grads, trainable_variables)
        pairs = [(v, g) for g, v in zip(grads, variables, strict=True) if g is not None]
        tensors = [g.values if isinstance(g, IndexedSlices) else g for _, g in pairs]
        _look(current, [v for v, _ in pairs], tensors if measuring else [], loss())
        if applying:
            apply(grads, variables)

    # On the object itself, past what it may do with attributes: for the time of one step.
    object.__setattr__(optimizer, "apply", apply_watched)
    try:
        yield
    finally:
        object.__delattr__(optimizer, "apply")


def _look(current: Callable[[], Watch | None], variables: list[Any], tensors: list[Any], loss: Any) -> None:
    def look(*given: Any) -> None:
        if (watch := current()) is not None:
            found = _joined(groups, given) if tensors else None
            watch.saw(variables, found, None if loss is None else _on_host(given[-1]).item())

    def guard(found: Any) -> None:
        if (watch := current()) is not None:
            watch.saw(variables, None, _on_host(found).item())

    graph: Any = local.state.graph
    if graph is not None:
        groups = _of_one_dtype(tensors)
        measured = [gradient_figures.run(*[tensors[place] for place in places]) for places in groups]
        # A step that has effects: it runs where it stands, so before the variables change.
        given = measured if loss is None else [*measured, loss]
        graph.python(look if measured or loss is None else guard, given, name="WatchStep", call=ArrayCall)
        return
    watch = current()
    if watch is not None:
        # Past the ops, so that a recording of the step has none that the program does not have.
        found = figures(np, *[tensor._host() for tensor in tensors]) if tensors else None
        watch.saw(variables, found, None if loss is None else float(loss))


def _of_one_dtype(tensors: Sequence[Any]) -> list[list[int]]:
    """The places of tensors, those of each dtype together: an op takes tensors of one."""
    groups: dict[Any, list[int]] = {}
    for place, tensor in enumerate(tensors):
        groups.setdefault(tensor.dtype, []).append(place)
    return list(groups.values())


def _joined(groups: Sequence[list[int]], measured: Sequence[Any]) -> np.ndarray:
    """What was measured of each dtype's tensors, in the order of the tensors."""
    found = np.empty((2, sum(map(len, groups))))
    for places, figure in zip(groups, measured, strict=False):
        found[:, places] = _on_host(figure)
    return found


def _on_host(array: Any) -> np.ndarray:
    found: np.ndarray = array if array.__class__ is np.ndarray else wrap(array)._host()
    return found
