"""The smallest program that still fails: the op at which it went wrong, with inputs cut down and made plain.

Each step of the way is tried: the program is run, and what no longer fails in the same way is not taken.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from typing import Any, Protocol

import numpy as np

import tapeviz
from tapeviz.analysis.graph import Graph, graph_of
from tapeviz.analysis.nonfinite.origins import NonFinite, nonfinite
from tapeviz.engine.state import ThreadState, local
from tapeviz.recording import Recording
from tapeviz.tape.python_code import constant, op_call

__all__ = ["Shrunk", "shrink"]


class Run(Protocol):
    """A tape: what is asked of it."""

    @property
    def recording(self) -> Recording:
        """The recording."""

    def elements(self, number: Any) -> Any:
        """The elements of a tensor by its id, None where they are not kept."""


@dataclass(frozen=True, slots=True)
class Shrunk:
    """A program that fails as the recorded one did.

    Attributes:
        text: the program, as the cell of a notebook.
        failure: how it fails: the class of the error, or "NaN or infinity".
        op: the op that does.
        phase: ``forward`` or ``backward``.
    """

    text: str
    failure: str
    op: str
    phase: str

    def __repr__(self) -> str:
        return self.text

    __str__ = __repr__


@dataclass(frozen=True)
class _Candidate:
    """One op with inputs, and for a backward step what arrives at it."""

    op: str
    arrays: tuple[np.ndarray, ...]
    attrs: dict[str, Any]
    upstream: np.ndarray | None = None
    followed: tuple[bool, ...] = ()
    names: tuple[str, ...] = field(default=("x", "y", "z", "u", "v"))

    @property
    def text(self) -> str:
        """The program."""
        names = [self.names[k] if k < len(self.names) else f"x{k}" for k in range(len(self.arrays))]
        lines = [
            "import tapeviz as tf", *(f"{n} = {constant(a)}" for n, a in zip(names, self.arrays, strict=True))
        ]  # fmt: skip
        call = op_call(self.op, names, self.attrs)
        if self.upstream is None:
            return "\n".join([*lines, f"print({call})"])
        watched = [name for name, is_followed in zip(names, self.followed, strict=True) if is_followed]
        source = watched[0] if len(watched) == 1 else f"[{', '.join(watched)}]"
        given = "" if (self.upstream == 1).all() else f", output_gradients={constant(self.upstream)}"
        lines += [
            "with tf.GradientTape() as tape:", f"    tape.watch({source})", f"    result = {call}",
            f"print(tape.gradient(result, {source}{given}))",
        ]  # fmt: skip
        return "\n".join(lines)


def shrink(tape: Run, failure: str) -> Shrunk:
    """The smallest program that fails as the recorded one did.

    Raises:
        LookupError: it did not fail like this, or what is needed was not kept.
    """
    ways = {"nan": _nonfinite, "error": _error}
    if failure not in ways:
        raise ValueError(f"failure={failure!r}: choose nan or error")
    for first, fails, said in ways[failure](tape, graph_of(tape.recording)):
        if fails(first):
            small = _plain(_cut(first, fails), fails)
            return Shrunk(small.text, said, small.op, "forward" if small.upstream is None else "backward")
    raise LookupError(f"{first.op} alone does not fail like this: what else it takes is not kept by recordings")


Fails = Callable[[_Candidate], bool]


def _nonfinite(tape: Run, graph: Graph) -> Iterator[tuple[_Candidate, Fails, str]]:
    """The ops that made NaN or infinity, gravest first."""
    causes = [found for found in nonfinite(tape.recording) if found.event >= 0]
    if not causes:
        raise LookupError("no op of this recording made NaN or infinity")
    for found in causes:
        event = int(np.flatnonzero(graph.recording.events.id == found.event)[0])
        forward, upstream = event, None
        if found.phase == "backward":
            forward = int(graph.links.origin[event])
            upstream = _elements(tape, graph, int(graph.links.gradient[graph.outputs[forward][0]]))
        yield _candidate(tape, graph, forward, upstream), partial(_fails_like, found), "NaN or infinity"


def _fails_like(found: NonFinite, tried: _Candidate) -> bool:
    """Whether a program has this cause. The pattern may be another: a mask that came later is not there any more."""
    return any(
        (one.op, one.phase, one.kind) == (found.op, found.phase, found.kind)
        and ("mask" in (found.pattern or "mask") or one.pattern == found.pattern)
        for one in _causes(tried)
    )


def _causes(candidate: _Candidate) -> Sequence[NonFinite]:
    made = _recorded(candidate.text)
    return [] if made is None else nonfinite(made)


def _error(tape: Run, graph: Graph) -> Iterator[tuple[_Candidate, Fails, str]]:
    """The last op that raised."""
    messages = graph.recording.messages
    if not len(messages):
        raise LookupError("no op of this recording failed")
    event = int(np.flatnonzero(graph.recording.events.id == messages.event[-1])[0])
    kind, reason = messages.type[-1], _reason(messages.text[-1])

    def fails(tried: _Candidate) -> bool:
        try:
            with _alone():
                exec(compile(tried.text, "<shrink>", "exec"), {"print": _silent})  # noqa: S102 - it is looked for
        except Exception as error:  # noqa: BLE001 - whichever it is
            return type(error).__name__ == kind and _reason(str(error)) == reason
        return False

    yield _candidate(tape, graph, event, None), fails, kind


def _reason(message: str) -> str:
    """What an error says, without its numbers."""
    return re.sub(r"[-\d.,\[\]() ]+", " ", message.partition("\n")[0])


def _silent(*_values: Any) -> None:
    """Print nothing."""


@contextmanager
def _alone() -> Iterator[None]:
    """A block that no tape and no recording around it sees."""
    before = local.state
    local.state = ThreadState()
    try:
        yield
    finally:
        local.state = before


def _recorded(text: str) -> Recording | None:
    """The recording of a program; None where it raises."""
    try:
        with _alone(), tapeviz.record() as tape:
            exec(compile(text, "<shrink>", "exec"), {"print": _silent})  # noqa: S102 - it is what is looked for
    except Exception:  # noqa: BLE001 - such a candidate is not taken
        return None
    return tape.recording


def _candidate(tape: Run, graph: Graph, event: int, upstream: Any) -> _Candidate:
    arrays = tuple(_elements(tape, graph, row) for row in graph.inputs[event])
    params = graph.recording.events.params[event]
    attrs = json.loads(graph.recording.strings.text[params]) if params >= 0 else {}
    followed = tuple(bool(graph.links.gradient[row] >= 0) for row in graph.inputs[event])
    return _Candidate(graph.op(event), arrays, attrs, upstream, followed)


def _elements(tape: Run, graph: Graph, row: int) -> np.ndarray:
    array = tape.elements(graph.tensor_id(row)) if row >= 0 else None
    if array is None:
        raise LookupError("the elements of its inputs were not kept: record with a larger budget")
    return np.asarray(array)


# Smaller.


def _cut(candidate: _Candidate, fails: Fails) -> _Candidate:
    """The candidate with fewer elements: along axes of one size, which belong together, a part at a time."""
    changed = True
    while changed:
        changed = False
        for tried in _parts(candidate):
            if fails(tried):
                candidate, changed = tried, True
                break
    return candidate


def _parts(candidate: _Candidate) -> Iterator[_Candidate]:
    arrays = [*candidate.arrays, *([] if candidate.upstream is None else [candidate.upstream])]
    sizes = sorted({size for array in arrays for size in array.shape if size > 1}, reverse=True)
    for size in sizes:
        pieces = 2
        while pieces <= min(size, 64):
            bounds = np.linspace(0, size, pieces + 1).astype(int)
            for start, end in pairwise(bounds):
                kept = [_taken(array, size, slice(start, end)) for array in arrays]
                yield _with(candidate, kept)
            pieces *= 2
    for place, array in enumerate(arrays):  # one of them alone, and without an axis
        for axis, size in enumerate(array.shape):
            if size > 1:
                yield _with(candidate, [*arrays[:place], array.take([0], axis), *arrays[place + 1 :]])
        if array.ndim and array.shape[0] == 1:
            yield _with(candidate, [part[0] if part.ndim and part.shape[0] == 1 else part for part in arrays])


def _taken(array: np.ndarray, size: int, part: slice) -> np.ndarray:
    return array[tuple(part if length == size else slice(None) for length in array.shape)]


def _with(candidate: _Candidate, arrays: Sequence[np.ndarray]) -> _Candidate:
    count = len(candidate.arrays)
    upstream = arrays[count] if candidate.upstream is not None else None
    return replace(candidate, arrays=tuple(arrays[:count]), upstream=upstream)


# Plainer.


def _plain(candidate: _Candidate, fails: Fails) -> _Candidate:
    """The candidate with numbers that are nobody's data: ones, zeros, whole numbers, few digits."""
    arrays = [*candidate.arrays, *([] if candidate.upstream is None else [candidate.upstream])]
    for place in range(len(arrays) - 1, -1, -1):
        for plain in _plainer(arrays[place]):
            tried = [*arrays[:place], plain, *arrays[place + 1 :]]
            if fails(_with(candidate, tried)):
                arrays = tried
                break
    return _with(candidate, arrays)


def _plainer(array: np.ndarray) -> Iterator[np.ndarray]:
    yield np.ones_like(array)
    yield np.zeros_like(array)
    yield -np.ones_like(array)
    if array.dtype.kind == "f":
        with np.errstate(all="ignore"):
            yield np.round(array).astype(array.dtype)
            power = 10.0 ** np.floor(np.log10(np.abs(array.astype("f8"))))
            rough = np.where(np.isfinite(power) & (power > 0), np.round(array / power) * power, array)
        yield rough.astype(array.dtype)
