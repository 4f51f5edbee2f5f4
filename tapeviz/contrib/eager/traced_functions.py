"""Functions traced into graphs, under the first name of ``tf.function``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tapeviz.engine.scopes import TensorSpec
from tapeviz.functions.function import function

__all__ = ["defun"]


def defun(
    func: Callable[..., Any] | None = None, input_signature: Sequence[TensorSpec] | None = None, autograph: bool = True
) -> Any:
    """Trace a function into graphs: :func:`tapeviz.function`, under the name that it had first.

    The Python of the function runs once for each new combination of shapes, dtypes and Python arguments, to build a
    graph; later calls look that up and run it. So ``print`` prints while tracing and not when the graph runs, and so it
    is with all that Python does besides tensor ops. Variables may be made in the first call, and in no other.

    Args:
        func: the function; left out, ``defun`` gives the decorator.
        input_signature: a :class:`TensorSpec` an argument. It is traced once then, for those; arguments are converted
            to tensors and must agree with them.
        autograph: whether ``if``, ``while`` and ``for`` on tensors become parts of the graph.

    Raises:
        TypeError: when called: the arguments do not agree with ``input_signature``.
        ValueError: when called: the function makes variables each time.

    >>> import tapeviz as tf, tapeviz.contrib.eager as tfe
    >>> @tfe.defun
    ... def twice(x):
    ...     print("tracing")
    ...     return x + x
    >>> for number in (1.0, 2.0):
    ...     print(twice(tf.constant(number)).numpy())
    tracing
    2.0
    4.0
    """
    return function(func, input_signature=input_signature, autograph=autograph)
