"""``tf.TensorArray``, whose methods add to the graph wherever they are called."""

from __future__ import annotations

import functools
from typing import Any, Self

from tapeviz.compat.v1.graph.default_graph import current_graph
from tapeviz.compat.v1.graph.graph import entered
from tapeviz.engine.state import local
from tapeviz.graphs.control.tensor_array import TensorArray as TracedTensorArray

__all__ = ["TensorArray"]


class TensorArray:
    """A list of tensors of one dtype, as a value of a graph: see :class:`tapeviz.TensorArray`.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     array = tf.TensorArray(tf.float32, size=2)
    ...     array = array.write(0, 1.0).write(1, 2.0)
    ...     print(session.run(array.stack()))
    [1. 2.]
    """

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        """A list of the graph; with eager execution, and in a traced function, one of tapeviz's own."""
        graph = current_graph()
        if local.state.graph is not None or graph is None:
            return TracedTensorArray(*args, **kwargs)
        with entered(graph):
            return cls._around(TracedTensorArray(*args, **kwargs), graph)

    @classmethod
    def _around(cls, array: Any, graph: Any) -> Self:
        made = object.__new__(cls)
        made._array, made._built_in = array, graph
        return made

    def __init__(self, *_args: Any, **_kwargs: Any) -> None:
        self._array: Any
        self._built_in: Any

    def __tf_flatten__(self) -> tuple[Any, tuple[Any, ...]]:
        metadata, components = self._array.__tf_flatten__()
        return (self, metadata), components

    @classmethod
    def __tf_unflatten__(cls, metadata: Any, components: tuple[Any, ...]) -> Any:
        outside, inside = metadata
        return cls._around(type(outside._array).__tf_unflatten__(inside, components), outside._built_in)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in ("_array", "_built_in"):
            raise AttributeError(name)
        found = getattr(self._array, name)
        if not callable(found):
            return found

        @functools.wraps(found)
        def called(*args: Any, **kwargs: Any) -> Any:
            if local.state.graph is not None:
                return self._wrapped(found(*args, **kwargs))
            with entered(self._built_in):
                return self._wrapped(found(*args, **kwargs))

        return called

    def _wrapped(self, result: Any) -> Any:
        return self._around(result, self._built_in) if isinstance(result, TracedTensorArray) else result
