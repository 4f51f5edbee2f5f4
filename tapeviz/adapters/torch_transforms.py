"""Tensors inside the transforms of ``torch.func``: what is wrapped by ``grad`` and ``vmap``, and around what.

Inside a transform the user's function gets tensors of the transform's own: ``grad`` wraps a tensor that it
differentiates by, ``vmap`` one that has a dimension which the function does not see. A recording has the elements that
are computed with, so that of ``vmap`` has the hidden dimension as its first; a NaN of one example is seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Final

import numpy as np
import torch

__all__ = ["are_active", "hidden_dimensions", "layers", "outside", "to_front", "whole_shape"]

are_active: Final[Callable[[], bool]] = getattr(torch._C, "_are_functorch_transforms_active", lambda: False)
"""Whether the program is inside a transform."""

outside: Final[Callable[[], AbstractContextManager[Any]]] = getattr(torch._C, "_DisableFuncTorch", nullcontext)
"""A block in which no transform is active."""

_functions: Final[Any] = getattr(torch._C, "_functorch", None)


def layers(tensor: Any) -> Iterator[Any]:
    """A tensor, what it is wrapped around, and so on to the plain one."""
    yield tensor
    while _functions is not None and _functions.is_functorch_wrapped_tensor(tensor):
        tensor = _functions.get_unwrapped(tensor)
        yield tensor


def hidden_dimensions(tensor: Any) -> list[int]:
    """Where each ``vmap`` around a tensor has its dimension, the outermost first, in the tensor that it wraps."""
    found = [_functions.maybe_get_bdim(each) for each in layers(tensor) if _functions.is_batchedtensor(each)]
    return found[::-1]


def whole_shape(tensor: Any) -> tuple[int, ...]:
    """The shape of what is computed with: the hidden dimensions first, then those that the function sees."""
    *_, plain = layers(tensor)
    if plain is tensor:
        return tuple(tensor.shape)
    shape = list(plain.shape)
    for at, dimension in enumerate(hidden_dimensions(tensor)):
        shape.insert(at, shape.pop(at + dimension))
    return tuple(shape)


def to_front(array: np.ndarray, dimensions: list[int]) -> np.ndarray:
    """The elements of a plain tensor in the order of :func:`whole_shape`."""
    for at, dimension in enumerate(dimensions):
        array = np.moveaxis(array, at + dimension, at)
    return array
