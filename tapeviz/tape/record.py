"""Recording: ``with tapeviz.record() as tape``, and the tape that it gives."""

from __future__ import annotations

import linecache
import platform
import re
import sys
import warnings
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, Literal, cast

import numpy as np

import tapeviz
from tapeviz.analysis.verdicts.rules import known_thresholds
from tapeviz.engine.userline import cell_number, cut_below_user, outside
from tapeviz.recorder.ledger import Policy
from tapeviz.recorder.names import numbers_of
from tapeviz.recorder.op_hooks import UserFrames
from tapeviz.recorder.stops import Stopped
from tapeviz.recorder.value_store import ValueStore
from tapeviz.recording import Builder, FrameWriter
from tapeviz.recording.clock import anchor
from tapeviz.recording.rows.sites import Cell, CellOf
from tapeviz.recording.rows.statistics import summaries
from tapeviz.recording.rows.workload import Work
from tapeviz.tape.conditions import condition
from tapeviz.tape.frameworks import OWN, framework_named
from tapeviz.tape.live_recording import LiveRecording
from tapeviz.tape.progress import Progress
from tapeviz.tape.rerun import Change, Rerun
from tapeviz.tape.tape import Tape

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from types import FrameType, TracebackType

    from tapeviz.recorder.program import Program

__all__ = ["Stopped", "byte_budget", "finished", "known_thresholds", "record"]

_UNITS: Final = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30}
_SUMMARISED: Final = 20
_PIECE: Final = 2**22  # elements in a row of values at most

finished: Final[list[Callable[[Tape], object]]] = []
"""Who wants to be given each tape when its recording is over."""


def byte_budget(text: Any) -> int:
    """A number of bytes from ``"64M"``, ``"1.5G"`` or a plain number.

    Raises:
        ValueError: it is neither.
    """
    found = re.fullmatch(r"\s*([0-9.]+)\s*([KMG]?)i?B?\s*", str(text), re.IGNORECASE)
    if found is None:
        raise ValueError(f"budget {text!r} is not a size; write it as 64M, 1.5G or a number of bytes")
    return int(float(found[1]) * _UNITS[found[2].upper()])


