"""Whether a difference is one that may be: found out by running the program in another form, not by looking at it."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable
from typing import Any

import tapeviz as tf
from tests.fuzz.comparison import Outcome, difference
from tests.fuzz.programs import Program, Statement, compiled, load

__all__ = ["as_in_functions", "fails_aside", "in_float64", "kept", "map_rows", "only_rounding"]

_LINE = re.compile(r"at line (\d+) of <fuzz")
_NARROW = re.compile(r"\b(float32|float16|bfloat16)\b")
_FIXED_SIZE = re.compile(r"tf\.TensorArray\(tf\.\w+, (\d+)\)\.unstack\(\w+\)\.size\(\)")
_IMPORT = "from tests.fuzz.judgement import kept\n"
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
        _seen.clear()
        wanted = eager(compiled(_IMPORT + program.source()))[: len(found)]
        if not difference(found, wanted):
            return True
    return False


def _filled(program: Program, failed: Outcome, fill: str) -> Program | None:
    """Return the program with a tensor of the right shape in the place of the statement that has failed."""
    line = _LINE.search(failed.words)
    if line is None:
        return None
    for text in (program.source(), _IMPORT + program.source()):
        lines = text.splitlines()
        name, equals, code = lines[int(line[1]) - 1].strip().partition(" = ")
        if equals and "kept(" not in code:
            stand_in = f"{name} = kept({name!r}, lambda: {code}, {fill!r}, {_shape(program, name)})"
            changed = _replaced(program.statements, f"{name} = {code}", stand_in)
            if changed != program.statements:
                return program._replace(statements=changed)
    return None


def _replaced(statements: tuple[Statement, ...], text: str, other: str) -> tuple[Statement, ...]:
    return tuple(
        one._replace(
            text=other if one.text == text and not one.body else one.text,
            body=_replaced(one.body, text, other), other=_replaced(one.other, text, other),
        )
        for one in statements
    )  # fmt: skip


_seen: dict[str, Any] = {}


def kept(name: str, code: Callable[[], Any], fill: str, shape: tuple[list[int], str] | None) -> Any:
    """Return what the code gives; where it fails, that fill in the shape it has in a trace, or has had before."""
    try:
        value = code()
    except Exception:
        form = _seen.get(name, shape and tf.TensorSpec(*shape))
        if form is None:
            raise
        return tf.nest.map_structure(lambda spec: getattr(tf, fill)(spec.shape, spec.dtype), form)
    _seen[name] = tf.nest.map_structure(tf.TensorSpec.from_tensor, value)
    return value


def _shape(program: Program, name: str) -> tuple[list[int], str] | None:
    """Return shape and dtype of a tensor, as they are known when the program is traced; None where they are not."""
    place = next((at for at, one in enumerate(program.statements) if name in one.makes()), 0)
    found: list[Any] = []

    def traced(*given: Any) -> None:
        found.extend(names["program"](*given))

    with contextlib.suppress(Exception):
        short = program._replace(statements=program.statements[: place + 1], results=(name,), around="")
        names = load(compiled(_IMPORT + short.source()))
        tf.function(traced).get_concrete_function(*names["arguments"](0))
        (tensor,) = found
        if tensor.shape.is_fully_defined():
            return tensor.shape.as_list(), tensor.dtype.name
    return None


def only_rounding(program: Program, run: Callable[[Any], tuple[list[Outcome], list[Outcome]]], sums: int) -> bool:
    """Tell whether sums that differ are the same in float64, so that rounding alone makes the difference."""
    text = in_float64(program.source())
    if text == program.source():
        return False
    found, wanted = run(compiled(text))
    return not any(one.error for one in wanted) and not difference(found, wanted, sums=sums, close=_CLOSE)


def in_float64(text: str) -> str:
    """Return a program's text with float64 in the place of narrower dtypes."""
    return _NARROW.sub("float64", text)


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
