"""A filter asked of one op as it runs: what stops a program, or triggers a snapshot of it."""

from __future__ import annotations

import re
from collections.abc import Callable
from difflib import get_close_matches
from typing import Any, Final

import numpy as np

from tapeviz.analysis.query.grammar import FilterError, Term, parse
from tapeviz.analysis.query.masks import COMPARISONS, dimensions, fits, glob
from tapeviz.backends import backend_of
from tapeviz.engine.declaration import registry
from tapeviz.recorder.stops import Moment
from tapeviz.recording.rows.statistics import has_numbers

__all__ = ["condition"]

_ALIKE: Final = 0.85  # from here on a name of no op is one of an op with a letter wrong

_LATER: Final = {
    "name": "the name is stored when the op is done",
    "wrt": "the way of a gradient is known at its end",
}


def condition(text: str) -> Callable[[Moment], bool]:
    """Read a filter as a question to an op that has just run, forward or in a backward pass.

    It is the filter of ``docs/filter.md``, without ``name:`` and ``wrt:``, which are known later only. A word is looked
    for in the names of the op and of the scopes, layers and functions around it. ``|g|`` is the norm of a gradient that
    a backward step has just added to.

    Raises:
        FilterError: it cannot be read, is empty, would never hold, or asks what is not known while the op runs.

    >>> holds = condition("op:log nan")
    >>> import numpy as np
    >>> from tapeviz.recorder.stops import Moment
    >>> holds(Moment("log", "forward", 3, 1e-6, (np.array([-np.inf]),), ("CPU:0",), ()))
    True
    """
    terms = parse(text)
    if not terms:
        raise FilterError('a condition says at which op to stop, as in "nan", "|g|>100" or "op:matmul line:9"')
    tests = [(_test(term), not term.negated) for term in terms]
    return lambda moment: all(test(moment) is wanted for test, wanted in tests)


def _test(term: Term) -> Callable[[Moment], bool]:
    if term.key in _LATER:
        raise FilterError(f"{term.key}: cannot be asked while the program runs: {_LATER[term.key]}")
    return _TESTS[term.key](term)


def _op(term: Term) -> Callable[[Moment], bool]:
    for name in term.values:
        if name.lower() not in registry and (near := get_close_matches(name.lower(), registry, 1, _ALIKE)):
            raise FilterError(f"op:{name} would never hold: there is no such op; did you mean {near[0]!r}?")
    matches = glob(term.values)
    return lambda moment: matches(moment.op)


def _phase(term: Term) -> Callable[[Moment], bool]:
    matches = glob(term.values)
    return lambda moment: matches(moment.phase)


def _line(term: Term) -> Callable[[Moment], bool]:
    spans = [tuple(map(int, value.split("-"))) for value in term.values]
    if all(max(span) < 1 for span in spans):
        raise FilterError(f"line:{','.join(term.values)} would never hold: lines are counted from 1")
    return lambda moment: any(first <= moment.line <= last for first, last in spans)


def _shape(term: Term) -> Callable[[Moment], bool]:
    wanted = [dimensions(value) for value in term.values]

    def holds(moment: Moment) -> bool:
        shapes = [list(map(str, array.shape)) for array in moment.arrays]
        return any(fits(one, shape) for one in wanted for shape in shapes)

    return holds


def _dtype(term: Term) -> Callable[[Moment], bool]:
    matches = glob(term.values)
    return lambda moment: any(matches(array.dtype.name) for array in moment.arrays)


def _device(term: Term) -> Callable[[Moment], bool]:
    matches = glob([*term.values, *(value + ":*" for value in term.values)])
    return lambda moment: any(map(matches, moment.devices))


def _module(term: Term) -> Callable[[Moment], bool]:
    matches = glob(term.values)
    return lambda moment: any(matches(name) or matches(name.rpartition("/")[2]) for name in moment.modules)


def _dur(term: Term) -> Callable[[Moment], bool]:
    compare = COMPARISONS[term.comparison]
    return lambda moment: bool(compare(moment.seconds * 1e9, term.number))


def _gradient(term: Term) -> Callable[[Moment], bool]:
    compare = COMPARISONS[term.comparison]

    def holds(moment: Moment) -> bool:
        gradients = moment.arrays[1::2] if moment.phase == "backward" else ()
        return any(bool(compare(_norm(gradient), term.number)) for gradient in gradients)

    return holds


def _nan(_: Term) -> Callable[[Moment], bool]:
    return lambda moment: not all(map(_is_finite, moment.arrays))


def _word(term: Term) -> Callable[[Moment], bool]:
    pattern = re.compile(re.escape(term.values[0]), re.IGNORECASE)
    return lambda moment: any(map(pattern.search, [moment.op, *moment.modules]))


_TESTS: Final[dict[str, Callable[[Term], Callable[[Moment], bool]]]] = {
    "op": _op, "phase": _phase, "line": _line, "shape": _shape, "dtype": _dtype, "device": _device, "module": _module,
    "dur": _dur, "|g|": _gradient, "nan": _nan, "word": _word,
}  # fmt: skip


def _is_finite(array: Any) -> bool:
    if array.dtype.kind in "iub" or not has_numbers(array.dtype):
        return True
    return bool(backend_of(array).xp.isfinite(array).all())


def _norm(array: Any) -> float:
    if array.dtype.kind == "b" or not has_numbers(array.dtype):
        return float("nan")
    host: np.ndarray = backend_of(array).to_host(array)
    return float(np.linalg.norm(np.asarray(host, "c16" if host.dtype.kind == "c" else "f8").reshape(-1)))
