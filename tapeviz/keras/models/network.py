"""A model made of inputs and outputs: the steps between them, and running these."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from tapeviz.engine import nest
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.shapes import TensorShape
from tapeviz.engine.tensor import EagerTensor
from tapeviz.graphs.ir.special_nodes import INPUT
from tapeviz.keras.layers.input_layer import InputLayer
from tapeviz.keras.layers.keras_tensors import KerasNode, is_keras_tensor
from tapeviz.keras.layers.op_layer import call_of
from tapeviz.ops.array.cast import cast
from tapeviz.ops.array.reshape import expand_dims, squeeze

__all__ = ["Network"]


@dataclass(frozen=True, slots=True)
class _Step:
    """A call of a layer: where its tensors are among the values, and where what it gives goes."""

    layer: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    single: int  # the place of its only argument, a tensor; -1 where there are others
    places: dict[int, int]
    gives: tuple[int, ...]


class Network:
    """Inputs, outputs and the steps between.

    Args:
        inputs: tensors made by ``Input`` or by layers: one, or a structure of them.
        outputs: tensors made of them.
        name: the model's name, for messages.

    Raises:
        ValueError: outputs do not follow from the inputs, or something is no such tensor.
    """

    def __init__(self, inputs: Any, outputs: Any, name: str) -> None:
        self.inputs: Any
        self.outputs: Any
        self.name: str
        self.inputs, self.outputs, self.name = inputs, outputs, name
        self.flat_inputs: list[Any]
        self.flat_outputs: list[Any]
        self.flat_inputs, self.flat_outputs = nest.flatten(inputs), nest.flatten(outputs)
        for what, tensors in (("inputs", self.flat_inputs), ("outputs", self.flat_outputs)):
            wrong = next((tensor for tensor in tensors if not is_keras_tensor(tensor)), None)
            if wrong is not None:
                raise ValueError(f"All `{what}` values must be KerasTensors, made by `keras.Input` or by layers called "
                                 f"with such. Received: {what}={wrong!r}")  # fmt: skip
        if len({id(tensor) for tensor in self.flat_inputs}) != len(self.flat_inputs):
            raise ValueError(f"The list of inputs passed to the model contains the same input multiple times. All "
                             f"inputs should only appear once. Received inputs={inputs}")  # fmt: skip
        self._given = {id(tensor) for tensor in self.flat_inputs}
        self.nodes: list[KerasNode] = []
        self._order: dict[int, int] = {}
        for tensor in self.flat_outputs:
            self._visit(tensor)
        self.layers: list[Any] = self._layers_by_depth()
        self.nodes.sort(key=lambda node: node.number)  # as they were made, which is an order in which they can run
        self._check_names()
        self._plan()

    def _visit(self, tensor: Any) -> None:
        """Put the nodes that a tensor needs into the list, each after those that it needs."""
        known = {id(node) for node in self.nodes}
        waiting: list[tuple[Any, Iterator[Any] | None]] = [(tensor, None)]
        while waiting:
            tensor, rest = waiting.pop()
            node = tensor._node
            if rest is None:
                if id(tensor) in self._given and node.call is not None:
                    self._order.setdefault(id(node.call.layer), len(self._order))
                if id(tensor) in self._given or id(node) in known:
                    continue
                if node.op is INPUT:
                    raise ValueError(
                        f"The outputs of the model {self.name!r} are not connected to its inputs alone: they need "
                        f"{tensor!r}, which is not among the inputs {[one.name for one in self.flat_inputs]}."
                    )
                layer = call_of(node).layer
                self._order.setdefault(id(layer), len(self._order))
                rest = iter(node.inputs)
            following = next(rest, None)
            if following is not None:
                waiting += [(tensor, rest), (following, None)]
            elif id(node) not in known:
                known.add(id(node))
                self.nodes.append(node)

    def _layers_by_depth(self) -> list[Any]:
        """The layers, those farthest from the outputs first."""
        depths: dict[int, int] = {}
        layers: dict[int, Any] = {}
        by_layer: dict[int, int] = {}
        for node in reversed(self.nodes):
            layer = call_of(node).layer
            depth = max(depths.get(id(node), 0), by_layer.get(id(layer), 0))
            by_layer[id(layer)] = depths[id(node)] = depth
            layers[id(layer)] = layer
            for tensor in node.inputs:
                if id(tensor) not in self._given:
                    depths[id(tensor._node)] = max(depth + 1, depths.get(id(tensor._node), 0))
                elif (source := tensor._node.call) is not None and isinstance(source.layer, InputLayer):
                    layers[id(source.layer)] = source.layer
                    by_layer[id(source.layer)] = max(depth + 1, by_layer.get(id(source.layer), 0))
        for tensor in self.flat_inputs:
            source = tensor._node.call
            if source is not None and isinstance(source.layer, InputLayer):
                layers.setdefault(id(source.layer), source.layer)
                by_layer.setdefault(id(source.layer), 0)
        return sorted(layers.values(), key=lambda one: (-by_layer[id(one)], self._order.get(id(one), -1)))

    def _check_names(self) -> None:
        names = [layer.name for layer in self.layers]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise ValueError(f'The name "{twice}" is used {names.count(twice)} times in the model. All operation names '
                             "should be unique.")  # fmt: skip

    def _plan(self) -> None:
        """Give each tensor a place among the values of a run."""
        places = {id(tensor): place for place, tensor in enumerate(self.flat_inputs)}
        self._steps: list[_Step] = []
        self._known: Any = None
        for node in self.nodes:
            call = call_of(node)
            gives = tuple(range(len(places), len(places) + len(node.outputs)))
            own = {id(tensor): places[id(tensor)] for tensor in node.inputs}
            places.update(zip(map(id, node.outputs), gives, strict=True))
            alone = len(call.args) == 1 and not call.kwargs and is_keras_tensor(call.args[0]) and len(gives) == 1
            single = own[id(call.args[0])] if alone else -1
            self._steps.append(_Step(call.layer, call.args, call.kwargs, single, own, gives))
        self._outputs = [places[id(tensor)] for tensor in self.flat_outputs]
        self._alone = is_keras_tensor(self.inputs)
        self._simple = len(self.flat_outputs) == 1 and is_keras_tensor(self.outputs)

    def run(self, given: Any) -> Any:
        """The outputs for these inputs."""
        __tracebackhide__ = True
        form = given._a if self._alone and given.__class__ is EagerTensor else None
        if form is not None and self._known == (form.shape, form.dtype):
            values = [given]
        else:
            values = self._matched(given)
            if form is not None and values[0] is given:
                self._known = (form.shape, form.dtype)
        for step in self._steps:
            if step.single >= 0:
                values.append(step.layer(values[step.single]))
                continue
            tensors = {key: values[place] for key, place in step.places.items()}
            args, kwargs = nest.map_structure(_among(tensors), (step.args, step.kwargs))
            made = step.layer(*args, **kwargs)
            values += [leaf for leaf in nest.flatten(made) if hasattr(leaf, "_a")]
        if self._simple:
            return values[self._outputs[0]]
        return nest.pack(self.outputs, [values[place] for place in self._outputs])

    # Inputs.

    def adapt(self, given: Any, *, casts: bool) -> Any:
        """What comes in, of the rank of the only input with which the model was made, and of its dtype if ``casts``.

        Sizes may differ from those of that input.
        """
        wanted = self.flat_inputs[0]
        dtype, rank = wanted._a.dtype, wanted.shape.rank
        if hasattr(given, "_a") and given._a.dtype == dtype and given.shape.rank == rank:
            return given
        if nest.is_nested(given):
            return given
        tensor: Any = convert_to_tensor(given)
        if casts and tensor.dtype.is_integer:
            tensor = cast(tensor, dtype)
        return _of_rank(tensor, wanted.shape)

    @property
    def input_names(self) -> list[str]:
        """The names of the inputs."""
        return [tensor._node.name for tensor in self.flat_inputs]

    @property
    def output_names(self) -> list[str]:
        """The names of the layers that give the outputs."""
        return [call_of(tensor._node).layer.name for tensor in self.flat_outputs]

    def _matched(self, given: Any) -> list[Any]:
        """The inputs one by one, of the dtypes and ranks of those with which the model was made."""
        flat = self.flat_inputs
        names = self.input_names
        if isinstance(given, dict):
            keys = sorted(self.inputs) if isinstance(self.inputs, dict) else names
            missing = [key for key in keys if key not in given]
            if missing:
                raise ValueError(f'Missing data for input "{missing[0]}". You passed a data dictionary with keys '
                                 f"{list(given)}. Expected the following keys: {keys}")  # fmt: skip
            tensors = [given[key] for key in keys]
        else:
            tensors = nest.flatten(given)
        if len(tensors) != len(flat):
            raise ValueError(
                f'Layer "{self.name}" expects {len(flat)} input(s), {names}, but it received {len(tensors)} input '
                f"tensors. Inputs received: {given}"
            )
        return [self._fitted(tensor, place) for place, tensor in enumerate(tensors)]

    def _fitted(self, tensor: Any, place: int) -> Any:
        wanted = self.flat_inputs[place]
        if not hasattr(tensor, "_a"):
            tensor = convert_to_tensor(tensor)
        if tensor._a.dtype != wanted._a.dtype:
            tensor = cast(tensor, wanted.dtype)
        tensor = _of_rank(tensor, wanted.shape)
        if not wanted.shape.is_compatible_with(tensor.shape):
            raise ValueError(
                f'Input {place} of layer "{self.name}" is incompatible with the layer: expected '
                f"shape={wanted.shape.dims}, found shape={tensor.shape.dims}"
            )
        return tensor


def _of_rank(tensor: Any, shape: TensorShape) -> Any:
    """The tensor with a last axis of size 1 more or less, where that makes its rank that of the shape."""
    found: TensorShape = tensor.shape
    if shape.rank is None or found.rank is None:
        return tensor
    if found.rank == shape.rank + 1 and found[-1] == 1:
        return squeeze(tensor, axis=[-1])
    if found.rank == shape.rank - 1 and shape[-1] == 1:
        return expand_dims(tensor, -1)
    return tensor


def _among(tensors: dict[int, Any]) -> Callable[[Any], Any]:
    """What gives the tensor for one that stands for it, and anything else as it is."""
    return lambda leaf: tensors.get(id(leaf), leaf)
