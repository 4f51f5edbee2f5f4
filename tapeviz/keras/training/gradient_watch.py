"""Watching the gradients of a training step, in the traced step itself, just before the optimizer applies them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from tapeviz.engine.indexed_slices import IndexedSlices
from tapeviz.engine.state import local

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
    """Who wants to see gradients and may run steps in a way of their own."""

    def gradients(self, variables: Sequence[Any], tensors: Sequence[Any], loss: Any) -> None:
        """Look at a step's gradients. May raise :class:`StepStopped`: then they are not applied.

        Args:
            variables: the variables that have gradients.
            tensors: their gradients, as eager tensors; of indexed slices the slices.
            loss: the loss of the batch; None where a ``train_step`` of the user's does not say.
        """

    def step(self, run: Callable[[Any], Any], data: Any) -> Any:
        """Run a step on a batch: ``run(data)``, or otherwise."""


@contextmanager
def watched(
    optimizer: Any, current: Callable[[], Watch | None], loss: Callable[[], Any], *, applying: bool = True
) -> Iterator[None]:
    """Have a watch look at the gradients that are given to an optimizer inside.

    Args:
        optimizer: the optimizer.
        current: gives the watch, at each run of a graph that is traced here.
        loss: gives the loss that the gradients are of, or None.
        applying: whether the gradients are applied then.
    """
    if optimizer is None:
        yield
        return
    apply = optimizer.apply

    def apply_watched(grads: Any, trainable_variables: Any = None) -> None:
        variables = optimizer._variables_for(grads, trainable_variables)
        pairs = [(variable, gradient) for gradient, variable in zip(grads, variables, strict=True)
                 if gradient is not None]  # fmt: skip
        _look(current, [variable for variable, _ in pairs], [_plain(gradient) for _, gradient in pairs], loss())
        if applying:
            apply(grads, variables)

    # On the object itself, past what it may do with attributes: for the time of one step.
    object.__setattr__(optimizer, "apply", apply_watched)
    try:
        yield
    finally:
        object.__delattr__(optimizer, "apply")


def _plain(gradient: Any) -> Any:
    return gradient.values if isinstance(gradient, IndexedSlices) else gradient


def _look(current: Callable[[], Watch | None], variables: list[Any], tensors: list[Any], loss: Any) -> None:
    def look(*values: Any) -> None:
        watch = current()
        if watch is not None:
            several = len(variables)
            watch.gradients(variables, values[:several], values[several] if len(values) > several else None)

    given = tensors if loss is None else [*tensors, loss]
    graph: Any = local.state.graph
    if graph is None:
        look(*given)
    else:
        # A step that has effects: it runs where it stands, so before the variables change.
        graph.python(look, given, name="WatchGradients")
