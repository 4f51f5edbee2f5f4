"""From a program that differs to a few lines that differ in the same way: what can be left out, is left out."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterable, Iterator
from time import monotonic
from typing import Any

from tapeviz.engine.tensor import EagerTensor
from tests.fuzz.programs import _HEAD, Item, Program, Statement, names_in
from tests.fuzz.runs import Finding, Report, check

__all__ = ["shrink"]

_NUMBER = re.compile(r"(?<![\w.])(?:[4-9]|\d\d+)(?![\w.])")


def shrink(program: Program, finding: Finding, seconds: float = 30.0, check: Callable[..., Report] = check) -> Program:
    """Return a program as short as can be found in that time, with the same kind of finding; ``check`` looks for it."""
    end = monotonic() + seconds
    ways = [] if finding.way in ("static shape", "fallback") else [finding.way]  # any way may have shown these

    def differs(candidate: Program) -> bool:
        with contextlib.suppress(Exception):
            return any(found.kind == finding.kind for found in check(candidate, ways).findings)
        return False

    return smallest(program, differs, lambda: monotonic() > end)


def smallest(program: Program, differs: Callable[[Program], bool], over: Callable[[], bool] = lambda: False) -> Program:
    """Return the last of the candidates, each made of the one before, for which ``differs`` holds."""
    found = True
    while found and not over():
        found = False
        for candidates in _STEPS:
            better = _first(candidates, program, differs, over)
            while better is not None:
                program, found = better, True
                better = _first(candidates, program, differs, over)
    return program


def _first(candidates: Any, program: Program, differs: Callable[[Program], bool], over: Callable[[], bool]) -> Any:
    for candidate in candidates(program):
        if over():
            return None
        candidate = _whole(candidate)  # noqa: PLW2901 - the same, made valid
        if candidate is not None and candidate != program and differs(candidate):
            return candidate
    return None


def _whole(program: Program) -> Program | None:
    """Return the program without what uses names that are gone, or is used by nobody; None if nothing is left."""
    known = {item.name for item in (*program.objects, *program.inputs)}
    kept = []
    for statement in program.statements:
        if statement.needs() <= known:
            kept.append(statement)
            known |= statement.makes()
    results = tuple(name for name in program.results if name in known)
    used = set(results).union(*(statement.words() for statement in kept))
    used |= {name for item in program.objects if item.name == "_" and names_in(item.code) & used
             for name in names_in(item.code)}  # fmt: skip
    sources = tuple(name for name in program.sources if name in used)
    if not kept or not (results or program.objects):
        return None
    return program._replace(
        statements=tuple(kept), results=results, sources=sources,
        around=program.around if sources and results else "",
        inputs=tuple(item for item in program.inputs if item.name in used),
        objects=tuple(i for i in program.objects if i.name in used or (i.name == "_" and names_in(i.code) & used)),
    )  # fmt: skip


# Candidates.


def _fewer_results(program: Program) -> Iterator[Program]:
    if len(program.results) > 1:
        for name in program.results:
            yield program._replace(results=(name,))
        for name in program.results:
            yield program._replace(results=tuple(other for other in program.results if other != name))
    if program.around:
        yield program._replace(around="")
        yield program._replace(around="tape")
        for name in program.sources if len(program.sources) > 1 else ():
            yield program._replace(sources=(name,))
    if program.lowered:
        yield program._replace(lowered=False)


def _fewer_statements(program: Program) -> Iterator[Program]:
    lines = program.statements
    size = len(lines)
    while size:
        for start in range(0, len(lines), size):
            yield program._replace(statements=(*lines[:start], *lines[start + size :]))
        size //= 2


def _simpler_blocks(program: Program) -> Iterator[Program]:
    for place, statement in enumerate(program.statements):
        for simpler in _simpler(statement):
            yield program._replace(statements=(*program.statements[:place], *simpler, *program.statements[place + 1 :]))


def _simpler(statement: Statement) -> Iterator[tuple[Statement, ...]]:
    if not statement.body:
        return
    yield statement.body
    if statement.other:
        yield statement.other
        yield (statement._replace(other=()),)
    for part in ("body", "other"):
        lines = getattr(statement, part)
        for place, inner in enumerate(lines):
            if len(lines) > 1 and not inner.text.endswith("+= 1"):  # without its step a loop would not end
                yield (statement._replace(**{part: (*lines[:place], *lines[place + 1 :])}),)
            for simpler in _simpler(inner):
                yield (statement._replace(**{part: (*lines[:place], *simpler, *lines[place + 1 :])}),)


def _inputs_instead(program: Program) -> Iterator[Program]:
    """Yield the program with an argument in the place of a tensor that a statement makes."""
    values = _values(program)
    for place, statement in enumerate(program.statements):
        name = statement.text.partition(" = ")[0]
        value = values.get(name)
        if statement.body or not isinstance(value, EagerTensor) or any(item.name == name for item in program.inputs):
            continue
        code = f"tensor(call, {[int(size) for size in value.shape]}, {value.dtype.name!r})"
        lines = (*program.statements[:place], *program.statements[place + 1 :])
        yield program._replace(inputs=(*program.inputs, Item(name, code)), statements=lines)


def _values(program: Program) -> dict[str, Any]:
    scope: dict[str, Any] = {"call": 0}
    with contextlib.suppress(Exception):
        exec(_HEAD, scope)
        for name, code in (*program.objects, *program.inputs):
            exec(f"{name} = {code}", scope)
        for statement in program.statements:
            exec("\n".join(["if True:", *statement.lines()]), scope)
    return scope


def _smaller_numbers(program: Program) -> Iterator[Program]:
    """Yield the program with a smaller number wherever a number stands."""
    texts = [item.code for item in (*program.inputs, *program.objects)]
    texts += [line for statement in program.statements for line in statement.lines()]
    numbers = sorted({found for text in texts for found in _NUMBER.findall(text)}, key=int, reverse=True)
    for number in numbers:
        for smaller in ("2", "3", str(int(number) // 2)):
            yield _replaced(program, number, smaller)


def _simpler_inputs(program: Program) -> Iterator[Program]:
    for place, (name, code) in enumerate(program.inputs):
        plain = re.sub(r", '(special|positive)'", "", re.sub(r"tensor\(\d+ \+ call", "tensor(call", code))
        if plain != code:
            yield program._replace(inputs=(*program.inputs[:place], Item(name, plain), *program.inputs[place + 1 :]))


def _replaced(program: Program, number: str, smaller: str) -> Program:
    pattern = re.compile(rf"(?<![\w.]){number}(?![\w.])")

    def changed(text: str) -> str:
        return pattern.sub(smaller, text)

    def items(those: Iterable[Item]) -> tuple[Item, ...]:
        return tuple(Item(name, changed(code)) for name, code in those)

    return program._replace(
        inputs=items(program.inputs), objects=items(program.objects), statements=_mapped(program.statements, changed)
    )


def _mapped(statements: tuple[Statement, ...], changed: Callable[[str], str]) -> tuple[Statement, ...]:
    return tuple(
        Statement(changed(one.text), _mapped(one.body, changed), _mapped(one.other, changed), one.otherwise)
        for one in statements
    )


_STEPS = (_fewer_results, _fewer_statements, _simpler_blocks, _inputs_instead, _smaller_numbers, _simpler_inputs)
