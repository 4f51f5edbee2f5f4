"""A program as plain data: what it makes first, what it is given, its statements, what it returns.

It can be printed as Python that runs by itself, taken apart by whoever shrinks it, and compared.
"""

from __future__ import annotations

import itertools
import linecache
import re
from collections.abc import Iterator
from pathlib import Path
from types import CodeType
from typing import Any, NamedTuple, Self

__all__ = ["Item", "Program", "Statement", "Stored", "load", "names_in", "stored"]

_files = itertools.count()
_WORD = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
_EFFECT = re.compile(r"assign|layer|optimizer")
_NUMBERED = re.compile(r"[a-z]+\d+")
_HEAD = (
    "import numpy as np\n\nimport tapeviz as tf\nfrom tapeviz.engine.declaration import registry\n"
    "from tests.fuzz.values import built, sample, tensor\n"
)


def names_in(text: str) -> set[str]:
    """Return the words of a text that can be names; what follows a point is not one."""
    return set(_WORD.findall(text))


class Item(NamedTuple):
    """A name, and the expression that makes what it stands for."""

    name: str
    code: str


class Statement(NamedTuple):
    """A line of Python, perhaps with lines inside, and with a second part such as an ``else``."""

    text: str
    body: tuple[Statement, ...] = ()
    other: tuple[Statement, ...] = ()
    otherwise: str = "else:"

    def lines(self, indent: str = "    ") -> Iterator[str]:
        """Yield the lines."""
        yield indent + self.text
        for part, head in ((self.body, None), (self.other, self.otherwise)):
            if part and head:
                yield indent + head
            for statement in part:
                yield from statement.lines(indent + "    ")

    def words(self) -> set[str]:
        """Return all names in it."""
        return set().union(names_in(self.text), *(inner.words() for inner in (*self.body, *self.other)))

    def needs(self) -> set[str]:
        """Return the names of tensors and objects that must be there before it: letters with a number."""
        inner: set[str] = set()
        made: set[str] = set()
        for part in (self.body, self.other):
            made = set()
            for statement in part:
                inner |= statement.needs() - made
                made |= statement.makes()
        _, equals, code = self.text.partition(" = ")
        own = names_in(code if equals and not self.body else self.text) | (inner - self._loop_names())
        return {name for name in own - self._loop_names() if _NUMBERED.fullmatch(name)}

    def _loop_names(self) -> set[str]:
        return names_in(self.text[4:].partition(" in ")[0]) if self.text.startswith("for ") else set()

    def makes(self) -> set[str]:
        """Return the names that it assigns, those inside included."""
        head, equals, _ = self.text.partition(" = ")
        own = names_in(head) if equals and not self.body else set()
        return own.union(*(inner.makes() for inner in (*self.body, *self.other)))


class Program(NamedTuple):
    """A whole program.

    Args:
        seed: from which it was made.
        objects: variables, layers and optimizers, made once.
        inputs: the arguments; ``call`` is the number of the call in their expressions.
        statements: the body.
        results: the names it returns.
        around: how the body is differentiated: "" (it is not), "tape" or "tapes" (a tape in a tape).
        sources: by what: inputs and variables.
        lowered: whether the sizes from which on work is cut into pieces are lowered for it.
    """

    seed: int
    objects: tuple[Item, ...]
    inputs: tuple[Item, ...]
    statements: tuple[Statement, ...]
    results: tuple[str, ...]
    around: str = ""
    sources: tuple[str, ...] = ()
    lowered: bool = False

    def source(self) -> str:
        """Return the program as Python."""
        lines = [_HEAD]
        lines += [f"{name} = {code}" for name, code in self.objects]
        lines += ["", f"def program({', '.join(item.name for item in self.inputs)}):", *self._body(), ""]
        lines += ["def arguments(call):", "    return [", *(f"        {code}," for _, code in self.inputs), "    ]", ""]
        return "\n".join(lines)

    def _body(self) -> Iterator[str]:
        results = "".join(f"{name}, " for name in self.results)
        if not self.around:
            for statement in self.statements:
                yield from statement.lines()
            yield f"    return ({results})"
            return
        inputs = {item.name for item in self.inputs}
        watched = ", ".join(name for name in self.sources if name in inputs)
        indent = "    "
        for tape in ["outer", "tape"][2 - (2 if self.around == "tapes" else 1) :]:
            yield f"{indent}with tf.GradientTape() as {tape}:"
            indent += "    "
            yield f"{indent}{tape}.watch([{watched}])"
        for statement in self.statements:
            yield from statement.lines(indent)
        sources = ", ".join(self.sources)
        indent = indent[4:]
        yield f"{indent}slopes = tape.gradient([{results}], [{sources}], unconnected_gradients='zero')"
        if self.around == "tapes":
            yield f"    bends = outer.gradient(slopes, [{sources}], unconnected_gradients='zero')"
            yield f"    return ({results}slopes, bends)"
        else:
            yield f"    return ({results}slopes)"

    def has(self, word: str) -> bool:
        """Tell whether it has an object whose name begins so."""
        return any(item.name.startswith(word) for item in self.objects)

    def sums(self) -> int | None:
        """Return from which result on they are gradients through graphs inside; None if none are."""
        inside = "tf.function(" in self.source() or any(statement.body for statement in self.statements)
        return len(self.results) if self.around and inside else None

    def needed(self) -> Program:
        """Return the program without the statements that no result and no effect needs, as a graph is run."""
        return self._replace(statements=_needed(self.statements, set(self.results)))

    def length(self) -> int:
        """Return how many lines its body has."""
        return sum(len(list(statement.lines())) for statement in self.statements)


class Stored(Program):
    """A program from a file: its text is as it stands there, whatever is left out of it."""

    text = ""

    def source(self) -> str:
        """Return the text."""
        return self.text

    def _replace(self, **changes: Any) -> Self:
        changed = super()._replace(**changes)
        changed.text = self.text
        return changed


def stored(path: Path) -> Program:
    """Return the program in a file."""
    program = Stored(0, (), (), (), (), lowered="lowered=True" in path.read_text())
    program.text = path.read_text()
    return program


def _needed(statements: tuple[Statement, ...], names: set[str]) -> tuple[Statement, ...]:
    """Return those that give the names, or have effects; ``names`` are what is needed before them from then on."""
    kept = []
    for statement in reversed(statements):
        one = _needed_of(statement, names)
        if one is not None:
            kept.append(one)
    return tuple(reversed(kept))


def _needed_of(statement: Statement, names: set[str]) -> Statement | None:
    if not statement.body:
        name, equals, code = statement.text.partition(" = ")
        if equals and name not in names and not _EFFECT.search(code):
            return None
        names.discard(name)
        names |= names_in(code or statement.text)
        return statement
    loops = statement.text.startswith(("while ", "for "))
    before, other = set(names), set(names)
    body = _needed(statement.body, names)
    if loops:  # what one iteration makes, the next may need
        names |= before
        body = _needed(statement.body, names)
    rest = _needed(statement.other, other)
    if not body and not rest:
        return None
    names |= before | other | names_in(statement.text)
    return statement._replace(body=body or (Statement("pass"),), other=rest)


def load(program: Program | str) -> dict[str, Any]:
    """Run the program's text: return its names, of which ``program`` and ``arguments`` are functions."""
    code = program if isinstance(program, CodeType) else compiled(program)
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(code, names)
    return names


def compiled(program: Program | str) -> CodeType:
    """Return the program's code, with its text where AutoGraph looks for it."""
    text = program if isinstance(program, str) else program.source()
    file = f"<fuzz {next(_files)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    return compile(text, file, "exec")
