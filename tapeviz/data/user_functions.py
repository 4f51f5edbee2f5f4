"""The functions that users give to datasets: traced once, as ``tf.data`` does, and run as a graph for each element."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from tapeviz.autograph.conversion import convert
from tapeviz.backends import NUMPY
from tapeviz.data.handles import behind, handle_of
from tapeviz.data.nodes import Element, Node, Run, symbols_of
from tapeviz.data.sources import Bound, Given
from tapeviz.data.structures import DatasetSpec, normalized, packer, spec_of
from tapeviz.engine import nest
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.errors import OpError
from tapeviz.engine.scopes import TensorSpec
from tapeviz.engine.state import local
from tapeviz.engine.symbolic import at_line
from tapeviz.engine.tensor import wrap
from tapeviz.functions.concrete import traced
from tapeviz.functions.signature import signature_of
from tapeviz.ops.sparse.sparse_tensor import SparseTensor, to_dense

__all__ = ["UserFunction", "debugging"]

debugging: Final = [False]
"""Whether functions run as the Python they are, for each element."""

_HANDLE: Final = TensorSpec((), "int64")


class UserFunction:
    """A user's function of elements, as a graph.

    Args:
        function: it. It is traced once, with symbolic tensors: its Python does not run again for each element.
        specs: of its arguments.
        method: the method of datasets that it was given to, for messages.
        dataset: makes a dataset of a step, for components that are datasets.

    ``spec`` is what it gives. ``symbols`` are tensors of the graph around that it takes besides.

    Raises:
        ValueError: it cannot be called, or it makes variables.
        TypeError: it gives something that is no tensor.
    """

    def __init__(self, function: Any, specs: Sequence[Any], method: str, dataset: Callable[[Node], Any]) -> None:
        __tracebackhide__ = True
        if not callable(function):
            raise ValueError(  # noqa: TRY004 - TensorFlow's error
                f"Argument `func` must be a callable. Received func={function} (of type {type(function)})."
            )
        self._function, self._method, self._dataset = function, method, dataset
        self._specs = tuple(specs)
        self._packers = [packer(spec) for spec in specs]
        self._counts = [len(nest.flatten(spec)) for spec in specs]
        self._result: list[Any] = []
        self.spec: Any = None
        inputs = [leaf for spec in specs for leaf in nest.flatten(spec)]
        named = [
            (f"args_{place}", spec if isinstance(spec, TensorSpec) else _HANDLE) for place, spec in enumerate(inputs)
        ]
        self._inputs = inputs
        name = getattr(function, "__name__", type(function).__name__).strip("<>")
        concrete = traced(
            lambda *symbols: self._traced(convert(function)[0], symbols), name, named, signature_of(named),
            lambda _names, values: (tuple(values), {}), creating=_refuse,
        )  # fmt: skip
        if (observer := local.state.observer) is not None:
            observer.on_trace(concrete.graph)
        self._concrete = concrete
        self._routine = concrete._routine
        self.symbols: tuple[Any, ...] = tuple(concrete.captured)

    # Tracing.

    def _traced(self, converted: Callable[..., Any], symbols: Sequence[Any]) -> list[Any]:
        """The tensors that a call gives, in the trace; what they make is noted."""
        __tracebackhide__ = True
        parts = [
            symbol if isinstance(spec, TensorSpec) else self._dataset(Given(symbol, spec.element_spec))
            for symbol, spec in zip(symbols, self._inputs, strict=True)
        ]
        result = converted(*self._packed(parts))
        structure = normalized(tuple(result) if isinstance(result, list) else result, self._component)
        self.spec = nest.pack(structure, [spec_of(leaf) for leaf in nest.flatten(structure)])
        outputs: list[Any] = []
        for leaf in nest.flatten(structure):
            if not hasattr(leaf, "_step"):
                self._result.append(None)
                outputs.append(leaf)
                continue
            graph: Any = local.state.graph
            needed = symbols_of(leaf._step)
            handles = {id(step.symbol) for step in _givens(leaf._step)}
            self._result.append((leaf._step, [(id(symbol), id(symbol) in handles) for symbol in needed], needed))
            outputs.extend(graph.own(symbol) for symbol in needed)
        return outputs

    def _packed(self, parts: Sequence[Any]) -> list[Any]:
        """Arguments of the parts of all of them."""
        found, first = [], 0
        for pack, count in zip(self._packers, self._counts, strict=True):
            found.append(pack(tuple(parts[first : first + count])))
            first += count
        return found

    def _component(self, leaf: Any) -> Any:
        if hasattr(leaf, "_step"):
            return leaf
        try:
            # An element has tensors alone: what is sparse is dense there.
            tensor = to_dense(leaf) if isinstance(leaf, SparseTensor) else convert_to_tensor(leaf)
        except (TypeError, ValueError) as error:
            raise TypeError(
                f"Unsupported return value from function passed to Dataset.{self._method}(): {leaf!r}.{at_line()}"
            ) from error
        graph: Any = local.state.graph
        return graph.own(tensor) if graph is not None else tensor._host()

    # Running.

    def __call__(self, parts: Sequence[Any], run: Run) -> Element:
        """What it gives for the components of its arguments, flat."""
        if debugging[0]:
            return self._run_python(parts)
        kept = [part._step if hasattr(part, "_step") else part for part in parts]
        arrays = [handle_of(part) if isinstance(part, Node) else part for part in kept]
        arrays += [run.value(symbol) for symbol in self.symbols]
        try:
            found = self._arrays(arrays)
        except OpError as error:
            error.add_note(f"in the function given to Dataset.{self._method}")
            raise
        return found if not any(self._result) else self._with_datasets(found)

    def _arrays(self, arrays: Sequence[Any]) -> Element:
        routine = self._routine
        if routine.graph.variables:
            return tuple([tensor._host() for tensor in routine([wrap(array) for array in arrays])])
        return routine.program(NUMPY)(arrays)

    def _with_datasets(self, found: Element) -> Element:
        values = iter(found)
        made: list[Any] = []
        for template in self._result:
            if template is None:
                made.append(next(values))
                continue
            node, needed, _symbols = template
            given = {number: behind(value) if handle else value for (number, handle), value in zip(needed, values)}  # noqa: B905 - as many as are needed, the rest are for others
            made.append(self._dataset(Bound(node, given)))
        return tuple(made)

    def _run_python(self, parts: Sequence[Any]) -> Element:
        """The same without a graph."""
        tensors = [part if hasattr(part, "_step") else wrap(part) for part in parts]
        result = self._function(*self._packed(tensors))
        return tuple(nest.flatten(normalized(tuple(result) if isinstance(result, list) else result, self._component)))


def _givens(node: Node) -> list[Given]:
    found = [node] if isinstance(node, Given) else []
    return [*found, *(given for step in node.inputs for given in _givens(step))]


def _refuse(_variable: Any) -> None:
    raise ValueError(
        "a function given to a dataset tried to create variables; make them once, outside of it, and use them in it"
    )


def is_scalar_truth(spec: Any) -> bool:
    """Whether a function gives one truth value."""
    return isinstance(spec, TensorSpec) and spec.dtype == "bool" and spec.shape.rank in (0, None)


def as_arguments(spec: Any) -> tuple[Any, ...]:
    """The arguments for an element: a tuple's parts, or the element."""
    return spec if type(spec) is tuple else (spec,)


def is_dataset(spec: Any) -> bool:
    """Whether a function gives a dataset."""
    return isinstance(spec, DatasetSpec)


def number_of(array: Any) -> Any:
    """The Python value of an array of rank 0."""
    return array.item() if isinstance(array, np.ndarray) else array
