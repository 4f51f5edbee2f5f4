"""The ways to run a program, each of which must give what the eager one gives."""

from __future__ import annotations

import contextlib
import linecache
import random
import re
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from typing import Any, NamedTuple

import numpy as np

import tapeviz as tf
from tapeviz.graphs.ir.special_nodes import PYTHON
from tapeviz.graphs.memory import flat_packs
from tapeviz.graphs.native import compile_policy, tiles
from tapeviz.graphs.run import executable as programs
from tapeviz.graphs.run.fallbacks import clear_fallbacks, fallbacks
from tapeviz.recording.schema import DTYPES
from tests.engine.strict_gpu import standing_in
from tests.fuzz.comparison import Outcome, difference, outcome_of, reason_of
from tests.fuzz.judgement import as_in_functions, fails_aside, in_float64, only_rounding
from tests.fuzz.programs import Program, compiled, load
from tests.fuzz.surroundings import in_pipeline, in_session, recording_differs, restored, saved, spread

__all__ = ["WAYS", "Finding", "Report", "check"]

CALLS = 4  # node by node, planned, compiled, and compiled once more in buffers that are used again
_LOWERED = ((flat_packs, "_MUCH", 24), (flat_packs, "_PIECE", 8), (tiles, "_MUCH", 24), (tiles, "_PIECE", 8))


class Finding(NamedTuple):
    """A way that differs, and how."""

    way: str
    told: str

    @property
    def kind(self) -> tuple[str, str]:
        """What stays the same while a program is shrunk: the way, and what differs, without numbers and names."""
        told = self.told.partition(": ")[2] or self.told
        if "values[" in told[:8] or "state[" in told[:8]:
            told = re.sub(r"\[\d+\].*", "", told)
        return self.way, re.sub(r"[\d'\"\[\](),.]+|\b[xyswck]\d+\b", "", told)[:60]


class Report(NamedTuple):
    """What became of a program."""

    findings: list[Finding]
    reasons: list[str]
    traced: bool = False
    compiled: bool = False
    ops: frozenset[str] = frozenset()
    dtypes: frozenset[str] = frozenset()
    ways: frozenset[str] = frozenset()


@contextlib.contextmanager
def early(lowered: bool, sources: list[str]) -> Iterator[None]:
    """Let graphs be planned in their second run and compiled in their third; collect what is written of them.

    Args:
        lowered: whether to lower the sizes from which on work is done in pieces.
        sources: gets the written functions.
    """

    class Version(programs.Version):
        def __init__(self, *args: Any) -> None:
            super().__init__(*args)
            sources.append(self.source)

    changes: list[tuple[Any, str, Any]] = [(compile_policy, "_RUNS", 2), (compile_policy, "_BESIDE", False)]
    changes += [(programs, "_WORTH", 1), (programs, "Version", Version)]
    changes += _LOWERED if lowered else ()
    before = [(module, name, getattr(module, name)) for module, name, _ in changes]
    for module, name, value in changes:
        setattr(module, name, value)
    try:
        yield
    finally:
        for module, name, value in before:
            setattr(module, name, value)


@contextlib.contextmanager
def strictly(lowered: bool) -> Iterator[list[str]]:
    """The same, with warnings as errors, but those of a fallback, which is counted; yields the written functions."""
    sources: list[str] = []
    with early(lowered, sources), warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", category=np.exceptions.ComplexWarning)
        warnings.filterwarnings("ignore", "a graph runs", RuntimeWarning)
        clear_fallbacks()
        yield sources


def fallbacks_taken() -> list[Finding]:
    """The fallbacks since then, each a fault."""
    return [Finding("fallback", f"{one.stage}: {one.error}") for one in fallbacks]


def are_compiled(sources: list[str]) -> bool:
    """Tell whether one of the written functions calls machine code."""
    return any("(memory, " in source for source in sources)


