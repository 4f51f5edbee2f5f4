"""What a program that runs in several processes can ask: which of them this is; and sums over all of them."""

from __future__ import annotations

import enum
from typing import Any

from tapeviz.engine import nest
from tapeviz.ops.collective.all_reduce import all_reduce
from tapeviz.ops.collective.replicas import here

__all__ = ["ReduceOp", "ReplicaContext", "get_replica_context", "reduce_name"]


class ReduceOp(enum.Enum):
    """How values of replicas become one.

    >>> import tapeviz as tf
    >>> tf.distribute.ReduceOp.from_name("mean")
    <ReduceOp.MEAN: 'MEAN'>
    """

    SUM = "SUM"
    MEAN = "MEAN"

    @classmethod
    def from_name(cls, name: str) -> ReduceOp:
        """That of a name, in letters of either case."""
        return cls(name.upper())


def reduce_name(reduce_op: Any) -> str:
    """``sum`` or ``mean``. Raises ValueError: it is neither."""
    name = str(getattr(reduce_op, "value", reduce_op)).upper()
    return ReduceOp(name).value.lower()


class ReplicaContext:
    """The place of this process among those that run the program: what :func:`get_replica_context` gives."""

    @property
    def replica_id_in_sync_group(self) -> int:
        """Its rank, from 0."""
        return 0 if here.replica is None else here.replica.rank

    @property
    def num_replicas_in_sync(self) -> int:
        """How many run; fewer after one has died."""
        return 1 if here.replica is None else here.replica.size

    def all_reduce(self, reduce_op: Any, value: Any) -> Any:
        """The sum or the mean over all replicas, of a tensor or of each in a structure. Gradients pass.

        Args:
            reduce_op: a :class:`ReduceOp` or its name.
            value: what this replica adds.

        Raises:
            ValueError: there is no such ``reduce_op``.
            AbortedError: a replica has left the program.

        >>> import tapeviz as tf
        >>> tf.distribute.get_replica_context().all_reduce("sum", tf.constant([1.0, 2.0])).numpy()
        array([1., 2.], dtype=float32)
        """
        reduce = reduce_name(reduce_op)
        return nest.map_structure(lambda one: all_reduce.run(one, reduce=reduce, group=("world",)), value)


def get_replica_context() -> ReplicaContext:
    """The place of this process in the program: one of one, where no strategy runs it.

    >>> import tapeviz as tf
    >>> context = tf.distribute.get_replica_context()
    >>> context.replica_id_in_sync_group, context.num_replicas_in_sync
    (0, 1)
    """
    return ReplicaContext()
