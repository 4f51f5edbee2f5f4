"""Why a gradient is None: one of a closed list of reasons, with the line and what to do.

The tape's rule is replayed on the recording, so nothing runs again.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any

from tapeviz.analysis.foreign_words import framework_of, in_its_words
from tapeviz.analysis.graph import Graph, Site, graph_of
from tapeviz.analysis.why.gaps import Gap, broken, integer_source, refused, unconnected, way
from tapeviz.analysis.why.host_round_trips import left_engine
from tapeviz.analysis.why.questions import Question, Subject, SubjectLike, ask, find, of_request, unanswered
from tapeviz.analysis.why.rebound_names import rebound_elsewhere
from tapeviz.analysis.why.torch_gaps import torch_gap
from tapeviz.recording import Recording
from tapeviz.recording.terminal_text import visible

__all__ = ["Answer", "Answers", "Subject", "answer", "tensor_id", "why", "why_none", "why_used"]


@dataclass(frozen=True, slots=True, repr=False)
class Answer:
    """Why the gradient of a target by a source is None; prints as a sentence and what to do.

    Attributes:
        reason: None when there is a gradient, else ``not_watched``, ``rebound``, ``left_engine``, ``integer_dtype``,
            ``no_gradient``, ``stop_gradient``, ``outside_tape`` or ``unconnected``.
        certain: whether nothing else can be the reason.
        target, source: what the user calls them.
        says: the reason as a clause; empty when there is a gradient.
        site: the line to look at: ``.cell``, ``.file``, ``.line``, ``.text``; None where there is none.
        fix: what to do, as a clause.
        from_source: ids of the tensors from the source to the gap (to the target, when there is none).
        from_target: ids of the tensors from the target back to the other side of the gap.
        gap: ``{"text", "event", "tensor"}``: what is in between, as a clause and ids (-1 for none); None without a gap.
        site_row: the row of ``sites`` of the line, -1 for none.
        source_id: id of the source.
    """

    reason: str | None
    certain: bool
    target: str
    source: str
    says: str
    site: Site | None
    fix: str
    from_source: tuple[int, ...]
    from_target: tuple[int, ...]
    gap: dict[str, Any] | None
    site_row: int
    source_id: int

    def __repr__(self) -> str:
        if self.reason is None:
            return visible(f"{self.target} depends on {self.source}, and the tape knows how: the gradient is not None.")
        where = "" if self.site is None else f"\n  {self.site}: {self.site.text}"
        return visible(f"{self.sentence}{where}\n  Fix: {self.fix}.")

    __str__ = __repr__

    @property
    def sentence(self) -> str:
        """The finding as a sentence, without the line and what to do."""
        because = "because" if self.certain else "probably because"
        return f"The gradient of {self.target} by {self.source} is None, {because} {self.says}."

    def _repr_html_(self) -> str:
        if self.reason is None:
            return f"<p>{escape(repr(self))}</p>"
        site = self.site
        where = "" if site is None else f"<br>{escape(str(site))}: <code>{escape(site.text)}</code>"
        return f"<p>{escape(self.sentence)}{where}<br><strong>Fix:</strong> {escape(self.fix)}.</p>"


class Answers(list[Answer]):
    """One answer for each source without a gradient; prints as them all."""

    def __repr__(self) -> str:
        return "\n".join(map(repr, self)) or "Every source that was asked for has a gradient."

    __str__ = __repr__

    def _repr_html_(self) -> str:
        return "".join(answer._repr_html_() for answer in self) or f"<p>{escape(repr(self))}</p>"


def why(recording: Recording, target: SubjectLike | None, source: SubjectLike) -> Answer:
    """Why there is no gradient of ``target`` by ``source``.

    The latest call of ``gradient`` for such a pair is meant; without one, the tape around the target.

    Args:
        recording: what was recorded.
        target: what was differentiated: a name of the user's, the id of a tensor, or a `Subject`. With None, the
            target of the latest call with this source.
        source: what it was differentiated by, likewise.

    Raises:
        LookupError: there is no such tensor in the recording, in one line with a near miss.

    Example::

        print(why(recording, "loss", "w2"))
    """
    graph = graph_of(recording)
    try:
        find(graph, source)
    except LookupError:
        if isinstance(source, Subject):
            return _unseen(graph, target)
        raise
    return answer(ask(graph, target, source))


def why_none(recording: Recording, target: SubjectLike | None = None) -> Answers:
    """The reasons for each None in the latest call of ``gradient`` (of ``target``, when given).

    Raises:
        LookupError: ``gradient`` was not called, or not for this target.
    """
    graph = graph_of(recording)
    return Answers(answer(of_request(graph, row)) for row in unanswered(graph, target))


def why_used(recording: Recording, tape: int) -> str | None:
    """Where a gradient tape (its id) was used up, as in ``at cell 3, line 4 (dw = tape.gradient(loss, w))``."""
    tapes = recording.tapes
    rows = [row for row, change in enumerate(tapes.change) if change == "used" and tapes.id[row] == tape]
    place = graph_of(recording).place(int(tapes.site[rows[-1]])) if rows else None
    return None if place is None else f"at {place} ({place.text})"


def tensor_id(recording: Recording, subject: SubjectLike) -> int:
    """The id of the latest tensor that a name, an id or a `Subject` means.

    Raises:
        LookupError: there is none.
    """
    graph = graph_of(recording)
    return graph.tensor_id(find(graph, subject).tensors[-1])


def answer(question: Question) -> Answer:
    """The answer to a question."""
    if question.target < 0 or question.source < 0:
        return _unknown(question)
    known = way(question)
    if known is None:
        return _given(question, _gap(question))
    if question.request >= 0 and not question.answered:
        foreign = framework_of(question.graph.recording) == "torch"
        own = torch_gap(question) if foreign else None
        return _given(question, own or refused(question, known))
    ids = question.graph.tensor_ids(known)
    names = (question.target_name, question.source_name)
    return Answer(None, True, *names, "", None, "", ids, ids[::-1], None, -1, ids[0])


def _gap(question: Question) -> Gap:
    """The first of the reasons that holds, those that need the least guessing first."""
    if framework_of(question.graph.recording) == "torch" and (found := torch_gap(question)) is not None:
        return found
    gap = integer_source(question) or broken(question, assigned=False)
    if gap is None and (again := rebound_elsewhere(question)) is not None:
        site = again.site if again.site >= 0 else question.site
        gap = Gap("rebound", again.says, again.fix, site, -1, question.source, ([question.source], [question.target]))
    gap = gap or left_engine(question, assigned=False) or broken(question, assigned=True)
    return gap or left_engine(question, assigned=True) or unconnected(question)


def _given(question: Question, gap: Gap) -> Answer:
    graph: Graph = question.graph
    site = gap.site if gap.site >= 0 else question.site
    between = {"text": gap.says, "event": graph.event_id(gap.event), "tensor": graph.tensor_id(gap.tensor)}
    names = (question.target_name, question.source_name)
    from_source, from_target = (graph.tensor_ids(rows) for rows in gap.ways)
    fix = in_its_words(graph.recording, gap.fix)
    return Answer(
        gap.reason, gap.certain, *names, gap.says, graph.place(site), fix, from_source, from_target, between, site,
        graph.tensor_id(question.source),
    )  # fmt: skip


def _unseen(graph: Graph, target: SubjectLike | None) -> Answer:
    """The source is a tensor or variable of the user's that the recording never met."""
    aimed = None if target is None else find(graph, target)
    name = "the target" if aimed is None else aimed.text
    site = -1 if aimed is None else graph.site(int(graph.links.producer[aimed.tensors[-1]]))
    says = "no op of this recording read it"
    gap = {"text": says, "event": -1, "tensor": -1}
    goal = () if aimed is None else graph.tensor_ids(aimed.tensors[-1:])
    fix = f"use it where {name} is computed, or record the cell that does, too"
    return Answer("unconnected", True, name, "that source", says, graph.place(site), fix, (), goal, gap, site, -1)


def _unknown(question: Question) -> Answer:
    says, fix = "the recording does not hold one of the two", "record the cell that computes it, too"
    gap = {"text": says, "event": -1, "tensor": -1}
    names = (question.target_name, question.source_name)
    return Answer("unconnected", False, *names, says, None, fix, (), (), gap, -1, -1)