class record:  # noqa: N801 - used as a verb: with tapeviz.record() as tape
    """Record what this thread's ops do inside the block.

    Args:
        values: what to keep of tensors: ``"none"``, ``"stats"`` (a summary of each), ``"inputs"`` (a summary of each,
            and what :meth:`Tape.rerun` needs: the calls, and the contents of what came in) or ``"all"`` (their
            elements, too). With ``max_ops`` there is no program to rerun.
        budget: how many bytes of tensors' elements to keep in memory, such as ``"64M"``; the oldest are evicted first.
            The summary of each is kept whatever it is.
        name: a title.
        save: a path to write the recording to while it runs, frame by frame, four times a second: what is lost when
            the process dies is what the ops of the last moment did, and a backward pass that was under way.
        max_ops: how many ops to keep: memory stays flat however long the program goes on.
        keep: which ones: ``"first"``, and of the rest nothing but failures, or ``"last"``, the newest ones.
        stop: ends the block at the first op for which this holds, forward or in a backward pass, such as ``"nan"``,
            ``"|g|>100"`` or ``"op:matmul line:9"``; see ``docs/filter.md``. Traced functions run node by node then.
            The program goes on below the block; ``stopped`` of this object says where it was, and ``pdb.pm()`` opens
            there.
        wrt: names, with commas between or one by one: the scalar that the block stores last is differentiated by what
            they stand for, and the tape's ``wrt`` holds the gradients by name.
        mode: ``"eager"``: traced functions run as the Python they are.
        device: where ops run: ``"cpu"``, ``"gpu"`` or ``"auto"``.
        view: the view to show afterwards, in a notebook.
        compare: a tape; where this one first differs from it is printed.
        keep_going: whether an error is printed, and the program goes on below the block.
        live: whether the program is shown while it runs, in a notebook: its backward passes as steps, with buttons that
            pause, step and stop it behind the op that runs.
        cell_of: ``cell_of(file)`` gives the notebook cell behind a code object's file name, or None.
        thresholds: other numbers to judge by, by their names, as for :meth:`Tape.verdicts`; views and files keep them.
        facts: further facts about the recording, as rows of ``meta``; what JSON can hold.
        framework: ``"torch"`` records PyTorch's functions in the place of tapeviz's, ``"tensorflow"`` TensorFlow's own;
            what it cannot do there (``mode``, ``device``, ``values="inputs"``, with PyTorch ``live``) raises with the
            reason.

    Raises:
        ValueError: an option has a value it cannot have.
        RuntimeError: this thread is being recorded already by another observer.

    A record within a record is a part of the outer one.

    >>> import tapeviz as tf
    >>> w = tf.Variable(3.0)
    >>> with tf.record() as tape:
    ...     with tf.GradientTape() as g:
    ...         loss = w * w
    ...     dw = g.gradient(loss, w)
    >>> len(tape.events) >= 2
    True
    """

    def __init__(
        self,
        *,
        values: str = "stats",
        budget: Any = "64M",
        name: str | None = None,
        save: str | Path | None = None,
        max_ops: int | None = None,
        keep: str = "first",
        stop: str | None = None,
        wrt: str | Iterable[str] = (),
        mode: str | None = None,
        device: str | None = None,
        view: str | None = None,
        compare: Tape | None = None,
        keep_going: bool = False,
        live: bool = False,
        cell_of: CellOf | None = None,
        thresholds: Mapping[str, float] | None = None,
        facts: Mapping[str, Any] | None = None,
        framework: str | None = None,
    ) -> None:
        if values not in ("none", "stats", "inputs", "all"):
            raise ValueError(f"values={values!r}: choose none, stats, inputs or all")
        if keep not in ("first", "last"):
            raise ValueError(f"keep={keep!r}: choose first or last")
        if keep == "last" and max_ops is None:
            raise ValueError("keep='last' goes with max_ops, which says how many")
        if values == "inputs" and max_ops is not None:
            raise ValueError("values='inputs' keeps the whole program, so it does not go with max_ops")
        if keep == "last" and live:
            raise ValueError("live=True shows the program from its beginning, so it does not go with keep='last'")
        self._policy = Policy(values, byte_budget(budget))
        self._framework = framework_named(framework)
        if live and not self._framework.can_be_live:
            raise ValueError(_own_alone("live=True", self._framework.name))
        if self._framework.name != OWN and values == "inputs":
            raise ValueError(_own_alone("values='inputs'", self._framework.name))
        self._options = self._framework.options(wrt, mode, device, view, compare, keep_going)
        self._name = name
        self._save = Path(save) if save is not None else None
        self._max_ops = max_ops
        self._newest = keep == "last"
        self._cell_of = cell_of or notebook_cell
        self._facts = dict(facts or {})
        if thresholds:
            self._facts["thresholds"] = known_thresholds(thresholds)
        self._program = self._framework.program(values, max_ops)
        self._stop = None if stop is None else (stop, condition(stop))
        self.stopped: Stopped | None = None
        self.live = LiveRecording() if live else None
        self._users: Any = UserFrames()
        self._exits = ExitStack()
        self._inside = ExitStack()
        self._interrupt: KeyboardInterrupt | None = None
        self.tape: Tape | None = None

    def __enter__(self) -> Tape:
        outer = self._framework.running()
        if outer is not None:
            if self._save is not None:
                warnings.warn(
                    "a recording is running already and this one is a part of it: "
                    f"nothing is written to {self._save!s}",
                    RuntimeWarning,
                    stacklevel=2,
                )
            token = outer.on_span_begin("tape", self._name or "tape", {})
            self._exits.push(lambda _type, error, _trace: outer.on_span_end(token, error))
            self._options.begin(self._inside)
            return cast("Tape", outer.tape)
        frame = outside(sys._getframe(1))
        namespace = {} if frame is None else {**frame.f_globals, **frame.f_locals}
        self._names = self._framework.names(namespace)  # before the recording takes its first number
        writer = self._exits.enter_context(FrameWriter(self._save)) if self._save is not None else None
        # What is written cannot be dropped any more, so the newest ops are written when they are known.
        self._at_the_end = writer if self._newest else None
        streamed = None if self._newest else writer
        builder = Builder(on_frame=None if streamed is None else streamed.write)
        recorder = self._framework.recorder(
            builder, self._policy, self._cell_of,
            streaming=streamed is not None, max_ops=self._max_ops, newest=self._newest, program=self._program,
            users=self._users,
        )  # fmt: skip
        recorder.look_around(namespace)
        if self._stop is not None:
            self._framework.stop_where(recorder, *self._stop)
        self.tape = recorder.tape = Tape(builder, self._framework.numbers_of(recorder), recorder.pack)
        self._recorder, self._builder, self._packer = recorder, builder, recorder.packer
        if self.live is not None:
            self.live.begin(recorder, self.tape)
        self._begin()
        recorder.start()
        self._exits.enter_context(self._framework.observing(recorder))
        self._options.begin(self._inside)
        self._t0 = perf_counter()
        return self.tape

    def _call(self, name: str, thing: Any) -> None:
        """Have what belongs to a thing, such as the parameters of a model, called by this name in the recording."""
        self._recorder.look_around({name: thing})

    def _begin(self) -> None:
        self._anchor = anchor()
        versions = {"tapeviz": tapeviz.__version__, "numpy": np.__version__, "python": platform.python_version()}
        there = self._framework.facts()
        facts = {
            "title": self._name or "tape", "mode": "eager", "device": there["device"],
            "versions": {**versions, **there["versions"]},
            "started": datetime.now(UTC).isoformat(timespec="seconds"),
            "clock": self._anchor.facts(self._packer.started, 0.0),
            "policy": {
                "values": self._policy.values, "budget": self._policy.budget, "program": int(self._program is not None)
            },
        }  # fmt: skip
        if self._framework.name != OWN:
            facts["framework"] = self._framework.name
        for key, value in (facts | self._facts).items():
            self._builder.meta(key, value)
        self._builder.flush()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if self.tape is None:
            self._inside.close()
            self._exits.__exit__(kind, error, trace)
            return self._options.holds(error)
        frame = outside(sys._getframe(1))
        refusal = self._differentiate(frame) if error is None else None
        self._inside.close()
        seconds = perf_counter() - self._t0
        if self.live is not None:
            self.live.end(error)
        try:
            self._recorder.look_around({} if frame is None else {**frame.f_globals, **frame.f_locals})
            self._recorder.stop()
            self._names.write(self._packer)
            if frame is not None:
                self._name_known({**frame.f_globals, **frame.f_locals})
            self._finish(seconds, error)
        finally:
            self._exits.__exit__(kind, error, trace)
            self._recorder.tape = None  # what runs often holds its recorder: the tape is not to wait for the collector
        if self._interrupt is not None:
            raise self._interrupt
        self._options.end(self.tape)
        if refusal is not None:
            raise refusal
        if self._stop is None or not isinstance(error, Stopped):
            return self._options.holds(error)
        self.stopped = error
        cut_below_user(trace)
        sys.last_type, sys.last_value, sys.last_traceback = kind, error, trace
        return True

    def _differentiate(self, frame: FrameType | None) -> ValueError | None:
        """Take the gradients of ``wrt``; why that cannot be, where it cannot."""
        names = {} if frame is None else {**frame.f_globals, **frame.f_locals}
        try:
            cast("Tape", self.tape).wrt = self._options.gradients(names, self._packer.base)
        except ValueError as refusal:
            return refusal
        return None

    def _name_known(self, namespace: dict[str, Any]) -> None:
        """Tensors and variables that the user holds under a name have that name, if no store gave them one."""
        for name, value in namespace.items():
            if not name.startswith("_"):
                self._recorder.name_if_unnamed(name, value)

    def _finish(self, seconds: float, error: BaseException | None) -> None:
        t = perf_counter()
        kept = self._summarise()
        stats_s = perf_counter() - t
        facts: dict[str, Any] = {"ops": self._packer.ops, "seconds": seconds}
        facts["overhead"] = {**self._overhead(), "stats_s": stats_s}
        if (store := self._recorder.store) is not None and store.evicted:
            facts["evicted"] = {"tensors": store.evicted, "bytes": store.evicted_bytes}
        if self._packer.skipped:
            facts["clock"] = self._anchor.facts(self._packer.started, self._packer.skipped)
        if error is not None:
            facts["stopped"] = self._stopped(error)
        for key, value in facts.items():
            self._builder.meta(key, value)
        self._builder.flush()
        if self._at_the_end is not None:
            for frame in self._builder.recording().stream():
                self._at_the_end.write(frame)
        if self.tape is not None:
            self.tape.finish(kept, None if self._program is None else partial(self._run_again, self._program))
            self._announce(self.tape)

    def _run_again(self, program: Program, change: Change, replaced: Sequence[str]) -> Tape:
        """The tape of one more run of the program, other by this change, whose tensors go by the recording's ids."""
        packer, recording = self._packer, cast("Tape", self.tape).recording
        before = {number: old for old, number in packer.old.items()}
        numbers = {number - packer.base: old for number, old in before.items()}
        facts: dict[str, Any] = {"replaced": list(replaced)}
        if change.dtype is not None:
            facts["dtype"] = change.dtype.name
        moved = replace(
            change, values={numbers.get(n, n + packer.base): value for n, value in change.values.items()},
            until=None if change.until is None else numbers.get(change.until, change.until + packer.base),
        )  # fmt: skip
        old = {value: key for key, value in numbers.items()}
        _refuse_parts(program, moved, lambda number: old.get(number, number - packer.base))
        run = Rerun(program, moved)
        rows = recording.names
        tensors = [numbers.get(number, number + packer.base) for number in rows.tensor.tolist()]
        names = list(zip(tensors, rows.name, strict=True))
        own = {number: packer.old.get(number, number) - packer.base for number in program.known}
        block = _Again(run, names, own, self._policy, name=self._name, cell_of=self._cell_of, facts={"rerun": facts})
        try:
            run.run(block)
        except Exception:
            if block.tape is None:
                raise
        return cast("Tape", block.tape)  # which tells of what went wrong

    def _announce(self, tape: Tape) -> None:
        for callback in finished:
            callback(tape)

    def _overhead(self) -> dict[str, float]:
        """What recording added inside the block, and an op."""
        store = self._recorder.store
        self._packer.work.nbytes = 0 if store is None else store.nbytes
        block = partial(_in_a_block, self._policy.values, self._framework.name)
        inside = self._framework.overhead(self._recorder, self._policy.values, block)
        return {"ns_per_op": inside / max(self._packer.ops, 1) * 1e9, "inside_s": inside}

    def _stopped(self, error: BaseException) -> dict[str, Any]:
        trace = error.__traceback__
        line = in_cell = None
        while trace is not None:
            frame, number = trace.tb_frame, trace.tb_lineno
            if self._cell_of(frame.f_code.co_filename) is not None:
                in_cell = number
            if not frame.f_globals.get("__name__", "").startswith("tapeviz."):
                line = number
            trace = trace.tb_next
        line = in_cell or line  # the user's own line, where the error came out of a library
        return {"event": self._packer.rows.count - 1, "line": line, "type": type(error).__name__, "text": str(error)}

    def _summarise(self) -> dict[int, np.ndarray]:
        """Statistics (and values, where asked for) of the tensors kept: after the step, not inside it.

        Returns:
            The arrays by the numbers of their tensors.
        """
        store = self._recorder.store
        if store is None:
            return {}
        self._take_summaries(store)
        kept: dict[int, np.ndarray] = {}
        for number, array in store.take():
            if not (known := self._packer.backward.number_of(number)):
                continue  # of a step that failed
            host = self._framework.to_host(array)
            local_number = known - self._packer.base
            if self._policy.values == "all" and local_number not in kept:  # a gradient that an op of another tape made
                self._keep_values(local_number, host)
            kept[local_number] = host
        return kept

    def _take_summaries(self, store: ValueStore) -> None:
        """The summaries that have not been taken while the program ran: an interrupt leaves those out that are left.

        They are of no more bytes than the budget. Where they take long a user sees how far they are.
        """
        store.settle()
        total = store.waiting
        progress = Progress("Statistics of tensors", total)
        try:
            while store.waiting:
                store.summarise_some()
                progress.advance(total - store.waiting)
        except KeyboardInterrupt as interrupt:
            self._interrupt = interrupt
            self._builder.meta("unsummarised", {"tensors": store.waiting})
        finally:
            progress.close()
        self._recorder.write_summaries()

    def _keep_values(self, number: int, array: np.ndarray) -> None:
        flat = np.ascontiguousarray(array).reshape(-1)
        for start in range(0, flat.size, _PIECE):
            piece = flat[start : start + _PIECE]
            self._builder.append(
                "values", tensor=number, offset=float(start), length=float(piece.size), data=piece.tobytes()
            )


