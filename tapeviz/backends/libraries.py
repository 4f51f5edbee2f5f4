"""SciPy's functions, for the arrays of any device."""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = ["library"]


def library(xp: Any, name: str) -> Any:
    """SciPy's module of that name, imported now, whose functions take and give the arrays of ``xp``.

    >>> import numpy as np
    >>> float(library(np, "special").gammaln(1.0))
    0.0
    """
    if hasattr(type(xp), "library"):
        return xp.library(name)
    return import_module(f"scipy.{name}")
