"""``train.replica_device_setter``: variables on the parameter servers in turn, all else on the worker."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any, Final

from tapeviz.compat.v1.cluster.spec import ClusterSpec
from tapeviz.engine.device_names import parsed

__all__ = ["replica_device_setter"]

_PS_OPS: Final = ("Variable", "VariableV2", "VarHandleOp")


def replica_device_setter(
    ps_tasks: int = 0, ps_device: str = "/job:ps", worker_device: str = "/job:worker", merge_devices: bool = True,
    cluster: Any = None, ps_ops: Sequence[str] | None = None, ps_strategy: Callable[[Any], int] | None = None,
) -> Callable[[Any], str] | None:  # fmt: skip
    """A function for :func:`device` that places variables on the tasks of a job in turn, and all else on a worker.

    Args:
        ps_tasks: how many tasks the job of the variables has; what ``cluster`` says unless given.
        ps_device: that job.
        worker_device: where all else is placed.
        merge_devices: accepted: what an operation says of its own device is kept.
        cluster: the tasks, as for :class:`ClusterSpec`.
        ps_ops: the types of the operations to place there; those of variables unless given.
        ps_strategy: gives the number of the task for an operation; the next one each time unless given.

    Returns:
        The function; None where no task has variables.

    Raises:
        TypeError: the cluster or the strategy is none.

    >>> import tapeviz.compat.v1 as tf
    >>> cluster = tf.train.ClusterSpec({"ps": ["127.0.0.1:2222", "127.0.0.1:2223"], "worker": ["127.0.0.1:2224"]})
    >>> with tf.Graph().as_default(), tf.device(tf.train.replica_device_setter(cluster=cluster)):
    ...     a, b = tf.Variable(1.0), tf.Variable(2.0)
    ...     print(a.device, b.device, (a + b).device)
    /job:ps/task:0 /job:ps/task:1 /job:worker
    """
    if cluster is not None:
        spec, job = ClusterSpec(cluster), parsed(ps_device).job
        ps_tasks = spec.num_tasks(job) if job in spec.jobs else 0
    if not ps_tasks:
        return None
    turn = itertools.cycle(range(ps_tasks))
    strategy = ps_strategy or (lambda _: next(turn))
    if not callable(strategy):
        raise TypeError("ps_strategy must be callable")
    types = _PS_OPS if ps_ops is None else tuple(ps_ops)
    return lambda node: f"{ps_device}/task:{strategy(node)}" if node.type in types else worker_device
