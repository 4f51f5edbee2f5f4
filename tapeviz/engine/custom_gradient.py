"""Gradients of the user's own."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from tapeviz.backends import Backend
from tapeviz.engine import nest
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import registry
from tapeviz.engine.dispatch import spec_of, transfer
from tapeviz.engine.kernels import accumulate, raw_ops
from tapeviz.engine.scopes import call_as_one
from tapeviz.engine.state import active, local
from tapeviz.engine.tape import GradientTape
from tapeviz.engine.tensor import EagerTensor, wrap

__all__ = ["custom_gradient"]


def custom_gradient(f: Callable[..., Any] | None = None) -> Callable[..., Any]:
    """Decorate a function that returns its result and the function that gives its gradient.

    Args:
        f: ``f(*tensors)`` returning ``(y, grad)``, where ``grad(*upstream)`` gives one gradient for each of ``f``'s
            tensor arguments (None where there is none). If ``f`` reads variables, ``grad`` must take ``variables`` as
            well and return a second list with their gradients.

    Raises:
        TypeError: ``f`` reads variables and ``grad`` takes no ``variables``.
        ValueError: ``grad`` gives another number of gradients than ``f`` has arguments.

    Without it, the gradient of ``log(1 + exp(x))`` at 100 is nan: inf / inf.

    >>> import tapeviz as tf
    >>> @tf.custom_gradient
    ... def log1pexp(x):
    ...     e = tf.exp(x)
    ...     return tf.math.log(1 + e), lambda dy: dy * (1 - 1 / (1 + e))
    >>> x = tf.constant(100.0)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = log1pexp(x)
    >>> tape.gradient(y, x).numpy()
    np.float32(1.0)
    """
    if f is None:
        return custom_gradient

    @functools.wraps(f)
    def decorated(*args: Any, **kwargs: Any) -> Any:
        return call_as_one(compute, args, kwargs) if active else compute(args, kwargs)

    def compute(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        inputs = [convert_to_tensor(arg) for arg in nest.flatten(args)]
        with GradientTape() as watcher:
            result, grad = f(*nest.pack(args, list(inputs)), **kwargs)
        variables = watcher.watched_variables()
        outputs = [_output_of(item) for item in nest.flatten(result)]
        _record(_Custom(f, grad, len(inputs), variables), inputs, variables, outputs)
        return nest.pack(result, outputs)

    return decorated


def _output_of(item: Any) -> EagerTensor:
    """A fresh handle on a result, made unseen by the tapes: its history is the custom gradient alone."""
    state = local.state
    tapes, state.tapes = state.tapes, ()
    try:
        return registry["custom_gradient"].run(convert_to_tensor(item))  # type: ignore[no-any-return]
    finally:
        state.tapes = tapes


def _record(custom: _Custom, inputs: list[Any], variables: Any, outputs: list[EagerTensor]) -> None:
    sources = [*inputs, *(variable._now() for variable in variables)]
    if (graph := local.state.graph) is not None:
        sources = [graph.own(source) for source in sources]  # in a branch, those from outside have others for them
    elif local.state.tapes:
        custom._homes = [source._backend for source in sources]
    made = tuple(output._id for output in outputs if output.dtype.is_differentiable)
    if not made:
        return
    # Zeros for an output that nothing reads need its sizes; where not even their number is known, it is asked for then.
    specs = tuple(spec_of(output) if output.shape.rank is not None else output._a for output in outputs)
    if graph is not None:
        outputs[0]._node._steps += ((custom, tuple(sources), tuple(outputs), specs),)  # type: ignore[attr-defined]
    for tape in local.state.tapes:
        ids = tuple(source._id if source._id in tape._tracked else 0 for source in sources)
        if any(ids):
            tape._tracked.update(made)
            tape._append((custom, tuple(output._id for output in outputs), ids, (), specs))


class _Custom:
    """Stands where an op does in a tape's entry; its backward step calls the user's function."""

    contributes_to_all = False

    def __init__(self, f: Callable[..., Any], grad: Callable[..., Any], count: int, variables: tuple[Any, ...]) -> None:
        self.name = "custom_gradient"
        self._f = f
        self._grad = grad
        self._count = count
        self._variables = variables
        self._homes: list[Backend] = []  # of eager sources
        if variables and not _takes_variables(grad):
            raise TypeError(
                f"{f.__qualname__} reads variables, so its gradient function must take a 'variables' keyword argument."
            )

    def apply_vjp(
        self, ops: Any, upstream: Any, entry: Any, gradients: dict[int, Any], on_adjoint: Any, on_addend: Any
    ) -> None:
        """On arrays: the user's function sees tensors all the same."""
        given = self.step_tensors(None, tuple(map(wrap, upstream)), entry[2], ())
        for position, (number, gradient) in enumerate(zip(entry[2], given, strict=True)):
            if number and gradient is not None:
                addend = gradient._a
                if self._homes:
                    ops = raw_ops(self._homes[position])
                accumulate(ops, gradients, number, position, addend, on_adjoint, on_addend)

    def step_tensors(self, _ops: Any, upstream: Any, _ins: Any, _saved: Any) -> list[Any]:
        """One gradient an input, then one a variable."""
        if self._variables:
            result, for_variables = self._grad(*upstream, variables=list(self._variables))
        else:
            result, for_variables = self._grad(*upstream), []
        given = nest.flatten(result)
        if len(given) != self._count:
            raise ValueError(
                f"custom_gradient function {self._f.__qualname__} has {self._count} inputs, but its gradient function "
                f"returned {len(given)} gradients."
            )
        found = [None if g is None else convert_to_tensor(g) for g in [*given, *nest.flatten(for_variables)]]
        if not self._homes or local.state.graph is not None:
            return found
        # Gradients are summed up where their sources are, on whichever device the user's function has made them.
        return [None if g is None else transfer(g, home) for g, home in zip(found, self._homes, strict=True)]


def _takes_variables(grad: Callable[..., Any]) -> bool:
    parameters = inspect.signature(grad).parameters.values()
    return any(p.name == "variables" or p.kind is p.VAR_KEYWORD for p in parameters)
