"""Gradients of functions as functions: by their parameters, or by the variables that they read."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from tapeviz.engine import nest
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.custom_gradient import custom_gradient
from tapeviz.engine.declaration import registry
from tapeviz.engine.state import local
from tapeviz.engine.tape import GradientTape
from tapeviz.engine.tensor import EagerTensor

__all__ = [
    "gradients_function",
    "implicit_gradients",
    "implicit_value_and_gradients",
    "value_and_gradients_function",
]

Params = Sequence[int] | Sequence[str] | None


def gradients_function(f: Callable[..., Any], params: Params = None) -> Callable[..., list[Any]]:
    """The function that gives the gradients of ``f`` with respect to its arguments.

    It takes what ``f`` takes, by position alone, and ``dy``: what to multiply with at the result, ones by default.
    Differentiated again it gives second derivatives, and so on to any order; those of a polynomial are 0 in the end.

    Args:
        f: takes tensors (or what converts to them) and gives a tensor or a structure of tensors.
        params: the parameters to differentiate by, all positions or all names; each argument given unless said.

    Returns:
        A function that gives a list with one gradient a parameter: a tensor of its shape and dtype, or None where ``f``
        does not depend on it or it is not of a floating-point type.

    Raises:
        ValueError: when called: ``f`` returns None, ``params`` mixes names and positions or names what ``f`` has not,
            or an argument is given by keyword.
        IndexError: when called: ``params`` has a position for which there is no argument.

    >>> import tapeviz.contrib.eager as tfe
    >>> def cube(x):
    ...     return x * x * x
    >>> slope = tfe.gradients_function(cube)
    >>> bend = tfe.gradients_function(lambda x: slope(x)[0])
    >>> slope(2.0)[0].numpy(), bend(2.0)[0].numpy()
    (np.float32(12.0), np.float32(12.0))
    """
    both = value_and_gradients_function(f, params)

    @functools.wraps(f)
    def gradients(*args: Any, **options: Any) -> list[Any]:
        found: list[Any] = both(*args, **options)[1]
        return found

    return gradients


def value_and_gradients_function(f: Callable[..., Any], params: Params = None) -> Callable[..., tuple[Any, list[Any]]]:
    """The function that gives what ``f`` gives, and its gradients: see :func:`gradients_function`.

    >>> import tapeviz.contrib.eager as tfe
    >>> def product(x, y):
    ...     return x * y
    >>> value, (by_y,) = tfe.value_and_gradients_function(product, params=["y"])(3.0, 4.0)
    >>> value.numpy(), by_y.numpy()
    (np.float32(12.0), np.float32(3.0))
    """

    @functools.wraps(f)
    def value_and_gradients(*args: Any, dy: Any = None, **named: Any) -> tuple[Any, list[Any]]:
        if named:
            raise ValueError("Functions to be differentiated cannot receive keyword arguments.")
        positions = _positions(f, params, len(args))
        given = _sources(args, positions)
        with GradientTape() as tape:
            tape.watch([given[position] for position in positions])
            value = _tensors(_not_none(f, f(*given)))
        if dy is not None and isinstance(value, EagerTensor):
            dy = convert_to_tensor(dy, dtype=value.dtype)  # a list is one tensor here, no structure of several
        sources = [given[position] for position in positions]
        return value, _followed(tape.gradient(value, sources, output_gradients=dy), sources)

    return value_and_gradients


def implicit_value_and_gradients(f: Callable[..., Any]) -> Callable[..., tuple[Any, list[tuple[Any, Any]]]]:
    """The function that gives what ``f`` gives, and its gradients by the trainable variables that it reads.

    Args:
        f: gives a tensor or a structure of tensors, most often a loss.

    Returns:
        A function that takes what ``f`` takes and gives ``(value, [(gradient, variable), ...])``, the variables in the
        order in which they were made: what an optimizer applies.

    Raises:
        ValueError: when called: ``f`` returns None, or reads no trainable variable.

    >>> import tapeviz as tf, tapeviz.contrib.eager as tfe
    >>> w = tf.Variable(2.0, name="w")
    >>> value, pairs = tfe.implicit_value_and_gradients(lambda x: x * w * w)(3.0)
    >>> value.numpy(), [(gradient.numpy(), variable.name) for gradient, variable in pairs]
    (np.float32(12.0), [(np.float32(12.0), 'w:0')])
    """

    @functools.wraps(f)
    def value_and_gradients(*args: Any, **named: Any) -> tuple[Any, list[tuple[Any, Any]]]:
        with GradientTape() as tape:
            value = _not_none(f, f(*args, **named))
        variables = tape.watched_variables()
        if not variables:
            raise ValueError("No trainable variables were accessed while the function was being computed.")
        return value, list(zip(tape.gradient(value, list(variables)), variables, strict=True))

    return value_and_gradients


def implicit_gradients(f: Callable[..., Any]) -> Callable[..., list[tuple[Any, Any]]]:
    """The function that gives the gradients of ``f`` by the trainable variables that it reads, each with its variable.

    Arguments and errors as for :func:`implicit_value_and_gradients`.

    >>> import tapeviz as tf, tapeviz.contrib.eager as tfe
    >>> w = tf.Variable(5.0, name="w")
    >>> [(gradient, variable)] = tfe.implicit_gradients(lambda x: x * w)(3.0)
    >>> gradient.numpy(), variable is w
    (np.float32(3.0), True)
    """
    both = implicit_value_and_gradients(f)

    @functools.wraps(f)
    def gradients(*args: Any, **named: Any) -> list[tuple[Any, Any]]:
        return both(*args, **named)[1]

    return gradients


def _followed(gradients: list[Any], sources: list[Any]) -> list[Any]:
    """The gradients, each as one that follows from its source, where the source is differentiated by further out.

    A gradient that is a constant, such as the second one of a square, then has the derivative 0, as any constant slope
    has, and not none at all.
    """
    state = local.state
    history = getattr(state.graph, "history", None)
    if all(tape is history for tape in state.tapes):
        return gradients
    pairs = zip(gradients, sources, strict=True)
    return [None if gradient is None else _constant_in(gradient, source) for gradient, source in pairs]


@custom_gradient
def _constant_in(gradient: Any, source: Any) -> tuple[Any, Callable[[Any], tuple[Any, Any]]]:
    return registry["identity"].run(gradient), lambda g: (g, registry["zeros_like"].run(source))


def _positions(f: Callable[..., Any], params: Params, count: int) -> list[int]:
    """The positions among ``count`` arguments of those to differentiate by."""
    if params is None:
        return list(range(count))
    names = list(inspect.signature(f).parameters) if any(isinstance(one, str) for one in params) else []
    if names and not all(isinstance(one, str) for one in params):
        raise ValueError(f"params must be all strings or all integers; got {params}.")
    positions = []
    for one in params:
        if isinstance(one, str) and one not in names:
            raise ValueError(f"{one!r} is not in list of parameters: {_name(f)} has {', '.join(names) or 'none'}")
        position = names.index(one) if isinstance(one, str) else one
        if not -count <= position < count:
            raise IndexError(f"list index out of range: params has {one!r}, and {_name(f)} was given {count} arguments")
        positions.append(position)
    return positions


def _sources(args: Sequence[Any], positions: list[int]) -> list[Any]:
    """The arguments, those to differentiate by as tensors; one given twice is two, each with its own gradient."""
    given, met = list(args), set()
    for position in dict.fromkeys(positions):
        tensor = convert_to_tensor(given[position])
        given[position] = registry["identity"].run(tensor) if id(tensor) in met else tensor
        met.add(id(tensor))
    return given


def _tensors(value: Any) -> Any:
    """What a function gave, each leaf a tensor: variables read, and numbers converted."""
    return nest.pack(value, [convert_to_tensor(leaf) for leaf in nest.flatten(value)])


def _not_none(f: Callable[..., Any], value: Any) -> Any:
    if value is None:
        raise ValueError(
            f"Cannot differentiate a function that returns None; did you forget to return a value from {_name(f)}?"
        )
    return value


def _name(f: Callable[..., Any]) -> str:
    return getattr(f, "__name__", None) or repr(f)
