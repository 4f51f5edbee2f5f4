"""What the magics do in one shell: record code, keep and show its tape, and hand on its value or its error."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from IPython.core.error import UsageError
from IPython.core.getipython import get_ipython
from IPython.display import display

from tapeviz.exports import headline
from tapeviz.lab import CommChannels
from tapeviz.magics import choices, comparison
from tapeviz.magics.cells import CellSite, Sources
from tapeviz.magics.code import Body, compiled, transformed
from tapeviz.magics.execution import Outcome, Scope, recorded, users_part
from tapeviz.magics.graph_cells import GraphBody, functions_eager, restored
from tapeviz.magics.kernel_bridge import KernelBridge
from tapeviz.magics.options import Options, parse
from tapeviz.magics.settings import Settings
from tapeviz.magics.tape_history import Entry, TapeHistory
from tapeviz.recording.terminal_text import visible
from tapeviz.tape.cell_frameworks import framework_of
from tapeviz.tape.frameworks import OWN, framework_named
from tapeviz.tape.record import finished
from tapeviz.tape.tape import Tape

__all__ = ["LAST", "Session", "say", "show"]

LAST: Final = "_tape"
show: Final[Any] = display  # untyped in IPython
_RUN_AGAIN: Final = ("graph", "gpu")


class Session:
    """One shell, what is chosen in it, the tapes recorded in it and the cells that they are of."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._sources = Sources(shell)
        self._under_magic = False
        self.tape_history: TapeHistory = TapeHistory()
        self.settings: Settings = Settings()
        self.live: bool = False
        """Whether cells under ``%%tape`` are shown while they run."""
        self._page_cells: dict[int, str] = {}
        self._is_recording = False
        self._bridge = KernelBridge(self.settings, self.tape_history, self._page_cells)
        self._channels = CommChannels(self._bridge)

    def begin(self) -> None:
        """Follow the shell and its recordings: what pages choose holds from the next cell on."""
        finished.append(self._finished)
        self._shell.events.register("pre_run_cell", self._before_cell)
        self._shell.input_transformers_cleanup.append(self._as_graph_cell)
        if hasattr(self._shell, "kernel"):
            self._channels.open()

    def end(self) -> None:
        """Leave the shell alone."""
        finished.remove(self._finished)
        self._shell.events.unregister("pre_run_cell", self._before_cell)
        self._shell.input_transformers_cleanup.remove(self._as_graph_cell)
        self._channels.close()

    def choose(self, what: str, word: str) -> None:
        """Choose a mode or a device, from here on. ValueError: it is not there."""
        self.settings.choose(what, word)
        self.settings.settle()
        self._channels.broadcast()

    def _finished(self, tape: Tape) -> None:
        mine: Any = get_ipython()
        if mine is self._shell:  # there may have been others in this process
            mine.push({LAST: tape}, interactive=False)  # whoever recorded it: a magic, record(), a callback
            if not self._is_recording:
                self._keep_own(tape)

    def _keep_own(self, tape: Tape) -> None:
        """Keep a tape that the program recorded; of those whose titles differ by a number, as steps do, the last."""
        cell = self._page_cell()
        kind = re.sub(r"\d+", "#", headline.title(tape.recording))
        self.tape_history.add(tape, (cell, kind), object(), cell)
        self._channels.broadcast()

    def _page_cell(self) -> str:
        """The id by which pages know the cell that runs; empty where the host does not say it."""
        parent = self._shell.get_parent() if hasattr(self._shell, "get_parent") else {}
        return str(parent.get("metadata", {}).get("cellId") or "")

    def _before_cell(self, _info: object) -> None:
        self.settings.settle()
        if cell := self._page_cell():
            # Its number is its place in the history; whether the shell has counted it already differs by version.
            self._page_cells[len(self._shell.history_manager.input_hist_raw)] = cell
            if self.tape_history.runs_again(cell):
                self._channels.broadcast()

    def record(self, header: str, cell: str | None, local_names: Any, name: str = "tape", preset: str = "") -> Any:
        """``%%tape`` (with a cell) or ``%tape``: run the code recorded, show the tape, return the code's value.

        ``name`` is the magic's, and ``preset`` are options that it has by itself.
        """
        __tracebackhide__ = True
        magic = f"%{name}" if cell is None else f"%%{name}"
        options, code = parse(f"{preset}{header}", magic, code_follows=cell is None, live=self.live)
        if cell is None and not code:
            raise UsageError(f"{magic}: what to record is missing, as in {magic} f(x); %{magic} records a whole cell")
        place, body = self._line(magic, code) if cell is None else self._cell(magic, header, cell)
        options = self._for_framework(options, body, magic, local_names)
        before = None
        if options.compare == "graph" and options.mode == "graph":
            raise UsageError(f"{magic}: --compare graph compares with the eager run; leave --mode graph out")
        if options.compare == "gpu" and options.device:
            raise UsageError(f"{magic}: --compare gpu compares with the run on the CPU; leave --device out")
        if options.compare not in (None, *_RUN_AGAIN):
            before = comparison.meant(options.compare, self.tape_history, self.namespace, magic)
        if options.device == "auto":
            say(f"--device auto: {choices.chosen_device('auto')}")
        with self._sources.running(place), choices.placed(options.device), self._recording():
            mode = options.mode or ("eager" if options.framework else self.settings.mode)
            scope = self._scope(local_names)
            if options.compare in _RUN_AGAIN:
                outcome, before = self._twice(body, place, scope, options, magic)
            else:
                moded = self._in_mode(body, place, magic, mode, fallback=options.fallback)
                # A traced loop is one op: to be stepped through it runs as the Python that it is.
                with functions_eager() if options.view == "step" and mode == "eager" else nullcontext():
                    outcome = recorded(moded, place, scope, options, self._sources, magic, mode)
        self._keep(outcome, options, place, magic)
        if before is not None and outcome.outermost and not options.quiet:
            self._compare(before, outcome.tape)
        if outcome.error is not None:
            return self._pass_on(outcome.error, options)
        if body.silenced:
            return None
        return outcome.tape if options.returned else outcome.value

    def _for_framework(self, options: Options, body: Body, magic: str, local_names: Any) -> Options:
        """The options with the framework that the code uses, empty for tapeviz's own."""
        name = options.framework or framework_of(body.tree, self._scope(local_names).visible)
        if name == OWN:
            return replace(options, framework="")
        try:
            framework = framework_named(name)
        except ValueError as error:
            raise UsageError(f"{magic}: --framework {name}: {error}") from None
        compares = options.compare if options.compare in _RUN_AGAIN else None
        for flag, given, why in (
            ("--mode", options.mode, "it runs as it is; a compiled function runs as plain eager ops here"),
            ("--device", options.device, "its tensors say themselves where they are"),
            ("--compare", compares, "its cell cannot be run again as a graph or elsewhere; compare with a tape"),
            (
                "--live",
                options.live and not framework.can_be_live,
                "cells are held between tapeviz's own ops; tapeviz.live(...) holds a loop",
            ),
            ("--values inputs", options.values == "inputs", "its ops do not run again; --values all keeps elements"),
        ):
            if given:
                raise UsageError(f"{magic}: {flag} does not go with {name}: {why}")
        return replace(options, framework=name)

    @contextmanager
    def _recording(self) -> Iterator[None]:
        """Tapes of the block are those of a magic, which keeps them itself."""
        outer, self._is_recording = self._is_recording, True
        try:
            yield
        finally:
            self._is_recording = outer

    def run(self, magic: str, header: str, cell: str, local_names: Any, *, device: str = "", mode: str = "") -> Any:
        """Run a cell as it is, on a device or in a mode where one is named, and return its value."""
        __tracebackhide__ = True
        place, body = self._cell(magic, header, cell)
        scope = self._scope(local_names)
        with self._sources.running(place), choices.placed(device):
            code = self._in_mode(body, place, magic, mode or self.settings.mode)
            value = code.run(scope.variables, scope.names)
        return None if body.silenced else value

    @property
    def namespace(self) -> dict[str, Any]:
        """What the user's names stand for."""
        return self._shell.user_ns  # type: ignore[no-any-return]

    def last(self, magic: str) -> Tape:
        """The tape recorded last. UsageError: there is none."""
        tape = self._shell.user_ns.get(LAST)
        if not isinstance(tape, Tape):
            raise UsageError(f"{magic}: nothing is recorded yet; put %%tape at the top of a cell")
        return tape

    def show(self, entry: Entry, options: Options, *, now: bool = True) -> None:
        """Show a tape: its view on a page, its text in a terminal. Not ``now``: it will be shown as a value."""
        if not hasattr(self._shell, "kernel"):
            if now:
                say(entry.tape.text(options.view))
            return
        entry.view = entry.tape.view
        entry.view.view = options.view
        if options.height is not None:
            entry.view.height = options.height
        if now:
            show(entry.tape)

    def _compare(self, before: Tape, now: Tape) -> None:
        """Show where two tapes first differ: a table on a page, its text in a terminal. The view goes there."""
        found = comparison.compared(before, now)
        if not hasattr(self._shell, "kernel"):
            say(str(found))
            return
        if (event := comparison.event_to_see(found)) is not None:
            now.view.select(event=event)
        show(found)

    def forget(self) -> int:
        """Drop all tapes and return how many there were."""
        self._shell.drop_by_id({LAST: self._shell.user_ns.get(LAST)})
        count = self.tape_history.clear()
        self._channels.broadcast()
        return count

    def _cell(self, magic: str, header: str, cell: str) -> tuple[CellSite, Body]:
        __tracebackhide__ = True
        place = self._sources.place_of_cell(f"{magic} {header}".rstrip(), cell)
        text = self._sources.replace(place, self._python(cell))
        return place, compiled(self._shell, text, place.file, magic)

    def _line(self, magic: str, code: str) -> tuple[CellSite, Body]:
        __tracebackhide__ = True
        place = self._sources.place_of_line(code)
        text = "\n" * (place.line - 1) + self._python(code)
        return place, compiled(self._shell, text, place.file, magic, place.indent_of(code))

    def _in_mode(
        self, body: Body, place: CellSite, magic: str, mode: str, *, fallback: bool = False
    ) -> Body | GraphBody:
        """What to run so that a cell's code runs in a mode: the one place where modes differ."""
        if mode == "eager":
            return body

        def fell_back(reason: str) -> None:
            say(f"{magic}: this cell ran eagerly, because a graph cannot have all of it: {reason}")

        text = "\n".join(place.text.split("\n")[place.line - 1 :])
        return GraphBody(body, text, fell_back if fallback else None)

    def _twice(
        self, body: Body, place: CellSite, scope: Scope, options: Options, magic: str
    ) -> tuple[Outcome, Tape | None]:
        """The outcome of the cell run as a graph or on the GPU, from the start from which it ran before, and that tape.

        What the first run assigned, eagerly or on the CPU, is what stays.
        """
        __tracebackhide__ = True
        there = options.compare == "gpu"
        mode = options.mode or self.settings.mode if there else "eager"
        again = mode if there else "graph"
        with restored(scope.names) as put_back:
            # Beside a graph stands what runs op by op, in the functions that the cell calls, too.
            with choices.placed("cpu" if there else ""), nullcontext() if there else functions_eager():
                code = self._in_mode(body, place, magic, mode, fallback=options.fallback)
                first = recorded(code, place, scope, options, self._sources, magic, mode)
            if first.error is not None:
                return first, None
            with restored(scope.names) as go_on, choices.placed("gpu" if there else ""):
                put_back()
                code = self._in_mode(body, place, magic, again, fallback=options.fallback)
                outcome = recorded(code, place, scope, options, self._sources, magic, again)
                go_on()
        outcome.value = first.value
        return outcome, first.tape

    def _python(self, code: str) -> str:
        """A magic's code as Python: what is under a magic is put under no other one."""
        self._under_magic = True
        try:
            return transformed(self._shell, code)
        finally:
            self._under_magic = False

    def _as_graph_cell(self, lines: list[str]) -> list[str]:
        """In graph mode a cell that is no magic is put under one."""
        first = next((line.strip() for line in lines if line.strip()), "")
        plain = first and not first.startswith(("%", "!", "?")) and not first.endswith("?")
        wanted = plain and not self._under_magic and self.settings.mode == "graph"
        return ["%%mode graph\n", *lines] if wanted else lines

    def _scope(self, local_names: Any) -> Scope:
        names = self._shell.user_ns if local_names is None else local_names
        return Scope(self._shell.user_global_ns, names)

    def _keep(self, outcome: Outcome, options: Options, place: CellSite, magic: str) -> None:
        """The tape gets its names and its place on the tape_history and on the page."""
        tape = outcome.tape
        tape.wrt = outcome.gradients
        self._shell.push({LAST: tape}, interactive=False)
        if options.output is not None:
            self._shell.push({options.output: tape})
        if not outcome.outermost:
            if ignored := options.of_the_recording:
                say(f"{magic}: {ignored} has no effect inside a tape that is recording already")
            return
        entry = self.tape_history.add(tape, *self._cell_and_run(place), self._page_cell())
        if options.save is not None and (path := Path(options.save)).suffix != ".tape":
            tape.save(path, options.view if path.suffix == ".html" else None)
        if not options.quiet:
            self.show(entry, options, now=not options.returned or outcome.error is not None)
        self._channels.broadcast()

    def _cell_and_run(self, place: CellSite) -> tuple[Hashable, Hashable]:
        """What is the same each time that this cell runs, and what differs.

        A kernel gives cells of the same text the same file. Where the host does not say which cell it is, each run is
        one by itself: it is better to leave a view than to take that of another cell off the page.
        """
        parent = self._shell.get_parent() if hasattr(self._shell, "get_parent") else {}
        run = parent.get("header", {}).get("msg_id") or self._shell.execution_count
        return self._page_cell() or (place.file, run), run

    def _pass_on(self, error: BaseException, options: Options) -> None:
        __tracebackhide__ = True
        error.__traceback__ = users_part(error)
        if options.keep_going and isinstance(error, Exception) and not isinstance(error, UsageError):
            self._shell.showtraceback((type(error), error, error.__traceback__))
            return
        raise error


def say(text: str) -> None:
    """Print below the cell what a magic has to say."""
    print(visible(text))  # noqa: T201
