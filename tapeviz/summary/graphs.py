"""Traced graphs for TensorBoard: as messages, one by one, and those of the functions that ran meanwhile."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np
from tensorboardX.proto.attr_value_pb2 import AttrValue
from tensorboardX.proto.event_pb2 import Event
from tensorboardX.proto.graph_pb2 import GraphDef
from tensorboardX.proto.node_def_pb2 import NodeDef
from tensorboardX.proto.versions_pb2 import VersionDef

from tapeviz.engine.dtypes import DType, as_dtype
from tapeviz.engine.state import local
from tapeviz.engine.tensor import Tensor
from tapeviz.functions.traces import live_functions
from tapeviz.graphs.ir.graph import Graph, Node
from tapeviz.summary.messages import metadata_for, shape_message, tensor_message, value_message
from tapeviz.summary.writers import default_writer, get_step

__all__ = ["graph", "graph_message", "trace_export", "trace_off", "trace_on"]

logger: Final = logging.getLogger("tapeviz")
_PRODUCER: Final = 1882  # a version of TensorFlow's graphs that readers know
_SMALL: Final = 16  # elements of a constant that are shown
_BYTES: Final = 2  # the wire type of what has a length
_calls: Final[list[dict[int, int] | None]] = [None]
"""How often each trace had been called when tracing was switched on; None while it is off."""


def graph_message(built: Graph) -> Any:
    """A graph as a ``GraphDef``: nodes by name, with what is inside of calls, branches and loops in their scopes."""
    return GraphDef(node=list(_nodes(built, "")), versions=VersionDef(producer=_PRODUCER))


def _nodes(built: Graph, scope: str, around: dict[int, str] | None = None) -> Iterator[Any]:
    """The nodes of a graph; ``around`` are the names of what its inputs stand for, by their place."""
    for node in built.nodes:
        message = NodeDef(name=scope + node.name, op=node.type, device=node.device)
        message.input.extend(_reference(scope, tensor) for tensor in node.inputs)
        message.input.extend(f"^{scope}{before.name}" for before in node.control)
        if around and not node.inputs and (place := _place_among(built.inputs, node)) in around:
            message.input.append(around[place])
        _describe(message, node)
        yield message
        for number, region in enumerate(node.regions):
            inner = f"{message.name}/{region.name or number}/"
            yield from _nodes(region, inner, _inputs_of(region, node, scope))


def _reference(scope: str, tensor: Any) -> str:
    name = f"{scope}{tensor._node.name}"
    return f"{name}:{tensor._slot}" if tensor._slot else name


def _place_among(inputs: Sequence[Any], node: Node) -> int:
    return next((place for place, tensor in enumerate(inputs) if tensor._node is node), -1)


def _inputs_of(region: Graph, node: Node, scope: str) -> dict[int, str]:
    """What the inputs of a graph inside a node stand for outside."""
    known = {id(inner): reached for reached, inner in region.captures}
    found = {
        place: _reference(scope, known[id(tensor)])
        for place, tensor in enumerate(region.inputs)
        if id(tensor) in known and known[id(tensor)]._node.graph is node.graph
    }
    if not found and len(region.inputs) == len(node.inputs):
        found = {place: _reference(scope, tensor) for place, tensor in enumerate(node.inputs)}
    return found


def _describe(message: Any, node: Node) -> None:
    """What TensorBoard says of a node: shapes, dtypes and attributes."""
    shapes = AttrValue.ListValue(shape=[shape_message(tensor.shape.dims) for tensor in node.outputs])
    message.attr["_output_shapes"].CopyFrom(AttrValue(list=shapes))
    if node.outputs:
        message.attr["dtype"].CopyFrom(AttrValue(type=node.outputs[0].dtype.as_datatype_enum))
    for name, value in node.attrs.items():
        found = _attribute(value)
        if found is not None:
            message.attr["value" if name == "tensor" else name].CopyFrom(found)


def _attribute(value: Any) -> Any:  # noqa: PLR0911 - a line a sort
    if isinstance(value, bool):
        return AttrValue(b=value)
    if isinstance(value, int):
        return AttrValue(i=value)
    if isinstance(value, float):
        return AttrValue(f=value)
    if isinstance(value, str):
        return AttrValue(s=value.encode())
    if isinstance(value, (DType, np.dtype)):
        return AttrValue(type=as_dtype(value).as_datatype_enum)
    if isinstance(value, (tuple, list)) and all(isinstance(item, int) for item in value):
        return AttrValue(list=AttrValue.ListValue(i=value))
    if isinstance(value, Tensor) and hasattr(value, "numpy") and (value.shape.num_elements() or 0) <= _SMALL:
        return AttrValue(tensor=tensor_message(np.asarray(value._host())))
    return None if value is None or isinstance(value, Tensor) else AttrValue(s=repr(value).encode())


def graph(graph_data: Any) -> Any:
    """Write a graph, which TensorBoard draws.

    Args:
        graph_data: a graph, what has one as its ``graph`` (a concrete function, a session), or a ``GraphDef`` message.

    Returns:
        True, or False where there is no default writer.

    Raises:
        TypeError: it is not a graph.
        RuntimeError: a function is being traced.

    >>> import tapeviz as tf
    >>> f = tf.function(lambda x: x * x)
    >>> tf.summary.graph(f.get_concrete_function(tf.constant(1.0)).graph)
    False
    """
    if local.state.graph is not None:
        raise RuntimeError("tf.summary.graph() must be called eagerly: not while a function is traced")
    message = as_message(graph_data)
    writer = default_writer()
    if writer is None:
        return False
    writer.add(Event(graph_def=message.SerializeToString()))
    return True


def as_message(graph_data: Any) -> Any:
    """The ``GraphDef`` of what is, or has, a graph.

    Raises:
        TypeError: it is not a graph.
    """
    found = graph_data if isinstance(graph_data, Graph) else getattr(graph_data, "graph", graph_data)
    if isinstance(found, Graph):
        return graph_message(found)
    if hasattr(found, "SerializeToString"):
        return found
    raise TypeError(
        "The argument 'graph_data' is not tf.Graph or tf.compat.v1.GraphDef. "
        f"Received type: {type(graph_data).__name__}"
    )


def trace_on(graph: bool = True, profiler: bool = False, profiler_outdir: str | None = None) -> None:
    """Begin to take note of the functions that run, for :func:`trace_export`.

    Args:
        graph: whether their graphs are wanted.
        profiler: whether times are wanted; there are none here, ``tapeviz.record()`` has them.
        profiler_outdir: accepted as TensorFlow does.

    >>> import tapeviz as tf
    >>> tf.summary.trace_on()
    >>> tf.summary.trace_off()
    """
    if profiler:
        logger.warning("tf.summary.trace_on(profiler=True): no times are written; tapeviz.record() has them")
    _calls[0] = {id(trace): trace.calls for trace in _traces()} if graph else None


def trace_off() -> None:
    """Take note of functions no longer, and forget which have run.

    >>> import tapeviz as tf
    >>> tf.summary.trace_off()
    """
    _calls[0] = None


def trace_export(name: str, step: Any = None, profiler_outdir: str | None = None) -> None:
    """Write the graphs of the functions that have run since :func:`trace_on`, and stop taking note.

    Args:
        name: what TensorBoard calls them.
        step: which step they are of; the one set by ``tf.summary.experimental.set_step`` where it is None.
        profiler_outdir: accepted as TensorFlow does.

    Raises:
        ValueError: :func:`trace_on` was not called, or there is a writer and no step.

    >>> import tapeviz as tf
    >>> f = tf.function(lambda x: x * x)
    >>> tf.summary.trace_on()
    >>> _ = f(tf.constant(2.0))
    >>> tf.summary.trace_export("f", step=0)
    """
    before = _calls[0]
    if before is None:
        raise ValueError("Must enable trace before export through tf.summary.trace_on.")
    writer = default_writer()
    if writer is not None:
        at = get_step() if step is None else step
        if at is None:
            raise ValueError(
                "No step set. Please specify one either through the `step` argument or through "
                "tf.summary.experimental.set_step()"
            )
        ran = [trace.graph for trace in _traces() if trace.calls > before.get(id(trace), 0)]
        data = b"".join(_run_metadata(graph_message(found)) for found in ran)
        held = np.empty((), object)
        held[()] = data
        summary = value_message(name, held, metadata_for("graph_run_metadata_graph", content=b"1"))
        writer.add(Event(step=int(at), summary=summary))
    trace_off()


def _traces() -> list[Any]:
    return [trace for function in list(live_functions) for trace in function.traces if trace.graph is not None]


def _run_metadata(message: Any) -> bytes:
    """A ``RunMetadata`` message with one function's graph, before and after optimisation the same.

    Its fields are written by hand, as there is no class for it: 4 are the functions, of which 1 is a graph as it ran,
    and 2 the graph as it was written.
    """
    data = message.SerializeToString()
    return _field(4, _field(1, data) + _field(2, data))


def _field(number: int, data: bytes) -> bytes:
    return _varint(number << 3 | _BYTES) + _varint(len(data)) + data


def _varint(number: int) -> bytes:
    found = bytearray()
    while number > 127:  # noqa: PLR2004 - seven bits a byte
        found.append(number & 127 | 128)
        number >>= 7
    return bytes([*found, number])
