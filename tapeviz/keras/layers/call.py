"""A layer's call: inputs checked and converted, the layer built, what encloses it passed on, then its formula."""

from __future__ import annotations

import inspect
import threading
import warnings
import weakref
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tapeviz.autograph.conversion import converted_callee
from tapeviz.engine import nest
from tapeviz.engine.convert import convert_to_tensor
from tapeviz.engine.deferred_restoration import arrived
from tapeviz.engine.dtypes import as_dtype
from tapeviz.engine.scopes import span
from tapeviz.engine.state import local
from tapeviz.engine.symbolic import SymbolicTensor
from tapeviz.engine.tensor import EagerTensor, Tensor
from tapeviz.keras.layers.input_spec import assert_input_compatibility
from tapeviz.keras.layers.masks import mask_of, masked, set_mask
from tapeviz.keras.layers.shapes import shapes_of
from tapeviz.keras.models.keras_tensors import is_keras_tensor, symbolic_call
from tapeviz.ops.array.cast import cast

if TYPE_CHECKING:
    from tapeviz.keras.layers.layer import Layer

__all__ = ["call_context", "call_layer", "pending_losses", "run_layer", "signature_of"]


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
class _CallSignature:
    """What the ``call`` of a class takes."""

    names: tuple[str, ...]
    training: bool
    training_default: Any
    masks: frozenset[str]
    anything: bool
    required: str  # the first argument where it must be given
    alone: bool  # whether one argument is enough


_REST: Final = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
_forms: Final[weakref.WeakKeyDictionary[Any, _CallSignature]] = weakref.WeakKeyDictionary()


def signature_of(layer: Layer) -> _CallSignature:
    """What the layer's ``call`` takes."""
    function = type(layer).call
    found = _forms.get(function)
    if found is None:
        found = _forms[function] = _read_form(function)
    return found


def _read_form(function: Any) -> _CallSignature:
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
    return _CallSignature(tuple(names), training is not None, default, masks, anything, needed, alone)


