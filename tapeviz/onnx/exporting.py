"""Writing a traced function as an ONNX model."""

from __future__ import annotations

import importlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from tapeviz.functions.concrete import ConcreteFunction
from tapeviz.functions.function import Function, function
from tapeviz.graphs.graph import Graph, Node
from tapeviz.graphs.liveness import needed
from tapeviz.graphs.special import ASSIGN, CALL, CAPTURE, CONDITION, CONSTANT, INPUT, NOTHING, READ
from tapeviz.onnx import arithmetic, products, shaping, windows
from tapeviz.onnx.writer import HANDLERS, Writer, refused
from tapeviz.train.files import put_in_place, telling

__all__ = ["export"]

OPSET: Final = 18
_IR: Final = 8
_WRITERS: Final = (arithmetic, products, shaping, windows)


def export(traced: Any, path: Any = None, input_signature: Sequence[Any] | None = None, name: str | None = None) -> Any:
    """Write a traced function as an ONNX model: its graph, with the values that variables have now.

    Args:
        traced: a concrete function, a ``tf.function`` with an ``input_signature``, or anything to call, such as a
            model, with ``input_signature``.
        path: a file to write the model to as well.
        input_signature: a :class:`TensorSpec` an argument, where ``traced`` is no concrete function.
        name: the model's name; the function's by default.

    Returns:
        The model, an ``onnx.ModelProto``, checked by ``onnx.checker``. Inputs are called as the arguments are, outputs
        ``output_0``, ``output_1`` and so on, or as the keys of the dict that the function gives.

    Raises:
        ImportError: the package ``onnx`` is not there.
        ValueError: there are no specs to trace the function for.
        UnimplementedError: ONNX has no such op, or the export does not know it: which one, and where it comes from.

    >>> import tapeviz as tf
    >>> spec = tf.TensorSpec([None, 3], tf.float32, name="x")
    >>> model = tf.onnx.export(tf.nn.relu, input_signature=[spec])
    >>> [node.op_type for node in model.graph.node]
    ['Relu', 'Identity']
    """
    try:
        onnx = importlib.import_module("onnx")
    except ImportError as error:
        raise ImportError('writing ONNX needs the package onnx: pip install "tapeviz[onnx]"') from error
    concrete = _concrete(traced, input_signature)
    graph, writer = concrete.graph, Writer(onnx)
    inputs = [writer.onnx.helper.make_tensor_value_info(writer.called(tensor, writer.free_name(label)),
              writer.kind(tensor._a.dtype), _sizes(tensor, label))
              for tensor, label in zip(graph.inputs, _input_names(concrete), strict=True)]  # fmt: skip
    present = [tensor for tensor in concrete._routine.outputs if tensor is not None]
    _write_nodes(writer, graph, present)
    outputs = _outputs(writer, present, _output_names(concrete))
    made = onnx.helper.make_graph(writer.nodes, name or concrete.name, inputs, outputs, writer.initializers)
    model = onnx.helper.make_model(
        made, producer_name="tapeviz", opset_imports=[onnx.helper.make_opsetid("", OPSET)], ir_version=_IR
    )
    onnx.checker.check_model(model, full_check=True)
    if path is not None:
        with telling(f"Cannot write an ONNX model to {os.fspath(path)}"):
            put_in_place(Path(os.fspath(path)), model.SerializeToString())
    return model


def _concrete(traced: Any, input_signature: Sequence[Any] | None) -> ConcreteFunction:
    if isinstance(traced, ConcreteFunction):
        return traced
    if isinstance(traced, Function):
        return traced.get_concrete_function(*(input_signature or ()))
    if not callable(traced):
        raise TypeError(f"export() takes a concrete function, or something to call with an input_signature: {traced!r}")
    if input_signature is None:
        raise ValueError(
            f"export() needs an input_signature to trace {traced!r} for: a list with a tf.TensorSpec for each argument"
        )
    called: Any = function(lambda *args: traced(*args))  # noqa: PLW0108 - a function, with a name to trace
    return called.get_concrete_function(*input_signature)  # type: ignore[no-any-return]


def _input_names(concrete: ConcreteFunction) -> list[str]:
    return [tensor.name.partition(":")[0].replace("/", "_") for tensor in concrete.graph.inputs]


