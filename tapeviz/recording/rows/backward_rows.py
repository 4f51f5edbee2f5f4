"""Backward passes: which gradient is made of which contributions.

While a pass runs only this is kept: for each step its clock readings and its output, and for each contribution the
forward tensor, the input it is for and whether it was the first. Gradients get their numbers here, when rows are
packed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from time import perf_counter
from typing import Any, Final, NamedTuple

import numpy as np

from tapeviz.recording.rows.spans import Span

__all__ = ["MARK", "BackwardRows", "Pass", "SourceGradient", "Steps"]

_NUMBERED: Final = -1
MARK: Final = -2


class Pass(Span):
    """A backward pass: gradients by forward tensor, as they stand."""

    __slots__ = ("adjoint", "fills_zeros", "handed_out", "tape")

    def __init__(self, tape: int, site: Any, outer: Span | None) -> None:
        self.kind = "backward"
        self.name = "gradient"
        self.site = site
        self.outer = outer
        self.extra: dict[str, int] = {"tape": tape}
        self.t0: float = perf_counter()
        self.event = -1
        self.backward = True
        self.tape: int = tape
        self.fills_zeros: bool = False  # known when it ends
        self.adjoint: dict[int, int] = {}
        self.handed_out: dict[int, int] = {}  # forward tensor -> the number of the handle that the user got


class SourceGradient(NamedTuple):
    """The gradient of one source of a pass, kept when that ended. Tensors by their numbers."""

    begun: Pass
    target: int
    source: int
    variable: int
    gradient: int
    """-1 for None."""
    reference: Any
    """A weak reference to the user's handle where that is new, as is its number; else None."""
    numbers: Sequence[int]
    """The forward tensors whose gradients were added up."""

    @property
    def renames(self) -> bool:
        """Whether the gradient of one forward tensor goes by the handle's number."""
        return self.reference is not None and len(self.numbers) == 1


class Steps(NamedTuple):
    """The steps of a pack as columns: per step, per incoming gradient of a step, per contribution, per seed."""

    t0: np.ndarray
    t1: np.ndarray
    outs: np.ndarray
    arrived: np.ndarray
    """How many gradients each step pulled back."""
    incoming: np.ndarray
    counts: np.ndarray
    """How many contributions each step made."""
    contributions: np.ndarray
    """Rows of ``forward, position, part, whole``."""
    seeds: list[tuple[Any, int, int]]

    def __len__(self) -> int:
        return len(self.t0)


