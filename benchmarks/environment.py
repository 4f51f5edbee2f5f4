"""The environment in which each library uses one thread. Imports nothing: it has to be set before they are."""

from __future__ import annotations

from typing import Final

__all__ = ["ONE_THREAD"]

ONE_THREAD: Final = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "TF_CPP_MIN_LOG_LEVEL": "3",
    "CUDA_VISIBLE_DEVICES": "",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
    "JAX_PLATFORMS": "cpu",
    "TORCHINDUCTOR_COMPILE_THREADS": "1",
}
