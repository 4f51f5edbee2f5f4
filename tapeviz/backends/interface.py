"""What the engine asks of a device: arrays, an array module, and faster kernels where it has them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["Backend"]


class Backend:
    """A device that holds arrays and runs array functions on them.

    ``xp`` is the module whose functions take and give ``array_type``. ``kernels`` maps the name of an op to a function
    with the arguments of that op's ``forward`` (after ``xp``) that is faster here.
    """

    kind: str = "CPU"
    index: int = 0
    xp: Any = np
    array_type: type = np.ndarray

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

    def from_host(self, array: np.ndarray) -> Any:
        """A copy of a host array in this device's memory."""
        raise NotImplementedError

    def to_host(self, array: Any) -> np.ndarray:
        """The host's view of an array of this device: a copy unless the memory is the same."""
        raise NotImplementedError

    def as_array(self, result: Any) -> Any:
        """What a kernel returned, as this device's array (array functions return scalars for rank 0)."""
        raise NotImplementedError
