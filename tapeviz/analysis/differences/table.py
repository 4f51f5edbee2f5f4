"""The difference of two tapes: a row for each op, and what is said of them all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Final, overload

import numpy as np
from numpy.typing import NDArray

from tapeviz.analysis.differences.figures import BASES, WHAT, Figures
from tapeviz.analysis.graph import Site

__all__ = ["Differences", "Element", "Row"]


# Below this part of ops with a partner, and from so many ops on, two programs are different ones.
_ALIKE: Final = 0.25
_FEW: Final = 4
_EQUAL: Final = [WHAT.index("equal"), WHAT.index("fused")]
_BEFORE: Final = 2  # rows that are shown before the first that differs


@dataclass(frozen=True, slots=True)
class Row:
    """One op of two tapes, or what came in from outside, or the gradient of a source.

    Attributes:
        index: its number among the rows.
        site: the line, as it is in ``a`` (in ``b`` where ``a`` has none); None where there is none.
        other_site: the line as it is in ``b``, None where that has none.
        op: the op's name; ``constant`` and ``variable`` for what came in, ``gradient`` for the gradient of a source.
        phase: ``forward`` or ``backward``.
        occurrence: which run of that op on that line it is, from 1.
        name: what the user calls what it made; empty where that has no name.
        a, b: ids of the events, -1 where there is none.
        what: ``equal``, ``value``, ``nonfinite``, ``dtype``, ``shape``, ``only_a``, ``only_b``; ``not_kept``
            where no more than shape and dtype is known, which are equal; ``fused`` where one of the two ran it as
            a part of another op, which keeps no value of it.
        ulp: the largest error of an element in units in the last place, nan where that is not known.
        relative: the largest error of an element, as a part of the larger of the two.
        absolute: the largest error of an element.
        allowed: how many units in the last place rounding explains.
        material: whether it is more than rounding explains.
        cause: the index of the first material row that this one inherits its difference from, -1 for none.
        basis: how it is known: from ``values``, from ``stats`` (norm, mean, smallest and largest; then the errors are
            those of these figures) or from the ``form`` alone.
        note: what else there is to say, as a clause.
        draws: whether the op draws random numbers.
    """

    index: int
    site: Site | None
    other_site: Site | None
    op: str
    phase: str
    occurrence: int
    name: str
    a: int
    b: int
    what: str
    ulp: float
    relative: float
    absolute: float
    allowed: float
    material: bool
    cause: int
    basis: str
    note: str
    draws: bool = False

    @property
    def line(self) -> int:
        """The number of the line, -1 where there is none."""
        return -1 if self.site is None else self.site.line

    @property
    def inherited(self) -> bool:
        """Whether what went into it differs already."""
        return self.cause >= 0

    @property
    def title(self) -> str:
        """The op, with a sign in a backward pass and the name of what it made."""
        sign = "∇ " if self.phase == "backward" and self.op != "gradient" else ""
        of = f" of {self.name}" if self.op == "gradient" else f" {self.name}" if self.name else ""
        return f"{sign}{self.op}{of}"


@dataclass(frozen=True, slots=True)
class Element:
    """An element of a tensor in both tapes: its index (empty for a scalar), its values, and the error in ULP."""

    index: tuple[int, ...]
    a: Any
    b: Any
    ulp: float


class Differences(Sequence[Row]):
    """The rows of a comparison, in the order of the first tape.

    Args:
        make: makes the row with a number.
        elements: finds so many elements that are furthest apart in the row with a number.
        tensors: the ids of the tensors that the row with a number is about, pair by pair.
        figures: what differs in each row, by how much, and whether that matters.
        cause: for each row the one that it inherits from, -1 for none.
        names: what the two are called.
        counts: how many ops are in both, only in the first, only in the second.
    """

    def __init__(
        self,
        make: Callable[[int], Row],
        elements: Callable[[int, int], list[Element]],
        tensors: Callable[[int], list[tuple[int, int]]],
        figures: Figures,
        cause: NDArray[np.int64],
        names: tuple[str, str],
        counts: tuple[int, int, int],
    ) -> None:
        self._make = make
        self._elements = elements
        self._tensors = tensors
        self._figures = figures
        self._cause = cause
        self.names = names
        self.counts = counts

    @property
    def alike(self) -> float:
        """The part of the ops that have a partner, of the longer of the two."""
        both, only_a, only_b = self.counts
        return both / max(both + only_a, both + only_b, 1)

    @property
    def unlike(self) -> bool:
        """Whether so few ops have a partner that these are tapes of different programs."""
        both, only_a, only_b = self.counts
        return self.alike < _ALIKE and both + max(only_a, only_b) >= _FEW

    @property
    def agree(self) -> bool:
        """Whether all that was kept is equal, and everything was kept that there is to compare."""
        return bool(np.all(np.isin(self._figures.what, _EQUAL)))

    def __len__(self) -> int:
        return len(self._cause)

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> list[Row]: ...
    def __getitem__(self, index: int | slice) -> Row | list[Row]:
        """A row by its number, negative ones from the end; or several."""
        if isinstance(index, slice):
            return [self._make(at) for at in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(f"row {index} is out of range: there are {len(self):,} rows")
        return self._make(index % len(self))

    @cached_property
    def rows(self) -> list[Row]:
        """All rows."""
        return self[:]

    @cached_property
    def material(self) -> list[Row]:
        """The rows that differ by more than rounding explains."""
        return [self._make(at) for at in np.flatnonzero(self._figures.material).tolist()]

    @property
    def first(self) -> Row | None:
        """The first row that differs by more than rounding explains, and not because of another; None for none."""
        own = np.flatnonzero(self._figures.material & (self._cause < 0))
        return self._make(int(own[0])) if len(own) else None

    def element(self, row: Row) -> Element | None:
        """The element of a row's tensors that is furthest apart; None where their values were not kept or are equal."""
        return next(iter(self._elements(row.index, 1)), None)

    def elements(self, row: Row, most: int = 16) -> list[Element]:
        """The elements of a row's tensors that are furthest apart, at most so many, furthest first."""
        return self._elements(row.index, most)

    def tensors(self, row: Row) -> list[tuple[int, int]]:
        """The ids in ``a`` and in ``b`` of the tensors that a row is about, pair by pair."""
        return self._tensors(row.index)

    @property
    def tally(self) -> dict[str, int]:
        """How many rows there are of each ``what``, and how many are ``material``, ``inherited`` or known by stats."""
        found = dict(zip(WHAT, np.bincount(self._figures.what, minlength=len(WHAT)).tolist(), strict=True))
        material = int(np.count_nonzero(self._figures.material))
        inherited = int(np.count_nonzero(self._cause >= 0))
        stats = int(np.count_nonzero(self._figures.basis == BASES.index("stats")))
        return {**found, "material": material, "inherited": inherited, "stats": stats}

    def striking(self, most: int) -> list[Row]:
        """At most so many rows to look at: all of a short comparison, else material ones, else the largest errors."""
        figures = self._figures
        if len(self) <= most:
            return self[:]
        material = np.flatnonzero(figures.material)
        if len(material):
            first = int(material[0])
            begin = max(first - _BEFORE, 0)
            return [*self[begin:first], *(self._make(at) for at in material[: most - first + begin].tolist())]
        apart = np.flatnonzero(figures.what > WHAT.index("not_kept"))
        error = np.where(np.isnan(figures.ulp[apart]), figures.relative[apart], figures.ulp[apart])
        return [self._make(at) for at in sorted(apart[np.argsort(-error, kind="stable")][:most].tolist())]

    def to_pandas(self) -> Any:
        """The rows as a pandas DataFrame."""
        import pandas as pd  # noqa: PLC0415  # optional: only who asks for a DataFrame needs it

        columns = [field.name for field in fields(Row) if field.name not in ("site", "other_site")]
        frame = pd.DataFrame({name: [getattr(row, name) for row in self.rows] for name in columns})
        frame.insert(1, "line", [row.line for row in self.rows])
        frame.insert(2, "place", ["" if row.site is None else str(row.site) for row in self.rows])
        return frame.assign(inherited=frame["cause"] >= 0)
