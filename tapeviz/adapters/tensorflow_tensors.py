"""TensorFlow's tensors and variables as a recording knows them.

A variable's value is a tensor of the recording, which all reads of that value are, and a new one after each assignment.
"""

from __future__ import annotations

import gc
import sys
from time import perf_counter
from typing import Any, Final, NamedTuple
from weakref import ref

import numpy as np
import tensorflow as tf
from tensorflow.python.ops import resource_variable_ops

from tapeviz.adapters.foreign_recorder import fresh
from tapeviz.recorder.value_store import ValueStore
from tapeviz.recording.rows.packer import Packer

__all__ = ["Tensors", "Variable", "copied", "dense", "dtypes", "is_resource", "is_variable"]


class Dtype(NamedTuple):
    """A dtype by its name, for those that NumPy itself has not."""

    name: str


class _Dtypes(dict[Any, Any]):
    """What the packer takes for each of TensorFlow's dtypes."""

    def __missing__(self, dtype: Any) -> Any:
        try:
            made: Any = np.dtype(dtype.name)
        except TypeError:
            made = Dtype(dtype.name)
        self[dtype] = made
        return made


dtypes: Final = _Dtypes()
_PAST: Final = 64  # values of a variable that a tape may still have read


def copied(tensor: Any) -> np.ndarray | None:
    """The elements of a tensor; None where they are no numbers. TensorFlow writes into no tensor that somebody has."""
    try:
        array: np.ndarray = tensor._numpy()
    except (AttributeError, RuntimeError, TypeError, ValueError, NotImplementedError, tf.errors.OpError):
        return None
    array = np.asarray(array.astype(np.float32) if tensor.dtype is tf.bfloat16 else array)
    return array if array.dtype.kind in "fiubc" else None


def dense(gradient: Any) -> np.ndarray | None:
    """The elements of a gradient, be it of a few rows alone."""
    if not isinstance(gradient, tf.IndexedSlices):
        return copied(gradient)
    values, rows = copied(gradient.values), copied(gradient.indices)
    shape = None if gradient.dense_shape is None else copied(gradient.dense_shape)
    if values is None or rows is None or shape is None:
        return None
    whole = np.zeros(tuple(shape.tolist()), values.dtype)
    np.add.at(whole, rows, values)
    return whole


def is_variable(item: Any) -> bool:
    """Whether something is a variable, Keras's too."""
    return hasattr(type(item), "handle") and not isinstance(item, tf.Tensor)


def is_resource(tensor: Any) -> bool:
    """Whether a tensor stands for something that has a state."""
    return bool(tensor.dtype is tf.resource)


class _Value:
    """Stands for a value of a variable, as long as it is that."""

    __slots__ = ("__weakref__",)


class Variable:
    """A variable: its number, and that of its value; what it is called is known when it has been made."""

    __slots__ = ("dtype", "handle", "label", "lives", "number", "past", "shape", "site", "stored", "trainable", "value")

    def __init__(self, handle: Any, site: Any) -> None:
        self.handle = ref(handle)
        self.number: int = fresh()
        self.site = site
        self.stored = True
        self.label = "Variable"
        self.trainable = True
        self.value = 0
        self.past: list[int] = []
        self.lives: Any = None
        self.shape: tuple[int, ...] = ()
        self.dtype: Any = None


