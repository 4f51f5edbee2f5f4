"""PyTorch's tensors as a recording knows them: a number for each tensor in each version that it had.

A tensor of PyTorch's may be changed in place, which counts its version up: it is then a new tensor of the old memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from time import perf_counter
from typing import Any, Final, NamedTuple
from weakref import ref

import numpy as np
import torch

from tapeviz.adapters.foreign_recorder import fresh
from tapeviz.adapters.torch_transforms import (
    are_active,
    hidden_dimensions,
    layers,
    outside,
    to_front,
    whole_shape,
)
from tapeviz.recorder.value_store import ValueStore
from tapeviz.recording.rows.packer import Packer

__all__ = ["Dtype", "Known", "Tensors", "copied", "dtypes", "is_leaf", "tensors_in", "version_of"]


class Dtype(NamedTuple):
    """A dtype by its name, for those that NumPy itself has not."""

    name: str


class _Dtypes(dict[Any, Any]):
    """What the packer takes for each of PyTorch's dtypes."""

    def __missing__(self, dtype: Any) -> Any:
        name = str(dtype).removeprefix("torch.")
        try:
            made: Any = np.dtype(name)
        except TypeError:
            made = Dtype(name)
        self[dtype] = made
        return made


dtypes: Final = _Dtypes()


Known = tuple[int, int, Any]
"""A tensor's number, the version that this is of, and a reference to the tensor. A tuple: each op makes one."""


def version_of(tensor: Any) -> int:
    """How often a tensor was changed; those of inference mode do not count."""
    try:
        return tensor._version  # type: ignore[no-any-return]
    except (RuntimeError, ValueError):  # in inference mode, or without a size as yet
        return -1


def is_leaf(tensor: Any) -> bool:
    """Whether a tensor requires gradients and is no result; of a view that autograd gave up that cannot be asked."""
    try:
        return bool(tensor.requires_grad and tensor.is_leaf)
    except RuntimeError:
        return False


def copied(tensor: Any) -> np.ndarray | None:
    """The elements of a tensor as an array of their own; None where it has none to give."""
    *_, plain = layers(tensor)
    try:
        if are_active():
            with outside():
                array = _on_host(plain)
            return to_front(array, hidden_dimensions(tensor)).copy()
        return _on_host(tensor).copy()
    except (RuntimeError, TypeError, NotImplementedError):
        return None  # sparse, quantized, on the device "meta", ...


def _on_host(tensor: Any) -> np.ndarray:
    plain = tensor.detach()
    if plain.dtype not in _HELD:
        plain = plain.float()
    array: np.ndarray = plain.cpu().resolve_conj().resolve_neg().numpy()
    return array


_HELD: Final = frozenset({
    torch.float16, torch.float32, torch.float64, torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8,
    torch.bool, torch.complex64, torch.complex128,
})  # fmt: skip


def tensors_in(items: Iterable[Any]) -> list[Any]:
    """The tensors among arguments, those in lists too."""
    found: list[Any] = []
    for item in items:
        if isinstance(item, torch.Tensor):
            found.append(item)
        elif item.__class__ is list or isinstance(item, tuple):
            found += tensors_in(item)
        elif isinstance(item, dict):
            found += tensors_in(item.values())
    return found


