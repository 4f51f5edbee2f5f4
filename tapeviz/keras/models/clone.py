"""Models like others, with weights of their own: ``clone_model``, ``model_from_json``."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from tapeviz.engine import nest
from tapeviz.keras.layers.input_layer import InputLayer
from tapeviz.keras.layers.layer import Layer
from tapeviz.keras.layers.op_layer import call_of
from tapeviz.keras.models.model import Model
from tapeviz.keras.models.sequential import Sequential
from tapeviz.keras.serialization import deserialize_keras_object

__all__ = ["clone_model", "model_from_json"]


def clone_model(model: Any, input_tensors: Any = None, clone_function: Callable[[Any], Any] | None = None) -> Any:
    """A model of the same layers, with new weights.

    Args:
        model: a :class:`Sequential`, one made of inputs and outputs, or one whose class has ``get_config``.
        input_tensors: tensors made by ``Input`` to begin with; new ones by default.
        clone_function: gives the new layer for each of the old ones; one made from its config by default.

    Raises:
        ValueError: the argument is no such model.

    >>> import tapeviz as tf
    >>> model = tf.keras.Sequential([tf.keras.layers.Dense(2)])
    >>> clone = tf.keras.models.clone_model(model)
    >>> clone.layers[0].units, clone.layers[0] is model.layers[0]
    (2, False)
    """
    if not isinstance(model, Model):
        raise ValueError(  # noqa: TRY004 - Keras' error
            f"Expected `model` argument to be a `Model` instance. Received: model={model}"
        )
    clone = clone_function or _cloned
    if isinstance(model, Sequential):
        made = type(model)(name=model.name)
        if input_tensors is not None:
            made.add(nest.flatten(input_tensors)[0])
        elif model._first is not None:
            made.add(_cloned(model._first))
        for layer in model.layers:
            made.add(clone(layer))
        return made
    if model._network is None:
        return clone(model)
    return _network_clone(model, input_tensors, clone)


def _cloned(layer: Layer) -> Layer:
    own = getattr(layer, "_clone", None)
    return own() if own is not None else type(layer).from_config(layer.get_config())


def _network_clone(model: Model, given: Any, clone: Callable[[Any], Any]) -> Model:
    network = model._network
    assert network is not None  # noqa: S101 - the caller has looked
    sources = [tensor._node.call.layer for tensor in network.flat_inputs]
    fresh = [_cloned(one).output for one in sources] if given is None else nest.flatten(given)
    made = {id(tensor): new for tensor, new in zip(network.flat_inputs, fresh, strict=True)}
    layers = {id(layer): clone(layer) for layer in network.layers if not isinstance(layer, InputLayer)}
    for node in network.nodes:
        call = call_of(node)
        args, kwargs = nest.map_structure(lambda leaf: made.get(id(leaf), leaf), (call.args, call.kwargs))
        result = nest.flatten(layers[id(call.layer)](*args, **kwargs))
        made.update(zip(map(id, node.outputs), [leaf for leaf in result if hasattr(leaf, "_a")], strict=True))
    inputs = nest.pack(network.inputs, [made[id(tensor)] for tensor in network.flat_inputs])
    outputs = nest.pack(network.outputs, [made[id(tensor)] for tensor in network.flat_outputs])
    return type(model)(inputs, outputs, name=model.name)


def model_from_json(json_string: str, custom_objects: dict[str, Any] | None = None) -> Any:
    """The model that ``to_json`` gave the text of, with new weights.

    Raises:
        ValueError: the text is no JSON, or names a class that is not known.

    >>> import tapeviz as tf
    >>> model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(2)])
    >>> tf.keras.models.model_from_json(model.to_json()).output_shape
    (None, 2)
    """
    return deserialize_keras_object(json.loads(json_string), custom_objects)
