"""Tensors that stand for inputs of models still to be made: what layers and ops do with them is remembered."""

from __future__ import annotations

import gc
import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from tapeviz.engine import nest
from tapeviz.engine.declaration import Op
from tapeviz.engine.dispatch import refusal
from tapeviz.engine.dtypes import as_dtype
from tapeviz.engine.scopes import TensorSpec
from tapeviz.engine.state import local
from tapeviz.engine.symbolic import SymbolicTensor, at_line
from tapeviz.engine.tensor import Tensor, wrap
from tapeviz.engine.variable import Variable
from tapeviz.graphs.ir.graph import Graph, Node, of_shapes, output_of
from tapeviz.graphs.ir.inference import ShapeDtype, inferred
from tapeviz.graphs.ir.liveness import needed
from tapeviz.graphs.ir.special_nodes import CAPTURE, CONSTANT, INPUT, Special
from tapeviz.graphs.ir.static_values import static_value
from tapeviz.graphs.ir.tracing import tracing
from tapeviz.graphs.run.executable import Executable
from tapeviz.keras.layers.shapes import is_shape
from tapeviz.keras.masks import mask_of, set_mask

__all__ = ["LAYER", "Call", "KerasNode", "forms_for", "is_keras_tensor", "new_input", "packed_inputs", "symbolic_call"]

LAYER: Final = Special("layer", "Layer", "A call of a layer.")


class KerasNode(Node):
    """A step of a model. ``call`` is the layer's call that it is; None for an op, until a model is made of it.

    ``masks`` has the form of each output's mask, or None; it is there where a layer gave one.
    """

    __slots__ = ("call", "masks")
    call: Call | None
    masks: list[ShapeDtype | None]


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """A call of a layer with tensors that stand for inputs: its arguments, and the structure of what it gives."""

    layer: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]


class KerasGraph(Graph):
    """What such tensors belong to. It keeps no nodes: tensors keep the nodes that made them, and nobody else does."""

    def __init__(self) -> None:
        super().__init__("model", kind="model")

    def __deepcopy__(self, _memo: Any) -> KerasGraph:
        return self

    def reopened(self, _tensor: SymbolicTensor) -> KerasGraph:
        """This graph: ops on its tensors are remembered wherever they are called."""
        return self

    def add(self, op: Op, tensors: Sequence[Any], attrs: dict[str, Any], name: str | None = None) -> Any:
        """A node for the op."""
        __tracebackhide__ = True
        own = tuple([self.own(tensor) for tensor in tensors])
        try:
            forms = inferred(op, own, attrs)
        except Exception as error:  # noqa: BLE001 - whatever a shape rule raises is explained
            raise of_shapes(refusal(op, own, attrs, error, 0.0)) from None
        node = self.node(op, own, attrs, forms, name)
        if op.many:
            return node.outputs
        node.outputs[0]._static_value = static_value(op, own, attrs, node.outputs[0])
        return node.outputs[0]

    def node(
        self,
        op: Any,
        inputs: Sequence[Any],
        attrs: dict[str, Any],
        forms: Sequence[ShapeDtype],
        name: str | None = None,
    ) -> KerasNode:
        """A node, which only its outputs keep."""
        made = KerasNode(self, op, name or op.name, tuple(inputs), attrs)
        made.number, made.call = _next_number(), attrs.get("call")
        made.outputs = tuple([output_of(made, slot, form) for slot, form in enumerate(forms)])
        return made

    def own(self, tensor: Any) -> Any:
        """The tensor itself; a constant for an eager one.

        Raises:
            TypeError: it is of another graph.
            ValueError: it is the value of a variable.
        """
        if not isinstance(tensor, SymbolicTensor):
            _refuse_variables(tensor)
            return self._constant(tensor, CAPTURE)
        if tensor.graph is self:
            return tensor
        raise TypeError(f"{tensor!r} belongs to {tensor.graph.title} and cannot be a part of a model of layers; give "
                        f"it as an input{at_line()}")  # fmt: skip

    def literal(self, tensor: Any) -> SymbolicTensor:
        """A constant of the program."""
        return self._constant(tensor, CONSTANT)

    def _constant(self, tensor: Any, op: Any) -> SymbolicTensor:
        value = tensor._a
        made = self.node(op, (), {"tensor": tensor}, [(value.shape, value.dtype)], "Const").outputs[0]
        made._static_value = tensor._host()
        return made


def _refuse_variables(tensor: Any) -> None:
    """Raise ValueError for the value of a variable: ops are given values, so it would be one number for ever.

    A variable's tensor is its own, so that whoever holds it is the variable.
    """
    holder = next((one for one in gc.get_referrers(tensor) if isinstance(one, Variable)), None)
    if holder is not None:
        raise ValueError(
            f"The variable {holder.name!r} is used by an op on inputs of a model, where it would be a constant. Use it "
            f"in the `call` of a layer that has it as an attribute{at_line()}"
        )


_next_number: Final = itertools.count().__next__
_graph: Final = KerasGraph()


