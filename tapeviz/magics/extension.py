"""The magics as IPython knows them, and how they come and go."""

from __future__ import annotations

import weakref
from typing import Any, Final

from IPython.core.error import UsageError
from IPython.core.getipython import get_ipython
from IPython.core.magic import Magics, line_cell_magic, line_magic, magics_class, needs_local_scope, no_var_expand

from tapeviz.magics import choices, questions
from tapeviz.magics.options import Options, usage
from tapeviz.magics.session import LAST, Session, say, show
from tapeviz.tape.live_strip import last_shown

__all__ = ["TapeMagics", "disable", "enable", "load", "unload"]


@magics_class
class TapeMagics(Magics):
    """``%%tape`` and its kin, for one shell."""

    def __init__(self, shell: Any) -> None:
        super().__init__(shell)
        self.session: Session = Session(shell)

    @no_var_expand
    @needs_local_scope
    @line_cell_magic
    def tape(self, line: str, cell: str | None = None, local_ns: Any = None) -> Any:
        """Record what the cell (``%%tape``) or the expression (``%tape f(x)``) computes, and show it."""
        __tracebackhide__ = True
        return self.session.record(line, cell, local_ns)

    @no_var_expand
    @needs_local_scope
    @line_cell_magic
    def step(self, line: str, cell: str | None = None, local_ns: Any = None) -> Any:
        """Record the cell (``%%step``) or the expression (``%step f(x)``), and go through it step by step.

        The same as ``%%tape --view step``, which keeps all values. Traced functions run as the Python they are, so that
        each iteration of their loops has its steps; ``--mode graph`` traces the cell.
        """
        __tracebackhide__ = True
        return self.session.record(line, cell, local_ns, "step", "--view step ")

    @no_var_expand
    @line_magic
    def tapes(self, line: str) -> None:
        """List the recorded tapes. ``%tapes show 3`` shows one again, ``%tapes clear`` forgets them all."""
        words = line.split()
        tape_history = self.session.tape_history
        if not words:
            say(str(tape_history))
        elif words == ["clear"]:
            count = self.session.forget()
            say(f"forgot {count} tape{'' if count == 1 else 's'}")
        elif words[0] == "show" and len(words) <= 2:  # noqa: PLR2004 - the word and a number
            number = words[-1]
            entry = tape_history.find(int(number)) if number.isdigit() else None
            if entry is None:
                there = ", ".join(map(str, tape_history.numbers())) or "none yet"
                raise UsageError(f"%tapes {line.strip()}: which tape? There are {there}")
            self.session.show(entry, Options())
        else:
            raise UsageError(f"%tapes {line.strip()}: there are %tapes, %tapes show N and %tapes clear")

    @no_var_expand
    @line_magic
    def why(self, line: str) -> None:
        """Say why a gradient of the last tape is None: ``%why w``, ``%why loss w``, or ``%why`` for each that is."""
        show(questions.why(self.session.last("%why"), line, self.session.namespace))

    @no_var_expand
    @line_magic
    def nan(self, line: str) -> None:
        """Say where the last tape's first NaN or infinity comes from."""
        if line.strip():
            raise UsageError(f"%nan {line.strip()}: %nan takes no arguments; it examines the last tape")
        show(questions.nan(self.session.last("%nan")))

    @no_var_expand
    @line_magic
    def live(self, line: str) -> None:
        """Whether ``%%tape`` shows cells while they run: ``%live on|off``. ``%live stats``: how the last one went."""
        word = line.strip()
        if word == "stats":
            strip = last_shown()
            say("no loop has been shown yet: %%tape --live, or for x in tapeviz.live(...)" if strip is None else strip)
            return
        if word:
            try:
                self.session.live = choices.chosen(word, ("on", "off", "stats")) == "on"
            except ValueError as error:
                raise UsageError(f"%live {word}: {error}") from None
        say("live: on; %%tape shows cells while they run" if self.session.live else "live: off; use %%tape --live")

    @no_var_expand
    @line_magic
    def retraces(self, line: str) -> None:
        """Say why functions were traced, each time: ``%retraces f``, or ``%retraces`` for all that have a name here."""
        show(questions.retraced(line, self.session.namespace))

    @no_var_expand
    @needs_local_scope
    @line_cell_magic
    def mode(self, line: str, cell: str | None = None, local_ns: Any = None) -> Any:
        """Say how cells run, or choose it: ``%mode eager|graph``. ``%%mode eager`` runs one cell so."""
        __tracebackhide__ = True
        self._choose("mode", line, cell)
        return None if cell is None else self.session.run("%%mode", line, cell, local_ns, mode=line.strip())

    @no_var_expand
    @needs_local_scope
    @line_cell_magic
    def device(self, line: str, cell: str | None = None, local_ns: Any = None) -> Any:
        """Say where ops run, or choose it: ``%device cpu|gpu|auto``. ``%%device cpu`` runs one cell there."""
        __tracebackhide__ = True
        self._choose("device", line, cell)
        return None if cell is None else self.session.run("%%device", line, cell, local_ns, device=line.strip())

    def _choose(self, what: str, line: str, cell: str | None) -> None:
        magic, word = f"%{what}" if cell is None else f"%%{what}", line.strip()
        if cell is not None and not word:
            raise UsageError(f"{magic}: which {what}? As in {magic} {'eager' if what == 'mode' else 'cpu'}")
        try:
            if cell is not None:
                _CHECKS[what](word)
            elif word:
                self.session.choose(what, word)
        except ValueError as error:
            raise UsageError(f"{magic} {word}: {error}") from None
        if word == "auto":
            say(f"{magic} auto: {choices.chosen_device(word)}")
        elif cell is None:
            say(self.session.settings.state(what))


