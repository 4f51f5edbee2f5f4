"""What probabilities were made of, for losses: the logarithm of one that has become 0 tells nothing any more.

A model whose last layer is a softmax or a sigmoid gives probabilities. Far from what is right they are rounded to 0,
and clipped before their logarithm is taken: the loss stops rising and its gradient is 0, so that the worst mistakes are
never learnt. The cross entropy of the numbers before the softmax has neither fault.
"""

from __future__ import annotations

import weakref
from typing import Any, Final

from tapeviz.engine.symbolic import SymbolicTensor

__all__ = ["logits_of", "remember"]

_known: Final[dict[int, tuple[weakref.ref[Any], Any, str]]] = {}
"""Tensors of probabilities, by identity: what they were made of, and by which function."""


def remember(probabilities: Any, logits: Any, function: str) -> Any:
    """Note what probabilities were made of; the probabilities themselves."""
    key = id(probabilities)
    # A graph keeps its own tensors, and would be kept for ever by one of them here.
    held = weakref.ref(logits) if isinstance(logits, SymbolicTensor) else logits
    _known[key] = (weakref.ref(probabilities, lambda _: _known.pop(key, None)), held, function)
    return probabilities


def logits_of(probabilities: Any, function: str) -> Any:
    """What a function made these probabilities of; None where it did not make them, or nobody knows."""
    found = _known.get(id(probabilities))
    if found is None or found[0]() is not probabilities or found[2] != function:
        return None
    return found[1]() if isinstance(found[1], weakref.ref) else found[1]