def is_keras_tensor(value: Any) -> bool:
    """Whether it stands for an input of a model, or for what is made of one."""
    return value.__class__ is SymbolicTensor and value._node.graph is _graph


def new_input(layer: Any, shape: tuple[int | None, ...] | None, dtype: Any, name: str) -> SymbolicTensor:
    """A tensor that stands for an input; ``layer`` is the one that gives it."""
    call = Call(layer, (), {})
    node = _graph.node(INPUT, (), {"call": call}, [(shape, as_dtype(dtype).numpy)], name)
    if layer is not None:
        layer._inbound.append(node)
    return node.outputs[0]


def symbolic_call(layer: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What a layer gives for tensors that stand for inputs: more such tensors, which remember the call."""
    leaves = nest.flatten((args, kwargs))
    given = [leaf for leaf in leaves if is_keras_tensor(leaf)]
    result = _traced(layer, args, kwargs, given)
    made = [leaf for leaf in nest.flatten(result) if isinstance(leaf, Tensor)]
    call = Call(layer, args, kwargs)
    node = _graph.node(LAYER, given, {"call": call}, [_form(leaf) for leaf in made], layer.name)
    layer._inbound.append(node)
    masks = [mask_of(leaf) for leaf in made]
    if any(mask is not None for mask in masks):
        node.masks = [None if mask is None else _form(mask) for mask in masks]
    outputs = iter(node.outputs)
    return nest.map_structure(lambda leaf: next(outputs) if isinstance(leaf, Tensor) else leaf, result)


def packed_inputs(node: KerasNode) -> Any:
    """What the call of a node was given, as it was given: a tensor, or a structure of tensors."""
    call = node.call
    if call is None or not call.args:
        return node.outputs[0] if not node.inputs else list(node.inputs)
    return call.args[0] if len(call.args) == 1 else list(call.args)


def forms_for(layer: Any, shapes: Any, dtype: Any) -> Any:
    """Shapes and dtypes of what a layer gives for inputs of these shapes: a tuple, or a structure of tuples."""
    made = [new_input(None, shape, dtype, "input") for shape in _flat_shapes(shapes)]
    inputs = _packed(shapes, iter(made))
    result = _traced(layer, (inputs,), {}, made)
    return nest.map_structure(lambda leaf: TensorSpec(leaf.shape, leaf.dtype) if isinstance(leaf, Tensor) else leaf,
                              result)  # fmt: skip


def _traced(layer: Any, args: tuple[Any, ...], kwargs: dict[str, Any], given: Sequence[SymbolicTensor]) -> Any:
    """What the layer gives for other tensors of the same forms, in a graph that is thrown away."""
    scratch = Graph(layer.name, outer=local.state.graph)  # type: ignore[arg-type]
    if scratch.outer is None:
        scratch.evaluate = _evaluated
    inside: dict[int, Any] = {}
    with tracing(scratch):
        for tensor in given:
            if id(tensor) not in inside:
                inside[id(tensor)] = own = scratch.input(*_form(tensor), "input")
                if (mask := _mask_form(tensor)) is not None:
                    set_mask(own, scratch.input(*mask, "mask"))
        own_args, own_kwargs = nest.map_structure(lambda leaf: inside.get(id(leaf), leaf), (args, kwargs))
        try:
            return layer(*own_args, **own_kwargs)
        finally:
            layer._clear_losses()  # those of this graph mean nothing outside of it


def _evaluated(graph: Graph, tensor: Any) -> Any:
    """The value of a tensor that depends on no input, with which a variable made in a layer's call begins."""
    nodes = needed(graph, [tensor], effects=False)
    if any(node.op is INPUT for node in nodes):
        raise ValueError("the first value of a variable made in the call of a layer must not depend on its inputs")
    return wrap(Executable(graph, [tensor], inputs=(), nodes=nodes)(())[0])


def _mask_form(tensor: SymbolicTensor) -> ShapeDtype | None:
    """The form of the mask that a tensor will have."""
    node: Any = tensor._node
    masks = getattr(node, "masks", None)
    if masks is None:
        return None
    return next(mask for output, mask in zip(node.outputs, masks, strict=True) if output is tensor)  # type: ignore[no-any-return]


def _form(tensor: Any) -> ShapeDtype:
    return tensor.shape.dims, tensor._a.dtype


def _flat_shapes(shapes: Any) -> list[Any]:
    if shapes is None or is_shape(shapes):
        return [shapes]
    inside = [shapes[key] for key in sorted(shapes)] if isinstance(shapes, dict) else shapes
    return [shape for part in inside for shape in _flat_shapes(part)]


def _packed(shapes: Any, leaves: Any) -> Any:
    if shapes is None or is_shape(shapes):
        return next(leaves)
    if isinstance(shapes, dict):
        by_key = {key: _packed(shapes[key], leaves) for key in sorted(shapes)}
        return {key: by_key[key] for key in shapes}
    return [_packed(part, leaves) for part in shapes]
