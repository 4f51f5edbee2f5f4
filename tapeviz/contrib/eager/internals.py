"""What programs of eager execution's first years take from TensorFlow's own modules, and what is public nowhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tapeviz.compat.test_case import main
from tapeviz.compat.v1.graph.default_graph import get_default_graph
from tapeviz.compat.v1.graph.v2_behavior import enable_eager_execution
from tapeviz.engine.state import local

__all__ = ["assert_no_garbage_created", "eager_main", "graph_mode", "stop_recording"]


def assert_no_garbage_created(test: Callable[..., Any]) -> Callable[..., Any]:
    """The test as it is: what Python's collector finds says nothing of this package's ops."""
    return test


@contextmanager
def graph_mode() -> Iterator[None]:
    """A block in which ops add to the default graph: ``tensorflow.python.eager.context.graph_mode``."""
    with get_default_graph().as_default():
        yield


@contextmanager
def stop_recording() -> Iterator[None]:
    """A block that no tape of this thread follows: ``tensorflow.python.eager.tape.stop_recording``.

    >>> import tapeviz as tf
    >>> x = tf.Variable(3.0)
    >>> with tf.GradientTape() as tape:
    ...     with stop_recording():
    ...         y = x * x
    >>> tape.gradient(y, x) is None
    True
    """
    state = local.state
    tapes, state.tapes = state.tapes, ()
    try:
        yield
    finally:
        state.tapes = tapes


def eager_main(argv: Any = None) -> None:
    """Run all tests of the program eagerly, and end it: ``tensorflow.python.eager.test.main``."""
    enable_eager_execution()
    main(argv)
