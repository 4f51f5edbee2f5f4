"""What pages ask of a tape that runs its program again: what if a value were another, which digits are right.

Everything that a page needs to show is in the answers, as plain JSON: the views have no engine.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, Protocol
from weakref import ref

import numpy as np

from tapeviz.analysis.graph import Graph, graph_of
from tapeviz.exports import headline
from tapeviz.recording import Recording
from tapeviz.tape.digits import Digits, inside_graphs

__all__ = ["Experiments"]

_EDITABLE: Final = "fiub"


class Run(Protocol):
    """A tape: what is asked of it."""

    @property
    def recording(self) -> Recording:
        """The recording."""

    @property
    def counterparts(self) -> dict[int, int]:
        """The ids of its tensors by those of the run before."""

    def elements(self, number: int) -> Any:
        """The elements of a tensor by its id, None where they are not kept."""

    def rerun(self, replace: Mapping[Any, Any]) -> Run:
        """The program, run again with other values."""

    def digits(self) -> Digits:
        """Which lines lose digits."""


class Experiments:
    """Runs of a tape's program that pages ask for. The latest of each kind is kept.

    Args:
        tape: whose program.
    """

    def __init__(self, tape: Run) -> None:
        self._its = ref(tape)  # which has these: in a circle, its arrays would wait for the collector
        self._latest: tuple[str, Run, dict[int, int]] | None = None
        self._digits: Digits | None = None

    @property
    def _tape(self) -> Run:
        tape = self._its()
        assert tape is not None  # noqa: S101 - whoever asks has it
        return tape

    def answer(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """The fields of the answer to a question of kind ``"element"``, ``"what_if"`` or ``"digits"``.

        Where there is no answer, ``state`` is ``"error"`` and ``text`` says why.
        """
        try:
            return {"state": "ok", **_ANSWERS[asked["kind"]](self, asked)}
        except Exception as error:  # noqa: BLE001  # a program of the user's runs: whatever it raises is the answer
            return {"state": "error", "text": str(error) or type(error).__name__}

    def elements(self, number: int, edits: Sequence[Mapping[str, Any]]) -> Any:
        """The elements that a tensor has with these edits, by its id in the tape; None where it has none."""
        again, pairs = self._run(edits)
        return again.elements(pairs[number]) if number in pairs else None

    def _element(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        array = self._array(asked["tensor"])
        value = array[_index(array, asked["index"])]
        least, most = _range(array, value)
        return {"value": _plain(value), "least": least, "most": most, "dtype": array.dtype.name}

    def _what_if(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        again, pairs = self._run(asked["edits"])
        old, new = graph_of(self._tape.recording), graph_of(again.recording)
        both = [(number, self._tape.elements(number), again.elements(other)) for number, other in pairs.items()]
        is_other = {number: _is_other(before, after) for number, before, after in both}
        return {
            "changed": [number for number, other in is_other.items() if other],
            "compared": len(is_other),
            "values": {number: _summary(after) for number, _, after in both if is_other[number]},
            "losses": list(_losses(old, self._tape, again, pairs)),
            "gradients": list(_gradients(old, new, self._tape, again)),
            "told": headline.stale(again.recording),
            "stopped": headline.stopped(again.recording),
        }

    def _lens(self, _asked: Mapping[str, Any]) -> dict[str, Any]:
        if self._digits is None:
            self._digits = self._tape.digits()
        found = self._digits
        losses = [
            {"event": loss.event, "tensor": loss.tensor, "line": 0 if loss.place is None else loss.place.line,
             "op": loss.op, "before": loss.before, "after": loss.after, "rewrite": loss.rewrite, "better": loss.better}
            for loss in found
        ]  # fmt: skip
        return {"precision": found.precision, "right": found.right, "losses": losses}

    def _run(self, edits: Sequence[Mapping[str, Any]]) -> tuple[Run, dict[int, int]]:
        """The run with these edits, and its tensors by those of the tape."""
        key = json.dumps(edits)
        if self._latest is None or self._latest[0] != key:
            arrays = self._edited(edits)
            again = self._tape.rerun(arrays)
            both = graph_of(self._tape.recording), graph_of(again.recording)
            pairs = inside_graphs(*both, backward=True) | inside_graphs(*both) | again.counterparts
            pairs = _adjoints(self._tape.recording, again.recording, pairs) | pairs
            for number, array in arrays.items():
                if _is_other(again.elements(pairs.get(number, -1)), array):
                    raise ValueError(_not_replaced(graph_of(self._tape.recording), number))
            self._latest = key, again, pairs
        return self._latest[1:]

    def _edited(self, edits: Sequence[Mapping[str, Any]]) -> dict[int, Any]:
        arrays: dict[int, Any] = {}
        for edit in edits:
            number = edit["tensor"]
            if number not in arrays:
                arrays[number] = np.array(self._array(number))
            arrays[number][_index(arrays[number], edit["index"])] = _parsed(arrays[number].dtype, edit["value"])
        return arrays

    def _array(self, number: int) -> Any:
        array = self._tape.elements(number)
        graph = graph_of(self._tape.recording)
        if array is None:
            raise ValueError(f"the elements of {_name(graph, number)} are not in memory")
        if array.dtype.kind not in _EDITABLE:
            raise ValueError(
                f"the elements of {_name(graph, number)} are {array.dtype.name}, which is not changed here"
            )
        return array


_ANSWERS: Final[dict[str, Callable[[Experiments, Mapping[str, Any]], dict[str, Any]]]] = {
    "element": Experiments._element,
    "what_if": Experiments._what_if,
    "digits": Experiments._lens,
}


def _adjoints(old: Recording, new: Recording, pairs: Mapping[int, int]) -> dict[int, int]:
    """The gradients that backward passes make on their way, by those of the run before.

    They belong together where what they are gradients of does, contribution by contribution.
    """
    rows, others = _by_tensor(old), _by_tensor(new)
    found: dict[int, int] = {}
    waiting = dict(pairs)
    while waiting:  # a pass through another one's gradients has gradients of those
        met: dict[int, int] = {}
        for tensor, other in waiting.items():
            of, by = rows.get(tensor, []), others.get(other, [])
            if len(of) == len(by):
                met.update(pair for one in zip(of, by, strict=True) for pair in zip(*one, strict=True))
        waiting = {tensor: other for tensor, other in met.items() if tensor not in found and tensor not in pairs}
        found.update(waiting)
    found.pop(-1, None)
    return found


def _by_tensor(recording: Recording) -> dict[int, list[tuple[int, int]]]:
    """The gradient and the contribution of each step of a backward pass, by the tensor that they are about."""
    found: dict[int, list[tuple[int, int]]] = {}
    rows = recording.gradients
    for tensor, gradient, addend in zip(
        rows.tensor.tolist(), rows.gradient.tolist(), rows.addend.tolist(), strict=True
    ):
        found.setdefault(tensor, []).append((gradient, addend))
    return found


def _name(graph: Graph, number: int) -> str:
    return graph.name(int(graph.links.tensor_rows(np.array([number]))[0]))


def _not_replaced(graph: Graph, number: int) -> str:
    return (
        f"{_name(graph, number)} cannot be replaced by itself: it is made within one call, "
        "of a traced function or a backward pass. Change what that call is given"
    )


def _index(array: Any, index: Sequence[int]) -> tuple[int, ...]:
    found = tuple(int(position) for position in index)
    if len(found) != array.ndim or any(not 0 <= at < size for at, size in zip(found, array.shape, strict=True)):
        raise ValueError(f"a tensor of shape {array.shape} has no element {list(found)}")
    return found


def _parsed(dtype: Any, value: Any) -> Any:
    """A number that a page sent, which is text where JSON has no such number, in a dtype that holds it."""
    number = float(value)
    if dtype.kind == "f":
        return number
    limits = (0, 1) if dtype.kind == "b" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    if not number.is_integer() or not limits[0] <= number <= limits[1]:
        raise ValueError(f"{value} is not a number of {dtype.name}")
    return int(number)


def _range(array: Any, value: Any) -> tuple[float, float]:
    """Where a slider for an element begins and ends: as far again as the tensor reaches."""
    finite = array[np.isfinite(array)].astype(np.float64)
    if array.dtype.kind == "b":
        return 0.0, 1.0
    reach = 2.0 * float(np.abs(finite).max(initial=0.0)) or 1.0
    least = 0.0 if array.dtype.kind == "u" else -reach
    return (least, reach) if np.isfinite(value) else (-1.0, 1.0)


def _is_other(before: Any, after: Any) -> bool:
    """Whether two tensors differ; those whose elements are not known are not said to."""
    if before is None or after is None:
        return False
    if before.shape != after.shape:
        return True
    numeric = before.dtype.kind in "fc"
    return not np.array_equal(before, after, equal_nan=numeric)


def _plain(value: Any) -> Any:
    """A number as JSON has it: text for those that it has not."""
    number = float(value)
    return number if np.isfinite(number) else str(number)


def _norm(array: Any) -> Any:
    return None if array is None else _plain(np.sqrt(np.sum(np.square(np.abs(array.astype(np.float64))))))


def _summary(array: Any) -> Any:
    """A scalar's value; the least and the most of a tensor."""
    if array is None or array.dtype.kind not in _EDITABLE or not array.size:
        return None
    return [_plain(array.min()), _plain(array.max())] if array.size > 1 else [_plain(array.reshape(-1)[0])]


