"""The libraries measured beside, one thread each. One that is missing is named in the report and left out."""

from __future__ import annotations

import importlib
import os
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final

from benchmarks.environment import ONE_THREAD

__all__ = ["MISSING", "autograd", "autograd_numpy", "tensorflow", "torch", "versions"]

MISSING: Final[list[str]] = []


def _load(name: str) -> Any:
    if any(os.environ.get(key) != value for key, value in ONE_THREAD.items()):
        raise RuntimeError("start the benchmarks with `make bench` or `python -m benchmarks.run`: threads are not set")
    try:
        return importlib.import_module(name)
    except ImportError:
        MISSING.append(name)
        return None


torch: Final[Any] = _load("torch")
tensorflow: Final[Any] = _load("tensorflow")
autograd: Final[Any] = _load("autograd")
autograd_numpy: Final[Any] = autograd and _load("autograd.numpy")

if torch is not None:
    torch.set_num_threads(1)
    torch.set_num_interop_threads(1)
if tensorflow is not None:
    tensorflow.config.threading.set_inter_op_parallelism_threads(1)
    tensorflow.config.threading.set_intra_op_parallelism_threads(1)


def versions() -> dict[str, str]:
    """Return the versions of everything measured."""
    found = {}
    for name in ("tapeviz", "numpy", "torch", "tensorflow", "tensorflow-cpu", "autograd"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
