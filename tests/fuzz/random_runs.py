"""What must hold of programs that draw numbers, in all ways of running them.

What depends on its seeds alone gives the same in every way. What depends on the state of the process gives the same
after the same seed was set, in the same way of running; a function draws new numbers in each call; a plan, machine code
and a recording change none of them; and what a dropout leaves out, its gradient leaves out.
"""

from __future__ import annotations

import linecache
from collections.abc import Callable, Sequence

import tapeviz as tf
from tests.engine.strict_gpu import standing_in
from tests.fuzz import runs
from tests.fuzz.comparison import Outcome, difference, reason_of
from tests.fuzz.programs import Program, compiled
from tests.fuzz.runs import CALLS, Finding, Loaded, Report, are_compiled, fallbacks_taken, strictly

__all__ = ["PROMISES", "check_random"]


class _Checks:
    """The promises, of one program."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.code = compiled(program)
        self.findings: list[Finding] = []
        self.eager = self.ran()
        self.traced = self.ran(graph=True)

    def ran(self, *, graph: bool = False) -> list[Outcome]:
        """What some calls give, each after a seed of its own."""
        loaded = Loaded(self.code)
        return loaded.calls(tf.function(loaded.program) if graph else loaded.program)

    def compare(self, promise: str, found: list[Outcome], wanted: list[Outcome], *, signs: bool = True) -> None:
        """Keep what differs."""
        if told := difference(found, wanted, signs=signs):
            self.findings.append(Finding(promise, told))

    def again(self) -> None:
        """After the same seeds an eager run gives the same."""
        self.compare("again", self.ran(), self.eager)

    def traced_again(self) -> None:
        """After the same seeds a function traced anew gives the same."""
        self.compare("traced again", self.ran(graph=True), self.traced)

    def forms(self) -> None:
        """A function gives as many values of the same dtypes and ranks as Python."""
        for call, (one, other) in enumerate(zip(self.traced, self.eager, strict=True)):
            if other.error or (one.error and reason_of(one)):
                return
            forms = [[(value.dtype, value.ndim) for value in each.values] for each in (one, other)]
            if one.error or forms[0] != forms[1]:
                told = f"{one.error} {one.words}" if one.error else str(forms[0])
                self.findings.append(Finding("forms", f"call {call}: {told} instead of {forms[1]}"))
                return

    def unplanned(self) -> None:
        """Run node by node, a function draws what its plan and its machine code draw."""
        before = runs.programs._UNPLANNED, runs.compile_policy._RUNS
        runs.programs._UNPLANNED = runs.compile_policy._RUNS = 1000
        try:
            found = self.ran(graph=True)
        finally:
            runs.programs._UNPLANNED, runs.compile_policy._RUNS = before
        self.compare("unplanned", found, self.traced)

    def recorded(self) -> None:
        """Recording changes no number."""
        for graph, wanted in ((False, self.eager), (True, self.traced)):
            with tf.record(values=("stats", "all", "none")[self.program.seed % 3]):
                found = self.ran(graph=graph)
            self.compare("recorded", found, wanted)

    def devices(self) -> None:
        """Another device gets the same numbers."""
        with standing_in(), tf.device("GPU:0"):
            self.compare("devices", self.ran(), self.eager, signs=False)

    def by_seeds_alone(self) -> None:
        """What depends on its seeds alone is the same in a function."""
        if self.program.seed % 3 == 0:
            good = next((place for place, one in enumerate(self.eager) if one.error), CALLS)
            mine, theirs, sums = self.traced[:good], self.eager[:good], self.program.sums()
            if (told := difference(mine, theirs)) and (sums is None or difference(mine, theirs, sums=sums)):
                self.findings.append(Finding("by seeds alone", told))

    def same(self) -> None:
        """The gradient of a dropout leaves out what the dropout has left out."""
        for outcome in (*self.eager, *self.traced):
            for name, value in zip(self.program.results, outcome.values, strict=False):
                if name.startswith("same") and not value:
                    self.findings.append(Finding("same", f"call 0: {name} is False"))
                    return

    def new(self) -> None:
        """In the next call, with no seed set between, a function draws other numbers; so does Python."""
        places = [place for place, name in enumerate(self.program.results) if name.startswith("drawn")]
        for graph in (False, True):
            loaded = Loaded(self.code)
            function = tf.function(loaded.program) if graph else loaded.program
            given = loaded.arguments(0)
            try:
                rows = [tf.nest.flatten(function(*given)) for _ in range(CALLS)]
            except Exception:  # noqa: BLE001 - then there is nothing to compare
                return
            for place in places:
                drawn = {row[place].numpy().tobytes() for row in rows}
                if len(drawn) < CALLS:
                    self.findings.append(Finding("new", f"call 0: {len(drawn)} different draws in {CALLS} calls"))


PROMISES: dict[str, Callable[[_Checks], None]] = {
    "again": _Checks.again, "traced again": _Checks.traced_again, "forms": _Checks.forms,
    "unplanned": _Checks.unplanned, "recorded": _Checks.recorded, "devices": _Checks.devices,
    "by seeds alone": _Checks.by_seeds_alone, "same": _Checks.same, "new": _Checks.new,
}  # fmt: skip
"""What must hold, by name."""


def check_random(program: Program, promises: Sequence[str] = ()) -> Report:
    """Run a program that draws numbers, and see what must hold, or these promises."""
    with strictly(program.lowered) as sources:
        checks = _Checks(program)
        try:
            for promise in promises or PROMISES:
                PROMISES[promise](checks)
        finally:
            linecache.cache.pop(checks.code.co_filename, None)
    checks.findings += fallbacks_taken()
    traced = not checks.traced[0].error
    machine_code = traced and are_compiled(sources)
    return Report(checks.findings, [], traced, machine_code, frozenset(), frozenset(), frozenset(promises or PROMISES))
