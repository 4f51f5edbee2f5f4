"""What orders ops in a graph. Eager ops run one after the other as they are called, so there is little to do."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import registry
from tapeviz.engine.state import local
from tapeviz.engine.tensor import Tensor

__all__ = [
    "control_dependencies", "group", "no_gradient", "no_op", "timestamp", "tuple",
]  # fmt: skip


def no_op(name: str | None = None) -> Any:
    """Do nothing. While a function is traced it is an operation, for what has to come after others.

    >>> import tapeviz as tf
    >>> tf.no_op()
    """
    graph: Any = local.state.graph
    return None if graph is None else graph.nothing((), name or "NoOp")


def group(*inputs: Any, **kwargs: Any) -> Any:
    """Do nothing: the ops that gave ``inputs`` have run already. While a function is traced, an operation after them.

    >>> import tapeviz as tf
    >>> tf.group(tf.constant(1), tf.constant(2))
    """
    graph: Any = local.state.graph
    return None if graph is None else graph.nothing(_nodes(graph, inputs), kwargs.get("name") or "group_deps")


def tuple(tensors: Any, control_inputs: Any = None, name: str | None = None) -> Any:
    """``tensors``: all of them have been computed already; while a function is traced, each is there once all are.

    Args:
        tensors: what is given back.
        control_inputs: what else must have run.
        name: accepted as TensorFlow does.

    >>> import tapeviz as tf
    >>> tf.tuple([1, 2])
    [1, 2]
    """
    graph: Any = local.state.graph
    if graph is None:
        return tensors
    own = [tensor if tensor is None else convert_to_tensor(tensor) for tensor in tensors]
    with graph.after([group(*(tensor for tensor in own if tensor is not None), *(control_inputs or ()))]):
        return [tensor if tensor is None else registry["identity"].run(tensor) for tensor in own]


class control_dependencies:  # noqa: N801 - TensorFlow's name
    """A block that runs after ``control_inputs``, as it does eagerly in any case. Functions among them are called.

    While a function is traced, what is made inside the block runs after these tensors and operations, and lets none of
    them be left out. None lifts what outer blocks ask.

    Raises:
        TypeError: ``control_inputs`` is no list.

    >>> import tapeviz as tf
    >>> with tf.control_dependencies([tf.constant(1)]):
    ...     print("then")
    then
    """

    def __init__(self, control_inputs: Any) -> None:
        self._undo: list[Any] = []
        self._asked: list[Any] | None = None if control_inputs is None else []
        for item in () if control_inputs is None else control_inputs:
            called = callable(item) and not isinstance(item, Tensor) and not hasattr(item, "dtype")
            made = item() if called else item
            if self._asked is not None and made is not None:
                self._asked.append(made)

    def __enter__(self) -> None:
        graph: Any = local.state.graph
        if graph is None:
            return
        self._undo.append((graph, graph.controls))
        graph.controls = () if self._asked is None else (*graph.controls, *_nodes(graph, self._asked))

    def __exit__(self, *_details: object) -> None:
        if self._undo:
            graph, before = self._undo.pop()
            graph.controls = before


def _nodes(graph: Any, items: Any) -> list[Any]:
    """The operations of this graph that make tensors, or that are given themselves.

    Those of others have run, except for a session's, which runs what is asked for: the node that the graph is inside of
    asks for them.
    """
    found = []
    for item in items:
        if isinstance(item, Sequence):
            found += _nodes(graph, item)
        elif getattr(node := getattr(item, "_node", item), "graph", None) is graph and node not in found:
            found.append(node)
        else:
            graph._ask(node)
    return found


def no_gradient(op_type: str) -> None:
    """Say that ops of a type have no gradient, which in tapeviz each op's declaration says.

    Raises:
        TypeError: ``op_type`` is no text.

    >>> import tapeviz as tf
    >>> tf.no_gradient("Size")
    """
    if not isinstance(op_type, str):
        raise TypeError("op_type must be a string")


def timestamp(name: str | None = None) -> Any:
    """The time now, in seconds since 1970, as a float64.

    >>> import tapeviz as tf
    >>> tf.timestamp().dtype
    tf.float64
    """
    return convert_to_tensor(time.time(), dtype="float64")
