"""Functions traced once more, to see what in their graphs came from Python: numbers, and which way a branch went."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tapeviz.functions.traces import live_functions

if TYPE_CHECKING:
    from tapeviz.functions.function import Function

__all__ = ["Difference", "differences"]

_SHOWN: Final = 60
_VARIES: Final = frozenset(("seed", "name"))  # attributes that differ from trace to trace, and mean nothing by it


@dataclass(frozen=True, slots=True)
class Difference:
    """Where a function, traced again for the same arguments, does something else than its graph.

    Attributes:
        function: the function's name.
        then, now: a number or an op, of the graph and of the new trace; ``now`` is the error of one that failed.
        kind: ``"number"``, ``"op"`` or ``"error"``.
        place: file and line; None for an error.
    """

    function: str
    then: str
    now: str
    kind: str
    place: tuple[str, int] | None = None


def differences(wanted: Collection[tuple[int, int]]) -> dict[tuple[int, int], Difference | None]:
    """Trace functions again, given as the numbers of functions and of their traces; of each the first difference.

    What the functions do in Python happens once more. Those that are gone are left out; None: it is the same graph.
    """
    return {
        (function.number, trace.number): _first(function, trace)
        for function in sorted(live_functions, key=lambda one: one.number)
        for trace in [*function.traces]
        if (function.number, trace.number) in wanted and trace.graph is not None
    }


def _first(function: Function[..., Any], trace: Any) -> Difference | None:
    name = function.__name__
    try:
        again = function.traced_again(trace)
    except Exception as error:  # noqa: BLE001 - whatever the user's Python raises now
        return Difference(name, "", f"{type(error).__name__}: {error}".partition("\n")[0].rstrip(": "), "error")
    for then, now in zip_longest(_nodes(trace.graph), _nodes(again)):
        kind, before, after = _difference(then, now)
        if kind:
            return Difference(name, before, after, kind, _place(now if then is None else then))
    return None


def _nodes(graph: Any) -> Iterator[Any]:
    """The nodes of a graph, and those of the branches and bodies inside it."""
    for node in graph.nodes:
        yield node
        for region in node.regions:
            yield from _nodes(region)


def _difference(then: Any, now: Any) -> tuple[str, str, str]:
    """What differs between two nodes, and what it is in each; empty where nothing does."""
    if then is None or now is None or then.op is not now.op or len(then.inputs) != len(now.inputs):
        return "op", _op(then), _op(now)
    for key in sorted((then.attrs.keys() | now.attrs.keys()) - _VARIES):
        one, other = then.attrs.get(key), now.attrs.get(key)
        if hasattr(one, "_host") and hasattr(other, "_host"):
            one, other = one._host(), other._host()
        if not _same(one, other):
            return "number", _text(one), _text(other)
    return "", "", ""


def _same(one: Any, other: Any) -> bool:
    """Whether two attributes mean the same; of objects that are made by each trace nothing is known."""
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(one, other, equal_nan=one.dtype.kind in "fc")
    plain = (bool, int, float, complex, str, bytes, tuple, list)
    return not (isinstance(one, plain) and isinstance(other, plain)) or repr(one) == repr(other)


def _place(node: Any) -> tuple[str, int] | None:
    """File and line of what made a node."""
    if node.code is None:
        return None
    lines = [position[0] for position in node.code.co_positions()]
    return node.code.co_filename, lines[max(node.instruction, 0) // 2] or node.code.co_firstlineno


def _op(node: Any) -> str:
    return "nothing" if node is None else str(node.op.name)


def _text(value: Any) -> str:
    text = str(value.tolist() if isinstance(value, np.ndarray) else value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
