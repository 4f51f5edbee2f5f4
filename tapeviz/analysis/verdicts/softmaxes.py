"""A softmax too many, none where one is needed, or along the wrong axis; the same of a sigmoid."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from tapeviz.analysis.expressions import operand_name
from tapeviz.analysis.graph import Graph
from tapeviz.analysis.links import ops_with
from tapeviz.analysis.training import training_of
from tapeviz.analysis.verdicts.verdict import LIKELY, Rule, Thresholds, Verdict, verdict_at

__all__ = ["SOFTMAXES"]

_MOST_STEPS: Final = 64
_CLOSE: Final = 1e-3
_SHOWS: Final = re.compile("softmax|sigmoid|entropy|loss|categorical", re.IGNORECASE)
_PLANE: Final = 2


def _softmaxes(graph: Graph, _: Thresholds) -> Iterator[Verdict]:
    """One finding a line."""
    said: set[int] = set()
    about: set[tuple[Any, ...]] = set()
    lengths = _softmax_lengths(graph)
    for row in graph.runs_of(ops_with(graph.recording, "logits", "distribution", "flat", "locates")):
        site = graph.written_at(row)
        if site in said or not graph.operands[row]:
            continue
        found = (
            _twice(graph, row)
            or (_alone(graph, row) if lengths.get(site, 0) == 1 else None)
            or _across(graph, row)
            or _over_examples(graph, row)
            or _not_probabilities(graph, row)
            or _hidden(graph, row)
            or _cut_logits(graph, row)
            or _unmasked(graph, row)
        )
        if found is None:
            continue
        same = _same(found)
        if same not in about:
            yield found
        said.add(found.site_row)
        about.add(same)


def _same(found: Verdict) -> tuple[Any, ...]:
    """What findings about the same softmax have in common: it may run on several lines that call the model."""
    if "first" in found.evidence:
        return "first", found.evidence["line"]
    calls_model = found.site is not None and not _SHOWS.search(found.site.text)
    by_layer = calls_model or "layer" in found.evidence
    return ("axis", found.evidence.get("axis")) if by_layer else ("line", found.site_row)


def _softmax_lengths(graph: Graph) -> dict[int, int]:
    """How long the axis of a softmax ever is on a line."""
    found: dict[int, int] = {}
    for row in graph.runs_of(ops_with(graph.recording, "softmax")):
        if graph.has(row, "logits"):
            shape, axis = _logits_shape(graph, row), _axis(graph, row)
            if shape:
                site = graph.written_at(row)
                found[site] = max(found.get(site, 0), shape[axis])
    return found


def _logits_shape(graph: Graph, row: int) -> tuple[int, ...]:
    operands = graph.operands[row]
    return graph.shape(operands[-1]) if operands else ()


def _axis(graph: Graph, row: int) -> int:
    """Which axis a softmax goes along, from 0."""
    shape = _logits_shape(graph, row)
    axis = graph.attributes(row).get("axis", -1)
    return axis % len(shape) if isinstance(axis, int) and shape else 0


def _twice(graph: Graph, row: int) -> Verdict | None:
    """Probabilities given to an op that takes the softmax or sigmoid itself."""
    if not graph.has(row, "logits"):
        return None
    place = len(graph.operands[row]) - 1
    logits = graph.operands[row][place]
    wanted = "distribution" if graph.has(row, "softmax") or graph.has(row, "random") else "logistic"
    first = graph.maker_of(logits, wanted)
    if first < 0 or not _is_between(graph, logits, 0.0, 1.0):
        return None
    again, name = graph.op(first), operand_name(graph, row, place)
    where = graph.place(graph.written_at(first))
    line = graph.place(graph.site(row))
    # A line that only calls `fit` does not show the loss; the one that makes the layer shows its activation.
    shown = row if line is None or _SHOWS.search(line.text) else first
    return verdict_at(
        graph, shown, "softmax", LIKELY,
        f"{name} has been through {again} ({where}), and {graph.op(row)} takes the {again} of it once more: it wants "
        "logits",
        f"give {graph.op(row)} what goes into that {again}, or take the logarithm of {name}", tensor=logits,
        evidence={"first": graph.event_id(first), "line": str(where)},
    )  # fmt: skip


def _is_between(graph: Graph, tensor: int, low: float, high: float) -> bool:
    """Whether all elements are in an interval, as far as is known."""
    row, stats = int(graph.links.stats[tensor]), graph.recording.stats
    return row < 0 or bool(stats.min[row] >= low - _CLOSE and stats.max[row] <= high + _CLOSE)


def _alone(graph: Graph, row: int) -> Verdict | None:
    """A softmax along an axis of one element, which gives 1 whatever it is, beside an axis with several."""
    shape, axis = _logits_shape(graph, row), _axis(graph, row)
    if len(shape) < _PLANE or not graph.has(row, "softmax"):
        return None
    other = axis - 1 if axis else 1
    if shape[axis] != 1 or shape[other] == 1:
        return None
    name = operand_name(graph, row, len(graph.operands[row]) - 1)
    layer = {"layer": True} if graph.written_at(row) != graph.site(row) else {}
    fix = f"take it along the axis that is to add up to 1, such as axis={other - len(shape) if axis else other}"
    if axis == len(shape) - 1:
        fix += ", or for one number a row use a sigmoid"
    return verdict_at(
        graph, row, "softmax", LIKELY,
        f"{graph.op(row)} goes along axis {axis} of {name}, of shape {shape}, which has one element: the softmax of "
        "one number is 1, whatever it is", fix, tensor=graph.outputs[row][0],
        evidence={"shape": list(shape), "axis": axis} | layer,
    )  # fmt: skip


def _across(graph: Graph, row: int) -> Verdict | None:
    """Weights that add up to 1 along one axis and are summed over with others along another."""
    if not graph.has(row, "distribution"):
        return None
    made = graph.outputs[row][0]
    axis, shape = _axis(graph, row), graph.shape(made)
    if len(shape) < _PLANE:
        return None
    for reader in graph.readers[made]:
        if graph.is_backward(reader) or not graph.has(reader, "product") or made not in graph.operands[reader]:
            continue
        summed = _summed_axes(graph, reader, graph.operands[reader].index(made), len(shape))
        if summed and axis not in summed:
            over = ", ".join(map(str, summed))
            return verdict_at(
                graph, row, "softmax", LIKELY,
                f"the weights of shape {shape} add up to 1 along axis {axis}, and {graph.op(reader)} sums over axis "
                f"{over} ({graph.place(graph.site(reader))}): what it sums does not add up to 1",
                f"take the softmax along that axis: axis={summed[-1] - len(shape)}", tensor=made,
                evidence={"axis": axis, "summed": list(summed), "sum": graph.event_id(reader)},
            )  # fmt: skip
    return None


def _summed_axes(graph: Graph, row: int, slot: int, rank: int) -> tuple[int, ...]:
    """The axes of an operand that a product sums over; empty where it sums over none, or that can't be told."""
    attributes = graph.attributes(row)
    equation = attributes.get("equation")
    if isinstance(equation, str) and "->" in equation and "." not in equation:
        inputs, _, output = equation.replace(" ", "").partition("->")
        letters = inputs.split(",")[slot]
        others = "".join(part for at, part in enumerate(inputs.split(",")) if at != slot)
        return tuple(at for at, letter in enumerate(letters) if letter not in output and letter in others)
    if graph.said(row, "family") == "linalg" and len(graph.operands[row]) == _PLANE and "transpose_a" in attributes:
        turned = attributes["transpose_b" if slot else "transpose_a"]
        return (rank - 1 if bool(slot) == bool(turned) else rank - 2,)
    return ()


