"""What a session is fed and asked for: names, variables and structures as tensors and operations of its graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tapeviz.compat.v1.graph.default_graph import at_once
from tapeviz.compat.v1.graph.graph import Graph
from tapeviz.engine import nest
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.dtypes import as_dtype
from tapeviz.engine.symbolic import SymbolicTensor
from tapeviz.engine.tensor import Tensor
from tapeviz.engine.types import with_own_dtype
from tapeviz.graphs.ir.graph import Node

__all__ = ["Fetches", "fed"]


class Fetches:
    """What a run is to give.

    Args:
        graph: the session's.
        fetches: a tensor, operation, variable or name, or a structure of such.

    Raises:
        TypeError: something in it is none of these.
        ValueError: something in it is of another graph, or a name is not there.
    """

    def __init__(self, graph: Graph, fetches: Any) -> None:
        self.structure = fetches
        self.elements: list[Any] = [_fetched(graph, one) for one in nest.flatten(fetches)]
        self.tensors: list[SymbolicTensor] = list(
            {id(one): one for one in self.elements if isinstance(one, SymbolicTensor)}.values()
        )
        self.operations: list[Node] = [one for one in self.elements if isinstance(one, Node)]

    def packed(self, values: Sequence[Any]) -> Any:
        """The values of :attr:`tensors` in the structure that was asked for; None for operations."""
        known = {id(tensor): value for tensor, value in zip(self.tensors, values, strict=True)}
        return nest.pack(self.structure, [known.get(id(one)) for one in self.elements])


def _fetched(graph: Graph, fetch: Any) -> Any:
    if fetch is None:
        raise TypeError(f'Argument `fetch` = {fetch} has invalid type "{type(fetch).__name__}". Cannot be None')
    try:
        return graph.as_graph_element(fetch)
    except TypeError as error:
        raise TypeError(
            f'Argument `fetch` = {fetch} has invalid type "{type(fetch).__name__}" must be a string or Tensor. '
            f"({error})"
        ) from None
    except (ValueError, KeyError) as error:
        raise ValueError(
            f"Argument `fetch` = {fetch} cannot be interpreted as a Tensor. ({_said(error)}{_other(graph, fetch)})"
        ) from None


def _said(error: Exception) -> str:
    return str(error.args[0]) if error.args else str(error)


def _other(graph: Graph, element: Any) -> str:
    """What to do about a tensor of another graph."""
    other = getattr(element, "graph", None)
    if not isinstance(other, Graph) or other is graph:
        return ""
    return " It belongs to another graph: run it in a session of that one, tf.Session(graph=g)."


def fed(graph: Graph, feed_dict: Mapping[Any, Any] | None) -> dict[Any, np.ndarray]:
    """The arrays that tensors are fed, checked.

    Raises:
        TypeError: a key is no tensor of the graph, or a value is a tensor or does not fit the dtype.
        ValueError: a value does not have the tensor's shape.
    """
    if not feed_dict:
        return {}
    if not isinstance(feed_dict, Mapping):
        raise TypeError(f"Argument `feed_dict` must be a dictionary, but got {type(feed_dict).__name__}.")
    found: dict[Any, np.ndarray] = {}
    for key, value in feed_dict.items():
        pairs = zip(key, value, strict=True) if isinstance(key, tuple) else [(key, value)]
        for one, given in pairs:
            tensor = _key(graph, one)
            found[tensor] = _array(tensor, given, one)
    return found


def _key(graph: Graph, key: Any) -> SymbolicTensor:
    try:
        return graph.as_graph_element(key, allow_operation=False)  # type: ignore[no-any-return]
    except (TypeError, ValueError, KeyError) as error:
        raise TypeError(f"Cannot interpret feed_dict key as Tensor: {_said(error)}{_other(graph, key)}") from None


def _array(tensor: SymbolicTensor, value: Any, key: Any) -> np.ndarray:
    """A copy of the value, which nobody else can change."""
    if isinstance(value, SymbolicTensor):
        raise TypeError(
            "The value of a feed cannot be a tf.Tensor object. Acceptable feed values include Python scalars, strings, "
            f"lists, numpy ndarrays, or TensorHandles. For reference, the tensor object was {value} which was passed "
            f"to the argument `feed_dict` with key {key!r}."
        )
    dtype = tensor._a.dtype
    if isinstance(value, int) and not isinstance(value, bool) and dtype.kind in "iu":
        limits = np.iinfo(dtype)
        if not limits.min <= value <= limits.max:
            raise TypeError(
                f"Type of feed value {value} with type {type(value)} is not compatible with Tensor type {dtype.type}. "
                "Try explicitly setting the type of the feed tensor to a larger type (e.g. int64)."
            )
    array = _converted(value, dtype)
    if not tensor.shape.is_compatible_with(array.shape):
        raise ValueError(
            f"Cannot feed value of shape {array.shape} for Tensor {tensor.name}, which has shape {tensor.shape}"
        )
    return array


def _converted(value: Any, dtype: np.dtype) -> np.ndarray:
    if isinstance(value, Tensor):
        value = value._host()
    if dtype.kind == "O":
        with at_once():
            return convert_to_tensor(np.asarray(value), dtype=as_dtype(dtype))._host()
    return with_own_dtype(np.array(value, dtype=dtype, order="C"))
