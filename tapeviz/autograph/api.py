"""What users ask of AutoGraph: the code it makes, a converted function, how much it says."""

from __future__ import annotations

import functools
import logging
import os
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any, Final

from tapeviz.autograph.conversion import convert
from tapeviz.engine.state import local
from tapeviz.engine.symbolic import open_graph

__all__ = ["set_verbosity", "to_code", "to_graph", "trace"]

_logger: Final = logging.getLogger("tapeviz")
_VARIABLE: Final = "AUTOGRAPH_VERBOSITY"


def to_code(entity: Callable[..., Any], recursive: bool = True, experimental_optional_features: Any = None) -> str:
    """The code that AutoGraph makes of a function, for reading.

    Args:
        entity: a function or method; of a ``tf.function`` the Python function.
        recursive: accepted as TensorFlow does: functions that are called are converted when they are called.
        experimental_optional_features: accepted as TensorFlow does.

    Raises:
        ValueError: it cannot be converted; the message says why.

    >>> import tapeviz as tf
    >>> def f(x):
    ...     if x < 0:
    ...         x = -x
    ...     return x
    >>> print(tf.autograph.to_code(f))
    def f(x):
    <BLANKLINE>
        def if_body():
            nonlocal x
            x = -x
        ag.if_(x < 0, if_body, None, ('x',))
        return x
    """
    del recursive, experimental_optional_features
    function = getattr(entity, "python_function", entity)
    conversion = convert(function)[1]
    if conversion.reason:
        raise ValueError(f"{function!r} cannot be converted: {conversion.reason}")
    return conversion.generated


def to_graph(entity: Callable[..., Any], recursive: bool = True, experimental_optional_features: Any = None) -> Any:
    """A function converted: called in a graph it makes its statements on tensors part of it.

    Arguments and errors as for :func:`to_code`.

    >>> import tapeviz as tf
    >>> def f(x):
    ...     return x if x > 0 else -x
    >>> tf.autograph.to_graph(f)(-3)
    3
    """
    to_code(entity, recursive, experimental_optional_features)
    function = getattr(entity, "python_function", entity)
    converted = convert(function)[0]

    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        graph = open_graph([*args, *kwargs.values()]) if local.state.graph is None else None
        with nullcontext() if graph is None else graph.entered():
            return converted(*args, **kwargs)

    return called


def set_verbosity(level: int, alsologtostdout: bool = False) -> None:
    """Say how much AutoGraph logs: nothing of what it does at 0, which functions it leaves as they are from 1 on.

    Args:
        level: 0 to 10.
        alsologtostdout: whether the log goes to standard output too.
    """
    os.environ[_VARIABLE] = str(level)
    _logger.setLevel(logging.INFO if level else logging.NOTSET)
    for handler in [handler for handler in _logger.handlers if getattr(handler, "autograph", False)]:
        _logger.removeHandler(handler)
    if alsologtostdout:
        handler = _Printing()
        handler.autograph = True  # type: ignore[attr-defined]
        _logger.addHandler(handler)


class _Printing(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        print(record.getMessage())  # noqa: T201 - it was asked for


def trace(*args: Any) -> None:
    """Print values while tracing, as ``print`` does.

    >>> import tapeviz as tf
    >>> tf.autograph.trace("tracing")
    tracing
    """
    print(*args)  # noqa: T201 - it is what this is for
