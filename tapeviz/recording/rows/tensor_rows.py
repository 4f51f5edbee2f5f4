"""Rows of ``tensors``, and what is remembered of each tensor for later rows."""

from __future__ import annotations

import json
import math
from itertools import repeat
from typing import Any, Final, NamedTuple

import numpy as np

from tapeviz.recording.builder import Builder
from tapeviz.recording.rows.growable_array import Growing
from tapeviz.recording.schema import DTYPES, SOURCES

__all__ = ["NewTensor", "TensorRows"]

_OTHER: Final = DTYPES.index("string")


class _Numbered(dict[Any, int]):
    """The number of each dtype met so far. By name, for NumPy itself has no bfloat16."""

    def __missing__(self, dtype: Any) -> int:
        number = self[dtype] = DTYPES.index(dtype.name) if dtype.name in DTYPES else _OTHER
        return number


_NUMBERED: Final = _Numbered()
_ITEMSIZES: Final = np.array(
    [2 if name == "bfloat16" else 0 if name == "string" else np.dtype(name).itemsize for name in DTYPES]
)
_VARIABLE: Final = SOURCES.index("variable")


class NewTensor(NamedTuple):
    """A tensor as it is first heard of. The number is the recording's."""

    number: int
    shape: tuple[int, ...]
    dtype: Any


