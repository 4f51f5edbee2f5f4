"""Recorded ops as Python: a cell that runs, with inputs of the same shapes and types."""

from __future__ import annotations

import inspect
import keyword
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from typing import Any, Final

import numpy as np

import tapeviz
from tapeviz.analysis.graph import Graph, graph_of
from tapeviz.engine.declaration import registry
from tapeviz.namespaces.table import NAMESPACES
from tapeviz.recording import Recording

__all__ = ["cell", "constant", "op_call", "program"]

_MODULES: Final = (
    "tapeviz",
    "tapeviz.math",
    "tapeviz.nn",
    "tapeviz.linalg",
    "tapeviz.signal",
    "tapeviz.image",
    "tapeviz.debugging",
)
# Python's signs by the methods that ops are, as their declarations say.
_SIGNS: Final = {"add": "+", "sub": "-", "mul": "*", "pow": "**", "matmul": "@"}
_KNOWN_LATE: Final = re.compile(r"computed|\.shape\[")  # attributes that a graph learns as it runs, as text
_LITERAL: Final = 8  # elements of an input that is written out


class _Cell:
    """The ops of some rows as lines of Python, in their order.

    A tensor that none of them makes is an input. So is what an op makes that Python has no call for.
    """

    def __init__(self, graph: Graph, elements: Any, resize: Mapping[int, int] | None = None) -> None:
        self.graph = graph
        self._elements = elements
        self._resize = resize or {}
        self._names: dict[int, str] = {}
        self._taken = {"tf", "tape", "result"}
        self.inputs: list[str] = []
        self.followed: list[str] = []
        self.ops: list[str] = []
        self.results: list[str] = []

    def add(self, event: int) -> None:
        """The line of an op, and its inputs' before it."""
        op, made = self.graph.op(event), self.graph.outputs[event]
        attributes = self._resized(self.graph.attributes(event))
        if not made:
            return
        if not _callable(op, len(self.graph.inputs[event]), attributes):
            self.ops.append(
                f"# {op} has no call with {', '.join(attributes) or 'these arguments'}: its result is an input"
            )
            return
        sources = [self._input(row) for row in self.graph.inputs[event]]
        results = ", ".join(self._name(row) for row in made)
        self.ops.append(f"{results} = {_indexed(sources, attributes) or op_call(op, sources, attributes)}")
        unread = [name for name in self.results if name not in sources]
        self.results = [*unread, *(self._names[row] for row in made)]

    def _input(self, row: int) -> str:
        if row in self._names:
            return self._names[row]
        name = self._name(row)
        graph, shape = self.graph, [self._resize.get(size, size) for size in self.graph.shape(row)]
        array = self._elements(graph.tensor_id(row)) if graph.size(row) <= _LITERAL else None
        if array is not None:
            self.inputs.append(f"{name} = {constant(np.asarray(array))}")
        elif graph.is_floating[row]:
            seed = f"seed=[0, {len(self.inputs)}]"
            self.inputs.append(f"{name} = tf.random.stateless_normal({shape}, {seed}, dtype=tf.{graph.dtype(row)})")
        else:
            self.inputs.append(f"{name} = tf.zeros({shape}, tf.{graph.dtype(row)})")
        if graph.is_floating[row]:
            self.followed.append(name)
        return name

    def _resized(self, attributes: Mapping[str, Any]) -> Mapping[str, Any]:
        """Shapes among the attributes change with those of the inputs."""
        if not self._resize or not isinstance(shape := attributes.get("shape"), list):
            return attributes
        return {**attributes, "shape": [self._resize.get(size, size) for size in shape]}

    def _name(self, row: int) -> str:
        said = self.graph.names.get(row, "").partition(":")[0]
        first = said if said.isidentifier() and not keyword.iskeyword(said) else "x"
        name, count = first, 0
        while name in self._taken:
            count += 1
            name = f"{first}_{count}"
        self._taken.add(name)
        self._names[row] = name
        return name


def cell(recording: Recording, events: Sequence[int], elements: Any) -> str:
    """These events of a recording as a cell that runs.

    Args:
        recording: what they are of.
        events: their ids; a backward step stands for its forward op, and asks for the gradients.
        elements: gives what a tensor held by its id, None where that was not kept.

    Raises:
        LookupError: there is no op among them.
    """
    graph = graph_of(recording)
    rows = np.flatnonzero(np.isin(recording.events.id, np.asarray(events)))
    backward = [row for row in rows.tolist() if graph.is_backward(row)]
    forward = {row for row in rows.tolist() if not graph.is_backward(row)}
    forward |= {int(graph.links.origin[row]) for row in backward} - {-1}
    return program(graph, sorted(forward), elements, gradients=bool(backward))


def program(
    graph: Graph, events: Sequence[int], elements: Any, *, gradients: bool, resize: Mapping[int, int] | None = None
) -> str:
    """Forward ops (rows of events) as a cell; with ``gradients`` it asks for those by its inputs.

    ``resize`` has other sizes for axes, by the size recorded. Otherwise as :func:`cell`.
    """
    made = _Cell(graph, elements, resize)
    for row in events:
        if graph.op(row) and not graph.is_span(row):
            made.add(row)
    if not made.results:
        raise LookupError("no op is selected that Python has a call for")
    return "\n".join(_lines(made, gradients=gradients))


