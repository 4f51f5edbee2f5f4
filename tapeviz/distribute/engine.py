"""What runs in an engine of a cluster: its end of the link to the client, and its part of a program."""

from __future__ import annotations

import os
from contextlib import nullcontext
from multiprocessing.connection import Client, Connection
from typing import Any

import numpy as np

from tapeviz.distribute.hub import answered
from tapeviz.engine.errors import AbortedError
from tapeviz.ops.collective.replicas import here
from tapeviz.ops.random.seeds import set_seed
from tapeviz.tape.record import record

__all__ = ["facts", "join", "run"]


class _Replica:
    """This process among the others. The client adds arrays.

    Args:
        link: to the client.
    """

    reduce = "sum"

    def __init__(self, link: Connection, rank: int) -> None:
        self.link = link
        self.rank = rank
        self.size = 1

    def all_reduce(self, array: np.ndarray, reduce: str) -> np.ndarray:
        """The sum or the mean of the replicas' arrays."""
        try:
            self.link.send((array, reduce))
            answer = self.link.recv()
        except (EOFError, OSError):
            raise AbortedError("the client is gone, which adds the ranks' arrays", "all_reduce") from None
        if isinstance(answer, str):
            raise AbortedError(answer, "all_reduce")
        total, self.rank, self.size = answer
        return total  # type: ignore[no-any-return]


class _MPIReplica(_Replica):
    """The same where MPI adds them."""

    def all_reduce(self, array: np.ndarray, reduce: str) -> np.ndarray:
        """The sum or the mean of the replicas' arrays."""
        world = _world()
        if array.dtype.kind in "fiu" and array.dtype.itemsize >= 4:  # noqa: PLR2004 - MPI has no shorter floats
            total = np.empty_like(array)
            world.Allreduce(array, total)
        else:
            total = world.allreduce(array)
        return (total / self.size).astype(array.dtype) if reduce == "mean" else total


def _world() -> Any:
    from mpi4py import MPI  # noqa: PLC0415 - importing it begins MPI

    return MPI.COMM_WORLD


def facts() -> tuple[int, int]:
    """The rank that MPI gave this process, -1 where it is none of MPI's; and the process' number."""
    several = any(int(os.environ.get(name, "1")) > 1 for name in ("PMI_SIZE", "OMPI_COMM_WORLD_SIZE"))
    return _world().Get_rank() if several else -1, os.getpid()


class _Joined:
    """The replica that this process is, from the making of the strategy on."""

    replica: _Replica | None = None


def join(address: tuple[str, int], key: bytes, rank: int, by_mpi: bool) -> None:
    """Become a replica: make the link to the client, and have it measure this process' clock."""
    link: Any = Client(address, authkey=key)
    link.send(rank)
    answered(link)
    _Joined.replica = (_MPIReplica if by_mpi else _Replica)(link, rank)


def run(program: bytes, place: int, size: int, reduce: str, seed: int, recorded: dict[str, Any] | None) -> bytes:
    """Run this replica's part of a program; what it gives, and its recording.

    Args:
        program: a function and its arguments.
        place: this replica's rank among those that are alive.
        size: how many these are.
        reduce: what gradients become: "sum" or "mean".
        seed: of random numbers, the same in all, so that variables begin alike.
        recorded: how to record it, as for :class:`record`; None for not at all.
    """
    import cloudpickle  # noqa: PLC0415 - of the extra, which a program of one process does without

    replica: Any = _Joined.replica
    replica.rank, replica.size, replica.reduce = place, size, reduce
    set_seed(seed)
    here.replica = replica
    recording: Any = nullcontext() if recorded is None else record(**recorded)
    try:
        function, args, kwargs = cloudpickle.loads(program)
        with recording as tape:
            found = function(*args, **kwargs)
    finally:
        here.replica = None
        replica.link.send(None)
    return cloudpickle.dumps((found, None if tape is None else tape.recording.to_bytes()))  # type: ignore[no-any-return]
