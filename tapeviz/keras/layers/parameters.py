"""The weights of a layer as its arguments say them: how they begin, what they cost, and what they may be."""

from __future__ import annotations

from typing import Any

from tapeviz.engine.variable import Variable
from tapeviz.keras import activations, constraints, initializers, regularizers

__all__ = ["config_of", "make", "remember"]


def remember(layer: Any, name: str, initializer: Any, regularizer: Any = None, constraint: Any = None) -> None:
    """Keep on the layer, as ``<name>_initializer`` and so on, what its weight of this name is made with."""
    setattr(layer, f"{name}_initializer", initializers.get(initializer))
    setattr(layer, f"{name}_regularizer", regularizers.get(regularizer))
    setattr(layer, f"{name}_constraint", constraints.get(constraint))


def make(layer: Any, name: str, shape: tuple[int, ...], weight: str = "", *, trainable: bool = True) -> Variable:
    """Add the weight to the layer. ``weight`` is its name where that is another than that of the arguments."""
    made: Variable = layer.add_weight(
        name=weight or name,
        shape=shape,
        initializer=getattr(layer, f"{name}_initializer"),
        regularizer=getattr(layer, f"{name}_regularizer"),
        constraint=getattr(layer, f"{name}_constraint"),
        trainable=trainable,
    )
    return made


def config_of(layer: Any, plain: str, weights: str = "", functions: str = "") -> dict[str, Any]:
    """What the layer was made with.

    Args:
        layer: the layer.
        plain: names of arguments that are numbers, tuples, words.
        weights: names of weights, of which there are an initializer, a regularizer and a constraint.
        functions: names of arguments that are activations.
    """
    config = {name: getattr(layer, name) for name in plain.split()}
    config |= {name: activations.serialize(getattr(layer, name)) for name in functions.split()}
    for name in weights.split():
        for kind, module in (("initializer", initializers), ("regularizer", regularizers), ("constraint", constraints)):
            config[f"{name}_{kind}"] = module.serialize(getattr(layer, f"{name}_{kind}"))
    return config