class _Again(record):
    """A block in which a recorded program runs again."""

    def __init__(
        self, run: Rerun, names: Sequence[tuple[int, str]], ids: Mapping[int, int], policy: Policy, **options: Any
    ) -> None:
        super().__init__(values=policy.values, budget=policy.budget, **options)
        self._run = run
        self._users = run.frames
        self._old_names = names
        self._old_ids = ids

    def __enter__(self) -> Tape:
        tape = super().__enter__()
        tape.know_by(self._numbers)
        return tape

    def _numbers(self, item: Any) -> tuple[int, int] | None:
        """Tensors of the first run mean those that stand for them in this one."""
        found = numbers_of(self._packer, item)
        if found is None or found[0] >= 0:
            return found
        number = self._run.numbers.get(getattr(getattr(item, "_value", item), "_i", 0))
        if number is None:
            return found
        return self._packer.old.get(number, number) - self._packer.base, found[1]

    def _counterparts(self) -> dict[int, int]:
        packer, found = self._packer, {}
        for before, number in self._run.numbers.items():
            now = packer.old.get(number, number) - packer.base
            if (known := self._old_ids.get(before, -1)) >= 0 and now >= 0:
                found[known] = now
        return found

    def _name_known(self, _namespace: dict[str, Any]) -> None:
        packer = self._packer
        for before, name in self._old_names:
            number = self._run.numbers.get(before, 0)
            number = packer.old.get(number, number)
            if packer.facts.unnamed(number):
                packer.facts.name(packer.started, number, name)
        cast("Tape", self.tape).counterparts = self._counterparts()
        for fact, sites in (("stale", self._run.stale), ("branches", self._run.branches)):
            if sites:
                self._facts["rerun"][fact] = [packer.sites.row(*site) for site in sites]
                self._builder.meta("rerun", self._facts["rerun"])

    def _announce(self, tape: Tape) -> None:
        pass