class Loaded:
    """A program's names, fresh: its variables have the values that they are made with."""

    def __init__(self, code: Any) -> None:
        tf.random.set_seed(1)
        self.names = load(code)
        self.program = self.names["program"]

    def arguments(self, call: int) -> list[Any]:
        """The arguments of a call."""
        return self.names["arguments"](call)

    def kept(self) -> dict[str, Any]:
        """All that keeps values, by name."""
        kinds = (tf.Variable, tf.keras.layers.Layer, tf.keras.optimizers.Optimizer, tf.random.Generator)
        return {name: thing for name, thing in self.names.items() if isinstance(thing, kinds)}

    def variables(self) -> list[Any]:
        """The variables of all that keeps values."""
        found = []
        for thing in self.kept().values():
            if isinstance(thing, tf.Variable):
                found.append(thing)
            elif isinstance(thing, tf.random.Generator):
                found.append(thing.state)
            elif isinstance(thing, tf.keras.layers.Layer):
                found += thing.weights
            elif isinstance(thing, tf.keras.optimizers.Optimizer):
                found += thing.variables() if callable(thing.variables) else thing.variables
        return found

    def state(self) -> list[Any]:
        """The values of those variables."""
        return [variable.read_value() for variable in self.variables()]

    def calls(self, function: Callable[..., Any], count: int = CALLS, *, first: int = 0) -> list[Outcome]:
        """What the calls before ``count`` give, in a row from the first on."""
        found = []
        for call in range(first, count):
            given = self.arguments(call)
            tf.random.set_seed(call)
            found.append(outcome_of(lambda: function(*given), self.state))  # noqa: B023 - called at once
        return found


def _with_tape(loaded: Loaded, function: Callable[..., Any]) -> Callable[..., Any]:
    """``function`` with the gradients of its results, by a tape around the call."""

    def run(*given: Any) -> Any:
        floats = [x for x in given if x.dtype.is_floating]
        floats += [v for v in loaded.names.values() if isinstance(v, tf.Variable) and v.dtype.is_floating]
        with tf.GradientTape() as tape:
            tape.watch([x for x in floats if not isinstance(x, tf.Variable)])
            found = function(*given)
            aims = [y for y in tf.nest.flatten(found) if y is not None and y.dtype.is_floating]
        return found, tape.gradient(aims, floats, unconnected_gradients="zero") if aims and floats else []

    return run


def _eager(code: Any) -> list[Outcome]:
    loaded = Loaded(code)
    return loaded.calls(loaded.program)


def _traced(code: Any, **options: Any) -> tuple[list[Outcome], Any]:
    loaded = Loaded(code)
    function = tf.function(loaded.program, **options)
    return loaded.calls(function), function


def _open(code: Any, *, all_of_them: bool) -> list[Outcome]:
    loaded = Loaded(code)
    return loaded.calls(_with_open_sizes(loaded, all_of_them=all_of_them))


def _with_open_sizes(loaded: Loaded, *, all_of_them: bool) -> Any:
    specs = [
        tf.TensorSpec([None if place == 0 or all_of_them else size for place, size in enumerate(x.shape)], x.dtype)
        for x in loaded.arguments(0)
    ]
    return tf.function(loaded.program, input_signature=specs)


def _ops_with_open_sizes(code: Any, *, all_of_them: bool) -> set[str]:
    """Return the names of the ops of the program's graph where sizes are open."""
    with contextlib.suppress(Exception):
        concrete = _with_open_sizes(Loaded(code), all_of_them=all_of_them).get_concrete_function()
        return {node.op.name for node in concrete._routine.graph.nodes}
    return set()


def _recorded(code: Any, values: str, *, graph: bool) -> tuple[list[Outcome], Any]:
    loaded = Loaded(code)
    function = tf.function(loaded.program) if graph else loaded.program
    with tf.record(values=values) as tape:
        found = loaded.calls(function)
    return found, tape.recording


def _on_device(code: Any, *, graph: bool) -> list[Outcome]:
    with standing_in(), tf.device("GPU:0"):
        loaded = Loaded(code)
        return loaded.calls(tf.function(loaded.program) if graph else loaded.program, 2)


