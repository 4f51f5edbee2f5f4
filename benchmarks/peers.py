"""The libraries measured beside, equally many threads each. One that is missing is named in the report and left out."""

from __future__ import annotations

import functools
import importlib
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final

from benchmarks.environment import threads_now

__all__ = ["MISSING", "load", "versions"]

MISSING: Final[list[str]] = []


@functools.cache
def load(name: str) -> Any:
    """Return the library, with as many threads as the environment says, or None when it is not installed.

    Raises:
        RuntimeError: the environment does not say how many threads libraries have.
    """
    count = threads_now()
    if not count:
        raise RuntimeError("start the benchmarks with `make bench` or `python -m benchmarks.run`: threads are not set")
    try:
        library: Any = importlib.import_module(name)
    except ImportError:
        MISSING.append(name)
        return None
    if name == "torch":
        library.set_num_threads(count)
        library.set_num_interop_threads(1)
    if name == "tensorflow":
        library.config.threading.set_inter_op_parallelism_threads(1)
        library.config.threading.set_intra_op_parallelism_threads(count)
    return library


def versions() -> dict[str, str]:
    """Return the versions of everything measured."""
    found = {}
    for name in ("tapeviz", "numpy", "torch", "tensorflow", "tensorflow-cpu", "autograd", "jax"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