def _over_examples(graph: Graph, row: int) -> Verdict | None:
    """A softmax, or a search, down the rows that a layer made one by one, each from an example."""
    shape, searches = _logits_shape(graph, row), graph.has(row, "locates")
    if not searches and not (graph.has(row, "softmax") and graph.has(row, "logits")):
        return None
    if len(shape) != _PLANE or 1 in shape or _axis(graph, row) != 0 or not _is_by_rows(graph, graph.operands[row][-1]):
        return None
    name = operand_name(graph, row, len(graph.operands[row]) - 1)
    what = (
        "it finds an example for each column, not a class for each example" if searches
        else "the examples of the batch compete with one another, not the columns of each"
    )  # fmt: skip
    return verdict_at(
        graph, row, "softmax", LIKELY, f"{graph.op(row)} goes along axis 0 of {name}, of shape {shape}: {what}",
        f"take it along the last axis: axis=-1{' (left out it is 0)' if searches else ''}",
        tensor=graph.outputs[row][0], evidence={"shape": list(shape), "axis": 0},
    )  # fmt: skip


def _is_by_rows(graph: Graph, tensor: int) -> bool:
    """Whether a tensor is what a dense layer made, or the probabilities of that."""
    first = graph.maker_of(tensor, "distribution")
    return _is_dense(graph, graph.operands[first][-1] if first >= 0 else tensor)