class Tensors:
    """Numbers of tensors, and of variables' values.

    Args:
        packer: gets the facts.
        store: keeps the contents; None where nothing is kept.
    """

    def __init__(self, packer: Packer, store: ValueStore | None) -> None:
        self._packer = packer
        self._store = store
        self.known: dict[int, tuple[int, Any]] = {}
        """By identity of a tensor: its number and a reference to it."""
        self.of_value: dict[int, int] = {}
        """By number of a tensor: the variable whose value it is."""
        self.waiting: list[tuple[float, Variable, int]] = []
        """Values of variables that are no facts yet."""
        self._variables: dict[int, Variable] = {}  # by identity of the handle
        self._scanned = False

    def number(self, tensor: Any) -> int:
        """The recording's number of a tensor."""
        number = self.look_up(tensor)
        if number is None:
            return self.meet(tensor)
        return number if number >= self._packer.base else self._packer.old.get(number) or self.meet(tensor)

    def look_up(self, tensor: Any) -> int | None:
        """The number of a tensor that the recording knows."""
        known = self.known.get(id(tensor))
        return None if known is None or known[1]() is not tensor else known[0]

    def meet(self, tensor: Any, source: str = "unknown") -> int:
        """A tensor that no recorded op made."""
        number = fresh()
        self.known[id(tensor)] = number, ref(tensor)
        self._packer.met(number, tensor._shape_tuple(), dtypes[tensor.dtype], source)
        self.keep(number, tensor)
        return number

    def keep(self, number: int, tensor: Any) -> None:
        """Keep the contents, where contents are kept."""
        if self._store is not None and (array := dense(tensor)) is not None:
            self._store.keep(number, array)

    def prune(self) -> None:
        """Forget the tensors that are gone."""
        for key in [key for key, known in self.known.items() if known[1]() is None]:
            del self.known[key]

    # Variables.

    def variable(self, handle: Any) -> Variable | None:
        """The variable that a handle is of; None for what is no variable."""
        found = self._variables.get(id(handle))
        if found is None or found.handle() is not handle:
            self._scan()
            found = self._variables.get(id(handle))
        return found if found is not None and found.handle() is handle else None

    def handle_made(self, handle: Any, site: Any) -> None:
        """A variable is being made, which has this handle."""
        self._variables[id(handle)] = Variable(handle, site)

    def made(self, variable: Any, *, stored: bool) -> None:
        """A variable has been made; ``stored``: whether it is what the user's call gives."""
        if isinstance(variable, resource_variable_ops._UnreadVariable):  # the same one, after an assignment
            return
        found = self._variables.get(id(variable._handle))
        if found is not None and found.handle() is variable._handle:
            self._describe(found, variable)
            found.stored = stored

    def called(self, variable: Any) -> None:
        """One of Keras's variables has been made, by whose path the one in it is known."""
        value = variable._value
        if isinstance(value, resource_variable_ops.BaseResourceVariable):  # and not one for each replica
            found = self._variables.get(id(value._handle))
            if found is not None and found.handle() is value._handle:
                found.label = variable.path

    @staticmethod
    def _describe(found: Variable, variable: Any) -> None:
        found.label, found.trainable = variable.name, bool(variable.trainable)
        found.shape, found.dtype = (
            tuple(variable.shape.as_list()) if variable.shape.rank is not None else (),
            variable.dtype,
        )

    def _scan(self) -> None:
        """Learn of the variables from before the recording, once: nobody but Python's collector lists them."""
        if self._scanned:
            return
        self._scanned = True
        keras: Any = sys.modules.get("keras")
        objects = [
            item for item in gc.get_objects() if issubclass(type(item), resource_variable_ops.BaseResourceVariable)
        ]
        for variable in objects:
            handle = getattr(variable, "_handle", None)
            unread = isinstance(variable, resource_variable_ops._UnreadVariable)
            if handle is not None and id(handle) not in self._variables and not unread:
                found = self._variables[id(handle)] = Variable(handle, (None, 0))
                self._describe(found, variable)
        for item in gc.get_objects() if keras is not None else ():
            if issubclass(type(item), keras.Variable) and getattr(item, "_value", None) is not None:
                self.called(item)

    def value(self, variable: Variable, tensor: Any = None) -> int:
        """The number of a variable's value; ``tensor`` is what was read of it."""
        if not variable.value or (variable.value < self._packer.base and variable.value not in self._packer.old):
            number = fresh()
            if tensor is not None:
                self._packer.met(number, tensor._shape_tuple(), dtypes[tensor.dtype], "variable")
                self.keep(number, tensor)
            else:
                self._packer.met(number, variable.shape, dtypes[variable.dtype], "variable")
            self._is_value(variable, number)
        return variable.value if variable.value >= self._packer.base else self._packer.old[variable.value]

    def assigned(self, variable: Variable, shape: tuple[int, ...], dtype: Any) -> tuple[int, Any]:
        """A variable has a new value: its number, and what lives as long as it is the value."""
        variable.lives, variable.shape, variable.dtype = _Value(), shape, dtype
        number = fresh()
        self._is_value(variable, number)
        return number, variable.lives

    def _is_value(self, variable: Variable, number: int) -> None:
        variable.past.append(variable.value)
        variable.value = number
        self.of_value[number] = variable.number
        if len(variable.past) > _PAST:
            self.of_value.pop(variable.past.pop(0), None)
        self.waiting.append((perf_counter(), variable, number))

    def say(self) -> None:
        """Make facts of the variables met."""
        facts = self._packer.facts
        waiting, self.waiting = self.waiting, []
        for t, variable, number in waiting:
            of = variable.number, variable.label, variable.trainable, number, variable.site, variable.stored
            facts.kept.append((facts.variable, t, of))