class Tensors:
    """Numbers of tensors, and what is said of a tensor that no recorded op made.

    Args:
        packer: gets the facts.
        store: keeps the contents; None where nothing is kept.
        tape: the number of the recording's one tape, which stands for PyTorch's autograd.
        site: gives the user's line.
        derived: gets a tensor with a ``grad_fn`` whose op was not seen, and its number.
    """

    def __init__(
        self, packer: Packer, store: ValueStore | None, tape: int, site: Callable[[], Any],
        derived: Callable[[Any, int], bool],
    ) -> None:  # fmt: skip
        self._packer = packer
        self._store = store
        self._tape = tape
        self._site = site
        self._derived = derived
        self.known: dict[int, Known] = {}
        self._variables: dict[int, tuple[int, Any]] = {}  # by identity: the variable's number and a reference
        self.of_value: dict[int, int] = {}
        """By number of a tensor: the variable whose value it is."""
        self.waiting: list[tuple[float, int, int, Any]] = []
        """Values of variables that are no facts yet, since what the variable is called is known later."""
        self.variable_names: dict[int, str] = {}
        """By variable: the name that it has in a module, or that the user has for it."""

    def number(self, tensor: Any) -> int:
        """The recording's number of a tensor as it is now."""
        known = self.known.get(id(tensor))
        if known is None or known[2]() is not tensor:
            return self._meet(tensor)
        number, version, _ = known
        if version != version_of(tensor):
            return self._changed(tensor, known)
        return number if number >= self._packer.base else self._packer.old.get(number) or self._meet(tensor)

    def look_up(self, tensor: Any) -> int | None:
        """The number of a tensor that the recording knows, in any version."""
        known = self.known.get(id(tensor))
        return None if known is None or known[2]() is not tensor else known[0]

    def made(self, tensor: Any, number: int, reference: Any) -> None:
        """An op made this tensor."""
        self.known[id(tensor)] = number, version_of(tensor), reference

    def prune(self) -> None:
        """Forget the tensors that are gone. The dict stays the same one."""
        for key in [key for key, known in self.known.items() if known[2]() is None]:
            del self.known[key]

    def keep(self, number: int, tensor: Any) -> np.ndarray | None:
        """Keep a copy of the contents, where contents are kept."""
        if self._store is None:
            return None
        array = copied(tensor)
        if array is not None:
            self._store.keep(number, array)
        return array

    def made_within(self, tensor: Any, number: int) -> None:
        """An op inside transforms made this tensor, and with it what that is wrapped around."""
        for inner in list(layers(tensor))[1:]:
            self.made(inner, number, ref(inner))

    def _meet(self, tensor: Any, source: str = "unknown") -> int:
        *_, plain = layers(tensor)
        if plain is not tensor:
            number = self.look_up(plain) or self._meet(plain, source)
            self.made(tensor, number, ref(tensor))
            return number
        number = fresh()
        reference = ref(tensor)
        self.made(tensor, number, reference)
        leaf = is_leaf(tensor)
        if tensor.requires_grad and not leaf and self._derived(tensor, number):
            self.keep(number, tensor)
            return number
        self._packer.met(number, whole_shape(tensor), dtypes[tensor.dtype], "variable" if leaf else source)
        self._note_device(tensor, number)
        self.keep(number, tensor)
        if leaf:
            self.is_value(tensor, number)
        return number

    def meet_gradient(self, tensor: Any) -> int:
        """A gradient that no step of a recorded pass made."""
        return self._meet(tensor, "gradient")

    def _changed(self, tensor: Any, before: Known) -> int:
        """A tensor was changed in place by what no mode sees, or through another one that shares its memory."""
        if tensor.is_inference():
            return before[0]
        number = fresh()
        self._packer.met(number, whole_shape(tensor), dtypes[tensor.dtype], "unknown")
        self.made(tensor, number, ref(tensor))
        self._note_device(tensor, number)
        self.keep(number, tensor)
        if is_leaf(tensor):
            self.is_value(tensor, number)
        return number

    def _note_device(self, tensor: Any, number: int) -> None:
        if tensor.device.type != "cpu":
            self._packer.elsewhere[number] = device_name(tensor.device)

    @property
    def nameless(self) -> bool:
        """Whether there are variables without a name."""
        return len(self.variable_names) < len(self._variables)

    def call(self, leaf: Any, name: str) -> None:
        """A leaf has this name; the longer one stays, which says the module that it is in."""
        variable = self.variable_of(leaf)
        if variable >= 0 and len(self.variable_names.get(variable, "")) < len(name):
            self.variable_names[variable] = name

    # Leaves are variables, and watched from the beginning.

    def is_value(self, tensor: Any, number: int, site: Any = None) -> None:
        """A leaf that requires gradients has this value."""
        variable, reference = self._variables.get(id(tensor), (0, None))
        if reference is None or reference() is not tensor:
            *_, plain = layers(tensor)
            known = self.variable_of(plain) if plain is tensor else self.of_value.get(number, -1)
            variable, site = known if known >= 0 else fresh(), site or (None, 0)
            self._variables[id(tensor)] = variable, ref(tensor)
        self.of_value[number] = variable
        self.waiting.append((perf_counter(), variable, number, site or (None, 0)))

    def variable_of(self, tensor: Any) -> int:
        """The number of the variable that a leaf is, -1 for none."""
        variable, reference = self._variables.get(id(tensor), (-1, None))
        return variable if reference is not None and reference() is tensor else -1

    def leaves(self) -> list[Any]:
        """The leaves met so far that are still there."""
        return [leaf for _, reference in self._variables.values() if (leaf := reference()) is not None]

    def say(self) -> None:
        """Make facts of the variables met."""
        facts = self._packer.facts
        waiting, self.waiting = self.waiting, []
        for t, variable, number, site in waiting:
            name = self.variable_names.get(variable, "")
            label = name or f"leaf {variable - self._packer.base}"
            facts.kept.append((facts.variable, t, (variable, label, True, number, site, not name)))
            facts.kept.append((facts.watch, t, (self._tape, number, True)))


def device_name(device: Any) -> str:
    """A device of PyTorch's, as a recording calls it."""
    kind = {"cuda": "GPU"}.get(device.type, device.type.upper())
    return f"{kind}:{device.index or 0}"