def _output_names(concrete: ConcreteFunction) -> list[str]:
    """What outputs are called: by the keys of a dict, else by number."""
    form = concrete._form
    if isinstance(form, dict) and all(isinstance(key, str) for key in form) and len(form) == len(concrete.outputs):
        return sorted(form)
    return [f"output_{number}" for number in range(len(concrete.outputs))]


def _sizes(tensor: Any, label: str) -> Any:
    """Sizes, with a name for each that is not known."""
    dims = tensor.shape.dims
    return None if dims is None else [f"{label}_{axis}" if size is None else size for axis, size in enumerate(dims)]


def _outputs(writer: Writer, tensors: Sequence[Any], names: Sequence[str]) -> list[Any]:
    found = []
    for tensor, name in zip(tensors, names, strict=True):
        own = writer.free_name(name)
        writer.nodes.append(writer.onnx.helper.make_node("Identity", [writer.name_of(tensor)], [own]))
        kind = writer.kind(tensor._a.dtype)
        found.append(writer.onnx.helper.make_tensor_value_info(own, kind, _sizes(tensor, own)))
    return found


def _write_nodes(writer: Writer, graph: Graph, outputs: Sequence[Any]) -> None:
    """All nodes that the outputs need, and those that do more than compute, which ONNX has no place for."""
    for node in needed(graph, outputs, effects=True):
        if node.op is INPUT or node.op is NOTHING:
            continue
        if node.op is ASSIGN:
            raise refused(node, f"it assigns variable {node.attrs['variable'].name}, and ONNX has no variables")
        found = _written(writer, node)
        if found is None:
            continue
        for tensor, name in zip(node.outputs, [found] if isinstance(found, str) else found, strict=True):
            writer.called(tensor, name)


def _written(writer: Writer, node: Node) -> Any:
    """What a node gives, by name."""
    if node.op in (CONSTANT, CAPTURE):
        return _value(writer, node, node.attrs["tensor"]._host(), "constant")
    if node.op is READ:
        variable = node.attrs["variable"]
        return _value(writer, node, variable._value._host(), variable.name.partition(":")[0])
    if node.op is CALL:
        return _called(writer, node)
    if node.op is CONDITION:
        return _chosen(writer, node)
    handler = HANDLERS.get(node.op.name)
    if handler is None or node.op.effects:
        raise refused(node)
    return handler(writer, node, *(writer.name_of(tensor) for tensor in node.inputs))


def _value(writer: Writer, node: Node, array: Any, name: str) -> str:
    try:
        return writer.constant(np.asarray(array), name=name)
    except (TypeError, ValueError, KeyError) as error:
        raise refused(node, f"a value of dtype {node.outputs[0].dtype.name}: {error}") from error


def _called(writer: Writer, node: Node) -> list[str]:
    """The graph of a function that is called, in the place of the call."""
    inner = node.attrs["run"].inner
    for reached, given in zip(node.regions[0].inputs, node.inputs, strict=True):
        writer.called(reached, writer.name_of(given))
    _write_nodes(writer, node.regions[0], inner)
    return [writer.name_of(tensor) for tensor in inner]


def _chosen(writer: Writer, node: Node) -> Any:
    """One of two graphs, which see the tensors around them."""
    run = node.attrs["run"]
    if run.kind.function != "cond" or any(tensor is None for row in run.inner for tensor in row):
        raise refused(node, "only choices between two graphs can be, without gradients of what is inside")
    branches = []
    for region, places, row in zip(node.regions, run.taken.places, run.inner, strict=True):
        inside = Writer(writer.onnx, writer)
        for reached, place in zip(region.inputs, places, strict=True):
            inside.called(reached, writer.name_of(node.inputs[1 + place]))
        _write_nodes(inside, region, row)
        outputs = _outputs(inside, row, ["branch"] * len(row))
        branches.append(writer.onnx.helper.make_graph(inside.nodes, region.name or "branch", [], outputs))
    condition = writer.add("Reshape", [writer.name_of(node.inputs[0]), writer.constant(np.array([], np.int64))])
    found = writer.add("If", [condition], len(node.outputs), then_branch=branches[0], else_branch=branches[1])
    return [found] if len(node.outputs) == 1 else found