class TensorRows:
    """Writes ``tensors`` and remembers producer, shape, dtype and storage by number."""

    def __init__(self, builder: Builder) -> None:
        self._builder = builder
        self._rows: dict[tuple[int, ...], int] = {}
        self._elements = Growing(0)  # by row of strings: how many elements that shape has
        self._producer = Growing(-1)
        self._shape = Growing(-1)
        self._dtype = Growing(0)
        self._storage = Growing(-1)
        self.device: Growing = Growing(0)
        """By tensor: the row of devices, for those that are not on the first one."""
        self.elsewhere = False
        self.variable_of: dict[int, int] = {}
        """By tensor: the variable whose value it is."""
        self.shaped: dict[int, tuple[int, ...]] = {}
        """By number of a gradient that is still to come: its shape, where that is not its tensor's."""
        self._variable = Growing(-1)  # the same, as a column
        self._values: list[int] = []  # tensors that are not in that column yet

    def is_value(self, tensor: int, variable: int) -> None:
        """A tensor is the value of a variable."""
        self.variable_of[tensor] = variable
        self._values.append(tensor)

    def shapes(self, shapes: Any) -> np.ndarray:
        """The rows of strings that hold these shapes."""
        for shape in set(shapes) - self._rows.keys():
            row = self._rows[shape] = self._builder.intern(json.dumps(list(shape)))
            self._elements.set(np.array([row]), min(math.prod(shape), 2**31 - 1))
        return np.fromiter(map(self._rows.__getitem__, shapes), "i4", len(shapes))

    def dtypes(self, dtypes: Any) -> np.ndarray:
        """The numbers of these dtypes."""
        return np.fromiter(map(_NUMBERED.__getitem__, dtypes), "i4", len(dtypes))

    def add(self, tensors: list[NewTensor], producer: Any, source: Any) -> None:
        """Rows for tensors that came to life otherwise than from a single-output op."""
        if tensors:
            numbers = np.array([tensor.number for tensor in tensors], "i8")
            shapes = self.shapes([tensor.shape for tensor in tensors])
            self.write(numbers, producer, shapes, self.dtypes([tensor.dtype for tensor in tensors]), source)

    def share(self, numbers: np.ndarray, others: np.ndarray) -> None:
        """Tensors that come use the memory of others, -1 for their own; the others may come at the same time."""
        self._storage.set(numbers, np.where(others >= 0, others, numbers))
        memory = self._storage.of(numbers)
        while True:
            further = self._storage.of(memory)
            further = np.where(further < 0, memory, further)  # what has no row yet has memory of its own
            if np.array_equal(further, memory):
                break
            memory = further
            self._storage.set(numbers, memory)

    def write(
        self,
        numbers: np.ndarray,
        producer: Any,
        shapes: Any,
        dtypes: Any,
        source: Any,
    ) -> None:
        """Rows for tensors. Their memory is their own, unless :meth:`share` has said otherwise."""
        own = self._storage.of(numbers)
        own = np.where(own < 0, numbers, own)
        self._producer.set(numbers, producer)
        self._shape.set(numbers, shapes)
        self._dtype.set(numbers, dtypes)
        self._storage.set(numbers, own)
        sources = np.full(len(numbers), 0, "u1")
        sources[:] = source
        self._builder.extend("tensors", {
            "id": numbers.astype("i4"), "shape": shapes, "dtype": np.asarray(dtypes, "u1"),
            "nbytes": self._elements.of(shapes).astype("f8") * _ITEMSIZES[dtypes], "storage": own.astype("i4"),
            "producer": np.broadcast_to(np.asarray(producer, "i4"), numbers.shape),
            "variable": self._variables(numbers, sources), "source": sources,
            "device": self.device.of(numbers).astype("u1") if self.elsewhere else 0,
        })  # fmt: skip

    def _variables(self, numbers: np.ndarray, sources: np.ndarray) -> np.ndarray:
        """The variables whose values these are; their source is then said to be the variable."""
        if self._values:
            values = np.array([tensor for tensor in self._values if tensor >= 0], "i8")
            self._variable.set(values, [self.variable_of[tensor] for tensor in values.tolist()])
            self._values.clear()
        variables = self._variable.of(numbers)
        sources[variables >= 0] = _VARIABLE
        return variables

    def gradients(self, forward: np.ndarray, numbers: np.ndarray, events: np.ndarray, source: int) -> None:
        """Rows for gradients: shape and dtype are those of what they are gradients of. Known tensors are left alone."""
        fresh = np.flatnonzero(self._shape.of(numbers) < 0)
        ascending = (np.diff(numbers[fresh]) > 0).all()  # as they are when each is met once
        new = fresh if ascending else fresh[np.unique(numbers[fresh], return_index=True)[1]]
        if len(new):
            like = forward[new]
            if self.elsewhere:
                self.device.set(numbers[new], self.device.of(like))
            shapes = self._own_shapes(numbers[new], self._shape.of(like))
            self.write(numbers[new], events[new], shapes, self._dtype.of(like), source)

    def _own_shapes(self, numbers: np.ndarray, shapes: np.ndarray) -> np.ndarray:
        """The shapes of gradients, those put right that are not their tensors'."""
        for at, number in enumerate(numbers.tolist() if self.shaped else ()):
            if (shape := self.shaped.pop(number, None)) is not None:
                shapes[at] = self.shapes([shape])[0]
        return shapes

    def renumber(self, old: np.ndarray, new: np.ndarray, producers: np.ndarray, texts: dict[int, int]) -> None:
        """Only these tensors are left, under ``new`` numbers.

        Args:
            old: their numbers so far.
            new: those from now on.
            producers: the events that made them, as these are numbered now.
            texts: where rows of strings have gone; those that are not there are no more.
        """
        for column in (self._producer, self._shape, self._dtype, self._storage, self.device):
            column.renumber(old, new)
        self._producer.set(new, producers)
        moved = dict(zip(old.tolist(), new.tolist(), strict=True))
        shapes = self._shape.of(new)
        self._shape.set(new, np.fromiter(map(texts.get, shapes.tolist(), repeat(-1)), "i8", len(new)))
        storages = self._storage.of(new)
        self._storage.set(new, np.fromiter(map(moved.get, storages.tolist(), new.tolist()), "i8", len(new)))
        self.variable_of = {moved[at]: variable for at, variable in self.variable_of.items() if at in moved}
        self._variable, self._values = Growing(-1), list(self.variable_of)
        rows = np.array(list(texts), "i8")
        self._elements.renumber(rows, np.array(list(texts.values()), "i8"))
        self._rows = {shape: texts[row] for shape, row in self._rows.items() if row in texts}

    def producers(self, numbers: np.ndarray) -> np.ndarray:
        """The events that made these tensors, -1 for none."""
        return self._producer.of(numbers)

    def known(self, number: int) -> bool:
        """Whether the tensor has a row."""
        return bool(self._shape.of(np.array([number]))[0] >= 0)
