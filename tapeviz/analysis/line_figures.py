"""What each line of the user's code did: its ops, their time, and the bytes they made. The code view counts alike."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np

from tapeviz.analysis.links import Links, Rows
from tapeviz.analysis.op_times import op_times
from tapeviz.recording import Recording
from tapeviz.recording.schema import KINDS, PHASES

__all__ = ["LineFigures", "line_figures"]

_OP: Final = KINDS.index("op")
_BACKWARD: Final = PHASES.index("backward")


@dataclass(slots=True)
class LineFigures:
    """Figures of one line of a file or a cell.

    Attributes:
        forward, backward: how many ops ran, and how many steps of backward passes belong to them.
        forward_ns, backward_ns: how long they took, without the garbage collector's pauses.
        nbytes: bytes of the tensors that they made; views of other tensors count nothing.
        events: the ids of those events, in their order.
    """

    forward: int = 0
    backward: int = 0
    forward_ns: float = 0.0
    backward_ns: float = 0.0
    nbytes: float = 0.0
    events: list[int] = field(default_factory=list)

    @property
    def ns(self) -> float:
        """Time of both."""
        return self.forward_ns + self.backward_ns


def line_figures(recording: Recording) -> dict[tuple[int, str, int], LineFigures]:
    """Figures of each line that ran ops, by the row of ``cells`` (-1 outside one), the file, and the line."""
    events, sites = recording.events, recording.sites
    links = Links(recording)
    site = _sites(recording, links)
    counted = np.flatnonzero((events.kind == _OP) & (site >= 0))
    backward = events.phase == _BACKWARD
    times, nbytes = op_times(recording), _bytes_made(recording, links)
    lines: dict[tuple[int, str, int], LineFigures] = {}
    columns = (site, backward, times, nbytes, events.id)
    for at, is_backward, ns, made, event in zip(*(column[counted].tolist() for column in columns), strict=True):
        line = lines.setdefault((int(sites.cell[at]), sites.file[at], int(sites.line[at])), LineFigures())
        if is_backward:
            line.backward += 1
            line.backward_ns += ns
        else:
            line.forward += 1
            line.forward_ns += ns
        line.nbytes += made
        line.events.append(event)
    return lines


def _sites(recording: Recording, links: Links) -> Rows:
    """For each event its row of ``sites``; for a backward step without one that of its forward op."""
    own = np.asarray(recording.events.site, np.int64)
    partner = links.origin
    return np.where((own < 0) & (partner >= 0), own[np.maximum(partner, 0)], own) if len(own) else own


def _bytes_made(recording: Recording, links: Links) -> np.ndarray:
    """For each event the bytes of the tensors that it made with memory of their own."""
    tensors = recording.tensors
    event, tensor = links.makes
    own = tensors.storage[tensor] == tensors.id[tensor]
    return np.bincount(event[own], weights=tensors.nbytes[tensor[own]], minlength=len(recording.events))
