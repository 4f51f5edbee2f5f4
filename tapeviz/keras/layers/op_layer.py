"""An op that was called with inputs of a model still to be made, as a layer of the model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from tapeviz.engine.conversion import constant
from tapeviz.engine.declaration import registry
from tapeviz.engine.deferred_numbers import Deferred, computed, deferred_in, replaced
from tapeviz.engine.state import local
from tapeviz.engine.symbolic import SymbolicTensor
from tapeviz.graphs.ir.special_nodes import CAPTURE, CONSTANT
from tapeviz.keras.layers.keras_tensors import Call, KerasNode
from tapeviz.keras.layers.layer import Layer
from tapeviz.keras.names import unique_name

__all__ = ["OpLayer", "call_of"]


class OpLayer(Layer):
    """An op as a layer. ``x + 1``, with ``x`` made by :func:`Input`, is one in the model.

    Args:
        op: the name of the op.
        attrs: its attributes. A size that is only known when the model runs is a pair: which input, and which axis.
        constants: tensors that it takes besides, by their place among its inputs.
        name: the layer's name.

    >>> import tapeviz as tf
    >>> tf.keras.layers.OpLayer("negative")(tf.constant(2.0)).numpy()
    np.float32(-2.0)
    """

    def __init__(
        self, op: str, attrs: dict[str, Any] | None = None, constants: dict[int, Any] | None = None, **kwargs: Any
    ) -> None:
        super().__init__(autocast=False, **{"name": unique_name(op), **kwargs})
        self.op = op
        self.__dict__["attrs"] = attrs or {}
        self.__dict__["constants"] = constants or {}
        self.supports_masking = True
        self.built = True

    def call(self, *inputs: Any) -> Any:
        """What the op gives."""
        op = registry[self.op]
        attrs = replaced(self.attrs, lambda number: _resolved(number, inputs))
        count = len(op.inputs) if not op.variadic else len(inputs) + len(self.constants)
        given = iter(inputs)
        own = [self.constants[place] if place in self.constants else next(given, None) for place in range(count)]
        return op.run(*[tensor for tensor in own if tensor is not None], **attrs)

    attrs: dict[str, Any]
    constants: dict[int, Any]

    def get_config(self) -> dict[str, Any]:
        """The arguments with which it was made."""
        constants = {str(k): {"value": t.numpy().tolist(), "dtype": t.dtype.name} for k, t in self.constants.items()}
        attrs = {key: _plain(value, self.name) for key, value in self.attrs.items()}
        return {"name": self.name, "op": self.op, "attrs": attrs, "constants": constants}

    def _clone(self) -> OpLayer:
        return OpLayer(self.op, self.attrs, self.constants, name=self.name)

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> OpLayer:
        """A layer with these arguments."""
        constants = {int(k): constant(c["value"], dtype=c["dtype"]) for k, c in config["constants"].items()}
        attrs = {key: _unplain(value) for key, value in config["attrs"].items()}
        return cls(config["op"], attrs, constants, name=config["name"])


def call_of(node: KerasNode) -> Call:
    """The layer's call that a node is; an op's node is given a layer, once."""
    if node.call is not None:
        return node.call
    constants = {
        place: tensor._node.attrs["tensor"]
        for place, tensor in enumerate(node.inputs)
        if tensor._node.op in (CAPTURE, CONSTANT)
    }
    given = [tensor for place, tensor in enumerate(node.inputs) if place not in constants]
    extra: list[Any] = []
    for number in deferred_in(node.attrs):
        for leaf in number.leaves():
            if leaf.source[0] != "call" and not any(leaf.source[1] is known for known in [*given, *extra]):
                extra.append(leaf.source[1])
    places = {id(tensor): place for place, tensor in reversed(list(enumerate([*given, *extra])))}
    attrs = replaced(node.attrs, lambda number: _placed(number, places))
    args = (*given, *extra)
    node.call = Call(OpLayer(node.op.name, attrs, constants), args, {})
    node.inputs = args
    node.call.layer._inbound.append(node)
    return node.call


def _placed(number: Any, places: dict[int, int]) -> Any:
    """A deferred number with places among the layer's inputs instead of tensors."""
    sort, *rest = number.source
    if sort == "call":
        return number
    if sort == "expression":
        parts = [_placed(part, places) if isinstance(part, Deferred) else part for part in rest[1:]]
        return Deferred((sort, rest[0], *parts), number.first, number.second)
    return Deferred((sort, places[id(rest[0])], *rest[1:]), number.first, number.second)


def _resolved(number: Any, inputs: tuple[Any, ...]) -> Any:
    """The number for these inputs: known where ops run at once, deferred in turn in a graph."""
    sort, *rest = number.source
    if sort == "expression":
        return computed(
            rest[0], *[_resolved(part, inputs) if isinstance(part, Deferred) else part for part in rest[1:]]
        )
    if sort == "axis":
        return inputs[rest[0]]._a.shape[rest[1]]
    if sort == "value":
        tensor = inputs[rest[0]]
        values = tensor._numbers() if isinstance(tensor, SymbolicTensor) else tensor.numpy().ravel().tolist()
        return values[rest[1] if len(rest) > 1 else 0]
    draw: Callable[[], int] = rest[0]
    return number if local.state.graph is not None else draw()


_TUPLE: Final = "__tuple__"


def _plain(value: Any, name: str) -> Any:
    """An attribute as plain data.

    Raises:
        ValueError: it cannot be.
    """
    if value is None or isinstance(value, (bool, float, str)) or type(value) is int:
        return value
    if isinstance(value, Deferred):
        if value.source[0] != "axis":
            raise ValueError(f"The layer {name!r} cannot be written as a config: one of its numbers is computed from "
                             "values. Put this in a Layer or Lambda of its own.")  # fmt: skip
        return {"class_name": "__size__", "items": list(value.source[1:])}
    if isinstance(value, (tuple, list)):
        items = [_plain(item, name) for item in value]
        return {"class_name": _TUPLE, "items": items} if isinstance(value, tuple) else items
    if isinstance(value, np.dtype):
        return {"class_name": "__dtype__", "items": [str(value)]}
    if isinstance(value, slice):
        return {"class_name": "__slice__", "items": [_plain(v, name) for v in (value.start, value.stop, value.step)]}
    if isinstance(value, np.integer):
        return int(value)
    raise ValueError(f"The layer {name!r} cannot be written as a config: {value!r} is not a plain value")


_KINDS: Final[dict[str, Callable[[list[Any]], Any]]] = {
    _TUPLE: tuple,
    "__size__": lambda items: Deferred(("axis", *items)),
    "__dtype__": lambda items: np.dtype(items[0]),
    "__slice__": lambda items: slice(*items),
}


def _unplain(value: Any) -> Any:
    if isinstance(value, dict):
        return _KINDS[value["class_name"]]([_unplain(item) for item in value["items"]])
    return [_unplain(item) for item in value] if isinstance(value, list) else value
