"""Strategies of one device: programs that are written for several run on it as they are, one replica of one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from tapeviz.data.dataset import Dataset
from tapeviz.distribute.replica_context import reduce_name
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.ops.math.reductions import reduce_mean, reduce_sum

__all__ = ["InputContext", "MirroredStrategy", "OneDeviceStrategy", "get_strategy", "has_strategy"]


class InputContext:
    """Which part of the data a pipeline gives: all of it, where there is one.

    >>> import tapeviz as tf
    >>> tf.distribute.InputContext().get_per_replica_batch_size(32)
    32
    """

    num_input_pipelines: int = 1
    input_pipeline_id: int = 0
    num_replicas_in_sync: int = 1

    def get_per_replica_batch_size(self, global_batch_size: int) -> int:
        """The size of the batch of one replica."""
        return global_batch_size


class OneDeviceStrategy:
    """A strategy of one replica, on the device of this process.

    Args:
        device: accepted as TensorFlow does; ``tf.device`` places ops.

    >>> import tapeviz as tf
    >>> strategy = tf.distribute.OneDeviceStrategy()
    >>> with strategy.scope():
    ...     v = tf.Variable(2.0)
    >>> strategy.reduce("sum", strategy.run(lambda x: x * v, args=(3.0,)), axis=None).numpy()
    np.float32(6.0)
    """

    num_replicas_in_sync: int = 1

    def __init__(self, device: Any = None) -> None:
        del device

    @contextmanager
    def scope(self) -> Iterator[OneDeviceStrategy]:
        """A block in which :func:`get_strategy` gives this strategy."""
        _scopes.append(self)
        try:
            yield self
        finally:
            _scopes.remove(self)

    def run(self, fn: Callable[..., Any], args: Sequence[Any] = (), kwargs: Any = None, options: Any = None) -> Any:  # noqa: ARG002 - TensorFlow's signature
        """What the function gives."""
        return fn(*args, **(kwargs or {}))

    def reduce(self, reduce_op: Any, value: Any, axis: int | None) -> Any:
        """The sum or the mean over the one replica, and over an axis if there is one.

        Raises:
            ValueError: there is no such ``reduce_op``.
        """
        name = reduce_name(reduce_op)
        tensor = convert_to_tensor(value)
        return tensor if axis is None else (reduce_sum if name == "sum" else reduce_mean)(tensor, axis=axis)

    def gather(self, value: Any, axis: int) -> Any:  # noqa: ARG002
        """The values of all replicas along an axis: that of the one."""
        return convert_to_tensor(value)

    def experimental_local_results(self, value: Any) -> tuple[Any, ...]:
        """The values of the replicas."""
        return (value,)

    def experimental_distribute_dataset(self, dataset: Dataset, options: Any = None) -> Dataset:  # noqa: ARG002
        """The dataset itself."""
        return dataset

    def distribute_datasets_from_function(
        self,
        dataset_fn: Callable[[InputContext], Dataset],
        options: Any = None,  # noqa: ARG002
    ) -> Dataset:
        """The dataset that the function gives."""
        return dataset_fn(InputContext())

    def make_dataset_iterator(self, dataset: Dataset) -> Any:
        """An iterator of the dataset."""
        return iter(dataset)


class MirroredStrategy(OneDeviceStrategy):
    """A strategy whose replicas have copies of the variables; here one replica, on the device of this process.

    Several processes run a program under :class:`MultiWorkerMirroredStrategy`.

    Args:
        devices: accepted as TensorFlow does.
        cross_device_ops: accepted as TensorFlow does.

    >>> import tapeviz as tf
    >>> tf.distribute.MirroredStrategy().num_replicas_in_sync
    1
    """

    def __init__(self, devices: Any = None, cross_device_ops: Any = None) -> None:  # noqa: ARG002
        super().__init__(devices)


_scopes: list[OneDeviceStrategy] = []
_default = OneDeviceStrategy()


def get_strategy() -> OneDeviceStrategy:
    """The strategy in whose scope this is called; outside of all, one of one device.

    >>> import tapeviz as tf
    >>> tf.distribute.get_strategy().num_replicas_in_sync
    1
    """
    return _scopes[-1] if _scopes else _default


def has_strategy() -> bool:
    """Whether this is called in the scope of a strategy.

    >>> import tapeviz as tf
    >>> tf.distribute.has_strategy()
    False
    """
    return bool(_scopes)
