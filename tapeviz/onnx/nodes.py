"""Nodes of a graph as those of ONNX: values, calls, choices and loops here, ops by the functions that write them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tapeviz.graphs.ir.graph import Graph, Node
from tapeviz.graphs.ir.liveness import needed
from tapeviz.graphs.ir.special_nodes import ASSIGN, CALL, CAPTURE, CONDITION, CONSTANT, INPUT, LOOP, NOTHING, READ
from tapeviz.onnx.writer import HANDLERS, Writer, unsupported

__all__ = ["outputs_of", "sizes_of", "write_nodes"]


def sizes_of(tensor: Any, label: str) -> Any:
    """Sizes, with a name for each that is not known."""
    dims = tensor.shape.dims
    return None if dims is None else [f"{label}_{axis}" if size is None else size for axis, size in enumerate(dims)]


def outputs_of(writer: Writer, tensors: Sequence[Any], names: Sequence[str]) -> list[Any]:
    """Tensors as outputs of what is written, under these names."""
    found = []
    for tensor, name in zip(tensors, names, strict=True):
        own = writer.free_name(name)
        writer.nodes.append(writer.onnx.helper.make_node("Identity", [writer.name_of(tensor)], [own]))
        kind = writer.kind(tensor._a.dtype)
        found.append(writer.onnx.helper.make_tensor_value_info(own, kind, sizes_of(tensor, own)))
    return found


def write_nodes(writer: Writer, graph: Graph, outputs: Sequence[Any]) -> None:
    """All nodes that the outputs need, and those that do more than compute, which ONNX has no place for."""
    for node in needed(graph, outputs, effects=True):
        if node.op is INPUT or node.op is NOTHING:
            continue
        if node.op is ASSIGN:
            raise unsupported(node, f"it assigns variable {node.attrs['variable'].name}, and ONNX has no variables")
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
    if node.op is LOOP:
        return _repeated(writer, node)
    handler = HANDLERS.get(node.op.name)
    if handler is None or node.op.effects:
        raise unsupported(node)
    return handler(writer, node, *(writer.name_of(tensor) for tensor in node.inputs))


def _value(writer: Writer, node: Node, array: Any, name: str) -> str:
    try:
        return writer.constant(np.asarray(array), name=name)
    except (TypeError, ValueError, KeyError) as error:
        raise unsupported(node, f"a value of dtype {node.outputs[0].dtype.name}: {error}") from error


def _called(writer: Writer, node: Node) -> list[str]:
    """The graph of a function that is called, in the place of the call."""
    inner = node.attrs["run"].inner
    for reached, given in zip(node.regions[0].inputs, node.inputs, strict=True):
        writer.called(reached, writer.name_of(given))
    write_nodes(writer, node.regions[0], inner)
    return [writer.name_of(tensor) for tensor in inner]


def _chosen(writer: Writer, node: Node) -> Any:
    """One of two graphs, which see the tensors around them."""
    run = node.attrs["run"]
    if run.kind.function != "cond" or any(tensor is None for row in run.inner for tensor in row):
        raise unsupported(node, "only conditionals of two graphs can be, without gradients of what is inside")
    branches = []
    for region, places, row in zip(node.regions, run.taken.places, run.inner, strict=True):
        inside = Writer(writer.onnx, writer)
        for reached, place in zip(region.inputs, places, strict=True):
            inside.called(reached, writer.name_of(node.inputs[1 + place]))
        write_nodes(inside, region, row)
        outputs = outputs_of(inside, row, ["branch"] * len(row))
        branches.append(writer.onnx.helper.make_graph(inside.nodes, region.name or "branch", [], outputs))
    condition = writer.add("Reshape", [writer.name_of(node.inputs[0]), writer.constant(np.array([], np.int64))])
    found = writer.add("If", [condition], len(node.outputs), then_branch=branches[0], else_branch=branches[1])
    return [found] if len(node.outputs) == 1 else found


def _repeated(writer: Writer, node: Node) -> Any:
    """A loop: values go from one iteration to the next, slices of tensors go in, and what is made goes out stacked."""
    run = node.attrs["run"]
    loop = run.loop
    if len(run.inner) != len(loop.body.outputs) + 1 or any(tensor is None for tensor in loop.body.outputs):
        raise unsupported(node, "it keeps what a gradient needs")
    given = [writer.name_of(tensor) for tensor in node.inputs]
    nothing = writer.constant(np.array([], np.int64))
    most = writer.add("Reshape", [writer.cast(given.pop(0), np.int64), nothing]) if loop.timed else ""
    begin, taken = given[: loop.carry], given[loop.carry + loop.lists :]
    columns = given[loop.carry : loop.carry + loop.lists]
    inside = Writer(writer.onnx, writer)
    count, going = inside.free_name("iteration"), inside.free_name("going")
    own = [inside.free_name("value") for _ in begin]
    place = count
    if loop.backward:
        place = inside.add("Sub", [inside.add("Sub", [most, inside.constant(np.array(1, np.int64))]), count])
    items = [inside.add("Gather", [column, place], axis=0) for column in columns]
    values = _played(inside, loop.body, [*own, *items], [taken[k] for k in run.taken.places[0]])
    first, again = "", going
    if loop.test is not None:
        seen = [taken[k] for k in run.taken.places[1]]
        (first,) = _played(writer, loop.test, begin, seen)
        (again,) = _played(inside, loop.test, values[: loop.carry], seen)
        first, again = writer.add("Reshape", [first, nothing]), inside.add("Reshape", [again, nothing])
    body = _body(inside, loop, (count, going, own), (again, values))
    found = writer.add("Loop", [most, first, *begin], max(len(values), 1), body=body)
    found = [found] if isinstance(found, str) else found
    if loop.backward:
        found[loop.carry :] = [_turned(writer, name) for name in found[loop.carry :]]
    return [*found[: len(values)], ""]


def _played(writer: Writer, routine: Any, given: Sequence[str], taken: Sequence[str]) -> list[str]:
    """The graph of a routine for these inputs: the names of its outputs."""
    for tensor, name in zip(routine.graph.inputs, [*given, *taken], strict=True):
        writer.called(tensor, name)
    write_nodes(writer, routine.graph, routine.outputs)
    return [writer.name_of(tensor) for tensor in routine.outputs]


def _body(inside: Writer, loop: Any, given: Any, gives: Any) -> Any:
    """The graph of an iteration, with the inputs and outputs that ONNX wants of it."""
    count, going, own = given
    again, values = gives
    info, whole, truth = inside.onnx.helper.make_tensor_value_info, inside.kind(np.int64), inside.kind(np.bool_)
    tensors = loop.body.graph.inputs[: loop.carry]
    inputs = [info(count, whole, []), info(going, truth, [])]
    inputs += [info(name, inside.kind(t._a.dtype), sizes_of(t, name)) for name, t in zip(own, tensors, strict=True)]
    named = [inside.add("Identity", [name]) for name in (again, *values)]
    outputs = [info(named[0], truth, [])]
    for name, tensor in zip(named[1:], loop.body.outputs, strict=True):
        outputs.append(info(name, inside.kind(tensor._a.dtype), sizes_of(tensor, name)))
    return inside.onnx.helper.make_graph(inside.nodes, "body", inputs, outputs)


def _turned(writer: Writer, name: str) -> str:
    """The slices along the first axis, the last first."""
    numbers = [writer.numbers([number]) for number in (-1, np.iinfo(np.int64).min, 0, -1)]
    return str(writer.add("Slice", [name, *numbers]))
