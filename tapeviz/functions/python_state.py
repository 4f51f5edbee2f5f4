"""What a trace saw of Python's state: the numbers, lists and random generators that its functions could reach by name.

A graph goes on with what they were. Names are looked up where a function begins, by its code, which costs a few
microseconds; on which line a name was read is found from the source when somebody wants to know (``python_reads``).
"""

from __future__ import annotations

import functools
import reprlib
import sys
import weakref
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from types import CellType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any, Final

import numpy as np

from tapeviz.engine.tensor import EagerTensor

__all__ = ["Contents", "PythonState", "Value", "same"]

_PLAIN: Final = frozenset((bool, int, float, complex, str, bytes, type(None)))
_SIZED: Final = frozenset((list, dict, set))
_DEPTH: Final = 3
_MOST_BYTES: Final = 1 << 14  # of an array that is compared at each run
_MOST_ELEMENTS: Final = 64  # of a list
_GONE: Final = object()


@dataclass(frozen=True, slots=True)
class Contents:
    """What was in a list or an array, which may change in place."""

    text: str
    digest: Hashable


class Value:
    """A value that a function could read by a name, such as ``("self", "rate")``, and where it is read again.

    Attributes:
        path: the name in the function, as its parts.
        then: what it was when the function began.
        left: what it was when the trace was over.
    """

    __slots__ = ("_key", "_place", "left", "path", "then")

    def __init__(self, path: tuple[str, ...], place: Any, key: str, value: Any) -> None:
        self.path, self._key = path, key
        self._place: Any = place if place.__class__ is dict or place.__class__ is CellType else weakref.ref(place)
        self.then = self.left = _kept(value)

    def now(self) -> Any:
        """What it is; what it was where it is gone."""
        place = self._place
        try:
            if place.__class__ is dict:
                return _kept(place.get(self._key, self.left))
            if place.__class__ is CellType:
                return _kept(place.cell_contents)
        except ValueError:  # an empty cell
            return self.left
        owner = place()
        return self.left if owner is None else _kept(vars(owner).get(self._key, self.left))


