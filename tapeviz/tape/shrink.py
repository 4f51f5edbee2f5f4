"""The smallest program that still fails: the op at which it went wrong, with inputs cut down and made plain.

Each step of the way is tried: the program is run, and what no longer fails in the same way is not taken.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count, pairwise, product
from typing import Any, Final, Protocol

import numpy as np

import tapeviz
from tapeviz.analysis.graph import Graph, graph_of
from tapeviz.analysis.nonfinite.origins import NonFinite, nonfinite
from tapeviz.analysis.verdicts import verdicts
from tapeviz.engine.state import ThreadState, local
from tapeviz.recording import Recording
from tapeviz.tape.check import known_kinds
from tapeviz.tape.python_code import constant, op_call, program

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
    traced: str = ""
    """Whether the op is in a traced function: with "shapes" that are known then, or "no shapes"; "" for no function."""
    names: tuple[str, ...] = field(default=("x", "y", "z", "u", "v"))

    @property
    def text(self) -> str:
        """The program."""
        names = [self.names[k] if k < len(self.names) else f"x{k}" for k in range(len(self.arrays))]
        lines = [
            "import tapeviz as tf", *(f"{n} = {constant(a)}" for n, a in zip(names, self.arrays, strict=True))
        ]  # fmt: skip
        call = op_call(self.op, names, self.attrs)
        if self.traced:
            return "\n".join([*lines, *self._function(names, call)])
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

    def _function(self, names: Sequence[str], call: str) -> Iterator[str]:
        """The lines of a traced function of the inputs, and its call."""
        dtypes = (f"None, tf.{array.dtype.name}" if array.dtype != np.float32 else "None" for array in self.arrays)
        specs = ", ".join(f"tf.TensorSpec({dtype})" for dtype in dtypes)
        given = ", ".join(names)
        yield "@tf.function" if self.traced == "shapes" else f"@tf.function(input_signature=[{specs}])"
        yield from (f"def function({given}):", f"    return {call}", f"print(function({given}))")


def shrink(tape: Run, failure: str) -> Shrunk:
    """The smallest program that fails as the recorded one did.

    Raises:
        LookupError: it did not fail like this, or what is needed was not kept.
        ValueError: there is no such failure.
    """
    ways = {"nan": _nonfinite, "error": _error}
    if failure not in ways:
        return _finding(tape, failure)
    for first, fails, said in ways[failure](tape, graph_of(tape.recording)):
        if fails(first):
            small = _plain(_cut(first, fails), fails)
            return Shrunk(small.text, said, small.op, "forward" if small.upstream is None else "backward")
    raise LookupError(f"{first.op} alone does not fail like this: what else it takes is not kept by recordings")


Fails = Callable[[_Candidate], bool]


def _nonfinite(tape: Run, graph: Graph) -> Iterator[tuple[_Candidate, Fails, str]]:
    """The ops that made NaN or infinity, gravest first."""
    causes = [_gravest(graph, found) for found in nonfinite(tape.recording) if found.event >= 0]
    if not causes:
        raise LookupError("no op of this recording made NaN or infinity")
    candidates = [(found, _of_cause(tape, graph, found)) for found in causes]
    for fails in (_fails_like, _fails_at):
        for found, candidate in candidates:
            yield candidate, partial(fails, found), "NaN or infinity"


def _gravest(graph: Graph, found: NonFinite) -> NonFinite:
    """A finding told by its first element, as one about NaN, where the op makes NaN of infinities, too."""
    event = int(np.flatnonzero(graph.recording.events.id == found.event)[0])
    has_nan = _holds(graph, graph.recording.stats.nan)
    makes_nan = has_nan[graph.outputs[event]].any() and not has_nan[graph.operands[event]].any()
    return replace(found, kind="NaN") if makes_nan else found


def _holds(graph: Graph, counts: np.ndarray) -> np.ndarray:
    """The tensors, by their rows, that have such elements, as their statistics count them."""
    found = np.zeros(graph.tensors, np.bool_)
    rows = graph.links.tensor_rows(graph.recording.stats.tensor[counts > 0])
    found[rows[rows >= 0]] = True
    return found


def _of_cause(tape: Run, graph: Graph, found: NonFinite) -> _Candidate:
    event = int(np.flatnonzero(graph.recording.events.id == found.event)[0])
    if found.phase != "backward":
        return _candidate(tape, graph, event, None)
    forward = int(graph.links.origin[event])
    upstream = _elements(tape, graph, int(graph.links.gradient[graph.outputs[forward][0]]))
    return _candidate(tape, graph, forward, upstream)


def _fails_like(found: NonFinite, tried: _Candidate) -> bool:
    """Whether a program has this cause. The pattern may be another: a mask that came later is not there any more."""
    return any(
        (one.op, one.phase, one.kind) == (found.op, found.phase, found.kind)
        and ("mask" in (found.pattern or "mask") or one.pattern == found.pattern)
        for one in _causes(tried)
    )


def _fails_at(found: NonFinite, tried: _Candidate) -> bool:
    """Whether the op makes what is not finite of inputs that may hold infinities: what made those is left out."""
    made = _recorded(tried.text)
    if made is None:
        return False
    graph, stats = graph_of(made), made.stats
    is_bad = _holds(graph, stats.nan if found.kind == "NaN" else stats.posinf + stats.neginf)
    return any(
        is_bad[graph.outputs[event]].any() and not is_bad[graph.operands[event]].any()
        for event in range(graph.events)
        if graph.op(event) == found.op and graph.is_backward(event) == (found.phase == "backward")
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
                _execute(tried.text)
        except Exception as error:  # noqa: BLE001 - whichever it is
            return type(error).__name__ == kind and _reason(str(error)) == reason
        return False

    yield _candidate(tape, graph, event, None), fails, kind


def _reason(message: str) -> str:
    """What an error says, without its numbers."""
    return re.sub(r"\[Op:\w+\]|[-\d.,\[\]()? ]+", " ", message.partition("\n")[0]).strip()


def _execute(text: str) -> None:
    """Run a program that prints nothing, on lines of its own: a function of one is not that of another, made anew."""
    code = compile("\n" * (next(_programs) % _LINES) + text, "<program>", "exec")
    exec(code, {"print": lambda *_: None})  # noqa: S102 - it is ours, and run to see how it fails


_programs: Final = count()
_LINES: Final = 2**10


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
            _execute(text)
    except Exception:  # noqa: BLE001 - such a candidate is not taken
        return None
    return tape.recording


def _candidate(tape: Run, graph: Graph, event: int, upstream: Any) -> _Candidate:
    traced = _traced(graph, event)
    # While it is traced a function knows shapes alone: they are what fails.
    get = _stand_in if traced == "shapes" else partial(_elements, tape)
    arrays = tuple(get(graph, row) for row in graph.operands[event])
    params = graph.recording.events.params[event]
    attrs = json.loads(graph.recording.strings.text[params]) if params >= 0 else {}
    followed = tuple(bool(graph.links.gradient[row] >= 0) for row in graph.operands[event])
    return _Candidate(graph.op(event), arrays, attrs, upstream, followed, traced if upstream is None else "")


def _traced(graph: Graph, event: int) -> str:
    """Where an op that failed was: in the tracing of a function, in the run of a graph, or in neither."""
    if graph.recording.events.status[event] == 0:
        return ""
    parent = int(graph.links.parent[event])
    while parent >= 0:
        kind = graph.links.spans.get(parent, ("", ""))[0]
        if kind in ("trace", "graph"):
            return "shapes" if kind == "trace" else "no shapes"
        parent = int(graph.links.parent[parent])
    return ""


def _stand_in(graph: Graph, row: int) -> np.ndarray:
    """Zeros or ones in the place of a tensor of which the shape alone is known; sizes that are not are 1."""
    shape = tuple(max(size, 1) if size != 0 else 0 for size in graph.shape(row))
    return np.ones(shape, graph.dtype(row))


def _elements(tape: Run, graph: Graph, row: int) -> np.ndarray:
    array = tape.elements(graph.tensor_id(row)) if row >= 0 else None
    if array is None:
        raise LookupError("the elements of its inputs were not kept: record with a larger budget")
    return np.asarray(array)


# Findings.

_SIZES: Final = (2, 3, 4, 5, 8)
_MOST_TRIED: Final = 600


def _finding(tape: Run, kind: str) -> Shrunk:
    """The smallest program of the recorded ops that gets a finding of this kind."""
    try:
        kinds = known_kinds([kind], 1)
    except ValueError as error:
        raise ValueError(f"failure={kind!r}: choose nan, error or a kind of finding; {error}") from None
    graph, found = graph_of(tape.recording), verdicts(tape.recording)
    one = next((one for one in found if one.kind in kinds and one.event >= 0), None)
    if one is None:
        there = ", ".join(sorted({other.kind for other in found})) or "none"
        raise LookupError(f"no op of this recording has a finding of the kind {kind}; there are: {there}")
    event = int(np.flatnonzero(graph.recording.events.id == one.event)[0])
    forward = int(graph.links.origin[event]) if graph.is_backward(event) else event
    search = _FindingSearch(graph, one.kind, graph.op(forward))
    for values in (_unknown, tape.elements):  # nobody's data, unless it is the values that matter
        for gradients in (False, True):
            rows = _cone(graph, forward)
            if search.fails(rows, gradients=gradients, values=values):
                text = search.smallest(rows, gradients=gradients, values=values)
                return Shrunk(text, one.kind, graph.op(forward), "backward" if gradients else "forward")
    raise LookupError(
        f"the ops around {graph.op(forward)} alone do not get the finding {kind}: it is about more than ops"
    )


def _unknown(_number: int) -> None:
    """The elements of a tensor are not asked for: they are drawn."""


def _cone(graph: Graph, event: int) -> list[int]:
    """The forward ops that an op depends on, it, and those that depend on it."""
    found, waiting = {event}, [event]
    while waiting:  # upwards
        for tensor in graph.operands[waiting.pop()]:
            producer = int(graph.links.producer[tensor])
            if producer >= 0 and producer not in found:
                found.add(producer)
                waiting.append(producer)
    waiting = [event]
    while waiting:  # downwards
        for tensor in graph.outputs[waiting.pop()]:
            new = {row for row in graph.readers[tensor] if row not in found}
            found |= new
            waiting += new
    return sorted(row for row in found if graph.ran[row] and not graph.is_backward(row))


class _FindingSearch:
    """Looks for fewer ops and smaller inputs that get a finding of the same kind for the same op."""

    def __init__(self, graph: Graph, kind: str, op: str) -> None:
        self._graph = graph
        self._kind = kind
        self._op = op
        self._tried = 0

    def fails(self, rows: Sequence[int], **how: Any) -> bool:
        """Whether these ops get the finding."""
        self._tried += 1
        if self._tried > _MOST_TRIED:
            return False
        try:
            made = _recorded(self.text(rows, **how))
        except LookupError:  # none of them has a call
            return False
        if made is None:
            return False
        graph = graph_of(made)
        at = {number: row for row, number in enumerate(made.events.id.tolist())}
        # Where two ops are to blame the finding may stand on the line of either.
        return any(
            one.kind == self._kind
            and (self._op in one.text.split() or (one.event in at and graph.op(at[one.event]) == self._op))
            for one in verdicts(made)
        )

    def text(
        self, rows: Sequence[int], *, gradients: bool, values: Any, resize: Mapping[int, int] | None = None
    ) -> str:
        """The program."""
        return program(self._graph, rows, values, gradients=gradients, resize=resize)

    def smallest(self, rows: list[int], **how: Any) -> str:
        """The program of as few ops, with as short axes, as will do."""
        pieces = 2
        while len(rows) > 1 and pieces <= len(rows):
            bounds = np.linspace(0, len(rows), pieces + 1).astype(int)
            for start, end in reversed(list(pairwise(bounds.tolist()))):
                fewer = rows[:start] + rows[end:]
                if fewer and self.fails(fewer, **how):
                    rows, pieces = fewer, max(pieces - 1, 2)
                    break
            else:
                pieces = len(rows) if pieces < len(rows) <= 2 * pieces else 2 * pieces
        resize: dict[int, int] = {}
        for size in sorted({size for row in rows for t in self._graph.operands[row] for size in self._graph.shape(t)}):
            for shorter in _SIZES:
                tried = {**resize, size: shorter}
                if shorter < size and shorter not in resize.values() and self.fails(rows, resize=tried, **how):
                    resize = tried
                    break
        return self.text(rows, resize=resize, **how)


# Smaller.


def _cut(candidate: _Candidate, fails: Fails) -> _Candidate:
    """The candidate with fewer elements: along axes of one size, which belong together, or along one, in parts."""
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
    axes = sorted({-1 - axis for array in arrays for axis in range(array.ndim)}, reverse=True)
    for size, axis in product(sizes, (None, *axes)):
        if axis is not None and not any(axis >= -array.ndim and array.shape[axis] == size for array in arrays):
            continue
        pieces = 2
        while pieces <= min(size, 64):
            bounds = np.linspace(0, size, pieces + 1).astype(int)
            for start, end in pairwise(bounds):
                kept = [_taken(array, size, axis, slice(start, end)) for array in arrays]
                yield _with(candidate, kept)
            pieces *= 2
    for place, array in enumerate(arrays):  # one of them alone, and without an axis
        for axis, size in enumerate(array.shape):
            if size > 1:
                yield _with(candidate, [*arrays[:place], array.take([0], axis), *arrays[place + 1 :]])
        if array.ndim and array.shape[0] == 1:
            yield _with(candidate, [part[0] if part.ndim and part.shape[0] == 1 else part for part in arrays])


def _taken(array: np.ndarray, size: int, axis: int | None, part: slice) -> np.ndarray:
    """A part of an array along the axes of this size, or along one of them, counted from the end."""
    chosen = range(-array.ndim, 0) if axis is None else (axis,)
    whole = slice(None)
    return array[tuple(
        part if length == size and at in chosen else whole
        for at, length in zip(range(-array.ndim, 0), array.shape, strict=True)
    )]  # fmt: skip


def _with(candidate: _Candidate, arrays: Sequence[np.ndarray]) -> _Candidate:
    inputs = len(candidate.arrays)
    upstream = arrays[inputs] if candidate.upstream is not None else None
    return replace(candidate, arrays=tuple(arrays[:inputs]), upstream=upstream)


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
    if array.dtype.kind != "f":
        return
    with np.errstate(all="ignore"):
        for power, sign in product((10.0, 100.0, 1e3, 1e4), (1, -1)):
            yield np.full_like(array, sign * power)
        for power in (10.0, 100.0, 1e3, 1e4):
            yield (np.sign(array) * power).astype(array.dtype)
        scale = 10.0 ** np.floor(np.log10(np.abs(array.astype("f8"))))
        is_plain = np.isfinite(scale) & (scale > 0)
        rough = np.where(is_plain, np.round(array / scale) * scale, array)
        yield np.where(is_plain, np.sign(array) * scale, array).astype(array.dtype)
        yield rough.astype(array.dtype)
        yield np.round(array).astype(array.dtype)