def call_layer(layer: Layer, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The layer's value for these arguments."""
    __tracebackhide__ = True
    arrived(layer)  # layers that were put to a list since a checkpoint was read
    symbol = next((leaf for leaf in nest.flatten((args, kwargs)) if leaf.__class__ is SymbolicTensor), None)
    if symbol is not None:
        if any(map(is_keras_tensor, nest.flatten((args, kwargs)))):
            return symbolic_call(layer, args, kwargs)
        if local.state.graph is None and hasattr(symbol.graph, "entered"):
            with symbol.graph.entered():
                return _called(layer, args, kwargs)
    return _called(layer, args, kwargs)


def _called(layer: Layer, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The layer's value, in the graph of the arguments if they are of one."""
    __tracebackhide__ = True
    _check_place(layer)
    form = signature_of(layer)
    if form.required and not args and form.required not in kwargs:
        raise TypeError(f"Layer '{layer.name}' was called without its inputs: missing argument '{form.required}'")
    args, kwargs = _converted(layer, args, kwargs)
    training = _training(form, args, kwargs)
    named = dict(zip(form.names, args, strict=False)) | kwargs
    first = args[0] if args else kwargs.get(form.names[0] if form.names else "inputs")
    assert_input_compatibility(layer.input_spec, first, layer.name)
    before, outer = call_context.training, call_context.scope
    if call_context.depth == 0 and pending_losses:
        layer._clear_losses()
    call_context.depth += 1
    call_context.training = training
    try:
        if "_call_shape" not in layer.__dict__:
            layer.__dict__["_call_shape"] = shapes_of(first)
        if not layer.built:
            layer._build_for(first, named)
        previous = _pass_masks(form, named, kwargs) if masked else None
        if form.training and "training" not in named:
            kwargs["training"] = form.training_default if training is None else training
        call_context.scope = layer._enter_scope()
        result = run_layer(layer, args, kwargs)
        if layer.activity_regularizer is not None:
            layer._penalize(result)
        _give_masks(layer, first, previous, result)
    finally:
        call_context.depth -= 1
        call_context.training, call_context.scope = before, outer
    if len(args) == 1 and args[0].__class__ is EagerTensor and layer._is_quick(form):
        layer.__dict__["_asks"] = form.training and not layer._passes_on
        layer.__dict__["_seen"] = (args[0]._a.shape, args[0]._a.dtype)
    return result


def _check_place(layer: Layer) -> None:
    """Raise ValueError where a graph of sessions would take the values of variables for constants."""
    if hasattr(local.state.graph, "new_variable") and any(not hasattr(one, "read_in") for one in layer._own):
        raise ValueError(
            f"Layer '{layer.name}' was built outside of the graph, where its variables have values at once, and cannot "
            "be used in it. Call it first with a tensor of the graph, or make another layer for the graph."
        )


def run_layer(layer: Layer, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What the layer's ``call`` gives: a span of the recording, and a scope for the names of what it makes."""
    __tracebackhide__ = True
    state = local.state
    call: Any = layer.call
    if state.graph is not None and not type(layer).__module__.startswith("tapeviz."):
        call = converted_callee(call)
    places = [place for place in (state, getattr(state.graph, "here", None)) if place is not None]
    before = [place.scope for place in places]
    for place in places:
        place.scope = f"{before[0]}{layer.name}/"
    try:
        if state.observer is None:
            return call(*args, **kwargs)
        with span("layer", layer.name):
            return call(*args, **kwargs)
    finally:
        for place, scope in zip(places, before, strict=True):
            place.scope = scope


# Arguments.


def _converted(layer: Layer, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments with tensors in the place of arrays, of the layer's dtype where they are floating-point."""
    wanted = as_dtype(layer.compute_dtype) if layer.autocast else None
    made = tuple([_tensors(value, wanted) for value in args])
    if layer._wants_floats:
        made = tuple([cast(value, wanted) if _is_whole(value) else value for value in made])
    return made, {name: _tensors(value, wanted) for name, value in kwargs.items()}


def _is_whole(value: Any) -> bool:
    return isinstance(value, Tensor) and value._a.dtype.kind in "biu"


def _tensors(value: Any, wanted: Any) -> Any:  # noqa: PLR0911 - a line a sort
    if value is None or isinstance(value, (bool, str, int, float)):
        return value
    if isinstance(value, Tensor):
        return _cast(value, wanted)
    if isinstance(value, (list, tuple, dict)):
        leaves = nest.flatten(value)
        if isinstance(value, list) and leaves and all(isinstance(leaf, (bool, int, float)) for leaf in leaves):
            return _cast(convert_to_tensor(value), wanted)
        if any(isinstance(leaf, (Tensor, np.ndarray)) or hasattr(leaf, "_read") for leaf in leaves):
            return nest.pack(value, [_tensors(leaf, wanted) for leaf in leaves])
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


def _training(form: _CallSignature, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
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


def _pass_masks(form: _CallSignature, named: dict[str, Any], kwargs: dict[str, Any]) -> Any:
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


def _give_masks(layer: Layer, first: Any, previous: Any, result: Any) -> None:
    """Give the outputs of a call their masks."""
    if layer.supports_masking:
        computed = layer.compute_mask(first, previous)
        if computed is None:
            return
        outputs = nest.flatten(result)
        for output, mask in zip(outputs, nest.flatten(computed), strict=False):
            if mask is not None and isinstance(output, Tensor) and mask_of(output) is None:
                set_mask(output, mask)
    elif previous is not None and any(mask is not None for mask in nest.flatten(previous)):
        warnings.warn(
            f"Layer '{layer.name}' (of type {type(layer).__name__}) was passed an input with a mask attached to it. "
            "However, this layer does not support masking and will therefore destroy the mask information. Downstream "
            "layers will not see the mask.",
            stacklevel=2,
        )