def _spread(code: Any, *, graph: bool) -> list[Outcome]:
    with standing_in():
        loaded = Loaded(code)
        return loaded.calls(tf.function(loaded.program) if graph else loaded.program)


def _in_threads(code: Any) -> list[Outcome]:
    """What the calls give when each is made by two threads at once; of the two, the one that differs."""
    loaded = Loaded(code)
    function = tf.function(loaded.program)
    first = loaded.calls(function, 3)
    again: list[list[Outcome]] = [[], []]
    start = threading.Barrier(2)

    def run(place: int) -> None:
        start.wait()
        again[place] = loaded.calls(function)

    threads = [threading.Thread(target=run, args=(place,)) for place in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return next((found for found in again if difference(found[:3], first)), again[0])


def _tapes_eager(code: Any) -> list[Outcome]:
    loaded = Loaded(code)
    return loaded.calls(_with_tape(loaded, loaded.program))


def _under_tapes(code: Any) -> tuple[list[Outcome], list[Outcome]]:
    """What the calls with gradients around them give, traced and eagerly."""
    traced = Loaded(code)
    return traced.calls(_with_tape(traced, tf.function(traced.program))), _tapes_eager(code)


class _Checks:
    """The ways of one program, each compared with the eager one."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.code = compiled(program)
        self.findings: list[Finding] = []
        self.reasons: list[str] = []
        self.traced = False
        self.recording: Any = None
        self.wanted = _eager(self.code)
        self.ways: set[str] = set()

    def compare(
        self, way: str, found: list[Outcome], wanted: list[Outcome] | None = None, *, signs: bool = True
    ) -> None:
        """Compare; keep what differs, or the reason."""
        self.ways.add(way)
        wanted = self.wanted[: len(found)] if wanted is None else wanted
        told = difference(found, wanted, signs=signs)
        if not told:
            return
        refused = next((one for one in found if one.error), None)
        reason = reason_of(refused) if refused is not None and way not in ("recorded", "device") else ""
        eager = _tapes_eager if way == "tapes around" else _eager
        for other, text in () if reason else as_in_functions(self.program).items():
            if not difference(found, eager(compiled(text))[: len(found)]):
                reason = other
        if not reason and ": values instead of " in told and fails_aside(self.program, found, eager):
            reason = "what fails is not needed"
        sums = self._sums(way)
        if sums is not None and self._sums_in_another_order(way, found, wanted, signs, sums):
            reason = "addends in another order"
        if reason and (reason != "a size is asked for" or way in ("open sizes", "session")):
            self.reasons.append(reason)
        else:
            self.findings.append(Finding(way, told))

    def _sums(self, way: str) -> int | None:
        """From which value on they are gradients that are sums of what graphs inside give."""
        inside = self.program.sums()
        if inside is None and way in ("open sizes", "session") and self.program.around:
            ops = _ops_with_open_sizes(self.code, all_of_them=not self.program.has("layer"))
            if PYTHON.name in ops:
                return len(self.program.results)
            if self.program.around == "tapes" and "sum_to_shape" in ops:
                return len(self.program.results) + len(self.program.sources)
        if inside is None and way in _DEVICES and self.program.around == "tapes":
            return len(self.program.results) + len(self.program.sources)
        return len(self.wanted[0].values) if inside is None and way == "tapes around" else inside

    def _sums_in_another_order(
        self, way: str, found: list[Outcome], wanted: list[Outcome], signs: bool, sums: int
    ) -> bool:
        if not difference(found, wanted, signs=signs, sums=sums):
            return True
        again = self._devices_again if way in _DEVICES else _AGAIN.get(way)
        return again is not None and not found[0].error and only_rounding(self.program, again, sums)

    def recorded(self) -> None:
        """Eagerly, in a recording."""
        values = ("none", "stats", "all")[self.program.seed % 3]
        found, self.recording = _recorded(self.code, values, graph=False)
        self.compare("recorded", found)

    def device(self) -> None:
        """Eagerly, on a device that mixes with nothing; its own kernels may give a zero another sign."""
        self.compare("device", _on_device(self.code, graph=False), signs=False)

    def as_function(self) -> None:
        """As a function: node by node, from a plan, compiled; with static shapes that are true."""
        found, function = _traced(self.code)
        self.compare("traced", found)
        self.traced = not found[0].error
        for concrete, _trace in function._known.values():
            self._check_shapes([getattr(y, "shape", None) for y in concrete._routine.outputs if y is not None])

    def open_sizes(self) -> None:
        """As a function traced once for any sizes."""
        self.compare("open sizes", _open(self.code, all_of_them=not self.program.has("layer")))

    def tapes_around(self) -> None:
        """As a function differentiated by a tape around its call."""
        self.compare("tapes around", *_under_tapes(self.code))

    def threads(self) -> None:
        """As a function called by two threads at once."""
        if not self.wanted[0].state:
            self.compare("threads", _in_threads(self.code))

    def recorded_graph(self) -> None:
        """As a function, in a recording."""
        values = ("all", "none", "stats")[self.program.seed % 3]
        self.compare("recorded graph", _recorded(self.code, values, graph=True)[0])

    def device_graph(self) -> None:
        """As a function on the other device."""
        self.compare("device graph", _on_device(self.code, graph=True), signs=False)

    def session(self) -> None:
        """As the graph of a session, with placeholders of open sizes; gradients by tapes or by tf.gradients."""
        every_size = self.program.seed // 10 % 4 > 1 and not self.program.has("layer")
        found = in_session(lambda one: Loaded(compiled(one)), self.program, CALLS, every_size=every_size)
        self.compare("session", found)

    def saved(self) -> None:
        """As a function that is saved with its variables after the first call, and loaded for the others."""
        if "stateful=True" not in self.program.source():  # the states of RNNs are no weights
            self.compare("saved", saved(self.loaded, CALLS))

    def restored(self) -> None:
        """As a function after the first call of which the variables go through a checkpoint, into new ones."""
        if "stateful=True" not in self.program.source():
            self.compare("restored", restored(self.loaded, CALLS))

    def pipeline(self) -> None:
        """Mapped over the elements of a dataset, some batched, cached, prefetched or mapped in threads."""
        self._as_pipeline("pipeline", graph=False)

    def pipeline_graph(self) -> None:
        """The same, taken element by element in a function."""
        self._as_pipeline("pipeline graph", graph=True)

    def devices(self) -> None:
        """Eagerly, with objects, arguments and statements on two devices, by chance."""
        self._on_devices("devices", graph=False)

    def devices_graph(self) -> None:
        """The same as a function, in a recording every second time."""
        self._on_devices("devices graph", graph=True)

    def saved_recording(self) -> None:
        """Eagerly or as a function in a recording, which is the same when it was saved and opened again."""
        loaded = self.loaded()
        function = tf.function(loaded.program) if self.program.seed // 10 % 2 else loaded.program
        with tf.record(values=("stats", "all", "none")[self.program.seed // 10 % 3]) as tape:
            self.compare("saved recording", loaded.calls(function))
        if told := recording_differs(tape):
            self.findings.append(Finding("saved recording", told))

    def loaded(self) -> Loaded:
        """The program's names, made anew."""
        return Loaded(self.code)

    def _as_pipeline(self, way: str, *, graph: bool) -> None:
        good = next((place for place, one in enumerate(self.wanted) if one.error), CALLS)
        if good and not self.wanted[0].state:
            self.compare(way, in_pipeline(self.loaded, good, random.Random(self.program.seed), graph=graph))

    def _on_devices(self, way: str, *, graph: bool) -> None:
        recording = graph and self.program.seed // 10 % 2
        with tf.record(values="all") if recording else nullcontext():
            found = _spread(compiled(spread(self.program)), graph=graph)
        self.compare(way, found, signs=False)

    def _devices_again(self, code: Any) -> tuple[list[Outcome], list[Outcome]]:
        return _spread(compiled(in_float64(spread(self.program))), graph=False), _eager(code)

    def _check_shapes(self, shapes: list[Any]) -> None:
        text = "a map over nothing" in self.reasons and as_in_functions(self.program)["a map over nothing"]
        for outcome in _eager(compiled(text)) if text else self.wanted:
            if outcome.error or len(outcome.values) != len(shapes):
                continue
            for place, (shape, value) in enumerate(zip(shapes, outcome.values, strict=True)):
                if shape is not None and not shape.is_compatible_with(value.shape):
                    self.findings.append(Finding("static shape", f"values[{place}]: {shape} for {value.shape}"))
                    return


_AGAIN: dict[str, Callable[[Any], tuple[list[Outcome], list[Outcome]]]] = {
    "traced": lambda code: (_traced(code)[0], _eager(code)),
    "open sizes": lambda code: (_open(code, all_of_them=True), _eager(code)),
    "tapes around": _under_tapes,
    "recorded graph": lambda code: (_recorded(code, "none", graph=True)[0], _eager(code)),
}
"""Ways to run a program in float64."""

_DEVICES = ("devices", "devices graph")
"""Where a second gradient adds up what came to a copy on another device before it adds that to the rest."""

WAYS: dict[str, Callable[[_Checks], None]] = {
    "recorded": _Checks.recorded, "device": _Checks.device, "traced": _Checks.as_function,
    "open sizes": _Checks.open_sizes, "tapes around": _Checks.tapes_around, "threads": _Checks.threads,
    "recorded graph": _Checks.recorded_graph, "device graph": _Checks.device_graph,
    "session": _Checks.session, "saved": _Checks.saved, "restored": _Checks.restored, "pipeline": _Checks.pipeline,
    "pipeline graph": _Checks.pipeline_graph, "devices": _Checks.devices, "devices graph": _Checks.devices_graph,
    "saved recording": _Checks.saved_recording,
}  # fmt: skip
"""The ways, by name. The first three are each program's; of the others it has some, by its seed."""

_FIRST = ("recorded", "device", "traced")
_THEN = (("open sizes",), ("tapes around",), ("threads",), ("recorded graph", "device graph"))
_ELSEWHERE = ("session", "devices graph", "pipeline", "saved", "devices", "pipeline graph", "session", "restored",
              "devices graph", "saved recording")  # fmt: skip


def check(program: Program, ways: Sequence[str] = ()) -> Report:
    """Run a program in its ways, or in these, and compare."""
    with strictly(program.lowered) as sources:
        checks = _Checks(program)
        if any(one.error in ("NameError", "UnboundLocalError") for one in checks.wanted):
            return Report([], ["no program"])
        try:
            for way in ways or _FIRST:
                WAYS[way](checks)
            if not ways and checks.traced:
                for way in (*_THEN[program.seed // 3 % 4], *_elsewhere(program.seed)):
                    WAYS[way](checks)
        finally:
            linecache.cache.pop(checks.code.co_filename, None)
    checks.findings += fallbacks_taken()
    machine_code = checks.traced and are_compiled(sources)
    reached = (*_reached(checks.recording), frozenset(checks.ways))
    return Report(checks.findings, checks.reasons, checks.traced, machine_code, *reached)


def _elsewhere(seed: int) -> tuple[str, ...]:
    """Return in what surroundings the program of a seed runs."""
    return (_ELSEWHERE[seed % len(_ELSEWHERE)],)


def _reached(recording: Any) -> tuple[frozenset[str], frozenset[str]]:
    """Return the names of ops and dtypes in a recording."""
    if recording is None:
        return frozenset(), frozenset()
    ops = frozenset(row.name for row in recording.table("ops"))
    return ops, frozenset(DTYPES[code] for code in set(recording.table("tensors").dtype))
