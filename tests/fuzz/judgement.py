"""Whether a difference is one that may be: found out by running the program in another form, not by looking at it."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable
from typing import Any

import tapeviz as tf
from tests.fuzz.comparison import Outcome, difference
from tests.fuzz.programs import Program, Statement, compiled, load

__all__ = ["as_in_functions", "fails_aside", "map_rows", "only_rounding"]

_LINE = re.compile(r"at line (\d+) of <fuzz")
_NARROW = re.compile(r"\b(float32|float16|bfloat16)\b")
_FIXED_SIZE = re.compile(r"tf\.TensorArray\(tf\.\w+, (\d+)\)\.unstack\(\w+\)\.size\(\)")
_MOST_FAILURES = 3
_CLOSE = 1e-9  # of the largest element: a last bit of float64 that cancellation has made larger


def fails_aside(program: Program, found: list[Outcome], eager: Callable[[Any], list[Outcome]]) -> bool:
    """Tell whether the eager program gives the same without what only fails.

    Either no result needs what fails, or only its shape, for whatever its values are: with zeros in its place, and with
    ones, the program gives what was found.
    """
    needed = program.needed()
    wanted = eager(compiled(needed))[: len(found)]
    if not difference(found, wanted):
        return True
    return all(_same_with(fill, needed, wanted, found, eager) for fill in ("zeros", "ones"))


def _same_with(
    fill: str, program: Program, wanted: list[Outcome], found: list[Outcome], eager: Callable[[Any], list[Outcome]]
) -> bool:
    for _ in range(_MOST_FAILURES):
        failed = next((one for one in wanted if one.error), None)
        changed = None if failed is None else _filled(program, failed, fill)
        if changed is None:
            return False
        program = changed
        wanted = eager(compiled(program))[: len(found)]
        if not difference(found, wanted):
            return True
    return False


def _filled(program: Program, failed: Outcome, fill: str) -> Program | None:
    """Return the program with a tensor of the known shape in the place of the statement that has failed."""
    line = _LINE.search(failed.words)
    if line is None:
        return None
    text = program.source().splitlines()[int(line[1]) - 1].strip()
    place = next((place for place, one in enumerate(program.statements) if one.text == text and not one.body), None)
    name, equals, _ = text.partition(" = ")
    if place is None or not equals:
        return None
    shape = _shape(program._replace(statements=program.statements[: place + 1], results=(name,), around=""))
    if shape is None:
        return None
    stand_in = Statement(f"{name} = tf.{fill}({shape[0]}, {shape[1]!r})")
    return program._replace(statements=(*program.statements[:place], stand_in, *program.statements[place + 1 :]))


def _shape(program: Program) -> tuple[list[int], str] | None:
    """Return shape and dtype of the one result, as they are known when the program is traced."""
    found: list[Any] = []

    def traced(*given: Any) -> None:
        found.extend(names["program"](*given))

    with contextlib.suppress(Exception):
        names = load(program)
        tf.function(traced).get_concrete_function(*names["arguments"](0))
        (tensor,) = found
        if tensor.shape.is_fully_defined():
            return tensor.shape.as_list(), tensor.dtype.name
    return None


def only_rounding(program: Program, run: Callable[[Any], tuple[list[Outcome], list[Outcome]]], sums: int) -> bool:
    """Tell whether sums that differ are the same in float64, so that rounding alone makes the difference."""
    text = _NARROW.sub("float64", program.source())
    if text == program.source():
        return False
    found, wanted = run(compiled(text))
    return not any(one.error for one in wanted) and not difference(found, wanted, sums=sums, close=_CLOSE)


def as_in_functions(program: Program) -> dict[str, str]:
    """Return the program's text with what functions have otherwise, as TensorFlow's do, by the reason."""
    text = program.source()
    maps = "from tests.fuzz.judgement import map_rows\n" + text.replace("tf.map_fn(", "map_rows(")
    forms = {"a map over nothing": maps, "a list of another length": _FIXED_SIZE.sub(r"tf.constant(\1)", text)}
    return {reason: changed for reason, changed in forms.items() if not changed.endswith(text)}


def map_rows(function: Any, rows: Any, **options: Any) -> Any:
    """Return what ``tf.map_fn`` gives; over no rows, what it gives in a function."""
    first = tf.nest.flatten(rows)[0]
    mapped = tf.map_fn if first.shape[0] else tf.function(tf.map_fn)
    return mapped(function, rows, **options)
