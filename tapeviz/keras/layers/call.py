"""What the call of a layer takes, and what encloses it: arguments, the training mode, masks."""

from __future__ import annotations

import inspect
import threading
import weakref
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from tapeviz.engine import nest
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.tensor import Tensor
from tapeviz.keras.masks import mask_of
from tapeviz.ops.array.cast import cast

__all__ = [
    "CallSignature", "call_context", "is_integer", "pass_masks", "pending_losses", "signature_of", "tensors_of",
    "training_mode",
]  # fmt: skip


class _CallContext(threading.local):
    """Where the program is in this thread: how deep in calls of layers, and what the enclosing ones were told."""

    def __init__(self) -> None:
        self.depth = 0
        self.training: Any = None
        self.scope: str | None = None  # what the names of variables begin with; None: as the program says


call_context: Final = _CallContext()
pending_losses: Final[dict[int, weakref.ref[Any]]] = {}
"""Layers that hold losses of their last call, by identity."""


@dataclass(frozen=True, slots=True)
class CallSignature:
    """What the ``call`` of a class takes."""

    names: tuple[str, ...]
    training: bool
    training_default: Any
    masks: frozenset[str]
    anything: bool
    required: str  # the first argument where it must be given
    alone: bool  # whether one argument is enough


_REST: Final = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
_forms: Final[weakref.WeakKeyDictionary[Any, CallSignature]] = weakref.WeakKeyDictionary()


def signature_of(function: Any) -> CallSignature:
    """What the ``call`` of a class takes."""
    found = _forms.get(function)
    if found is None:
        found = _forms[function] = _read_form(function)
    return found


def _read_form(function: Any) -> CallSignature:
    parameters = inspect.signature(function).parameters
    kinds = {parameter.kind for parameter in parameters.values()}
    names = [
        name for name, one in parameters.items()
        if one.kind in (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    ][1:]  # fmt: skip
    training = parameters.get("training")
    default = False if training is None or training.default is inspect.Parameter.empty else training.default
    masks = frozenset(name for name in parameters if name == "mask" or name.endswith("_mask"))
    needed = names[0] if names and parameters[names[0]].default is inspect.Parameter.empty else ""
    rest = [one for one in list(parameters.values())[2:] if one.kind not in _REST]  # after self and the inputs
    alone = all(one.default is not inspect.Parameter.empty for one in rest)
    anything = inspect.Parameter.VAR_KEYWORD in kinds
    return CallSignature(tuple(names), training is not None, default, masks, anything, needed, alone)


# Arguments.


def is_integer(value: Any) -> bool:
    """Whether it is a tensor of integers or truth values."""
    return isinstance(value, Tensor) and value._a.dtype.kind in "biu"


def tensors_of(value: Any, wanted: Any) -> Any:  # noqa: PLR0911 - a line a kind
    """The tensors in place of arrays in an argument, in the ``wanted`` dtype where they are floating-point."""
    if value is None or isinstance(value, (bool, str, int, float)):
        return value
    if isinstance(value, Tensor):
        return _cast(value, wanted)
    if isinstance(value, (list, tuple, dict)):
        leaves = nest.flatten(value)
        if isinstance(value, list) and leaves and all(isinstance(leaf, (bool, int, float)) for leaf in leaves):
            return _cast(convert_to_tensor(value), wanted)
        if any(isinstance(leaf, (Tensor, np.ndarray)) or hasattr(leaf, "_read") for leaf in leaves):
            return nest.pack(value, [tensors_of(leaf, wanted) for leaf in leaves])
        return value
    if isinstance(value, np.ndarray) and wanted is not None and value.dtype.kind == "f":
        return convert_to_tensor(value.astype(wanted.numpy))
    if isinstance(value, np.ndarray) or hasattr(value, "_read") or hasattr(value, "__array__"):
        return _cast(convert_to_tensor(value), wanted)
    return value


def _cast(tensor: Any, wanted: Any) -> Any:
    if wanted is None or tensor._a.dtype is wanted.numpy or tensor.dtype == wanted or not tensor.dtype.is_floating:
        return tensor
    return cast(tensor, wanted)


def training_mode(form: CallSignature, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What ``training`` is in this call: as given, else as it is in the enclosing one; None where nobody said."""
    given = None
    if "training" in kwargs:
        given = kwargs["training"] if form.training or form.anything else kwargs.pop("training")
        if given is None and form.training:
            del kwargs["training"]
    elif form.training and "training" in form.names and len(args) > (place := form.names.index("training")):
        given = args[place]
    return call_context.training if given is None else given


# Masks.


def pass_masks(form: CallSignature, named: dict[str, Any], kwargs: dict[str, Any]) -> Any:
    """Give the call the masks of its inputs where it takes them; the mask, or masks, of the first argument."""
    previous = None
    for place, (name, value) in enumerate(list(named.items())):
        leaves = [mask_of(leaf) for leaf in nest.flatten(value)]
        if all(mask is None for mask in leaves):
            continue
        masks = leaves[0] if len(leaves) == 1 and not isinstance(value, (list, tuple, dict)) else leaves
        taken = "mask" if place == 0 else f"{name}_mask"
        if place == 0:
            previous = masks
        for candidate in (f"{name}_mask", taken):
            if candidate in form.masks and kwargs.get(candidate) is None and named.get(candidate) is None:
                kwargs[candidate] = masks
                break
    return previous
