"""How a pipeline is to run. Pipelines here decide by themselves; what programs say is kept, and means what it can."""

from __future__ import annotations

from typing import Any, Final

__all__ = ["AUTOTUNE", "Options", "ThreadingOptions", "threads"]

AUTOTUNE: Final = -1
_MOST_THREADS: Final = 8


class ThreadingOptions:
    """How many threads may be used.

    >>> import tapeviz as tf
    >>> tf.data.Options().threading.private_threadpool_size
    """

    def __init__(self) -> None:
        self.max_intra_op_parallelism: int | None = None
        self.private_threadpool_size: int | None = None


class Options:
    """Options of a dataset, given by ``with_options`` and accepted as TensorFlow does.

    Elements come in the same order whatever ``deterministic`` says.

    >>> import tapeviz as tf
    >>> options = tf.data.Options()
    >>> options.deterministic = False
    >>> list(tf.data.Dataset.range(2).with_options(options).as_numpy_iterator())
    [np.int64(0), np.int64(1)]
    """

    def __init__(self) -> None:
        self.deterministic: bool | None = None
        self.experimental_deterministic: bool | None = None
        self.experimental_slack: bool | None = None
        self.threading: ThreadingOptions = ThreadingOptions()
        self.autotune: Any = _Any()
        self.experimental_distribute: Any = _Any()
        self.experimental_optimization: Any = _Any()


class _Any:
    """Options that nothing here depends on."""


def threads(wanted: int | None, cores: int) -> int:
    """How many threads ``num_parallel_calls`` means; 0 for none besides the caller's."""
    if wanted is None:
        return 0
    return min(max(cores, 1), _MOST_THREADS) if wanted == AUTOTUNE else wanted
