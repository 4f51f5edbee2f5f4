"""The tape: a recording, and everything that can be asked of it."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

import tapeviz
from tapeviz.analysis.foreign_words import framework_of
from tapeviz.analysis.graph import graph_of
from tapeviz.analysis.nonfinite.origins import NonFinites, nonfinite
from tapeviz.analysis.query.query import Selection, select
from tapeviz.analysis.verdicts import Verdicts, verdicts, with_thresholds, with_verdicts
from tapeviz.analysis.walkthrough import steps_of
from tapeviz.analysis.why.explanation import Answer, Answers, Subject, tensor_id, why, why_none, why_used
from tapeviz.analysis.why.questions import find
from tapeviz.analysis.windows import contents, window
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.dtypes import as_dtype
from tapeviz.exports import headline, summary_text
from tapeviz.exports.contents import elements
from tapeviz.exports.steps_text import Steps
from tapeviz.exports.view_names import VIEWS
from tapeviz.exports.writers import WRITERS, suffixes, write
from tapeviz.recording import Builder, Recording, TableView
from tapeviz.recording.reader import read_sound
from tapeviz.recording.schema import DTYPES, SCHEMA
from tapeviz.tape.check import check
from tapeviz.tape.digits import Digits, digits
from tapeviz.tape.display import WIDGET, notebook, publish, view_data
from tapeviz.tape.experiments import Experiments
from tapeviz.tape.python_code import cell
from tapeviz.tape.quiz import Quiz
from tapeviz.tape.rerun import Change
from tapeviz.tape.retraces import with_retraces
from tapeviz.tape.shrink import Shrunk, shrink

__all__ = ["Plots", "Tape", "load"]

NumbersOf = Callable[[Any], "tuple[int, int] | None"]
RunAgain = Callable[[Change, Sequence[str]], "Tape"]


class Tape:
    """A recording of ops, gradients and values, with views, questions and exports.

    The tables of the recording are attributes (``tape.events``, ``tape.tensors``, ...). ``wrt`` holds the gradients
    that ``%%tape --wrt`` asked for, by name; None where there is no path. ``counterparts`` of a rerun are the ids
    of its tensors by those of the tape that ran again. ``quiz`` are the answers given in the Step view. In a notebook a
    tape shows itself as linked interactive views,
    elsewhere as a summary.

    Args:
        source: the recording, or the builder that it still grows in.
        numbers_of: the tensor's and the variable's number behind an object of the user's, None for others; without it
            questions take names and ids alone.
        catch_up: has what happened so far written to the builder.

    >>> import tapeviz as tf
    >>> w = tf.Variable(3.0, name="w")
    >>> with tf.record() as tape:
    ...     with tf.GradientTape() as g:
    ...         loss = tf.stop_gradient(w * w)
    ...     dw = g.gradient(loss, w)
    >>> tape.why(loss, w).reason
    'stop_gradient'
    """

    def __init__(
        self,
        source: Builder | Recording,
        numbers_of: NumbersOf | None = None,
        catch_up: Callable[[], object] | None = None,
    ) -> None:
        self._source = source
        self._numbers_of = numbers_of
        self._catch_up = catch_up
        self._latest: Recording | None = None
        self._widget: Any = None
        self.wrt: dict[str, Any] = {}
        self._arrays: Mapping[int, Any] = {}
        self._has_let_go = False
        self._run_again: RunAgain | None = None
        self.quiz: Quiz = Quiz()
        self.counterparts: dict[int, int] = {}
        self._experiments = Experiments(self)

    @property
    def recording(self) -> Recording:
        """The recording as it is now."""
        if isinstance(self._source, Recording):
            return self._source
        if self._catch_up is not None:
            self._catch_up()
        now = self._source.recording()
        if self._latest is None or now.frames != self._latest.frames:
            self._latest = now
        return self._latest

    def __getattr__(self, name: str) -> TableView:
        if name in SCHEMA:
            return self.recording.table(name)
        raise AttributeError(f"a tape has no attribute {name!r}")

    def __dir__(self) -> list[Any]:
        return [*super().__dir__(), *SCHEMA]

    # Questions.

    def query(self, text: str) -> Selection:
        """The events and tensors for which every term of a filter holds, such as ``op:matmul |g|<1e-6 line:9``.

        Raises:
            FilterError: a filter that cannot be read, in one line with a hint.
        """
        return select(self.recording, text)

    def why(self, target: Any = None, source: Any = None) -> Answer | Answers:
        """Why the gradient of ``target`` by ``source`` is None, with the line and what to do.

        Args:
            target: what was differentiated: a tensor, its name or its id; by default that of the latest call of
                ``gradient`` (with this source).
            source: what by: a tensor, a variable, a name or an id; by default each source that got None.

        Raises:
            LookupError: the recording has no such tensor, or no gradient was asked for.
        """
        recording = self.recording  # first, for while recording this is when tensors get known
        aimed = None if target is None else self._subject(target, "target")
        if source is None:
            return why_none(recording, aimed)
        return why(recording, aimed, self._subject(source, "source"))

    def nonfinite(self) -> NonFinites:
        """Where NaN and infinity come from, first cause first."""
        return nonfinite(self.recording)

    def verdicts(self, thresholds: Mapping[str, float] | None = None, *, retrace: bool = False) -> Verdicts:
        """What looks wrong, gravest first, each with the line and what to do.

        A comment on a line, such as ``# tapeviz: expected broadcast``, says that findings there are meant: they are
        counted, as ``expected``.

        Args:
            thresholds: other numbers to judge by, by their names; those that this recording was made with stay.
            retrace: trace the functions that ran once more, and compare: what differs came from Python and stays as
                it was in their graphs. What they do in Python happens again; the graphs stay as they are.

        Raises:
            ValueError: a threshold that there is not; the message lists them.
        """
        recording = self.recording
        found = verdicts(with_thresholds(recording, thresholds) if thresholds else recording)
        return with_retraces(recording, found, here=self._numbers_of is not None) if retrace else found

    def check(self, *kinds: str, severity: int = 2, thresholds: Mapping[str, float] | None = None) -> None:
        """Raise where something looks wrong, for tests and for homework.

        Args:
            kinds: which findings count, such as ``"none"``, ``"nan"`` or ``"retrace"``; all of them unless named.
            severity: from which one on: 1 worth knowing, 2 likely a fault, 3 a fault.
            thresholds: as for :meth:`verdicts`.

        Raises:
            FindingsError: there are findings; it is an AssertionError and prints them all.
            ValueError: a kind, a severity or a threshold that there is not.
            LookupError: the recording has no statistics of tensors, which such findings go by; those are made when it
                is over.

        >>> import tapeviz as tf
        >>> with tf.record() as tape:
        ...     y = tf.math.log(tf.constant([1.0, 2.0]))
        >>> tape.check("nan", "none")
        """
        check(self.recording, self.verdicts(thresholds), kinds, severity, over=self._catch_up is None)

    def explain(self, question: str, number: int, *subjects: Any) -> Any:
        """Answer a question asked of a gradient tape while recording: ``"why"``, or ``"used"`` (where, as text)."""
        return why_used(self.recording, number) if question == "used" else self.why(*subjects)

    def rerun(
        self,
        replace: Mapping[Any, Any] | Iterable[tuple[Any, Any]] = (),
        *,
        dtype: Any = None,
        until: Any = None,
    ) -> Tape:
        """Run the recorded program again, and record that: with other values, in another precision, or not to its end.

        The ops are run again, the gradients are taken again and the traced functions are called again, in their order
        and on their lines. What Python did between them is not: what it read from a tensor is read again, but what it
        made of that stays as it was, and the new tape says on which lines this happened to a value that has changed,
        and which of them would have branched the other way. Variables have the values of then while the program runs,
        and those of now afterwards.

        Args:
            replace: other values: a dict by the names or ids of tensors and variables, or pairs where those
                themselves are given. For a variable it is the value that it begins with; an op whose result is replaced
                does not run; a name that several tensors have means all of them.
            dtype: what floating-point numbers are computed in, such as ``"float64"``.
            until: a tensor, its name or its id: run until this has been computed.

        Returns:
            The new tape; ``tapeviz.diff`` compares it with this one. Where an op failed it ends there, and says so.

        Raises:
            RuntimeError: the recording did not keep what this needs: ask for ``values="inputs"``.
            LookupError: the recording has no such tensor, or it is made inside a traced function or a backward pass,
                which run again as a whole.
            TypeError: a value does not convert to the dtype of what it replaces.

        >>> import tapeviz as tf
        >>> with tf.record(values="inputs") as tape:
        ...     x = tf.constant(3.0)
        ...     y = x * x + 1.0
        >>> again = tape.rerun([(x, 4.0)])
        >>> again.value(y)
        array(17., dtype=float32)
        """
        if self._run_again is None:
            raise RuntimeError(_not_kept(self.recording))
        pairs = replace.items() if isinstance(replace, Mapping) else replace
        change = Change(dtype=None if dtype is None else as_dtype(dtype))
        replaced = []
        for key, value in pairs:
            found = find(graph_of(self.recording), self._subject(key, "tensor to replace"))
            replaced.append(found.text)
            tensors, rows = self.recording.tensors, list(found.tensors)
            given = convert_to_tensor(value, dtype=DTYPES[tensors.dtype[rows[-1]]])._a
            if found.variables:
                change.variables.update(dict.fromkeys(found.variables, given))
            else:
                change.values.update(dict.fromkeys(tensors.id[rows].tolist(), given))
        if until is not None:
            change.until = self.number(until)
        return self._run_again(change, replaced)

    def digits(self, precision: str = "float64") -> Digits:
        """Which lines lose digits: the program runs again in a higher precision, and both runs are compared.

        Args:
            precision: the dtype that is taken for exact.

        Returns:
            The ops whose result has few right digits though their inputs have many, in the order of the program, each
            with another way to compute it where one is known that keeps more. ``right`` has the digits of each tensor.

        Raises:
            RuntimeError: see :meth:`rerun`.

        >>> import tapeviz as tf
        >>> with tf.record(values="inputs") as tape:
        ...     x = tf.constant(-20.0)
        ...     y = tf.math.log(1.0 + tf.exp(x))
        >>> tape.digits()[0].op
        'log'
        """
        return digits(self, self.rerun(dtype=precision), precision)

    def shrink(self, failure: str = "nan") -> Shrunk:
        """The smallest program that fails as this one did, as the cell of a notebook: to keep, to send, to file.

        It is the op at which it went wrong, forward or backward or while a function was traced; of a finding, the ops
        that get it. Inputs have as few elements as will do, and numbers as plain as will do: nobody's data. Each step
        towards it was tried.

        Args:
            failure: ``"nan"`` for the first NaN or infinity, ``"error"`` for the last op that raised, or the kind of a
                finding, such as ``"broadcast"``.

        Returns:
            The program; it prints as its text.

        Raises:
            LookupError: the program did not fail like this, or the elements of the op's inputs were not kept, or the
                finding is about more than ops.
            ValueError: another failure.

        >>> import tapeviz as tf
        >>> with tf.record() as tape:
        ...     p = tf.nn.softmax(tf.constant([[0.5, -200.0, 1.5]]))
        ...     loss = -tf.reduce_sum(tf.math.log(p))
        >>> print(tape.shrink("nan"))
        import tapeviz as tf
        x = tf.constant(0.0)
        print(tf.math.log(x))
        """
        return shrink(self, failure)

    def as_python(self, selection: str = "") -> str:
        """The ops of a selection as a cell that runs: to copy, to change, to send.

        Inputs have the shapes and types recorded. One of at most eight elements that were kept is written out; others
        are drawn from fixed seeds, or zeros where they are no floating-point numbers. Backward steps in the selection
        ask for the gradients by the inputs. An op that has no such call is left out with a comment, and what it made
        is an input. Where a session's graph computes with sizes, shapes of the inputs may have to be mended by hand.

        Args:
            selection: a filter, such as ``"op:matmul line:9"``; all ops by default.

        Raises:
            FilterError: a filter that cannot be read.
            LookupError: no op is selected.

        >>> import tapeviz as tf
        >>> with tf.record() as tape:
        ...     y = tf.nn.softmax(tf.constant([1.0, 2.0]))
        >>> print(tape.as_python("op:softmax"))
        import tapeviz as tf
        x = tf.constant([1.0, 2.0])
        x_1 = tf.math.softmax(x, axis=-1)
        print(x_1)
        """
        return cell(self.recording, self.query(selection).events.tolist(), self.elements)

    def value(self, tensor: Any) -> np.ndarray:
        """What a tensor held: a tensor, a variable, its name or its id.

        Raises:
            LookupError: the recording has no such tensor, or its elements are not kept.
        """
        number = self.number(tensor)
        array = self.elements(number)
        if array is None:
            raise LookupError(f"the elements of tensor {number} are not in memory; record with values='all'")
        return np.asarray(array)

    def number(self, tensor: Any) -> int:
        """The id of a tensor, of a variable's latest value, or of what has a name; an id is returned as it is.

        Raises:
            LookupError: the recording has no such tensor.
        """
        recording = self.recording
        return tensor_id(recording, self._subject(tensor, "tensor"))

    def with_values(self, tensor: int) -> Recording:
        """The recording with the contents of a tensor and of its gradient, where they are in memory."""
        recording = self.recording
        gradients = recording.gradients
        both = [tensor, *gradients.gradient[gradients.tensor == tensor][-1:].tolist()]
        missing = [number for number in both if number in self._arrays and number not in recording.values.tensor]
        rows = [contents(number, self._arrays[number]) for number in missing]
        return recording.with_rows("values", [row for row in rows if row is not None])

    def _subject(self, item: Any, role: str) -> str | int | Subject:
        if isinstance(item, (str, Subject)):
            return item
        if isinstance(item, (int, np.integer)) and not isinstance(item, bool):
            return int(item)
        numbers = None if self._numbers_of is None else self._numbers_of(item)
        if numbers is None:
            known = "a tensor, a variable, a name or an id" if self._numbers_of is not None else "a name or an id"
            raise LookupError(f"the {role} must be {known}, not {type(item).__name__}")
        return Subject(*numbers)

    def know_by(self, numbers_of: NumbersOf) -> None:
        """Find the numbers behind objects of the user's by this from now on."""
        self._numbers_of = numbers_of

    def finish(self, arrays: Mapping[int, Any], run_again: RunAgain | None = None) -> None:
        """The recording is whole; ``arrays`` are what is still in memory of the tensors, by id, to page through.

        ``run_again`` runs the program again.
        """
        self._catch_up = None
        self._arrays = arrays
        self._run_again = run_again

    @property
    def held(self) -> int:
        """How many bytes of tensors are in memory for the views to page through, the recording itself not counted."""
        return sum(array.nbytes for array in self._arrays.values())

    @property
    def in_memory(self) -> Mapping[int, Any]:
        """Those tensors by id, as arrays to look at; a `.tape` file has none."""
        return self._arrays

    def let_go(self) -> None:
        """Give that memory back. Summaries of the tensors stay; the views say of the rest that it was evicted."""
        self._has_let_go = bool(self._arrays) or self._has_let_go
        self._arrays = {}

    # Ways out.

    def save(self, path: str | Path, view: str | None = None) -> Path:
        """Write the tape to a file.

        Args:
            path: ``.tape`` (the recording), ``.html`` (one self-contained interactive page) or ``.json`` (a Chrome
                trace, which Perfetto opens).
            view: the view that a page opens at: ``"step"`` makes a hand-out to step through.

        Returns:
            The path written to.

        Raises:
            ValueError: another suffix, a view that there is not, or one for a file that has no views.
        """
        target = Path(path)
        suffix = target.suffix.lower()
        if suffix not in WRITERS:
            near = difflib.get_close_matches(target.suffix, WRITERS, 1)
            hint = f"; did you mean {near[0]}?" if near else ""
            choices = f"the suffix says what to write: {suffixes(explained=True)}"
            raise ValueError(f"cannot save to {str(path)!r}: {choices}{hint}")
        if view is not None and suffix != ".html":
            raise ValueError(f"view={view!r}: a {suffix} file opens at no view; save a .html page")
        write(self._judged, target, suffix, **({} if view is None else {"view": checked_view(view)}))
        return target

    @property
    def plot(self) -> Plots:
        """Figures of matplotlib's: ``plot.timeline()``, ``plot.gradients()``, ``plot.tensor(t)``."""
        return Plots(self)

    @property
    def view(self) -> Any:
        """The interactive views, as a widget that composes with others; the same one each time, until it is closed."""
        if self._widget is None or self._widget.comm is None:
            self._widget = tapeviz.widgets.TapeWidget(self._judged, answer=self.answer, summary=str(self))
        return self._widget

    @property
    def _judged(self) -> Recording:
        return with_verdicts(self.recording)

    def answer(self, asked: Mapping[str, Any]) -> tuple[Mapping[str, Any], Sequence[bytes]]:
        """Answer a page's question: fields and buffers. What it asks for may be gone; the fields then say so."""
        kind = asked.get("kind")
        answers: dict[Any, Callable[[Mapping[str, Any]], tuple[Mapping[str, Any], Sequence[bytes]]]] = {
            "ready": lambda _: tapeviz.widgets.tape_widget.frames_for_page(self._judged, pages=True),
            "recording": lambda _: ({}, [self._judged.to_bytes()]),
            "python": lambda asked: (self._python_of(asked.get("events", [])), ()),
            "quiz": lambda asked: (self.quiz.take(asked), ()),
            "window": self._window,
            "export": self._export,
        }
        if kind in ("element", "what_if", "digits"):
            return self._experiments.answer(asked), ()
        if kind not in answers:
            return {"state": "error", "text": f"no answer to {kind!r}"}, ()
        return answers[kind](asked)

    def _export(self, asked: Mapping[str, Any]) -> tuple[Mapping[str, Any], Sequence[bytes]]:
        """The bytes of a file that the tape is saved as, for a page to offer."""
        suffix = asked.get("suffix")
        if suffix not in WRITERS:
            return {"state": "error", "text": f"no file is called *{suffix}: {suffixes(explained=True)}"}, ()
        target = BytesIO()
        write(self._judged, target, suffix, **({"view": asked["view"]} if suffix == ".html" else {}))
        return {"state": "ok"}, [target.getvalue()]

    def _window(self, asked: Mapping[str, Any]) -> tuple[Mapping[str, Any], Sequence[bytes]]:
        """A part of a tensor for a page to show."""
        number = asked.get("tensor")
        array = self._shown(number, asked.get("edits")) if isinstance(number, int) else None
        if array is None:
            evicted = self._has_let_go or "evicted" in self.recording.meta_dict()
            return {"tensor": number, "state": "evicted" if evicted else "unknown"}, ()
        try:
            fields, buffers = window(array, asked)
        except (ValueError, TypeError, KeyError) as error:
            return {"tensor": number, "state": "error", "text": str(error)}, ()
        return {"tensor": number, **fields}, buffers

    def _shown(self, number: int, edits: Any) -> Any:
        """The elements of a tensor; with edits, those that it has in a run with them."""
        return self._experiments.elements(number, edits) if edits else self.elements(number)

    def _python_of(self, events: Sequence[int]) -> dict[str, Any]:
        try:
            return {"state": "ok", "text": cell(self.recording, events, self.elements)}
        except LookupError as error:
            return {"state": "error", "text": str(error)}

    def steps(self, selection: str = "") -> Steps:
        """The program and its backward passes as steps with their numbers, to be gone through one after the other.

        A backward step is upstream times local derivative, which gives a contribution; what is added to one that was
        there before is a step of its own. Record with ``values="all"`` to have each tensor's elements.

        Args:
            selection: a filter, as for :meth:`query`: the steps of these events alone.

        Example::

            with tf.record(values="all") as tape:
                train_step(x, y)
            steps = tape.steps()
            steps                  # a table
            steps.show(7)          # the seventh, in words and numbers
        """
        events = None if not selection else self.query(selection).events.tolist()
        return Steps(steps_of(self.recording, self.elements, events))

    def elements(self, number: int) -> Any:
        """The elements of a tensor, from memory or from the recording; None where neither has them."""
        if number in self._arrays:
            return self._arrays[number]
        if number not in self.recording.values.tensor:
            return None
        rows = np.flatnonzero(self.recording.tensors.id == number)
        return elements(graph_of(self.recording), int(rows[-1])) if len(rows) else None

    # Showing.

    def show(self, view: str | None = None) -> None:
        """Show the tape in a notebook, and print it elsewhere.

        Args:
            view: the view to open at, such as ``"flow"`` or ``"step"``; where there are no views, ``"step"`` prints the
                steps.

        Raises:
            ValueError: a view that there is not.
        """
        if view is not None:
            checked_view(view)
        if notebook() is None:
            sys.stdout.write(f"{self.text(view)}\n")
            return
        if view is not None:
            self.view.view = view
        self._ipython_display_()

    def text(self, view: str | None = None) -> str:
        """The tape as text: the steps for the view ``"step"``, else the summary."""
        return str(self.steps()) if view == "step" else str(self)

    def __repr__(self) -> str:
        return summary_text.summary(self.recording)

    __str__ = __repr__

    def _repr_html_(self) -> str:
        """The summary as HTML without scripts, for hosts that are no IPython, such as marimo."""
        return tapeviz.exports.summary_html.summary(self._judged)

    def _repr_mimebundle_(self, **_options: Any) -> dict[str, Any]:
        bundle: dict[str, Any] = {"text/plain": repr(self)}
        if notebook() is not None:
            bundle["text/html"] = self._repr_html_()
            bundle[WIDGET] = view_data(self.view)
        return bundle

    def _ipython_display_(self) -> None:
        """Show the views, and the summary that stands in for them where no kernel answers."""
        shell = notebook()
        if shell is None:
            raise NotImplementedError  # IPython then takes the text
        page = tapeviz.exports.summary_html.summary(self._judged, mark=self.view.stand_in)
        line = " · ".join([headline.title(self.recording), *headline.facts(self.recording)])
        publish(shell, self.view, line, page, repr(self))


