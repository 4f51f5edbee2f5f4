"""Where NaN and infinity come from: the ops that were given finite numbers and gave others."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from tapeviz.analysis.coverage import unseen
from tapeviz.analysis.elements import position, value_at
from tapeviz.analysis.foreign_words import in_its_words
from tapeviz.analysis.graph import Site, graph_of
from tapeviz.analysis.health.thresholds import largest
from tapeviz.analysis.links import Rows, distinct
from tapeviz.analysis.nonfinite.patterns import Facts, Pattern, pattern_of
from tapeviz.analysis.nonfinite.propagation import ENTER, Spread, is_masked
from tapeviz.recording import Recording
from tapeviz.recording.terminal_text import visible

__all__ = ["NonFinite", "NonFinites", "nonfinite"]

_NEAR: Final = 3


@dataclass(frozen=True, slots=True, repr=False)
class NonFinite:
    """One way in which a tensor came to hold NaN or infinity; prints as a sentence and what to do.

    Attributes:
        op: the op's name; for a tensor that came in like this ``"constant"`` or ``"variable"``.
        phase: ``"forward"`` or ``"backward"``.
        site: the line; None where there is none.
        index: the first such element; empty for a scalar.
        value: the op's input at that element where the recording knows it (for several inputs the one at fault), else
            None.
        partner: id of the forward event of a backward step, or of a backward step of a forward event; -1 for none.
        pattern: ``masked_where``, ``log_zero``, ``sqrt_zero``, ``divide_zero``, ``pow_zero``, ``log_negative``,
            ``sqrt_negative``, ``pow_negative``, ``domain``, ``domain_edge``, ``all_masked``, ``infinity``, ``empty``,
            ``overflow``, or None.
        harmless: whether it reaches no target, no gradient handed out, no variable and nothing read out.
        event, tensor: ids of the op's run (-1 for none) and of the first tensor like this.
        kind: ``"NaN"``, ``"inf"`` or ``"-inf"``: what the element is, as far as can be told.
        count: how many elements are like this.
        times: how often this line did so.
        name: what the user calls the tensor.
        layer: the layer of a model that the op is in, with those around it; empty for none.
        says, fix: the finding and what to do, as clauses.
        site_row: the row of ``sites`` of the line, -1 for none.
    """

    op: str
    phase: str
    site: Site | None
    index: tuple[int, ...]
    value: float | None
    partner: int
    pattern: str | None
    harmless: bool
    event: int
    tensor: int
    kind: str
    count: int
    times: int
    name: str
    layer: str
    says: str
    fix: str
    site_row: int

    @property
    def sentence(self) -> str:
        """The finding as a sentence, without the line and what to do."""
        where = f" at {list(self.index)}" if self.index else ""
        given = "" if self.value is None else f" from {self.value:g}"
        step = "the backward step of " if self.phase == "backward" else ""
        if self.event < 0:
            text = f"{self.name} came in with {self.kind}{where}"
        else:
            layer = f" in {self.layer}" if self.layer else ""
            text = f"{step}{self.op}{layer} made {self.kind}{where}{given}"
        often = f" ({self.times:,} times)" if self.times > 1 else ""
        said = f": {self.says}" if self.says else ""
        return f"{text}{often}{said}{'; it reaches no result' if self.harmless else ''}."

    def __repr__(self) -> str:
        where = "" if self.site is None else f"\n  {self.site}: {self.site.text}"
        return visible(f"{self.sentence}{where}\n  Fix: {self.fix}.")

    __str__ = __repr__


class NonFinites(list[NonFinite]):
    """The ways in which NaN and infinity came about, first cause first, harmless ones last.

    ``known`` is False when the recording kept no statistics to tell by; ``unseen`` are sentences about what was not
    looked at.
    """

    known = True
    unseen: tuple[str, ...] = ()

    def __repr__(self) -> str:
        if not self.known:
            return "No statistics were kept, so nothing is known: record with values='stats'."
        finite = "that was looked at" if self.unseen else "in this recording"
        lines = list(map(repr, self)) or [f"Every number {finite} is finite."]
        return "\n".join([*lines, *(f"Not looked at: {sentence}." for sentence in self.unseen)])

    __str__ = __repr__


def nonfinite(recording: Recording) -> NonFinites:
    """Where NaN and infinity come from, first cause first; those that reach no result come last, marked harmless.

    Runs of the same line are one finding, told by the first of them that is not harmless.

    Example::

        for found in nonfinite(recording):
            print(found.site, found.op, found.pattern)
    """
    return recording.derived(_found)


def _found(recording: Recording) -> NonFinites:
    graph = graph_of(recording)
    found = NonFinites()
    found.known, found.unseen = len(recording.stats) > 0, unseen(graph)
    spread = Spread(graph)
    if not spread.bad.any():
        return found
    groups: dict[tuple[Any, ...], list[tuple[int, int]]] = {}
    for event, tensor in spread.causes():
        # Runs of one line are one finding; what came in is one each.
        same = (tensor,) if event < 0 else (graph.op(event), graph.site(event), spread.is_step(event))
        groups.setdefault(same, []).append((event, tensor))
    describer = _Describer(spread)
    for runs in groups.values():
        first = next((run for run in runs if not spread.is_harmless(*run)), runs[0])
        found.append(describer.describe(*first, len(runs)))
    found.sort(key=lambda one: (one.harmless, one.event))
    return found


class _Describer:
    """Puts a cause into words and figures. Events and tensors are rows."""

    def __init__(self, spread: Spread) -> None:
        self.spread = spread
        self.graph = spread.graph

    def describe(self, event: int, tensor: int, times: int) -> NonFinite:
        """A finding about an event and what it made, or about a tensor that came in like this."""
        graph, stats = self.graph, self.graph.recording.stats
        row = int(graph.links.stats[tensor])
        index = position(graph.shape(tensor), int(stats.bad[row]))
        counts = {"NaN": int(stats.nan[row]), "inf": int(stats.posinf[row]), "-inf": int(stats.neginf[row])}
        kind = self._kind(tensor, index, counts)
        backward, harmless = self.spread.is_step(event), self.spread.is_harmless(event, tensor)
        partner = int(graph.links.origin[event]) if backward else event
        pattern, value = self._pattern(event, partner, index, counts, harmless=harmless)
        site = self._site(event, tensor)
        return NonFinite(
            op=self._op(event, tensor),
            phase="backward" if backward else "forward",
            site=graph.place(site),
            index=index,
            value=value,
            partner=self._partner_id(event, backward=backward),
            pattern=pattern.name or None,
            harmless=harmless,
            event=graph.event_id(event),
            tensor=graph.tensor_id(tensor),
            kind=kind,
            count=sum(counts.values()),
            times=times,
            name=graph.name(tensor),
            layer=graph.layer(partner),
            says=pattern.says,
            fix=in_its_words(graph.recording, pattern.fix),
            site_row=site,
        )

    def _pattern(
        self, event: int, forward: int, index: tuple[int, ...], counts: dict[str, int], *, harmless: bool
    ) -> tuple[Pattern, float | None]:
        """The well-known way that this is, or one without a name; and the input at fault at that element."""
        if event < 0:
            return Pattern("", "", "look at where its numbers come from"), None
        inputs = self._inputs(forward)
        facts = self._facts(event, forward, index, counts, harmless=harmless)
        pattern = pattern_of(facts) or Pattern("", "", "look at what goes into it")
        return pattern, facts.values[facts.blamed] if facts.blamed < len(inputs) else None

    def _facts(
        self, event: int, forward: int, index: tuple[int, ...], counts: dict[str, int], *, harmless: bool
    ) -> Facts:
        graph, stats, inputs = self.graph, self.graph.recording.stats, self._inputs(forward)
        rows = graph.links.stats[inputs].tolist()
        step = self.spread.is_step(event)
        # 0 times infinity is NaN: an infinity came of a gradient that was no 0.
        masked = is_masked(graph, forward) and (counts["NaN"] > 0 and self._has_zero(event) if step else harmless)
        outputs = [row for row in graph.outputs[event] if self.spread.bad[row]]
        dtype = graph.dtype(outputs[0]) if outputs else ""
        given = self._inputs(event) if step else inputs
        return Facts(
            op=graph.op(forward),
            backward=step,
            traits=graph.traits(forward),
            domain=graph.domain(forward),
            values=tuple(value_at(graph, tensor, index) for tensor in inputs),
            zero=tuple(row >= 0 and bool(stats.zero[row]) for row in rows),
            negative=tuple(row >= 0 and bool(stats.negative[row]) for row in rows),
            lowest=tuple(float(stats.min[row]) if row >= 0 else math.nan for row in rows),
            highest=tuple(float(stats.max[row]) if row >= 0 else math.nan for row in rows),
            peaks=tuple(map(self._peak, [*inputs, *(graph.outputs[forward] if step else [])])),
            upstream=max(map(self._peak, given), default=math.nan) if step else math.nan,
            nan=counts["NaN"] > 0,
            infinite=counts["inf"] + counts["-inf"] > 0,
            masked=masked,
            empty=bool(inputs) and graph.size(inputs[0]) == 0,
            elements=graph.size(inputs[0]) if inputs else 1,
            dtype=dtype,
            largest=largest(dtype),
            made_by=tuple((graph.op(row), graph.traits(row)) if row >= 0 else ("", frozenset())
                          for row in graph.links.producer[inputs].tolist()),
            activation=self._activation(inputs[-1]) if inputs else ("", ""),
            infinite_inputs=any(self.spread.meant[tensor] for tensor in given),
            is_sum=any(self.spread.is_sum(tensor) for tensor in outputs) and not self._has_bad_addend(event),
            updated=self._is_updated(event),
        )  # fmt: skip

    def _peak(self, tensor: int) -> float:
        """The largest size of a finite element."""
        row = int(self.graph.links.stats[tensor])
        stats = self.graph.recording.stats
        return max(abs(float(stats.min[row])), abs(float(stats.max[row]))) if row >= 0 else math.nan

    def _activation(self, tensor: int) -> tuple[str, str]:
        """The op whose undoing has a better form that a tensor comes from within a few ops, see `Facts.activation`."""
        graph = self.graph
        for step in range(_NEAR):
            made = int(graph.links.producer[tensor])
            if made < 0:
                break
            traits, inputs = graph.traits(made), self._inputs(made)
            for trait in traits & {"distribution", "logistic"}:
                return graph.op(made), trait
            if step == 0 and "exponential" in traits:
                return graph.op(made), "shifted" if "shifted" in traits else "exponential"
            if step == 0 and self._is_sum_of_exponentials(made, tensor, inputs):
                return graph.op(made), "sum"
            kept = traits & {"moves", "cast"} or ("sum" in traits and graph.said(made, "family") == "elementwise")
            if not kept or not inputs:
                break
            tensor = next((row for row in inputs if graph.links.producer[row] >= 0), inputs[0])
        return "", ""

    def _is_sum_of_exponentials(self, made: int, tensor: int, inputs: list[int]) -> bool:
        graph = self.graph
        if "sum" not in graph.traits(made) or graph.said(made, "family") != "reduction" or not inputs:
            return False
        added = int(graph.links.producer[inputs[0]])
        is_exponential = added >= 0 and graph.traits(added) >= {"exponential"} and not graph.has(added, "shifted")
        return is_exponential and graph.shape(tensor) != graph.shape(inputs[0])

    def _has_bad_addend(self, event: int) -> bool:
        event_of, _, _, addend = self.graph.additions
        return bool(self.spread.bad[addend[(event_of == event) & (addend >= 0)]].any())

    def _is_updated(self, event: int) -> bool:
        """Whether a variable was assigned more than once before."""
        graph = self.graph
        rows = np.flatnonzero(graph.is_variable & (graph.links.producer >= 0) & (graph.links.producer < event))
        variables = graph.recording.tensors.variable[rows]
        return len(distinct(variables)) < len(variables)

    def _inputs(self, event: int) -> list[int]:
        of, tensor, slot = self.graph.reads
        edges = np.flatnonzero(of == event)
        found: list[int] = tensor[edges[np.argsort(slot[edges], kind="stable")]].tolist()
        return found

    def _has_zero(self, event: int) -> bool:
        """Whether one of the gradients given to a backward step has elements that are 0."""
        rows: Rows = self.graph.links.stats[self._inputs(event)]
        return bool((self.graph.recording.stats.zero[rows[rows >= 0]] > 0).any())

    def _kind(self, tensor: int, index: tuple[int, ...], counts: dict[str, int]) -> str:
        value = value_at(self.graph, tensor, index)
        if value is not None and not math.isfinite(value):
            return "NaN" if math.isnan(value) else "inf" if value > 0 else "-inf"
        return max(counts, key=lambda kind: counts[kind])

    def _op(self, event: int, tensor: int) -> str:
        if event >= 0:
            return self.graph.op(event)
        return "variable" if self.graph.is_variable[tensor] else "constant"

    def _site(self, event: int, tensor: int) -> int:
        """The line of an event; for what came in, where it did or was first used."""
        graph = self.graph
        if event >= 0:
            return graph.site(event)
        exits, variables = graph.recording.exits, graph.recording.variables
        entered = np.flatnonzero((exits.tensor == graph.recording.tensors.id[tensor]) & (exits.kind == ENTER))
        if len(entered):
            return int(exits.site[entered[0]])
        made = np.flatnonzero((variables.id == graph.recording.tensors.variable[tensor]) & graph.is_variable[tensor])
        if len(made) and variables.site[made[0]] >= 0:
            return int(variables.site[made[0]])
        readers = graph.readers[tensor]
        return graph.site(min(readers)) if readers else -1

    def _partner_id(self, event: int, *, backward: bool) -> int:
        graph = self.graph
        if event < 0:
            return -1
        if backward:
            return graph.event_id(int(graph.links.origin[event]))
        steps = np.flatnonzero(graph.links.origin == event)
        return graph.event_id(int(steps[0])) if len(steps) else -1