_CHECKS: Final = {"mode": choices.mode, "device": choices.device}
TapeMagics.tape.__doc__ = f"{TapeMagics.tape.__doc__}\n\n{usage('%%tape')}"

_KINDS: Final = ("line", "cell")


class _Loaded:
    """Our magics in a shell, and what had their names before."""

    def __init__(self, shell: Any) -> None:
        manager = shell.magics_manager
        self.magics = TapeMagics(shell)
        self._before = {
            (kind, name): manager.magics[kind].get(name) for kind in _KINDS for name in self.magics.magics[kind]
        }
        manager.register(self.magics)
        self.magics.session.begin()

    def undo(self, shell: Any) -> None:
        self.magics.session.end()
        manager = shell.magics_manager
        for (kind, name), before in self._before.items():
            if manager.magics[kind].get(name) != self.magics.magics[kind][name]:
                continue  # somebody else's by now
            if before is None:
                del manager.magics[kind][name]
            else:
                manager.magics[kind][name] = before
        manager.registry.pop(TapeMagics.__name__, None)
        shell.configurables.remove(self.magics)
        shell.drop_by_id({LAST: shell.user_ns.get(LAST)})


_loaded: Final[weakref.WeakKeyDictionary[Any, _Loaded]] = weakref.WeakKeyDictionary()


def load(shell: Any) -> None:
    """Add the magics to a shell, once."""
    if shell not in _loaded:
        _loaded[shell] = _Loaded(shell)


def unload(shell: Any) -> None:
    """Leave the shell as it was before :func:`load`."""
    if (loaded := _loaded.pop(shell, None)) is not None:
        loaded.undo(shell)


def enable() -> None:
    """Add the magics to the running IPython or notebook: the same as ``%load_ext tapeviz``.

    Raises:
        RuntimeError: this is neither; ``tapeviz.record()`` works everywhere.
    """
    load(_running_shell())


def disable() -> None:
    """Take the magics away again: the same as ``%unload_ext tapeviz``.

    Raises:
        RuntimeError: this is neither IPython nor a notebook.
    """
    unload(_running_shell())


def _running_shell() -> Any:
    shell = get_ipython()
    if shell is None:
        raise RuntimeError("no IPython is running here; tapeviz.record() records without magics")
    return shell
