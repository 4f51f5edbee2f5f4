"""A program while it is written: each statement is run as soon as it stands there, and stays if that goes well.

So shapes and dtypes are known without a rule of any op being written down a second time.
"""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable, Iterator
from typing import Any

import tapeviz as tf
from tapeviz.engine.tensor import EagerTensor
from tests.fuzz.programs import _HEAD, Item, Statement

__all__ = ["DTYPES", "FLOATS", "INTEGERS", "NUMBERS", "SMALL", "Builder"]

FLOATS = ["float32", "float32", "float32", "float64", "float64", "float16", "bfloat16"]
INTEGERS = ["int32", "int32", "int64", "int8", "int16", "uint8", "uint16", "uint32", "uint64"]
COMPLEX = ["complex64", "complex128"]
DTYPES = [*FLOATS * 3, *INTEGERS * 2, "bool", "bool", *COMPLEX]
NUMBERS = {*FLOATS, *INTEGERS}
SMALL = [[], [1], [2], [3], [4], [7], [2, 3], [3, 2], [1, 3], [3, 1], [4, 4], [2, 1, 3], [2, 2, 2], [5, 3], [0], [16]]
EDGES = [15, 16, 17, 31, 33, 63, 64, 65, 127, 128, 129, 255, 257, 511, 1000, 1023, 1024, 1025, 2047, 2048, 2049]
LARGE = [4096, 8191, 16383, 16384, 16385, 32768, 65535, 65536, 65537, 131071, 131072, 131073, 200001, 262145]
MOST_ELEMENTS = 1_500_000
MOST_TENSORS = 500  # of one statement; a row of 200,001 unstacked takes as long as hundreds of programs
RUDE = (KeyError, AttributeError, IndexError, AssertionError, RecursionError, SystemError, NameError)
"""Classes of errors that say nothing to a user: a fault wherever a program meets one."""


