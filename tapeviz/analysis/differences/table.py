"""The difference of two tapes: a row for each op, and what is said of them all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, overload

from tapeviz.analysis.graph import Place

__all__ = ["Differences", "Row"]


@dataclass(frozen=True, slots=True)
class Row:
    """One op of two tapes, or what came in from outside, or the gradient of a source.

    Attributes:
        index: its number among the rows.
        site: the line, as it is in ``a`` (in ``b`` where ``a`` has none); None where there is none.
        other_site: the line as it is in ``b``, None where only one has it.
        op: the op's name; ``constant`` and ``variable`` for what came in, ``gradient`` for the gradient of a source.
        phase: ``forward`` or ``backward``.
        occurrence: which run of that op on that line it is, from 1.
        name: what the user calls what it made; empty where that has no name.
        a, b: ids of the events, -1 where there is none.
        what: ``equal``, ``value``, ``nonfinite``, ``dtype``, ``shape``, ``only_a``, ``only_b``; ``not_kept``
            where no more than shape and dtype is known, which are equal.
        ulp: the largest error of an element in units in the last place, nan where that is not known.
        relative: the largest error of an element, as a part of the larger of the two.
        absolute: the largest error of an element.
        allowed: how many units in the last place rounding explains.
        material: whether it is more than rounding explains.
        cause: the index of the first material row that this one inherits its difference from, -1 for none.
        basis: how it is known: from ``values``, from ``stats`` (norm, mean, smallest and largest; then the errors are
            those of these figures) or from the ``form`` alone.
        note: what else there is to say, as a clause.
    """

    index: int
    site: Place | None
    other_site: Place | None
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


class Differences(Sequence[Row]):
    """The rows of a comparison, in the order of the first tape.

    Args:
        make: makes the row with a number.
        material: the numbers of those that differ by more than rounding explains.
        count: how many rows there are.
        names: what the two are called.
        counts: how many ops are in both, only in the first, only in the second.
    """

    def __init__(
        self,
        make: Callable[[int], Row],
        material: Sequence[int],
        count: int,
        names: tuple[str, str],
        counts: tuple[int, int, int],
    ) -> None:
        self._make = make
        self._material = material
        self._count = count
        self.names = names
        self.counts = counts

    @property
    def alike(self) -> float:
        """The part of the ops that have a partner, of the longer of the two."""
        both, only_a, only_b = self.counts
        return both / max(both + only_a, both + only_b, 1)

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> list[Row]: ...
    def __getitem__(self, index: int | slice) -> Row | list[Row]:
        """A row by its number, negative ones from the end; or several."""
        if isinstance(index, slice):
            return [self._make(at) for at in range(*index.indices(self._count))]
        if not -self._count <= index < self._count:
            raise IndexError(f"there are {self._count:,} rows, there is no row {index}")
        return self._make(index % self._count)

    @cached_property
    def rows(self) -> list[Row]:
        """All rows."""
        return self[:]

    @cached_property
    def material(self) -> list[Row]:
        """The rows that differ by more than rounding explains."""
        return [self._make(at) for at in self._material]

    @cached_property
    def first(self) -> Row | None:
        """The first row that differs by more than rounding explains, and not because of another; None for none."""
        made = (self._make(at) for at in self._material)
        return next((row for row in made if not row.inherited), None)

    def to_pandas(self) -> Any:
        """The rows as a pandas DataFrame."""
        import pandas as pd  # noqa: PLC0415  # optional: only who asks for a DataFrame needs it

        columns = [field.name for field in fields(Row) if field.name not in ("site", "other_site")]
        frame = pd.DataFrame({name: [getattr(row, name) for row in self.rows] for name in columns})
        frame.insert(1, "line", [row.line for row in self.rows])
        frame.insert(2, "place", ["" if row.site is None else str(row.site) for row in self.rows])
        return frame.assign(inherited=frame["cause"] >= 0)