class _Unpriced(record):
    """A block to find prices with, whose recording nobody looks at."""

    def _announce(self, tape: Tape) -> None:
        pass

    def _overhead(self) -> dict[str, float]:
        return {}

    def _summarise(self) -> dict[int, np.ndarray]:
        # Of a step's arrays, and no more: what runs next finds the caches as after any recording, and soon.
        arrays = [] if self._recorder.store is None else self._recorder.store.take()
        summaries([self._framework.to_host(array) for _, array in arrays[:_SUMMARISED]])
        return {}


class _Dropped(_Unpriced):
    """One of which not even the columns are made."""

    def __exit__(self, *error: object) -> Literal[False]:
        self._inside.close()
        self._recorder.drop()
        self._exits.__exit__(None, None, None)
        self._recorder.tape = None
        return False


def _in_a_block(
    values: str, framework: str, program: Callable[[], Any], *, packs: bool = True
) -> tuple[Any, Work]:  # fmt: skip
    block = (_Unpriced if packs else _Dropped)(values=values, framework=framework)
    with block:
        result = program()
    if (store := block._recorder.store) is not None:
        block._packer.work.nbytes = store.nbytes
    return result, block._packer.work


def _own_alone(option: str, framework: str) -> str:
    """Why an option is for tapeviz's own ops alone."""
    why = (
        "it holds a program between tapeviz's ops; use tapeviz.live(...) around the loop"
        if option.startswith("live")
        else "a program can be run again where every op is tapeviz's; values='all' keeps the elements"
    )
    return f"{option} does not go with framework={framework!r}: {why}"


def _refuse_parts(program: Program, change: Change, shown: Callable[[int], int]) -> None:
    """Raise where a tensor is inside a call that is made again as a whole: no call of the program gives it.

    A name may mean several tensors; it is enough that one of them is given by a call.
    """
    reached = {id(value) for number, value in change.values.items() if number in program.known}
    parts = [number for number, value in change.values.items() if id(value) not in reached]
    if change.until is not None and change.until not in program.known:
        parts.append(change.until)
    if parts:
        raise LookupError(
            f"tensor {shown(parts[0])} is made within one call, of a traced function or a backward pass, which runs "
            "again as a whole. Change what that call is given, or run until what it gives"
        )


def notebook_cell(file: str) -> Cell | None:
    """The cell behind a made-up file name of IPython's; None outside a notebook. Never imports IPython."""
    number = cell_number(file)
    return None if number is None else Cell(number, "".join(linecache.getlines(file)))