class BackwardRows:
    """Keeps what backward passes do and numbers their gradients. ``fresh`` gives a number never used before.

    ``log`` is one flat list, of four items each:

    - ``outputs, inputs, t0, t1`` for a step: the number of what the op made (a tuple for an op with several), and a
      tuple of those it contributed to, 0 for none
    - ``forward tensor, position, part, whole`` for a contribution of a step that follows with ``inputs`` -1: ``part``
      is 0 for an array without a number, ``whole`` 0 for a sum without one, and for the part itself
    - ``pass, MARK, None, None`` where a :class:`Pass` begins
    - ``pass, MARK, contributions, None`` where one ends: how many contributions had their arrays kept by then
    """

    def __init__(self, fresh: Callable[[], int]) -> None:
        self.log: list[Any] = []
        self.seeds: list[tuple[Pass, int, int]] = []
        self._numbered: list[np.ndarray] = []  # by contribution: part and whole, for arrays kept meanwhile
        self._count = 0  # of contributions numbered
        self._forgotten = 0  # of those, how many are no longer in the list
        self._fresh = fresh
        self._open: list[Pass] = []
        self._waiting: list[tuple[int, int, int, int]] = []  # contributions of a step that has not ended
        self._renamed: dict[int, int] = {}
        self._renaming: list[int] = []  # the numbers among them that are new since the last pack

    def starts(self) -> np.ndarray:
        """When each step began."""
        steps = zip(self.log[1::4], self.log[2::4], strict=True)
        return np.array([t for kind, t in steps if kind.__class__ is tuple or kind == _NUMBERED], "f8")

    def read(self) -> Iterator[int]:
        """The numbers of all tensors that something was added to, or that a pass began at, and of its gradients."""
        for first, kind in zip(self.log[::4], self.log[1::4], strict=True):
            if kind.__class__ is tuple:
                yield from kind
            elif kind >= 0:
                yield first
        for _, forward, gradient in self.seeds:
            yield from (forward, gradient)

    def cut(self, time: float) -> int:
        """Forget the passes that began before a time, when none is under way: how many steps they had."""
        marks = [at for at, kind in enumerate(self.log[1::4]) if kind == MARK]
        end = next((at for at in marks if self.log[4 * at].t0 >= time), len(self.log) // 4)
        before = self.log[: 4 * end]
        del self.log[: 4 * end]  # the same list stays
        kept = [before[4 * at + 2] for at in marks if at < end]
        if kept and kept[-1] is not None:  # a pass says at its end how many contributions there have been
            self._count = self._forgotten = kept[-1]
        return sum(kind.__class__ is tuple or kind == _NUMBERED for kind in before[1::4])

    def has_kept(self, key: int) -> bool:
        """Whether the contribution that a kept array's (negative) number says is one that is not forgotten."""
        return -key > 2 * self._forgotten

    def take(self) -> Steps:
        """Number everything kept so far, and forget it."""
        items = iter(self.log[:])
        self.log.clear()  # the same list stays
        steps: list[Any] = []  # again and again: output, gradients arrived, contributions, times
        incoming: list[int] = []
        made: list[int] = []
        adjoint = self._open[-1].adjoint if self._open else {}
        fresh, add = self._fresh, made.extend
        arrive, step = incoming.append, steps.extend
        for first, kind, third, fourth in zip(items, items, items, items, strict=True):
            if kind.__class__ is tuple:  # nearly all are, so these are dealt with here
                count = position = 0
                if gradient := adjoint.get(first):
                    arrive(gradient)
                for number in kind:
                    if number:
                        part = whole = fresh()
                        if number in adjoint:
                            whole = fresh()
                        adjoint[number] = whole
                        add((number, position, part, whole))
                        count += 1
                    position += 1  # noqa: SIM113 - enumerate takes longer
                step((first, 1 if gradient else 0, count, third, fourth))
            elif kind == MARK:
                self._mark(first, third, made)
                adjoint = self._open[-1].adjoint if self._open else {}
            elif kind == _NUMBERED:
                self._add_numbered(first, third, fourth, steps, incoming, made)
            else:
                self._waiting.append((first, kind, third, fourth))
        contributions = np.fromiter(made, "i8", len(made)).reshape(-1, 4)
        return self._columns(steps, np.fromiter(incoming, "i8", len(incoming)), contributions)

    def _add_numbered(
        self, outs: Any, t0: float, t1: float, steps: list[Any], incoming: list[int], made: list[int]
    ) -> None:
        """A step whose contributions came one by one, with numbers where they have any."""
        adjoint = self._open[-1].adjoint
        outs = outs if outs.__class__ is tuple else (outs,)
        arrived = [gradient for number in outs if (gradient := adjoint.get(number))]
        incoming += arrived
        waiting, self._waiting = self._waiting, []
        for number, position, part, whole in waiting:
            numbered = part or self._fresh()
            adjoint[number] = total = whole or (self._fresh() if number in adjoint else numbered)
            made.extend((number, position, numbered, total))
        steps += (outs[0], len(arrived), len(waiting), t0, t1)

    def _columns(self, steps: list[Any], incoming: np.ndarray, contributions: np.ndarray) -> Steps:
        """The same as columns, under the numbers that the user's handles have."""
        self._count += len(contributions)
        self._numbered.append(contributions[:, 2:].copy())
        for numbers in (incoming, contributions[:, 2], contributions[:, 3]):
            self._rename(numbers)
        self._renaming.clear()
        seeds = [(begun, forward, self._renamed.get(number, number)) for begun, forward, number in self.seeds]
        self.seeds.clear()
        size = len(steps) // 5
        outs, arrived, counts = (np.fromiter(steps[at::5], "i8", size) for at in range(3))
        t0, t1 = (np.fromiter(steps[at::5], "f8", size) for at in (3, 4))
        real = contributions[:, 0] > 0  # not those that only take a place
        return Steps(
            t0, t1, outs, arrived, incoming, counts, contributions if real.all() else contributions[real], seeds
        )

    def _mark(self, mark: Pass, kept: int | None, made: list[int]) -> None:
        """A pass begins or ends. A step that failed may have left arrays behind, whose places are filled up."""
        if self._open and self._open[-1] is mark:
            self._open.pop()
            self._waiting = []
            for forward, handle in mark.handed_out.items():
                if (known := mark.adjoint.get(forward)) is not None:
                    self._renamed[known] = handle
                    self._renaming.append(known)
            if kept is not None:
                made.extend([0] * (4 * kept - 4 * self._count - len(made)))
        else:
            self._open.append(mark)

    def _rename(self, numbers: np.ndarray) -> None:
        """Gradients that the user holds go by the number of the user's handle."""
        for hit in np.flatnonzero(np.isin(numbers, np.array(self._renaming, "i8"))):
            numbers[hit] = self._renamed[int(numbers[hit])]

    @property
    def is_idle(self) -> bool:
        """Whether no pass is going on."""
        return not self._open

    def forget(self) -> None:
        """Whoever has kept arrays knows their numbers by now."""
        self._numbered, self._forgotten = [], self._count
        self._renamed.clear()

    def number_of(self, key: int) -> int:
        """The number behind a key that a kept array has: itself, or (negative) a contribution's part or whole."""
        if key > 0:
            return key
        if len(self._numbered) > 1:
            self._numbered = [np.concatenate(self._numbered)]
        number = int(self._numbered[0].flat[-key - 1 - 2 * self._forgotten])
        return self._renamed.get(number, number)

    def numbers_of(self, keys: np.ndarray) -> np.ndarray:
        """The same for many; 0 for contributions that are forgotten."""
        numbers = np.where(keys > 0, keys, 0)
        made = np.flatnonzero(-keys > 2 * self._forgotten)
        if made.size:
            flat = np.concatenate(self._numbered).ravel()
            found = flat[-keys[made] - 1 - 2 * self._forgotten].tolist()
            numbers[made] = list(map(self._renamed.get, found, found))
        return numbers
