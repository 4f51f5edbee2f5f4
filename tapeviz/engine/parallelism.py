"""How many threads compute one op."""

from __future__ import annotations

from typing import Final

from tapeviz.backends import blocks

__all__ = [
    "get_inter_op_parallelism_threads", "get_intra_op_parallelism_threads", "set_inter_op_parallelism_threads",
    "set_intra_op_parallelism_threads",
]  # fmt: skip

_chosen: Final = {"intra": 0, "inter": 0}


def set_intra_op_parallelism_threads(num_threads: int) -> None:
    """Set the number of threads that compute one op on large arrays at most; results are the same on any number.

    Matrix products are not meant: the threads of NumPy's BLAS follow OPENBLAS_NUM_THREADS, which is read when NumPy is
    imported.

    Args:
        num_threads: 0, as at first, for as many as OMP_NUM_THREADS says, or else as many as the process may use cores.

    Raises:
        ValueError: fewer than 0.

    >>> import tapeviz as tf
    >>> tf.config.threading.set_intra_op_parallelism_threads(1)
    >>> tf.config.threading.get_intra_op_parallelism_threads()
    1
    >>> tf.config.threading.set_intra_op_parallelism_threads(0)
    """
    _set("intra", num_threads)
    blocks.set_threads(int(num_threads))


def get_intra_op_parallelism_threads() -> int:
    """Get what :func:`set_intra_op_parallelism_threads` has set, 0 at first.

    >>> import tapeviz as tf
    >>> tf.config.threading.get_intra_op_parallelism_threads()
    0
    """
    return _chosen["intra"]


def set_inter_op_parallelism_threads(num_threads: int) -> None:
    """Accept, as TensorFlow does, how many ops may run at once: here they run one after the other.

    Args:
        num_threads: the number.

    Raises:
        ValueError: fewer than 0.

    >>> import tapeviz as tf
    >>> tf.config.threading.set_inter_op_parallelism_threads(0)
    """
    _set("inter", num_threads)


def get_inter_op_parallelism_threads() -> int:
    """Get what :func:`set_inter_op_parallelism_threads` was told, 0 at first.

    >>> import tapeviz as tf
    >>> tf.config.threading.get_inter_op_parallelism_threads()
    0
    """
    return _chosen["inter"]


def _set(which: str, count: int) -> None:
    if count < 0:
        raise ValueError(f"set_{which}_op_parallelism_threads: num_threads is {count}, and cannot be below 0")
    _chosen[which] = int(count)