def _lines(made: _Cell, *, gradients: bool) -> Iterator[str]:
    yield from ("import tapeviz as tf", *made.inputs)
    if not (gradients and made.followed):
        yield from (*made.ops, f"print({', '.join(made.results)})")
        return
    sources, results = (f"[{', '.join(names)}]" for names in (made.followed, made.results))
    yield from ("with tf.GradientTape() as tape:", f"    tape.watch({sources})", *(f"    {line}" for line in made.ops))
    yield f"print(tape.gradient({results if len(made.results) > 1 else made.results[0]}, {sources}))"


def _callable(op: str, inputs: int, attributes: Mapping[str, Any]) -> bool:
    """Whether what users call takes the inputs of the op, and its attributes by their names."""
    if attributes.keys() == {"key"}:
        return inputs == 1
    if _KNOWN_LATE.search(repr(list(attributes.values()))):
        return False
    declared = registry.get(op)
    if declared is not None and "custom_gradient" in declared.traits:
        return False  # it is made by calls of the user's
    count = 1 if declared is not None and declared.variadic else inputs
    given = _given(op, attributes)
    first = [given.pop(name) for name in _first(op) if name in given]
    try:
        inspect.signature(_function(op)).bind(*first, *range(inputs if first else count), **given)
    except (AttributeError, TypeError, ValueError):
        return False
    return True


def _function(op: str) -> Any:
    """The function by which users call an op."""
    return reduce(getattr, public_name(op).split(".")[1:], tapeviz)


def _given(op: str, attributes: Mapping[str, Any]) -> dict[str, Any]:
    """The attributes that are written: not those that are off, unless they are on where nothing is said."""
    try:
        parameters = inspect.signature(_function(op)).parameters
        is_on = {name for name, parameter in parameters.items() if parameter.default is True}
    except (AttributeError, TypeError, ValueError):
        is_on = set()
    return {
        name: value
        for name, value in attributes.items()
        if value is not None and (value is not False or name in is_on)
    }  # fmt: skip


def _first(op: str) -> list[str]:
    """What users give before the tensors, where they give these one by one: the equation of a sum of products."""
    try:
        parameters = list(inspect.signature(_function(op)).parameters.values())
    except (AttributeError, TypeError, ValueError):
        return []
    kinds = [parameter.kind for parameter in parameters]
    tensors = inspect.Parameter.VAR_POSITIONAL
    return [parameter.name for parameter in parameters[: kinds.index(tensors)]] if tensors in kinds else []


def _indexed(sources: Sequence[str], attributes: Mapping[str, Any]) -> str | None:
    """A tensor in square brackets, where that is what an op is."""
    if attributes.keys() != {"key"}:
        return None
    return f"{sources[0]}[{', '.join('tf.newaxis' if part is None else str(part) for part in attributes['key'])}]"


def constant(array: np.ndarray) -> str:
    """An array, as a call that makes it."""
    shape = f"[{', '.join(map(str, array.shape))}]"
    dtype = "" if array.dtype in (np.float32, np.int32, np.bool_) else f", tf.{array.dtype.name}"
    if not array.size:
        return f"tf.zeros({shape}, tf.{array.dtype.name})"
    if array.size > 1 and (array == array.flat[0]).all() and array.flat[0] in (0, 1):
        made = "tf.zeros" if array.flat[0] == 0 else "tf.ones"
        return f"{made}({shape}{dtype or (', tf.int32' if array.dtype == np.int32 else '')})"
    return f"tf.constant({_numbers(array)}{dtype})"


def _numbers(array: np.ndarray) -> str:
    """The elements of an array as lists, each in the fewest digits that its dtype knows it by."""
    if array.ndim:
        return f"[{', '.join(map(_numbers, array))}]"
    if array.dtype.kind != "f":
        return repr(array.item())
    if not np.isfinite(array):
        return f'{"-" if array < 0 else ""}float("{"nan" if np.isnan(array) else "inf"}")'
    return repr(float(str(array.dtype.type(array))))


def op_call(op: str, names: Sequence[str], attrs: Mapping[str, Any]) -> str:
    """The call of an op with these arguments, or an operator's sign between them."""
    given = _given(op, attrs)
    declared = registry.get(op)
    sign = None if declared is None else _SIGNS.get(declared.operator)
    if sign is not None and not given:
        return f" {sign} ".join(names)
    is_reduction = declared is not None and declared.family == "reduction"
    given = {
        name: value[0] if is_reduction and name == "axis" and isinstance(value, list) and len(value) == 1 else value
        for name, value in given.items()
    }
    first = [repr(given.pop(name)) for name in _first(op) if name in given]
    is_list = declared is not None and declared.variadic and not first
    taken = [f"[{', '.join(names)}]"] if is_list else [*first, *names]
    return f"{public_name(op)}({', '.join([*taken, *(f'{name}={value!r}' for name, value in given.items())])})"


def public_name(op: str) -> str:
    """Where users find an op."""
    for module in _MODULES:
        table = NAMESPACES[module]
        names = [] if isinstance(table, str) else [name for entry in table.values() for name in entry.split()]
        for name in names:
            if op in (name, name.partition("=")[2]):
                return f"tf{module.removeprefix('tapeviz')}.{name.partition('=')[0]}"
    return f"tf.raw_ops.{op}"