def _is_dense(graph: Graph, tensor: int) -> bool:
    """Whether a tensor is rows times a variable, with a bias or without."""
    for _ in range(_MOST_STEPS):
        maker = int(graph.links.producer[tensor])
        if maker < 0 or not graph.operands[maker]:
            return False
        if graph.said(maker, "family") == "linalg":
            return _is_weight(graph, graph.operands[maker][-1])
        if not graph.has(maker, "sum"):
            return False
        tensor = graph.operands[maker][0]
    return False


def _is_weight(graph: Graph, tensor: int) -> bool:
    """Whether a tensor is the value of a variable."""
    return bool(graph.is_variable[tensor]) or graph.has(int(graph.links.producer[tensor]), "reads_variable")


def _not_probabilities(graph: Graph, row: int) -> Verdict | None:
    """Numbers brought between 0 and 1 for a logarithm that are no probabilities: logits, most often."""
    if not {"flat", "moves"} <= graph.traits(row) or len(graph.operands[row]) != len(("x", "low", "high")):
        return None
    low, high = (graph.single(tensor) for tensor in graph.operands[row][1:])
    if low is None or high is None or not (0 < low < _CLOSE and 0 < 1 - high < _CLOSE):
        return None
    given = graph.operands[row][0]
    if _is_between(graph, given, 0.0, 1.0):
        return None
    stats, at = graph.recording.stats, int(graph.links.stats[_before_division(graph, given)])
    span = f" (from {stats.min[at]:.3g} to {stats.max[at]:.3g})" if at >= 0 else ""
    name = operand_name(graph, row, 0)
    found = verdict_at(
        graph, row, "softmax", LIKELY,
        f"a cross-entropy takes the logarithm of {name} as probabilities, but they are not between 0 and 1{span}: they "
        "look like logits", "say from_logits=True, or give the last layer a softmax (for one number a row a sigmoid)",
        tensor=given,
    )  # fmt: skip
    if found.site is None or _SHOWS.search(found.site.text):
        return found
    # A line that only calls `fit` does not show the loss; the one that makes the last layer shows that it has none.
    site = training_of(graph).written_at(row)
    return found.on(graph.place(site), site)


