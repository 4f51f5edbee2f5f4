"""Functions of tensors with a signature."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from tapeviz.engine.convert import convert_to_tensor
from tapeviz.engine.scopes import TensorSpec, span
from tapeviz.engine.tensor import EagerTensor

__all__ = ["defun"]


def defun(
    func: Callable[..., Any] | None = None, input_signature: Sequence[TensorSpec] | None = None, autograph: bool = True
) -> Callable[..., Any]:
    """Decorate a function of tensors; a recording shows each of its calls as one part.

    In TensorFlow the function runs in Python once for each new combination of shapes, dtypes and Python arguments, to
    build a graph, which later calls look up and run. tapeviz does not trace functions yet: each call runs the Python
    function, eagerly. So results and gradients are the same, and what differs can be seen: ``print`` prints at each
    call rather than at the first, Python's own side effects happen each time, and nothing gets faster.

    Args:
        func: the function; left out, ``defun`` gives the decorator.
        input_signature: a :class:`TensorSpec` an argument. Arguments are converted to tensors and must agree with it.
        autograph: accepted as TensorFlow does; Python's control flow runs as it is.

    Raises:
        ValueError: when called: the arguments do not agree with ``input_signature``.

    >>> import tapeviz as tf, tapeviz.contrib.eager as tfe
    >>> @tfe.defun
    ... def twice(x):
    ...     return x + x
    >>> twice(tf.constant([1.0, 2.0])).numpy()
    array([2., 4.], dtype=float32)
    """
    if func is None:
        return functools.partial(defun, input_signature=input_signature, autograph=autograph)
    signature = None if input_signature is None else tuple(input_signature)
    name = getattr(func, "__name__", type(func).__name__)

    @functools.wraps(func)
    def called(*args: Any, **named: Any) -> Any:
        given = args if signature is None else _agreed(args, named, signature)
        with span("scope", name):
            return func(*given, **named)

    called.python_function = func  # type: ignore[attr-defined]
    called.input_signature = signature  # type: ignore[attr-defined]
    return called


def _agreed(args: tuple[Any, ...], named: dict[str, Any], signature: tuple[TensorSpec, ...]) -> list[Any]:
    """The arguments as tensors that agree with the signature; what comes before them (``self``) as it is."""
    if named:
        raise ValueError("Cannot define a TensorFlow function from a Python function with keyword arguments when "
                         f"input_signature is provided, got keyword arguments ({sorted(named)})")  # fmt: skip
    before = len(args) - len(signature)
    if before not in (0, 1):
        raise ValueError(f"Structure of Python function inputs does not match input_signature: it has {len(signature)} "
                         f"entries, and the function was given {len(args)} arguments")  # fmt: skip
    return [*args[:before], *map(_agreeing, args[before:], signature)]


def _agreeing(value: Any, spec: TensorSpec) -> Any:
    tensor = value if isinstance(value, EagerTensor) else convert_to_tensor(value, dtype=spec.dtype)
    if not spec.is_compatible_with(tensor):
        raise ValueError(
            f"Python inputs incompatible with input_signature: inputs: ({tensor!r}), input_signature: ({spec!r})"
        )
    return tensor