class Builder:
    """Inputs, objects and statements so far, and what the names stand for."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.rng = random.Random(seed)
        self.objects: list[Item] = []
        self.inputs: list[Item] = []
        self.statements: list[Statement] = []
        self.scope: dict[str, Any] = {"call": 0}
        exec(_HEAD, self.scope)
        self.values: dict[str, EagerTensor] = {}
        self.rude: list[tuple[str, str]] = []
        self._count = 0

    # Chance.

    def chance(self, share: float) -> bool:
        """Tell whether something happens that happens in this share of cases."""
        return self.rng.random() < share

    def shape(self) -> list[int]:
        """Return a shape: mostly a small one, at times one with sizes about which code decides."""
        draw = self.rng.random()
        if draw < 0.8:
            return list(self.rng.choice(SMALL))
        sizes = [self.rng.choice(EDGES if draw < 0.97 else LARGE)]
        if self.chance(0.3):
            sizes.insert(self.rng.randrange(2), self.rng.choice([1, 2, 3]))
        return sizes

    def dtype(self) -> str:
        """Return the name of a dtype."""
        return self.rng.choice(DTYPES)

    def fresh(self, letter: str = "y") -> str:
        """Return a name that is not taken."""
        self._count += 1
        return f"{letter}{self._count}"

    # Growing.

    def made(self, letter: str, code: str, *, thing: bool = False) -> str | None:
        """Make an object (with ``thing``) or an input of the expression; None if that fails."""
        name = self.fresh(letter)
        try:
            value = eval(code, self.scope)
        except Exception as error:  # noqa: BLE001 - a refusal is an answer
            self._refused(code, error)
            return None
        self.scope[name] = value
        (self.objects if thing else self.inputs).append(Item(name, code))
        if isinstance(value, EagerTensor):
            self.values[name] = value
        return name

    def input(self, shape: list[int], dtype: str, kind: str | None = None) -> str:
        """Return a new argument of the program."""
        kind = kind or self.rng.choice(["usual", "usual", "usual", "special", "positive"])
        text = f"tensor({self.rng.randrange(1000)} + call, {shape}, {dtype!r}" + (f", {kind!r})", ")")[kind == "usual"]
        name = self.made("x", text)
        assert name is not None, text
        return name

    def add(self, text: str) -> bool:
        """Run a statement of one line and keep it if it ran."""
        return self.keep(Statement(text))

    def keep(self, statement: Statement) -> bool:
        """Run a statement; keep it, and what it has made, if that went well."""
        scope = dict(self.scope)
        try:
            exec("\n".join(["if True:", *statement.lines()]), scope)
            new = {name: scope[name] for name in statement.makes() if name in scope}
            if statement.body:  # what is made in a block first may not be there after it
                new = {name: value for name, value in new.items() if name in self.scope}
            if any(_too_large(value) for value in new.values()):
                return False
        except Exception as error:  # noqa: BLE001 - a refusal is an answer
            self._refused("\n".join(statement.lines("")), error)
            return False
        self.scope.update(new)
        self.values.update({name: value for name, value in new.items() if isinstance(value, EagerTensor)})
        self.statements.append(statement)
        return True

    def let(self, code: str, letter: str = "y") -> str | None:
        """Add ``name = code``: the name, if it is a tensor; of several tensors, the last."""
        name = self.fresh(letter)
        if not self.add(f"{name} = {code}"):
            return None
        value = self.scope[name]
        if isinstance(value, EagerTensor):
            return name
        parts = [i for i, part in enumerate(value) if isinstance(part, EagerTensor)] if _is_list(value) else []
        if not parts:
            self.statements.pop()
            return None
        for i in parts[:3]:
            last = self.fresh()
            self.add(f"{last} = {name}[{i}]")
        return last

    def _refused(self, text: str, error: Exception) -> None:
        if isinstance(error, RUDE):
            self.rude.append((text, f"{type(error).__name__}: {error}"))

    @contextlib.contextmanager
    def inside(self) -> Iterator[list[Statement]]:
        """Give the list that statements inside the block are collected in; their names are gone after it."""
        before = self.statements, dict(self.scope), dict(self.values)
        known = len(self.inputs), len(self.objects)
        self.statements = []
        try:
            yield self.statements
        finally:
            scope, values = self.scope, self.values
            self.statements, self.scope, self.values = before
            for name, _ in (*self.inputs[known[0] :], *self.objects[known[1] :]):
                self.scope[name] = scope[name]
                if name in values:
                    self.values[name] = values[name]

    # Looking.

    def those(self, wanted: Callable[[Any], bool]) -> list[str]:
        """Return the names of tensors for which ``wanted`` holds."""
        return [name for name, value in self.values.items() if wanted(value)]

    def any(self, wanted: Callable[[Any], bool] = lambda _: True) -> str | None:
        """Return the name of such a tensor, one of the latest rather; None where there is none."""
        names = self.those(wanted)
        if not names:
            return None
        return self.rng.choice(names[-4:] if self.chance(0.6) else names)

    def tensor_of(self, shape: list[int], dtype: str, kind: str | None = None) -> str:
        """Return a tensor of that form: one that is there, one made from such by a cast or a reshape, or a new one."""
        form, size = tuple(shape), _product(shape)
        found = self.any(lambda v: tuple(v.shape) == form and v.dtype.name == dtype)
        if found is not None and self.chance(0.8):
            return found
        if self.chance(0.5):
            found = self.any(lambda v: _product(v.shape) == size and v.dtype.name == dtype)
            made = found and self.let(f"tf.reshape({found}, {shape})")
            if made:
                return made
        if self.chance(0.3):
            found = self.any(lambda v: tuple(v.shape) == form and v.dtype.name in NUMBERS)
            made = found and self.let(f"tf.cast({found}, tf.{dtype})")
            if made:
                return made
        return self.input(shape, dtype, kind)


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple))


def _product(shape: Any) -> int:
    found = 1
    for size in shape:
        found *= size
    return found


def _too_large(value: Any) -> bool:
    if _is_list(value) and len(value) > MOST_TENSORS:
        return True
    return any(_product(leaf.shape) > MOST_ELEMENTS for leaf in tf.nest.flatten(value) if isinstance(leaf, EagerTensor))