def _losses(graph: Graph, tape: Run, again: Run, pairs: Mapping[int, int]) -> Iterator[dict[str, Any]]:
    """What was differentiated, before and after; where nothing was, the last scalar that was made."""
    targets = list(dict.fromkeys(tape.recording.requests.target.tolist()))
    for number in targets or [*_last_scalar(graph, tape, pairs)]:
        before, after = tape.elements(number), again.elements(pairs[number]) if number in pairs else None
        if before is None or before.dtype.kind not in _EDITABLE:
            continue
        named = {"tensor": number, "name": _name(graph, number)}
        if before.size == 1:
            found = None if after is None else _plain(after.reshape(-1)[0])
            yield {**named, "what": "value", "before": _plain(before.reshape(-1)[0]), "after": found}
        else:
            yield {**named, "what": "norm", "before": _norm(before), "after": _norm(after)}


def _last_scalar(graph: Graph, tape: Run, pairs: Mapping[int, int]) -> Iterator[int]:
    for row in reversed(range(len(tape.recording.tensors.id))):
        number = graph.tensor_id(row)
        if graph.size(row) == 1 and graph.links.producer[row] >= 0 and number in pairs:
            yield number
            return


def _gradients(old: Graph, new: Graph, tape: Run, again: Run) -> Iterator[dict[str, Any]]:
    """The norm of each gradient that was asked for, before and after."""
    rows, others = old.recording.requests, new.recording.requests
    for row, (source, gradient) in enumerate(zip(rows.source.tolist(), rows.gradient.tolist(), strict=True)):
        is_there = row < len(others.source)
        other = int(others.gradient[row]) if is_there else -1
        yield {
            "tensor": source,
            "gradient": gradient,
            "name": _name(old, source),
            "before": _norm(tape.elements(gradient)) if gradient >= 0 else None,
            "after": _norm(again.elements(other)) if other >= 0 else None,
            "state": "missing" if not is_there else "none" if other < 0 else "ok",
        }
