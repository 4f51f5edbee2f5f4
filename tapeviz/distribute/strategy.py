"""``MultiWorkerMirroredStrategy``: one program in several processes, whose gradients are added."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import numpy as np

from tapeviz.distribute import engine
from tapeviz.distribute.hub import Hub
from tapeviz.distribute.replica_context import reduce_name
from tapeviz.distribute.shares import fit_share, packed_model, unpacked_model
from tapeviz.engine import nest
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.errors import UnavailableError
from tapeviz.keras.callbacks.history import History
from tapeviz.ops.collective.replicas import here
from tapeviz.ops.math.reductions import reduce_mean, reduce_sum
from tapeviz.ops.random.random_numbers import uniform
from tapeviz.recording.reader import read
from tapeviz.tape.merge import merge
from tapeviz.tape.tape import Tape

__all__ = ["MultiWorkerMirroredStrategy", "PerReplica"]

_SEEDS: Final = 2**31 - 1
_LOOK: Final = 0.05  # seconds


class PerReplica:
    """A value of each replica, by rank: what a program gives, and what another can be given.

    >>> import tapeviz as tf
    >>> strategy = tf.distribute.MultiWorkerMirroredStrategy()
    >>> strategy.run(lambda: tf.constant(2.0)).values
    (<tf.Tensor: shape=(), dtype=float32, numpy=2.0>,)
    """

    def __init__(self, values: Sequence[Any]) -> None:
        self.values: tuple[Any, ...] = tuple(values)

    def __repr__(self) -> str:
        return f"PerReplica({dict(enumerate(self.values))})"


class MultiWorkerMirroredStrategy:
    """Runs a program in the engines of a cluster of ipyparallel's, whose gradients an ``all_reduce`` adds.

    By MPI where MPI started the engines, else through this process, over 127.0.0.1. A replica that dies is left out
    from then on, with a warning; under MPI all end with it, and the error names it.

    Args:
        client: a client of ipyparallel's, or a view of some of its engines; this process alone unless given.
        record: whether the replicas are recorded; or how, a dict of :class:`tapeviz.record`'s arguments.
        seconds: how long a run may take.

    ``tape`` is then the timeline of the last run, all ranks on it: their clocks are set by the ping of 50 that had the
    smallest round trip, and :attr:`clocks` say how far each was ahead, and half that trip, by which it may be wrong.

    Raises:
        ValueError: there are no engines.

    >>> import tapeviz as tf
    >>> strategy = tf.distribute.MultiWorkerMirroredStrategy()
    >>> strategy.num_replicas_in_sync
    1
    """

    def __init__(self, client: Any = None, *, record: Any = False, seconds: float | None = None) -> None:
        self.tape: Tape | None = None
        """The timeline of the last run."""
        self._record = None if record is False else {} if record is True else dict(record)
        self._seconds = seconds
        self._engines: dict[int, Any] = {}
        self._told = 0
        self.by_mpi: bool = False
        """Whether MPI adds arrays."""
        if client is not None:
            self._connect(client)

    def _connect(self, client: Any) -> None:
        view = client if hasattr(client, "targets") else client[:]
        targets = view.targets if isinstance(view.targets, list) else [view.targets]
        if not targets:
            raise ValueError("the client has no engines; start some: ipyparallel.Cluster(n=4).start_and_connect_sync()")
        engines = [view.client[target] for target in targets]
        facts = [one.get(timeout=self._seconds) for one in [e.apply_async(engine.facts) for e in engines]]
        self.by_mpi = all(rank >= 0 for rank, _ in facts)
        if self.by_mpi:
            engines = [one for _, one in sorted(zip([rank for rank, _ in facts], engines, strict=True), key=_first)]
            facts.sort()
        self._pids = [pid for _, pid in facts]
        self._hub = Hub(len(engines))
        joins = [
            one.apply_async(engine.join, self._hub.address, self._hub.key, rank, self.by_mpi)
            for rank, one in enumerate(engines)
        ]
        try:
            for one in joins:
                one.get(timeout=self._seconds)
        except BaseException:
            self._hub.close()
            raise
        self._hub.start()
        self._engines = dict(enumerate(engines))

    @property
    def num_replicas_in_sync(self) -> int:
        """How many replicas run a program: those that are alive."""
        return len(self._hub.ranks) if self._engines else 1

    @property
    def clocks(self) -> dict[int, Any]:
        """By rank: by how many seconds its wall clock is ahead of this process', and how far that may be wrong."""
        return dict(self._hub.clocks) if self._engines else {}

    @contextmanager
    def scope(self) -> Iterator[MultiWorkerMirroredStrategy]:
        """A block: ``fit`` of the models that are compiled in it trains them in all replicas.

        >>> import tapeviz as tf
        >>> strategy = tf.distribute.MultiWorkerMirroredStrategy()
        >>> with strategy.scope():
        ...     model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
        ...     model.compile("sgd", "mse")
        >>> model.fit([[0.0], [1.0]], [[0.0], [2.0]], verbose=0).epoch
        [0]
        """
        before, here.strategy = here.strategy, self if self._engines else None
        try:
            yield self
        finally:
            here.strategy = before

    def close(self) -> None:
        """Let go of the engines, which go on for others."""
        if self._engines:
            self._hub.close()

    def run(self, fn: Callable[..., Any], args: Sequence[Any] = (), kwargs: Any = None) -> Any:
        """Call a function in each replica at the same time, and wait for all.

        In it, optimizers add the gradients of all replicas before they apply them, as TensorFlow's do, and
        :func:`get_replica_context` tells the rank. Each replica draws the same random numbers.

        Args:
            fn: the function. It is sent with what it refers to.
            args: its arguments; of a :class:`PerReplica` each replica gets its own.
            kwargs: the same by name.

        Returns:
            A :class:`PerReplica` of what it gave.

        Raises:
            UnavailableError: a replica of MPI's has died, or all have.
            TimeoutError: it took longer than the strategy's ``seconds``.
        """
        return PerReplica(list(self._run("sum", fn, args, kwargs or {}).values()))

    def _run(self, reduce: str, fn: Callable[..., Any], args: Sequence[Any], kwargs: Any) -> dict[int, Any]:
        """What the replicas that lived to the end gave, by rank."""
        if not self._engines:
            return {0: fn(*_share(args, 0), **_share(kwargs, 0))}
        import cloudpickle  # noqa: PLC0415 - of the extra, which one process does without

        self._check_lives()
        ranks = self._hub.ranks
        seed = int(uniform((), maxval=_SEEDS, dtype="int32").numpy())
        sent = {}
        for place, rank in enumerate(ranks):
            program = cloudpickle.dumps((fn, _share(args, place), _share(kwargs, place)))
            sent[rank] = self._engines[rank].apply_async(
                engine.run, program, place, len(ranks), reduce, seed, self._record
            )
        found = self._gathered(sent)
        if self._record is not None:
            self.tape = self._timeline({rank: tape for rank, (_, tape) in found.items()})
        return {rank: value for rank, (value, _) in found.items()}

    def _gathered(self, sent: dict[int, Any]) -> dict[int, Any]:
        """The answers of the replicas that live."""
        import cloudpickle  # noqa: PLC0415

        end = None if self._seconds is None else time.monotonic() + self._seconds
        waiting = dict(sent)
        while waiting:
            rank, answer = next(iter(waiting.items()))
            answer.wait(_LOOK)
            self._check_lives()
            for other in [other for other in waiting if other in self._hub.lost or waiting[other].ready()]:
                del waiting[other]
            if waiting and end is not None and time.monotonic() > end:
                raise TimeoutError(f"rank {rank} has not answered within {self._seconds} seconds")
        failed = [error for rank in sent if rank not in self._hub.lost and (error := _error(sent[rank])) is not None]
        if failed:  # that of a rank which only found another one gone is not the first to be told
            raise min(failed, key=lambda error: "has left the program" in str(error))
        return {rank: cloudpickle.loads(one.get()) for rank, one in sent.items() if rank not in self._hub.lost}

    def _check_lives(self) -> None:
        """Say which replicas have died since this was said last.

        Raises:
            UnavailableError: under MPI, where the others end with it; or nobody is left.
        """
        lost = self._hub.lost
        if self._told == len(lost):
            return
        rank = lost[self._told]
        who = f"rank {rank} (process {self._pids[rank]}) has died"
        if self.by_mpi:
            raise UnavailableError(
                f"{who}, and MPI ends all ranks with it. Start the cluster again; fit(checkpoint=folder) goes on with "
                "the values of the last step that was finished",
                "all_reduce",
            )
        self._told += 1
        if len(lost) == len(self._engines):
            raise UnavailableError(f"{who}, and no rank is left", "all_reduce")
        warnings.warn(f"{who}; {self._hub.ranks} go on without it", RuntimeWarning, stacklevel=5)
        self._check_lives()

    def _timeline(self, contents: dict[int, bytes]) -> Tape:
        tapes = [Tape(read(tape)) for tape in contents.values()]
        offsets = [self._hub.clocks[rank] for rank in contents]
        if len(tapes) == 1:
            return tapes[0]
        first = offsets[0]
        residual = first.residual + max(clock.residual for clock in offsets[1:])
        return merge(tapes, [clock.ahead - first.ahead for clock in offsets], residual)

    def fit(
        self, model: Any, x: Any, y: Any, *, batch_size: int | None = None, epochs: int = 1, shuffle: bool = True,
        callbacks: Sequence[Any] = (), checkpoint: Any = None,
    ) -> History:  # fmt: skip
        """Train a compiled model: each replica has its share of every batch, gradients are those of the whole batch.

        Args:
            model: the model, which has the new values afterwards.
            x: the inputs, an array.
            y: the targets, an array.
            batch_size: how many rows a batch has in all replicas together; 32 unless given.
            epochs: how often to go through the data.
            shuffle: whether rows have a new order in each epoch.
            callbacks: callbacks; each replica has a copy.
            checkpoint: a folder in which the first replica keeps the values after each step. When the processes have
                died, the same call goes on from them.

        Returns:
            The history, as of the model's own ``fit``; metrics are means over the replicas.

        Raises:
            UnavailableError, TimeoutError: as for :meth:`run`.
        """
        if not self._engines:
            model.fit(x, y, batch_size=batch_size, epochs=epochs, shuffle=shuffle, verbose=0, callbacks=list(callbacks))
            return model.history  # type: ignore[no-any-return]
        inputs, targets = np.asarray(x), np.asarray(y)
        if not model.built:
            model(inputs[:1], training=False)
        seed = int(uniform((), maxval=_SEEDS, dtype="int32").numpy()) if shuffle else None
        folder = None if checkpoint is None else str(Path(checkpoint).absolute())
        args = (packed_model(model), inputs, targets, batch_size or 32, epochs, seed, list(callbacks), folder)
        contents, logs, epoch = next(iter(self._run("mean", fit_share, args, {}).values()))
        trained = unpacked_model(contents)
        model.set_weights(trained.get_weights())
        if model.optimizer is not None:
            model.optimizer.build(list(model.trainable_variables))
            for own, other in zip(model.optimizer.variables, trained.optimizer.variables, strict=True):
                own.assign(other)
        history = History()
        history.set_model(model)
        history.history, history.epoch = dict(logs), list(epoch)
        model.history = history
        return history

    def reduce(self, reduce_op: Any, value: Any, axis: int | None = None) -> Any:
        """The sum or the mean of a value over the replicas.

        Args:
            reduce_op: "sum" or "mean", or a :class:`ReduceOp`.
            value: a :class:`PerReplica`, or a value that all have.
            axis: the axis of each replica's value to sum, or to take the mean of, as well.

        Raises:
            ValueError: there is no such ``reduce_op``.

        >>> import tapeviz as tf
        >>> strategy = tf.distribute.MultiWorkerMirroredStrategy()
        >>> each = strategy.run(lambda: tf.constant([1.0, 3.0]))
        >>> strategy.reduce("mean", each, axis=0).numpy()
        np.float32(2.0)
        """
        reduction = {"sum": reduce_sum, "mean": reduce_mean}[reduce_name(reduce_op)]
        values = list(map(convert_to_tensor, self.experimental_local_results(value)))
        if axis is None:
            return reduction(values, axis=0)
        rows = reduce_sum([reduce_sum(one, axis=axis) for one in values], axis=0)
        return rows if reduction is reduce_sum else rows / sum(int(one.shape[axis]) for one in values)

    def experimental_local_results(self, value: Any) -> tuple[Any, ...]:
        """The values of a :class:`PerReplica`."""
        return value.values if isinstance(value, PerReplica) else (value,)


def _first(pair: tuple[int, Any]) -> int:
    return pair[0]


def _share(structure: Any, place: int) -> Any:
    """A structure with, in the place of each :class:`PerReplica`, the value of one replica."""
    return nest.map_structure(lambda leaf: leaf.values[place] if isinstance(leaf, PerReplica) else leaf, structure)


def _error(answer: Any) -> BaseException | None:
    found: BaseException | None = answer.exception()
    return found
