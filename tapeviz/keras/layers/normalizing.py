"""What normalizing layers have in common: axes, and a mean and a scale that are learned."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from tapeviz.engine.convert import convert_to_tensor
from tapeviz.engine.declaration import registry
from tapeviz.engine.operators import public
from tapeviz.engine.variable import Variable
from tapeviz.keras.layers.base import Layer
from tapeviz.keras.layers.parameters import make, remember

__all__ = ["Scaled", "along", "axes_of", "narrow", "wide"]

_SINGLE: Final = 4  # bytes


def axes_of(axis: Any, rank: int, name: str) -> tuple[int, ...]:
    """The axes, counted from the front."""
    given = list(axis) if isinstance(axis, Sequence) else [axis]
    if wrong := [one for one in given if not -rank <= one < rank]:
        raise ValueError(f'Axis {wrong[0]} is out of bounds for the input of layer "{name}", which has {rank} axes')
    return tuple(sorted(one % rank for one in given))


def along(weight: Any, axes: tuple[int, ...], rank: int) -> Any:
    """A weight of the sizes of some axes in a shape that broadcasts against all."""
    if weight is None or axes == (rank - 1,):
        return weight
    sizes = dict(zip(axes, tuple(weight.shape), strict=True))
    return registry["reshape"].run(weight, tuple(sizes.get(axis, 1) for axis in range(rank)))


def wide(value: Any) -> Any:
    """The value in single precision where it is in half: squares would overflow."""
    tensor = convert_to_tensor(value)
    return public["cast"](tensor, "float32") if tensor.dtype.size < _SINGLE else tensor


def narrow(tensor: Any, dtype: Any) -> Any:
    """A tensor in a dtype again."""
    return tensor if tensor.dtype == dtype else public["cast"](tensor, dtype)


class Scaled(Layer):
    """A layer with a scale, ``gamma``, and a mean, ``beta``, that are learned."""

    def remember_all(self, **arguments: Any) -> None:
        """Keep the arguments for ``beta`` and ``gamma``."""
        for name in ("beta", "gamma"):
            remember(
                self, name, *(arguments[f"{name}_{kind}"] for kind in ("initializer", "regularizer", "constraint"))
            )
        self.center: Any
        self.scale: Any
        self.center, self.scale = arguments["center"], arguments["scale"]

    def make_all(self, shape: tuple[int, ...]) -> None:
        """Make ``gamma`` and ``beta``, where they are wanted."""
        self.gamma: Variable | None = make(self, "gamma", shape) if self.scale else None
        self.beta: Variable | None = make(self, "beta", shape) if self.center else None

    def compute_output_shape(self, input_shape: Any) -> tuple[Any, ...]:
        """The shape of what comes out: that of what goes in."""
        return tuple(input_shape)
