"""Models made of inputs and outputs as plain data: layers, and which calls of which layers each call takes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from tapeviz.engine import nest
from tapeviz.engine.tensor import EagerTensor
from tapeviz.keras.layers.input_layer import InputLayer
from tapeviz.keras.layers.keras_tensors import is_keras_tensor
from tapeviz.keras.layers.layer import Layer
from tapeviz.keras.layers.op_layer import call_of
from tapeviz.keras.models.network import Network
from tapeviz.keras.serialization import deserialize_keras_object, serialize_keras_object

__all__ = ["config_of", "layer_config", "network_of"]

_TENSOR: Final = "__keras_tensor__"
_Made = dict[tuple[str, int], list[Any]]
"""What calls have given, by the layer's name in the config and the how manieth call of it each is."""


class _Call(NamedTuple):
    """A call that a config describes."""

    layer: Any
    name: str
    place: int
    node: dict[str, Any]


def layer_config(layer: Layer) -> dict[str, Any]:
    """A layer as plain data, with the shape for which it was built."""
    config: dict[str, Any] = serialize_keras_object(layer)
    build = layer.get_build_config()
    if build is not None and layer.built:
        config["build_config"] = build
    return config


def config_of(network: Network) -> dict[str, Any]:
    """Layers, inputs and outputs of a network.

    Raises:
        ValueError: an argument of a layer's call is a tensor with values, which no config can hold.
    """
    calls = _calls(network)
    layers = []
    for layer in network.layers:
        nodes = [node for node in network.nodes if call_of(node).layer is layer]
        inbound = [_arguments(call_of(node), calls) for node in nodes]
        layers.append({**layer_config(layer), "name": layer.name, "inbound_nodes": inbound})
    return {
        "layers": layers,
        "input_layers": nest.map_structure(lambda tensor: _history(tensor, calls), network.inputs),
        "output_layers": nest.map_structure(lambda tensor: _history(tensor, calls), network.outputs),
    }


def _calls(network: Network) -> dict[int, tuple[str, int]]:
    """Each node's layer, by name, and the how manieth call of it in the network the node is."""
    counts: dict[int, int] = {}
    found: dict[int, tuple[str, int]] = {}
    for tensor in network.flat_inputs:
        source = tensor._node.call
        if source is None or not isinstance(source.layer, InputLayer):
            raise ValueError("A model whose inputs are made by layers cannot be written as a config.")
        found[id(tensor._node)] = (source.layer.name, 0)
    for node in network.nodes:
        layer = call_of(node).layer
        place = counts[id(layer)] = counts.get(id(layer), -1) + 1
        found[id(node)] = (layer.name, place)
    return found


def _history(tensor: Any, calls: dict[int, tuple[str, int]]) -> list[Any]:
    return [*calls[id(tensor._node)], tensor._slot]


def _arguments(call: Any, calls: dict[int, tuple[str, int]]) -> dict[str, Any]:
    def plain(leaf: Any) -> Any:
        if is_keras_tensor(leaf):
            shape = [*leaf.shape.dims] if leaf.shape.dims is not None else None
            config = {"shape": shape, "dtype": leaf.dtype.name, "keras_history": _history(leaf, calls)}
            return {"class_name": _TENSOR, "config": config}
        if isinstance(leaf, EagerTensor):
            raise ValueError(  # noqa: TRY004 - as for anything that no config can hold
                f"A call of the layer {call.layer.name!r} takes a tensor with values, which a config cannot hold. Make "
                "it a weight of a layer."
            )
        return serialize_keras_object(leaf)

    return {"args": [nest.map_structure(plain, arg) for arg in call.args],
            "kwargs": {name: nest.map_structure(plain, value) for name, value in call.kwargs.items()}}  # fmt: skip


def network_of(config: dict[str, Any], custom_objects: dict[str, Any] | None = None) -> tuple[Any, Any]:
    """The inputs and outputs that a config describes, made by new layers.

    Raises:
        ValueError: a call takes what no call gives.
    """
    layers = {}
    made: _Made = {}
    waiting: list[_Call] = []
    for one in config["layers"]:
        layer = deserialize_keras_object(one, custom_objects)
        layers[one["name"]] = layer
        if isinstance(layer, InputLayer):
            made[one["name"], 0] = [layer.output]
        # By the name in the config: a layer that does not keep its name among its arguments has another one now.
        waiting += [_Call(layer, one["name"], place, node) for place, node in enumerate(one["inbound_nodes"])]
    while waiting:
        left = [call for call in waiting if not _called(call, made, custom_objects)]
        if len(left) == len(waiting):
            raise ValueError(
                f"The config cannot be read: the layer {left[0].name!r} takes a tensor that no layer produces."
            )
        waiting = left
    return _tensors(config["input_layers"], made), _tensors(config["output_layers"], made)


def _called(call: _Call, made: _Made, custom_objects: dict[str, Any] | None) -> bool:
    """Call a layer as a config says, if all that the call takes is there. Calls of one layer keep their order."""
    if call.place and (call.name, call.place - 1) not in made:
        return False
    if not all(key in made for key in _needed(call.node)):
        return False
    args = [_restored(arg, made, custom_objects) for arg in call.node["args"]]
    kwargs = {name: _restored(value, made, custom_objects) for name, value in call.node["kwargs"].items()}
    result = call.layer(*args, **kwargs)
    made[call.name, call.place] = [leaf for leaf in nest.flatten(result) if is_keras_tensor(leaf)]
    return True


def _needed(value: Any) -> Iterator[tuple[str, int]]:
    """The calls whose outputs the arguments of a call are."""
    if isinstance(value, dict) and value.get("class_name") == _TENSOR:
        name, place, _ = value["config"]["keras_history"]
        yield name, place
    elif isinstance(value, (dict, list, tuple)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _needed(item)


def _restored(value: Any, made: _Made, custom_objects: dict[str, Any] | None) -> Any:
    if isinstance(value, dict) and value.get("class_name") == _TENSOR:
        name, place, slot = value["config"]["keras_history"]
        return made[name, place][slot]
    if isinstance(value, dict) and "class_name" in value:
        return deserialize_keras_object(value, custom_objects)
    if isinstance(value, dict):
        return {key: _restored(item, made, custom_objects) for key, item in value.items()}
    return [_restored(item, made, custom_objects) for item in value] if isinstance(value, (list, tuple)) else value


def _tensors(places: Any, made: _Made) -> Any:
    if isinstance(places, dict):
        return {key: _tensors(value, made) for key, value in places.items()}
    if len(places) == 3 and isinstance(places[0], str):  # noqa: PLR2004 - layer, call, output
        name, place, slot = places
        return made[name, place][slot]
    return [_tensors(one, made) for one in places]
