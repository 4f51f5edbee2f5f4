"""What a recording knows besides ops: variables, names, tapes.

A fact is kept with its time and made a row when the rest is: finding out the site of one takes longer than an op.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np

from tapeviz.recording.builder import Builder
from tapeviz.recording.rows.growable_array import Growing
from tapeviz.recording.rows.sites import Sites
from tapeviz.recording.rows.tensor_numbers import Numbering
from tapeviz.recording.rows.tensor_rows import TensorRows

__all__ = ["Facts"]


class Facts:
    """Says facts as rows. Tensors and tapes go by the engine's numbers.

    ``ns`` turns a clock reading into nanoseconds since the beginning.
    """

    def __init__(
        self, builder: Builder, sites: Sites, tensors: TensorRows, numbers: Numbering,
        ns: Callable[[float], float], fresh: Callable[[], int],
    ) -> None:  # fmt: skip
        self._builder = builder
        self._sites = sites
        self._tensors = tensors
        self._numbers = numbers
        self._ns = ns
        self.kept: list[tuple[Callable[..., None], float, tuple[Any, ...]]] = []
        self.tape_numbers: dict[int, int] = {}  # of tapes from before what is recorded or kept
        self._fresh = fresh  # gives such a one its number
        self._known_variables: set[int] = set()
        self.named: Growing = Growing(0)  # by tensor: 1 for those that have a name

    def say(self) -> None:
        """Make rows of the facts kept."""
        kept = self.kept[:]
        self.kept.clear()  # the same list stays
        for fact, t, details in kept:
            fact(t, *details)

    def later(self, fact: Callable[..., None], *details: Any) -> None:
        """Have ``fact(t, *details)``, one of the methods below, run by :meth:`say`: it is added to :attr:`kept`."""
        self.kept.append((fact, perf_counter(), details))

    def variable(
        self, t: float, number: int, name: str, trainable: bool, value: int, site: Any, stored: bool = True
    ) -> None:
        """A variable and the tensor that is its value; ``stored``: whether a store at the site can name it."""
        self._tensors.is_value(self._numbers.local(value), number)
        if number not in self._known_variables:
            self._known_variables.add(number)
            row = self._sites.row(*site)
            self._builder.append("variables", id=number, name=name, trainable=int(trainable), site=row)
            if stored and (names := self._sites.names(*site)):
                self.name(t, value, names[0])

    def name(self, t: float, tensor: int, name: str) -> None:
        """A name that the user has for a tensor."""
        local = self._numbers.local(tensor)
        self.named.set(np.array([local]), 1)
        self._builder.append("names", tensor=local, name=name, t=self._ns(t))

    def unnamed(self, tensor: int) -> bool:
        """Whether a tensor is in the recording and has no name of the user's yet."""
        local = self._numbers.local(tensor)
        return local >= 0 and self._tensors.known(local) and not self.named.of(np.array([local]))[0]

    def result(self, t: float, site: Any, *tensors: int) -> None:
        """Name the results of the call at this site after the stores that follow it, where they are as many."""
        names = self._sites.names(*site)
        if len(names) == len(tensors):
            for tensor, name in zip(tensors, names, strict=True):
                if tensor >= 0 and name:
                    self.name(t, tensor, name)

    def tape_id(self, number: int) -> int:
        """The recording's number of a tape. One from before what is recorded or kept gets one anew."""
        base = self._numbers.base
        if number < base:
            number = self.tape_numbers.get(number) or self.tape_numbers.setdefault(number, self._fresh())
        return number - base

    def renumber(self, old: np.ndarray, new: np.ndarray, variables: set[int]) -> None:
        """Only these tensors are left, under ``new`` numbers counted from ``base``, and these variables."""
        self.named.renumber(old, new)
        self._known_variables = variables

    def tape(self, t: float, number: int, change: str, persistent: bool, accessed: bool, site: Any) -> None:
        """Something changed about a tape."""
        self._builder.append(
            "tapes",
            id=self.tape_id(number),
            t=self._ns(t),
            change=change,
            persistent=int(persistent),
            accessed=int(accessed),
            site=self._sites.row(*site),
        )

    def watch(self, t: float, tape: int, tensor: int, automatic: bool) -> None:
        """A tape watches a tensor."""
        self._builder.append(
            "watches",
            tape=self.tape_id(tape),
            tensor=self._numbers.local(tensor),
            t=self._ns(t),
            automatic=int(automatic),
        )