def _hidden(graph: Graph, row: int) -> Verdict | None:
    """A softmax between two dense layers, the second with a bias: units that compete, and add up to 1."""
    if not graph.has(row, "distribution") or not _is_dense(graph, graph.operands[row][-1]):
        return None
    made = graph.outputs[row][0]
    after = graph.forward_readers(made)
    if len(after) != 1 or graph.said(after[0], "family") != "linalg" or graph.operands[after[0]][0] != made:
        return None
    product = graph.outputs[after[0]][0]
    biased = [one for one in graph.forward_readers(product) if graph.has(one, "sum")]
    if not _is_dense(graph, product) or not any(_is_weight(graph, graph.operands[one][-1]) for one in biased):
        return None
    width = graph.shape(made)[-1]
    found = verdict_at(
        graph, row, "softmax", LIKELY,
        f"a softmax stands between two dense layers: its {width} hidden units add up to 1, so that they are about"
        f" {1 / width:.2g} each, and little of a gradient passes",
        "give the hidden layer another activation, such as relu; a softmax goes behind the last layer", tensor=made,
        evidence={"units": width},
    )  # fmt: skip
    site = training_of(graph).written_at(row)
    return found.on(graph.place(site), site)


def _cut_logits(graph: Graph, row: int) -> Verdict | None:
    """Logits of a dense layer that a relu has cut off at 0."""
    if not graph.has(row, "logits") or len(graph.operands[row]) <= 1:
        return None
    logits = graph.operands[row][-1]
    cut = int(graph.links.producer[logits])
    ends = int(graph.links.stats[logits])
    if cut < 0 or graph.traits(cut) != {"flat"} or len(graph.operands[cut]) != 1 or ends < 0:
        return None
    if graph.recording.stats.min[ends] != 0 or not _is_dense(graph, graph.operands[cut][0]):
        return None
    found = verdict_at(
        graph, cut, "softmax", LIKELY,
        f"{graph.op(cut)} cuts the logits off at 0 before {graph.op(row)}: no class can be told to be unlikely, and"
        " where all are 0 nothing is learned",
        "leave the activation of the last layer out: logits are any numbers", tensor=logits,
    )  # fmt: skip
    site = training_of(graph).written_at(cut)
    return found.on(graph.place(site), site)


def _unmasked(graph: Graph, row: int) -> Verdict | None:
    """Logits multiplied by a mask of 0 and 1: a logit of 0 is as good as others, for e to the power of 0 is 1."""
    if not graph.has(row, "softmax") or not graph.has(row, "logits"):
        return None
    logits = graph.operands[row][-1]
    maker = graph.maker_of(logits, "product")
    if maker < 0 or graph.said(maker, "family") != "elementwise":
        return None
    read = graph.operands[maker]
    masks = [slot for slot, tensor in enumerate(read) if _is_mask(graph, tensor)]
    if len(read) != len(("logits", "mask")) or len(masks) != 1:
        return None
    scores, mask = operand_name(graph, maker, 1 - masks[0]), operand_name(graph, maker, masks[0])
    return verdict_at(
        graph, row, "softmax", LIKELY,
        f"{scores} is multiplied by {mask}, which is 0 or 1, before {graph.op(row)}: that hides nothing, for e to the"
        " power of 0 is 1",
        f"take what is to be hidden out of the sum: tf.where({mask} > 0, {scores}, -1e9)", tensor=logits,
        evidence={"mask": graph.tensor_id(read[masks[0]])},
    )  # fmt: skip


def _is_mask(graph: Graph, tensor: int) -> bool:
    """Whether a tensor holds 0 and 1 and nothing else, and was not computed from what is learned."""
    row, stats, size = int(graph.links.stats[tensor]), graph.recording.stats, graph.size(tensor)
    if row < 0 or graph.ends(tensor) != (0, 1) or graph.comes_from_variables(tensor):
        return False
    return bool(abs(float(stats.mean[row]) * size - (size - float(stats.zero[row]))) < 1 / _PLANE)


def _before_division(graph: Graph, tensor: int) -> int:
    """What was divided by its sum to make a tensor, the tensor itself where nothing was."""
    maker = int(graph.links.producer[tensor])
    divided = maker >= 0 and graph.has(maker, "quotient") and graph.operands[maker]
    return graph.operands[maker][0] if divided else tensor


SOFTMAXES: Final = Rule(
    _softmaxes, {"softmax": "a softmax too many, missing or along the wrong axis"}, "losses", by_statistics=True
)
