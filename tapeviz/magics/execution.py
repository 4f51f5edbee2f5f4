"""Running the code under a magic, recorded: once, as part of its own cell, and whatever happens a tape is left."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Final, TypeVar

from IPython.core.error import UsageError

from tapeviz.engine.errors import OpError
from tapeviz.engine.userline import cut_below_user
from tapeviz.magics.cells import CellSite, Sources
from tapeviz.magics.code import Body
from tapeviz.magics.foreign_gradients import ForeignQuestion
from tapeviz.magics.gradients import Question
from tapeviz.magics.graph_cells import GraphBody
from tapeviz.magics.options import Options
from tapeviz.tape.frameworks import OWN
from tapeviz.tape.record import Stopped, record
from tapeviz.tape.tape import Tape

__all__ = ["Outcome", "Scope", "recorded", "users_part"]

_STREAMED: Final = ".tape"
_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class Scope:
    """Where the user's code runs: the shell's globals, and the names of the function that a line magic is in."""

    variables: dict[str, Any]
    names: dict[str, Any]

    @property
    def is_cell(self) -> bool:
        """Whether both are the same, as at the top of a cell."""
        return self.names is self.variables

    @property
    def visible(self) -> dict[str, Any]:
        """All names that the code sees."""
        return self.variables if self.is_cell else {**self.variables, **self.names}


@dataclass(slots=True)
class Outcome:
    """What came of it: the tape, whether it is not a part of another, and the value, gradients or error of the code."""

    tape: Tape
    outermost: bool
    value: Any = None
    gradients: dict[str, Any] = field(default_factory=dict)
    error: BaseException | None = None


def recorded(
    body: Body | GraphBody, place: CellSite, scope: Scope, options: Options, sources: Sources, magic: str, mode: str
) -> Outcome:
    """Record the code while it runs, and answer ``--wrt``. An error of the code's is part of the outcome.

    Raises:
        UsageError: a name of ``--wrt`` is not there; nothing has run then.
    """
    __tracebackhide__ = True
    foreign = options.framework not in ("", OWN)
    question: Any = None
    if options.wrt and foreign:
        question = ForeignQuestion(options.framework, options.wrt, scope.visible, magic)
    elif options.wrt:
        question = Question(options.wrt, scope.visible, body.stored, magic, opaque=body.opaque)
    streamed = options.save if options.save is not None and Path(options.save).suffix == _STREAMED else None
    recorder = record(
        values=options.values, budget=options.budget, name=options.name, save=streamed, max_ops=options.max_ops,
        keep=options.keep, stop=options.stop, live=options.live, cell_of=sources.cell_of,
        thresholds=dict(options.thresholds), framework=options.framework or None,
        facts={"cell": place.number, "wrt": list(options.wrt), "mode": mode},
    )  # fmt: skip

    stored: dict[str, Any] = {}

    def run() -> Outcome:
        __tracebackhide__ = True
        with recorder as tape:
            outcome = Outcome(tape, outermost=recorder.tape is not None)
            outcome.value = _run_watched(body, scope, question)
            stored.update(_stored(place, outcome.value))
            if question is not None:
                _answer(question, outcome, scope)
        if recorder.stopped is not None:
            raise recorder.stopped
        return outcome

    try:
        return _as_part_of(place, scope, run, stored)
    except BaseException as error:
        if recorder.tape is None:  # part of another tape, which will say so
            raise
        return Outcome(recorder.tape, outermost=True, error=error)


def _run_watched(body: Body | GraphBody, scope: Scope, question: Question | ForeignQuestion | None) -> Any:
    __tracebackhide__ = True
    if question is None:
        return body.run(scope.variables, scope.names)
    with question.tape:
        question.watch()
        return body.run(scope.variables, scope.names)


def _answer(question: Question | ForeignQuestion, outcome: Outcome, scope: Scope) -> None:
    __tracebackhide__ = True
    try:
        outcome.gradients = question.answer(outcome.value, scope.visible)
    except UsageError as error:  # the code itself ran well: its tape did not stop
        outcome.error = error


def _stored(place: CellSite, value: Any) -> dict[str, Any]:
    """The names that a line magic's value is about to get: its tape is over before the user's code stores it."""
    values = value if len(place.stored) > 1 and isinstance(value, (tuple, list)) else [value]
    return dict(zip(place.stored, values, strict=False))


def _as_part_of(place: CellSite, scope: Scope, run: Callable[[], _Result], stored: dict[str, Any]) -> _Result:
    """Call ``run`` from a frame that is on the header's line of the cell, with the cell's names in it.

    What is done for the user from there (a tape that is opened, a backward pass) has that line for its site, and what
    is in ``stored`` when the recording ends is known by those names.
    """
    __tracebackhide__ = True
    stored |= {**({} if scope.is_cell else dict(scope.names)), "_run_": run, "__tracebackhide__": True}
    code = compile("\n" * (place.header - 1) + "_run_()", place.file, "eval")
    result: _Result = eval(code, scope.variables, stored)  # noqa: S307
    return result


def users_part(error: BaseException) -> TracebackType | None:
    """The error's traceback from the user's first frame below the magic on; where an op refused, to the user's last."""
    trace = error.__traceback__
    runs = Body.run.__code__, GraphBody.run.__code__
    while trace is not None and trace.tb_frame.f_code not in runs:
        trace = trace.tb_next
    first = trace.tb_next if trace is not None else None
    if first is not None and isinstance(error, (OpError, Stopped)):
        cut_below_user(first)
    return first or error.__traceback__
