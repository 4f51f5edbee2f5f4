"""The ways of a gradient: what lies between a source and what was differentiated."""

from __future__ import annotations

import numpy as np

from tapeviz.analysis.links import Links, Mask, pick, rows_of
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
    reached = _reached(links, sources, event, tensor, made_by)
    targets = _targets(links, sources)
    needed = _needing(links, targets, event, made_by) if targets.any() else np.ones(links.events, np.bool_)
    events = reached & needed & forward
    tensors = sources | links.of_producers(reached)
    if targets.any():
        read = targets.copy()
        read[tensor[events[event]]] = True
        tensors &= read
    return events | pick(events, links.origin), tensors | _gradients(links, tensors)


def _reached(links: Links, sources: Mask, event: np.ndarray, tensor: np.ndarray, made_by: np.ndarray) -> Mask:
    """The events that read a source, or what such an event made; edges come in the order of events."""
    # One flag more, for tensors that no event made.
    flags = bytearray(links.events + 1)
    for number, is_source, maker in zip(event.tolist(), sources[tensor].tolist(), made_by.tolist(), strict=True):
        if is_source or flags[maker]:
            flags[number] = 1
    return np.frombuffer(flags, np.bool_)[:-1]


def _needing(links: Links, targets: Mask, event: np.ndarray, made_by: np.ndarray) -> Mask:
    """The events whose tensors go into a target."""
    flags = bytearray(links.events + 1)
    for maker in links.producer[targets].tolist():
        flags[maker] = 1
    for number, maker in zip(event[::-1].tolist(), made_by[::-1].tolist(), strict=True):
        if flags[number]:
            flags[maker] = 1
    return np.frombuffer(flags, np.bool_)[:-1]


def _targets(links: Links, sources: Mask) -> Mask:
    """The tensors whose gradients by a source were asked for."""
    requests, tensors = links.recording.requests, links.recording.tensors
    by_variable = np.isin(requests.variable, tensors.variable[sources & (tensors.variable >= 0)])
    asked = pick(sources, links.tensor_rows(requests.source)) | (by_variable & (requests.variable >= 0))
    rows = rows_of(tensors.id, requests.target[asked])
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
