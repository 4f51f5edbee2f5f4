"""Writing a traced function as an ONNX model."""

from __future__ import annotations

import importlib
import os
from collections.abc import Sequence
from typing import Any, Final

from tapeviz.engine.os_errors import translate_os_errors
from tapeviz.files import write_atomic
from tapeviz.functions.concrete import ConcreteFunction
from tapeviz.functions.function import Function, function
from tapeviz.onnx import arithmetic, lists, products, shapes, windows
from tapeviz.onnx.nodes import outputs_of, sizes_of, write_nodes
from tapeviz.onnx.writer import Writer

__all__ = ["export"]

OPSET: Final = 18
_IR: Final = 8
_WRITERS: Final = (arithmetic, lists, products, shapes, windows)


def export(traced: Any, path: Any = None, input_signature: Sequence[Any] | None = None, name: str | None = None) -> Any:
    """Write a traced function as an ONNX model: its graph, with the values that variables have now.

    Args:
        traced: a concrete function, a ``tf.function`` with an ``input_signature``, or anything to call, such as a
            model, with ``input_signature``.
        path: a file to write the model to as well.
        input_signature: a :class:`TensorSpec` an argument, where ``traced`` is not a concrete function.
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
              writer.kind(tensor._a.dtype), sizes_of(tensor, label))
              for tensor, label in zip(graph.inputs, _input_names(concrete), strict=True)]  # fmt: skip
    present = [tensor for tensor in concrete._routine.outputs if tensor is not None]
    write_nodes(writer, graph, present)
    outputs = outputs_of(writer, present, _output_names(concrete))
    made = onnx.helper.make_graph(writer.nodes, name or concrete.name, inputs, outputs, writer.initializers)
    model = onnx.helper.make_model(
        made, producer_name="tapeviz", opset_imports=[onnx.helper.make_opsetid("", OPSET)], ir_version=_IR
    )
    onnx.checker.check_model(model, full_check=True)
    if path is not None:
        with translate_os_errors(f"Cannot write an ONNX model to {os.fspath(path)}"):
            write_atomic(path, [model.SerializeToString()])
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
