"""What a layer is made of: variables and layers in its attributes, and in lists and dicts there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tapeviz.engine.scopes import Module
from tapeviz.engine.variable import Variable
from tapeviz.keras.layers.weights import shapes_table

if TYPE_CHECKING:
    from tapeviz.keras.layers.base import Layer

__all__ = ["Tracked"]

_NESTS: Final = (list, tuple, dict)
# Attributes that hold variables without being a part of the layer's weights.
_APART: Final = frozenset({"_optimizer", "optimizer", "_loss_tracker", "_compile_metrics", "_compile_loss"})


class Tracked(Module, spans=False):
    """The part of a layer that finds its variables and the layers in it. See :class:`Layer`."""

    _own: list[Variable]
    _own_names: list[str]
    _tracked: dict[str, Any]
    _trainable: bool

    def _track(self) -> None:
        """Begin to remember attributes that hold variables and layers."""
        fields = self.__dict__
        fields["_own"], fields["_tracked"], fields["_own_names"] = [], {}, []

    def __setattr__(self, name: str, value: Any) -> None:
        tracked = self.__dict__.get("_tracked")
        if isinstance(value, (Variable, Module, *_NESTS)) and _may_hold(value):
            if tracked is None:
                raise RuntimeError(
                    f"In layer `{type(self).__name__}`, you forgot to call `super().__init__()` as the first statement "
                    "in the `__init__()` method. Go add it!"
                )
            tracked[name] = value
        elif tracked is not None:
            tracked.pop(name, None)
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        self.__dict__.get("_tracked", {}).pop(name, None)
        object.__delattr__(self, name)

    def _parts(self) -> Iterator[Any]:
        """Variables and modules directly in the layer, in order of creation."""
        for name, value in list(self._tracked.items()):
            if name not in _APART:
                yield from _leaves(value)

    def _layers(self) -> list[Layer]:
        """The layers directly in this one: in attributes, lists and dicts, in order of creation, each once."""
        found = {id(part): part for part in self._parts() if isinstance(part, Tracked)}
        return list(found.values())  # type: ignore[arg-type]

    def _own_variables(self) -> list[Variable]:
        """The layer's own variables: those it added, those in attributes, those of plain modules in attributes."""
        found = {id(variable): variable for variable in self._own}
        for part in self._parts():
            if isinstance(part, Variable):
                found.setdefault(id(part), part)
            elif not isinstance(part, Tracked) and not _apart(part):
                found.update((id(variable), variable) for variable in part.variables)
        return list(found.values())

    def _flatten_layers(self, recursive: bool = True, include_self: bool = True) -> list[Layer]:
        """This layer and the layers in it, and with ``recursive`` those in them, each once."""
        found: dict[int, Any] = {id(self): self}
        waiting = list(reversed(self._layers()))
        while waiting:
            layer = waiting.pop()
            if id(layer) not in found:
                found[id(layer)] = layer
                if recursive:
                    waiting.extend(reversed(layer._layers()))
        if not include_self:
            del found[id(self)]
        return list(found.values())

    # Weights.

    @property
    def weights(self) -> list[Variable]:
        """All variables: the layer's own, then those of the layers in it."""
        found: dict[int, Variable] = {}
        for layer in self._flatten_layers():
            for variable in layer._own_variables():
                found.setdefault(id(variable), variable)
        return list(found.values())

    @property
    def variables(self) -> list[Variable]:  # type: ignore[override]
        """All variables: the layer's own, then those of the layers in it."""
        return self.weights

    @property
    def trainable_weights(self) -> list[Variable]:
        """The variables that training changes: none of a layer whose ``trainable`` is False, or of those in it.

        Freezing a layer changes these lists and no variable: one that was in a list taken before is trained still.
        """
        found: dict[int, Variable] = {}
        for layer in self._thawed_layers():
            found.update((id(variable), variable) for variable in layer._own_variables() if variable.trainable)
        return [variable for variable in self.weights if id(variable) in found]

    @property
    def trainable_variables(self) -> list[Variable]:  # type: ignore[override]
        """The variables that training changes; none where ``trainable`` is False."""
        return self.trainable_weights

    @property
    def non_trainable_weights(self) -> list[Variable]:
        """The variables that training does not change."""
        trained = {id(variable) for variable in self.trainable_weights}
        return [variable for variable in self.weights if id(variable) not in trained]

    @property
    def non_trainable_variables(self) -> list[Variable]:
        """The variables that training does not change."""
        return self.non_trainable_weights

    @property
    def trainable(self) -> bool:
        """Whether training changes the layer. Setting it sets it for the layers inside too."""
        return self._trainable

    @trainable.setter
    def trainable(self, value: bool) -> None:
        value = bool(value)
        self.__dict__["_trainable"] = value
        for layer in self._layers():
            layer.trainable = value

    def _thawed_layers(self) -> list[Layer]:
        """This layer and those in it that are not frozen, nor in one that is, each once."""
        found: dict[int, Any] = {}
        waiting: list[Any] = [self]
        while waiting:
            layer = waiting.pop()
            if layer.trainable and id(layer) not in found:
                found[id(layer)] = layer
                waiting.extend(layer._layers())
        return list(found.values())

    def count_params(self) -> int:
        """How many numbers the weights have.

        Raises:
            ValueError: the layer is not built.
        """
        if not getattr(self, "built", True):
            raise ValueError(
                f"You tried to call `count_params` on layer '{self.name}', but the layer isn't built. You can build it "
                "manually via: `layer.build(input_shape)`."
            )
        return sum(variable.shape.num_elements() or 0 for variable in self.weights)

    def get_weights(self) -> list[np.ndarray]:
        """The values of all weights, as NumPy arrays; in a graph of sessions those in the default session."""
        return [(one.eval if hasattr(one, "eval") else one.numpy)() for one in self.weights]

    def set_weights(self, weights: Sequence[Any]) -> None:
        """Replace the values of all weights, in the order of :attr:`weights`.

        Raises:
            ValueError: their number or a shape is another; the message has a table of names and shapes.
        """
        given, own = list(weights), self.weights
        rows = []
        for place in range(max(len(given), len(own))):
            name = own[place].name if place < len(own) else "-"
            expected = str(tuple(own[place].shape.dims or ())) if place < len(own) else "-"
            rows.append((name, expected, str(np.shape(given[place])) if place < len(given) else "-"))
        if len(given) != len(own):
            raise ValueError(shapes_table(
                f"You called `set_weights(weights)` on layer '{self.name}' with a weight list of length {len(given)}, "
                f"but the layer was expecting {len(own)} weights.", rows,
            ))  # fmt: skip
        if any(expected != found for _, expected, found in rows):
            raise ValueError(shapes_table(
                f"Layer {self.name} weight shapes are not compatible with the provided weight shapes.", rows,
            ))  # fmt: skip
        for variable, value in zip(own, given, strict=True):
            (variable.load if hasattr(variable, "load") else variable.assign)(value)

    def _checkpoint_children(self) -> list[tuple[str, Any]]:
        """Names and values of what a checkpoint keeps of the layer: attributes, and weights that are in none."""
        children = list(self._tracked.items())
        known = {id(leaf) for leaf in self._parts()}
        named = zip(self._own_names, self._own, strict=True)
        return children + [(name, variable) for name, variable in named if id(variable) not in known]


def _apart(part: Any) -> bool:
    """Whether a module is none of the model's parts: an optimizer or a metric."""
    return hasattr(part, "apply_gradients") or hasattr(part, "update_state")


def _may_hold(value: Any) -> bool:
    """Whether variables or modules are in it, or can come to be in it."""
    if isinstance(value, tuple):
        return any(isinstance(leaf, (Variable, Module)) for leaf in _leaves(value))
    return True


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, (Variable, Module)):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _leaves(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _leaves(item)