class PythonState:
    """What the functions that ran in a trace could see.

    Attributes:
        functions: their code and global names, in the order in which they ran.
        values: what they could read.
        grown: the names of lists, dicts and sets that have another size since.
        drawn: the random generators that were drawn from, by the names of those that are no module's.
    """

    def __init__(self) -> None:
        self.functions: list[tuple[CodeType, dict[str, Any]]] = []
        self.values: list[Value] = []
        self.grown: set[tuple[str, ...]] = set()
        self.drawn: set[Hashable] = set()
        self.runs: int = 0
        self._seen: set[tuple[CodeType, int]] = set()
        self._sizes: list[tuple[tuple[str, ...], Any, int]] = []
        self._generators: dict[Hashable, tuple[Any, Any]] = {}
        self._told: set[int] = set()

    def enter(self, function: FunctionType, owner: Any) -> None:
        """A function is about to be called in the trace; ``owner`` is the object whose method it is, or None."""
        code, names = function.__code__, function.__globals__
        if owner is not None and (code, id(owner)) not in self._seen and code.co_argcount:
            self._seen.add((code, id(owner)))
            self._look_into((code.co_varnames[0],), owner, code)
        if (code, 0) in self._seen:
            return
        self._seen.add((code, 0))
        self.functions.append((code, names))
        for name in code.co_names:
            if name in names:
                self._see((name,), names, name, names[name], code)
        for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
            try:
                self._see((name,), cell, name, cell.cell_contents, code)
            except ValueError:  # an empty cell
                continue

    def begin(self, function: Any, owner: Any = None) -> None:
        """The trace is that of this callable."""
        while isinstance(function, functools.partial):
            function = function.func
        if isinstance(function, MethodType):
            function, owner = function.__func__, function.__self__
        if isinstance(function, FunctionType):
            self.enter(function, owner)

    def _see(self, path: tuple[str, ...], place: Any, key: str, value: Any, code: CodeType) -> None:
        kind = value.__class__
        if kind in _PLAIN or isinstance(value, (np.generic, EagerTensor)):
            self.values.append(Value(path, place, key, value))
        elif kind in _SIZED:
            self._sizes.append((path, value, len(value)))
            self._see_items(path, value, code)
            if kind is list and _contents(value) is not None:
                self.values.append(Value(path, place, key, value))
        elif kind is np.ndarray:
            if value.nbytes <= _MOST_BYTES:
                self.values.append(Value(path, place, key, value))
        elif kind is ModuleType or _is_random(kind):
            self._watch(path, value, code)
        elif kind is not FunctionType and len(path) < _DEPTH:
            self._look_into(path, value, code)

    def _see_items(self, path: tuple[str, ...], value: Any, code: CodeType) -> None:
        if value.__class__ is dict and len(path) < _DEPTH:
            for name in code.co_consts:
                if name.__class__ is str and value.get(name, _GONE).__class__ in _PLAIN:
                    self.values.append(Value((*path, f"[{name!r}]"), value, name, value[name]))

    def _look_into(self, path: tuple[str, ...], owner: Any, code: CodeType) -> None:
        names = getattr(owner, "__dict__", None)
        if not isinstance(names, Mapping) or isinstance(owner, ModuleType) or not hasattr(owner, "__weakref__"):
            return
        for name in code.co_names:
            if name in names:
                self._see((*path, name), owner, name, names[name], code)

    # Random generators.

    def _watch(self, path: tuple[str, ...], value: Any, code: CodeType) -> None:
        name: Hashable = path
        if value.__class__ is ModuleType:
            if (value is np and "random" in code.co_names) or value.__name__ == "numpy.random":
                name, value = "numpy.random", np.random.mtrand._rand
            elif value.__name__ == "random":
                name, value = "random", value._inst
            else:
                return
        if name not in self._generators:
            self._generators[name] = (value, _state(value))

    def finish(self) -> None:
        """The trace is over: nothing is held from here on that was not a plain value."""
        for value in self.values:
            value.left = value.now()
        self.grown = {path for path, container, size in self._sizes if len(container) != size}
        self.drawn = {name for name, (generator, state) in self._generators.items() if _state(generator) != state}
        self._sizes.clear()
        self._generators.clear()
        self._seen.clear()

    # Runs of the graph.

    def changes(self) -> Iterator[tuple[Value, Any]]:
        """The graph runs: the values that are others than it goes on with, each once, and what they are now.

        What the trace itself changed has changed for the runs after the first one.
        """
        self.runs += 1
        for number, value in enumerate(self.values):
            now = value.now()
            if now is value.then or number in self._told or same(now, value.then):
                continue
            if self.runs > 1 or not same(now, value.left):
                self._told.add(number)
                yield value, now


def _kept(value: Any) -> Any:
    """A value without keeping tensors and other objects alive."""
    if value.__class__ in _PLAIN or isinstance(value, np.generic):
        return value
    if value.__class__ in (list, np.ndarray) and (contents := _contents(value)) is not None:
        return contents
    try:
        return weakref.ref(value)
    except TypeError:
        return id(value)


def _contents(value: list[Any] | np.ndarray) -> Contents | None:
    """What is in it; None where it is long, or holds more than plain values."""
    if isinstance(value, np.ndarray):
        if value.nbytes > _MOST_BYTES or value.dtype.hasobject:
            return None
        return Contents(reprlib.repr(value.tolist()), (value.shape, value.dtype.str, value.tobytes()))
    if len(value) > _MOST_ELEMENTS or not all(one.__class__ in _PLAIN for one in value):
        return None
    return Contents(reprlib.repr(value), repr(value))


def same(one: Any, other: Any) -> bool:
    """Whether a value, as it is kept here, is the same as another one."""
    if one is other or one.__class__ is not other.__class__ or one.__class__ is weakref.ref:
        return one is other
    return bool(one == other) or repr(one) == repr(other)  # NaN equals nothing


def _is_random(kind: type) -> bool:
    return kind.__module__.startswith("numpy.random") or (
        (module := sys.modules.get("random")) is not None and issubclass(kind, module.Random)
    )


def _state(generator: Any) -> Any:
    if hasattr(generator, "getstate"):
        return generator.getstate()
    told = generator.get_state(legacy=False) if hasattr(generator, "get_state") else generator.bit_generator.state
    return _plain(told)


def _plain(state: Any) -> Any:
    if isinstance(state, dict):
        return {name: _plain(part) for name, part in state.items()}
    return state.tobytes() if isinstance(state, np.ndarray) else state
