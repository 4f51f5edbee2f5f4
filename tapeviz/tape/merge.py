"""Several processes' tapes as one timeline: ``tapeviz.merge``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from tapeviz.analysis.collectives import wait_rows
from tapeviz.recording.merge import merge_recordings
from tapeviz.tape.tape import Tape, load

__all__ = ["merge"]


def merge(
    tapes: Iterable[Tape | str | Path], offsets: Sequence[float] | None = None, residual: float | None = None
) -> Tape:
    """One tape of several processes: their ops on one timeline, in lanes of their own, "rank 0" and so on.

    The clocks are put beside each other by the wall clock that each recording notes, which is as right as the clocks
    of the machines are. The tape says how right that is, and whether offsets were given. A filter tells the processes
    apart as ``rank:1``; findings are those of each process, and those about them together, such as a slow rank.

    Args:
        tapes: a tape or a ``.tape`` file for each process. Where each knows its rank, as those of
            ``torch.distributed`` do, that is its number; else the place in this list is.
        offsets: for each of them by how many seconds its wall clock is ahead of the first one's, as pings measure it;
            taken as 0 unless given.
        residual: by how many seconds these may be wrong, such as half the round trip of a ping; the tape says it.

    Returns:
        The tape of all.

    Raises:
        ValueError: there are fewer than two, one is a merged tape, or there are not as many offsets.
        RecordingError: a file is no recording.
        OSError: a file cannot be read.

    >>> import tapeviz as tf
    >>> def run():
    ...     with tf.record() as tape:
    ...         y = tf.exp(tf.constant([1.0, 2.0]))
    ...     return tape
    >>> both = tf.merge([run(), run()])
    >>> len(both.query("rank:1 op:exp"))
    1
    """
    given = [tape if isinstance(tape, Tape) else load(tape) for tape in tapes]
    if len(given) < 2:  # noqa: PLR2004 - one process has its timeline already
        raise ValueError(f"merge: {len(given)} tape given; one timeline is made of two or more")
    if any(len(tape.recording.ranks) for tape in given):
        raise ValueError("merge: a tape is merged already; give the tapes that it is made of")
    if offsets is not None and len(offsets) != len(given):
        raise ValueError(f"merge: {len(offsets)} offsets for {len(given)} tapes; give one for each, such as 0.0")
    said = [tape.recording.meta_dict().get("rank") for tape in given]
    numbers = [rank for rank in said if isinstance(rank, int)]
    if len(set(numbers)) < len(given):
        numbers = list(range(len(given)))
    order = np.argsort(numbers).tolist()
    recording = merge_recordings(
        [given[at].recording for at in order],
        [numbers[at] for at in order],
        None if offsets is None else [offsets[at] * 1e9 for at in order],
        residual,
    )
    tape = Tape(recording.with_rows("waits", wait_rows(recording)))
    first = recording.ranks.tensor.tolist()
    tape.finish({first[rank] + n: array for rank, at in enumerate(order) for n, array in given[at].in_memory.items()})
    return tape
