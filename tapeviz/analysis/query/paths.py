"""The ways of a gradient: what lies between a source and what was differentiated."""

from __future__ import annotations

import numpy as np

from tapeviz.analysis.links import Links, Mask, pick
from tapeviz.recording.schema import PHASES

__all__ = ["on_path"]


def on_path(links: Links, sources: Mask) -> tuple[Mask, Mask]:
    """The events and tensors on the way from the sources to the targets asked for, and back.

    Forward events that the sources reach and, where a gradient by a source was asked for, that reach its target; their
    backward partners; the tensors they hand on; and the gradients of these.
    """
    forward = links.recording.events.phase != PHASES.index("backward")
    event, tensor = links.reads
    keep = forward[event]
    order = np.argsort(event[keep], kind="stable")
    event, tensor = event[keep][order], tensor[keep][order]
    made_by = links.producer[tensor]
    handed_on = made_by >= 0
    steps = event[handed_on], made_by[handed_on]
    reached = _reached(links, event[sources[tensor]], *steps)
    targets = _targets(links, sources)
    needed = _needing(links, targets, *steps) if targets.any() else np.ones(links.events, np.bool_)
    events = reached & needed & forward
    tensors = sources | links.of_producers(reached)
    if targets.any():
        read = targets.copy()
        read[tensor[events[event]]] = True
        tensors &= read
    return events | pick(events, links.origin), tensors | _gradients(links, tensors)


def _reached(links: Links, first: np.ndarray, event: np.ndarray, made_by: np.ndarray) -> Mask:
    """The events that read a source, and those that read what such an event made; reads come in the order of events."""
    flags = bytearray(links.events)
    for number in first.tolist():
        flags[number] = 1
    for number, maker in zip(event.tolist(), made_by.tolist(), strict=True):
        if flags[maker]:
            flags[number] = 1
    return np.frombuffer(flags, np.bool_)


def _needing(links: Links, targets: Mask, event: np.ndarray, made_by: np.ndarray) -> Mask:
    """The events whose tensors go into a target."""
    flags = bytearray(links.events)
    for maker in links.producer[targets].tolist():
        if maker >= 0:
            flags[maker] = 1
    for number, maker in zip(event[::-1].tolist(), made_by[::-1].tolist(), strict=True):
        if flags[number]:
            flags[maker] = 1
    return np.frombuffer(flags, np.bool_)


def _targets(links: Links, sources: Mask) -> Mask:
    """The tensors whose gradients by a source were asked for."""
    requests, tensors = links.recording.requests, links.recording.tensors
    by_variable = np.isin(requests.variable, tensors.variable[sources & (tensors.variable >= 0)])
    asked = pick(sources, links.tensor_rows(requests.source)) | (by_variable & (requests.variable >= 0))
    rows = links.tensor_rows(requests.target[asked])
    targets = np.zeros(links.tensors, np.bool_)
    targets[rows[rows >= 0]] = True
    return targets


def _gradients(links: Links, tensors: Mask) -> Mask:
    """The gradients of these tensors and what they are sums of."""
    gradients = links.recording.gradients
    chosen = pick(tensors, links.tensor_rows(gradients.tensor))
    rows = links.tensor_rows(np.concatenate([gradients.gradient[chosen], gradients.addend[chosen]]))
    found = np.zeros(links.tensors, np.bool_)
    found[rows[rows >= 0]] = True
    return found