def checked_view(view: str) -> str:
    """The name of a view. ValueError: there is none such."""
    if view not in VIEWS:
        near = difflib.get_close_matches(view, VIEWS, 1)
        hint = f"did you mean {near[0]!r}?" if near else f"choose {', '.join(VIEWS)}"
        raise ValueError(f"view={view!r}: there is no such view; {hint}")
    return view


class Plots:
    """A tape's figures, as matplotlib draws them."""

    def __init__(self, tape: Tape) -> None:
        self._tape = tape

    def timeline(self) -> Any:
        """The ops over time, forward above and backward below."""
        return tapeviz.exports.figures.timeline(self._tape.recording)

    def gradients(self) -> Any:
        """The norm of each source's gradient."""
        return tapeviz.exports.figures.gradients(self._tape.recording)

    def tensor(self, tensor: Any) -> Any:
        """A tensor's values: a tensor, its name or its id.

        Raises:
            LookupError: the recording has no such tensor.
        """
        number = self._tape.number(tensor)
        return tapeviz.exports.figures.tensor(self._tape.with_values(number), number)


def load(path: str | Path) -> Tape:
    """Open a tape that was saved as ``.tape``.

    A file that was cut off opens up to its last whole part, one with malformed rows without what is wrong in them;
    ``tape.recording.problem`` then says so.

    Raises:
        RecordingError: the file is no recording.
        OSError: it cannot be read.
    """
    return Tape(read_sound(path))


def _not_kept(recording: Recording) -> str:
    if framework := framework_of(recording):
        return f"{framework}'s ops do not run again: change the program, and record it once more"
    policy = recording.meta_dict().get("policy")
    policy = policy if isinstance(policy, dict) else {}
    if policy.get("program", policy.get("values") == "inputs"):
        return "this tape was opened from a file, which has no program: rerun the tape that recorded it"
    return f"nothing was kept to run it again (values={policy.get('values')!r}): record with values='inputs'"
