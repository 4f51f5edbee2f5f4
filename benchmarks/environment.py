"""The environment in which each library uses so many threads. Imports no library: it has to be set before they are."""

from __future__ import annotations

import os

__all__ = ["threads", "threads_now"]


def threads(count: int) -> dict[str, str]:
    """Return the variables that say so."""
    number, several = str(count), str(count > 1).lower()
    return {
        "OMP_NUM_THREADS": number,
        "OPENBLAS_NUM_THREADS": number,
        "MKL_NUM_THREADS": number,
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "CUDA_VISIBLE_DEVICES": "",
        "XLA_FLAGS": f"--xla_cpu_multi_thread_eigen={several} intra_op_parallelism_threads={number}",
        "JAX_PLATFORMS": "cpu",
        "TORCHINDUCTOR_COMPILE_THREADS": "1",
    }


def threads_now() -> int:
    """Return how many threads each library has; 0 where the environment does not say it."""
    number = os.environ.get("OMP_NUM_THREADS", "")
    count = int(number) if number.isdigit() else 0
    return count if all(os.environ.get(key) == value for key, value in threads(count).items()) else 0
