"""The host: NumPy arrays."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tapeviz.backends.host_memory import c_library, give_back, keep_freed
from tapeviz.backends.interface import Backend
from tapeviz.backends.numpy_kernels import KERNELS

__all__ = ["NUMPY", "NumpyBackend"]


class NumpyBackend(Backend):
    """Arrays in host memory, computed by NumPy.

    ``kept`` says how many bytes of free memory the process keeps for the next arrays at most; 0 where the C library
    decides that.
    """

    def __init__(self) -> None:
        super().__init__()
        self.kernels = KERNELS
        self._library = c_library()
        self.kept: int = keep_freed(self._library)

    def from_host(self, array: np.ndarray) -> np.ndarray:
        """The array itself: it is here already."""
        return array

    def to_host(self, array: np.ndarray) -> np.ndarray:
        """The array itself: it is here already."""
        return array

    def as_array(self, result: Any) -> np.ndarray:
        """``result`` as an array of rank 0 when it is a scalar."""
        return result if result.__class__ is np.ndarray else np.asarray(result)

    def give_back(self) -> None:
        """Give what the C library keeps for the next arrays back to the system."""
        give_back(self._library)


NUMPY: Final = NumpyBackend()
