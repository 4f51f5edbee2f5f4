"""What the engine asks of a device: arrays, an array module, and faster kernels where it has them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["Backend"]


class Backend:
    """A device that holds arrays and runs array functions on them.

    ``xp`` is the module whose functions take and give ``array_type``. ``kernels`` maps the name of an op to a function
    with the arguments of that op's ``forward`` (after ``xp``) that is faster here. Where ``mixes`` is False, inputs on
    another device are refused instead of copied over.
    """

    kind: str = "CPU"
    index: int = 0
    xp: Any = np
    array_type: type = np.ndarray
    mixes: bool = True

    def __init__(self) -> None:
        self.kernels: dict[str, Callable[..., Any]] = {}

    @property
    def name(self) -> str:
        """The short name, such as ``CPU:0``."""
        return f"{self.kind}:{self.index}"

    @property
    def device(self) -> str:
        """The name as TensorFlow writes it."""
        return f"/job:localhost/replica:0/task:0/device:{self.kind}:{self.index}"

    def takes(self, dtype: np.dtype) -> bool:
        """Whether arrays of this dtype can be here. What cannot stays on the host."""
        return dtype.kind != "O"

    def from_host(self, array: np.ndarray) -> Any:
        """A copy of a host array in this device's memory."""
        raise NotImplementedError

    def adopt(self, value: Any) -> Any:
        """A copy of an array that is here already: one of this device's own, or another library's."""
        return value.copy()

    def to_host(self, array: Any) -> np.ndarray:
        """The host's view of an array of this device: a copy unless the memory is the same."""
        raise NotImplementedError

    def as_array(self, result: Any) -> Any:
        """What a kernel returned, as this device's array (array functions return scalars for rank 0)."""
        raise NotImplementedError

    def mark(self) -> Any:
        """A point in the device's stream of work, to be timed later; None where an op is done when it returns."""
        return None

    def seconds_between(self, first: Any, second: Any) -> float | None:  # noqa: ARG002 - for devices that have marks
        """The time from one mark to another; None while the device has not got there. Never waits."""
        return None

    def wait(self, mark: Any) -> None:
        """Wait until the device has passed a mark."""

    def pool(self) -> tuple[int, int] | None:
        """The bytes of this device's memory pool that arrays use, and all of its bytes; None without a pool."""
        return None

    def give_back(self) -> None:
        """Give memory that no array uses back to whom it was taken from; the arrays stay."""

    def memory(self) -> dict[str, int]:
        """The bytes in use by arrays here and the most that the process holds for them; 0 where nobody counts."""
        used, total = self.pool() or (0, 0)
        return {"current": used, "peak": total}

    def details(self) -> dict[str, Any]:
        """What the hardware says of itself, such as ``device_name``."""
        return {}
