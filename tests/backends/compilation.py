"""Kernels of machine code that are there at once, or never."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from tapeviz.native.kernels import Kernel

__all__ = ["compiled_kernels"]


@contextmanager
def compiled_kernels(*, wanted: bool) -> Iterator[dict[Kernel, Any]]:
    """Have kernels be compiled when they are first asked for, or not be used; gives those that were."""
    found: dict[Kernel, Any] = {}

    def at_once(kernel: Kernel) -> Any:
        if kernel not in found:
            found[kernel] = kernel.compiled()
            assert found[kernel] is not None
        return found[kernel]

    with patch.object(Kernel, "ready", at_once if wanted else lambda _kernel: None):
        yield found
