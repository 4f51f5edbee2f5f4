"""Floating-point warnings off around a kernel, at a cost that a small op can bear.

TensorFlow computes 1/0 and log(0) without a word, NumPy warns. ``np.errstate`` costs 1.2 us an op. NumPy keeps the
setting in a context variable, so a kernel run in a context of ours, in which it is set, costs 0.03 us more than one run
in the user's. The user's own NumPy code is never affected.
"""

from __future__ import annotations

import contextvars
from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["is_taken", "run_in_silence", "run_silently", "run_with_errstate"]


def run_with_errstate(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """The same as :func:`run_silently` in the caller's own context: for what calls functions of the user."""
    with np.errstate(all="ignore"):
        return function(*args, **kwargs)


def _silent_context() -> contextvars.Context:
    context = contextvars.Context()
    # Entered and never left: the setting stays in this context.
    context.run(np.errstate(all="ignore").__enter__)
    return context


run_in_silence: Callable[..., Any] = _silent_context().run
"""The fastest way: ``run_in_silence(function, *args)``. RuntimeError when another thread is in the context."""


def is_taken(error: RuntimeError) -> bool:
    """Whether :data:`run_in_silence` failed, before anything ran, because the context is in use."""
    return "cannot enter context" in str(error)


def run_silently(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """``function(*args, **kwargs)`` with NumPy's floating-point warnings off."""
    try:
        return run_in_silence(function, *args, **kwargs)
    except RuntimeError as error:
        if not is_taken(error):
            raise
        # Another thread is in it, or we are already (an op run while a kernel runs): rare, so the slow way will do.
        return run_with_errstate(function, *args, **kwargs)
