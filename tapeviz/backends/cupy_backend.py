"""The GPU: CuPy's arrays. CuPy is imported when a device is made, which happens only where one can be used."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

import numpy as np

from tapeviz.backends.cupy_module import CupyModule
from tapeviz.backends.interface import Backend

__all__ = ["CupyBackend"]

_TAKEN: Final = frozenset(map(np.dtype, (
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64",
    "complex64", "complex128",
)))  # fmt: skip


class CupyBackend(Backend):
    """The first of the CUDA devices that ``CUDA_VISIBLE_DEVICES`` shows.

    Raises:
        Exception: CuPy, the driver or a library of CUDA's cannot do its part; each has errors of its own.
    """

    kind = "GPU"

    def __init__(self) -> None:
        super().__init__()
        cupy = import_module("cupy")
        cupy.cuda.Device(self.index).use()
        cupy.zeros(1)  # fails now, not in the user's first op, where memory cannot be had
        self._cupy = cupy
        self.array_type: type = cupy.ndarray
        self.xp: Any = CupyModule(cupy, import_module("cupyx"))

    def takes(self, dtype: np.dtype) -> bool:
        """Whether CuPy has this dtype. Strings and bfloat16 stay on the host."""
        return dtype in _TAKEN

    def from_host(self, array: np.ndarray) -> Any:
        """A copy of a host array in the GPU's memory."""
        return self._cupy.array(array)

    def adopt(self, value: Any) -> Any:
        """A copy of CuPy's array, or of one that says by ``__cuda_array_interface__`` where it is (torch's)."""
        return self._cupy.array(value)

    def to_host(self, array: Any) -> np.ndarray:
        """A copy of one of the GPU's arrays in host memory, once the work that makes it is done."""
        return self._cupy.asnumpy(array)  # type: ignore[no-any-return]

    def as_array(self, result: Any) -> Any:
        """``result``, or an array of rank 0 with the Python or NumPy number that it is."""
        return result if isinstance(result, self.array_type) else self._cupy.asarray(result)

    def mark(self) -> Any:
        """A CUDA event, recorded in the current stream."""
        event = self._cupy.cuda.Event()
        event.record()
        return event

    def seconds_between(self, first: Any, second: Any) -> float | None:
        """The time between two events; None while the second is still ahead of the GPU."""
        if not second.done:
            return None
        return float(self._cupy.cuda.get_elapsed_time(first, second)) * 1e-3

    def wait(self, mark: Any) -> None:
        """Wait for an event."""
        mark.synchronize()

    def pool(self) -> tuple[int, int]:
        """CuPy's pool: the bytes that arrays use, and the bytes it has taken from the device so far."""
        pool = self._cupy.get_default_memory_pool()
        return int(pool.used_bytes()), int(pool.total_bytes())

    def give_back(self) -> None:
        """Empty CuPy's pool of the blocks that no array uses."""
        self._cupy.get_default_memory_pool().free_all_blocks()

    def details(self) -> dict[str, Any]:
        """The GPU's name and compute capability."""
        properties = self._cupy.cuda.runtime.getDeviceProperties(self.index)
        return {
            "device_name": properties["name"].decode(),
            "compute_capability": (int(properties["major"]), int(properties["minor"])),
        }
