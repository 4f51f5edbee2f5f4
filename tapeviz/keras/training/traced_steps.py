"""A step of training, testing or predicting as traced functions: one for each form of a batch."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable
from inspect import Parameter, Signature
from typing import Any, Final

from tapeviz.autograph.conversion import convert
from tapeviz.engine import nest
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.tensor import EagerTensor, Tensor
from tapeviz.functions.function import Function, function
from tapeviz.functions.signature import leaves_of

__all__ = ["TracedStep"]

# So many sizes of batches have a graph of their own: the usual one, and that of an epoch's last, smaller one. Further
# ones share a graph that leaves the size open.
_EXACT: Final = 2

_PARTS: Final = ("x", "y", "sample_weight")


class TracedStep:
    """A function of a batch, traced.

    Args:
        step: takes a batch, a structure of tensors, and gives a structure of tensors.
        name: what it is called in graphs and recordings.
    """

    def __init__(self, step: Callable[[Any], Any], name: str) -> None:
        self._step = step
        self._name = name
        self._forms: dict[Hashable, _Form] = {}

    def __call__(self, data: Any) -> Any:
        """Run the graph for this batch."""
        leaves = [
            leaf if leaf.__class__ is EagerTensor else _tensor(leaf) for leaf in nest.flatten(data) if leaf is not None
        ]
        key = _key(data)
        form = self._forms.get(key)
        if form is None:
            form = self._forms[key] = _Form(self._step, self._name, data)
        return form.of(leaves)(*leaves)

    @property
    def graph(self) -> Any:
        """The graph of the first trace; None before it."""
        return next((trace.graph for form in self._forms.values() for trace in form.first()), None)

    @property
    def traces(self) -> int:
        """How often it has been traced."""
        return sum(form.traces for form in self._forms.values())


class _Form:
    """The traced functions for batches of one structure."""

    def __init__(self, step: Callable[[Any], Any], name: str, data: Any) -> None:
        places = [leaf is not None for leaf in nest.flatten(data)]
        structure = nest.map_structure(lambda _: None, data)

        def of_leaves(*leaves: Any) -> Any:
            given = iter(leaves)
            return convert(step)[0](nest.pack(structure, [next(given) if there else None for there in places]))

        of_leaves.__name__ = of_leaves.__qualname__ = name
        names = _names(data)
        if names is not None:
            parameters = [Parameter(one, Parameter.POSITIONAL_OR_KEYWORD) for one in names]
            of_leaves.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
        self._exact: Function[..., Any] = function(of_leaves)
        self._relaxed: Function[..., Any] = function(of_leaves, reduce_retracing=True)
        self._sizes: set[tuple[Any, ...]] = set()

    def of(self, leaves: list[Any]) -> Function[..., Any]:
        """The function to run for tensors of these shapes."""
        shapes = tuple([leaf._a.shape if leaf.__class__ is EagerTensor else tuple(leaf.shape) for leaf in leaves])
        if shapes in self._sizes:
            return self._exact
        if len(self._sizes) < _EXACT:
            self._sizes.add(shapes)
            return self._exact
        return self._relaxed

    def first(self) -> list[Any]:
        """The first trace, in a list; an empty one before it."""
        return self._exact.traces[:1]

    @property
    def traces(self) -> int:
        return self._exact.experimental_get_tracing_count() + self._relaxed.experimental_get_tracing_count()


def _tensor(leaf: Any) -> Any:
    return leaf if isinstance(leaf, Tensor) else convert_to_tensor(leaf)


def _names(data: Any) -> list[str] | None:
    """What the tensors of a batch are called in graphs and retraces: x, y, sample_weight, or parts of these.

    >>> _names(({"a": 1, "b": [2, 3]}, 4))
    ['x_a', 'x_b_0', 'x_b_1', 'y']
    """
    leaves = nest.flatten(data)
    # Each leaf's number in its place: structures may be walked in another order there.
    numbered = nest.pack(data, list(range(len(leaves))))
    parts = numbered if data.__class__ is tuple and len(data) <= len(_PARTS) else (numbered,)
    names = [""] * len(leaves)
    for path, number in leaves_of(list(zip(_PARTS, parts, strict=False))):
        name = re.sub(r"\W+", "_", path).strip("_")
        names[number] = name if name not in names else f"{name}_{number}"
    there = [name for name, leaf in zip(names, leaves, strict=True) if leaf is not None]
    return there if all(there) and len({*there}) == len(there) else None


def _key(data: Any) -> Hashable:
    """The form of a batch: equal for batches that differ in their tensors alone."""
    if data.__class__ is tuple:
        if all(part is None or isinstance(part, Tensor) for part in data):
            return tuple([part is not None for part in data])
        return tuple([_key(part) for part in data])
    if isinstance(data, dict):
        return "dict", tuple([(name, _key(data[name])) for name in sorted(data)])
    if isinstance(data, (list, tuple)):
        return type(data).__name__, tuple([_key(part) for part in data])
    return data is not None
