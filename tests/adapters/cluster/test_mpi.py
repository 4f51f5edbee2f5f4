"""Processes that MPI has started: MPI adds their arrays, a dead rank is named, and training goes on from its backup."""

import os
import signal
import sys
from contextlib import contextmanager
from pathlib import Path

import cloudpickle
import ipyparallel
import numpy as np
import pytest

import tapeviz as tf
from tapeviz.errors import UnavailableError

cloudpickle.register_pickle_by_value(sys.modules[__name__])


@contextmanager
def _strategy(monkeypatch):
    programs = Path(sys.prefix) / "bin"  # where mpich's wheel puts mpiexec
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    cluster = ipyparallel.Cluster(n=2, engines="mpi", controller_ip="127.0.0.1", log_level=40)
    try:
        strategy = tf.distribute.MultiWorkerMirroredStrategy(cluster.start_and_connect_sync(), seconds=300)
        yield strategy
        strategy.close()
    finally:
        cluster.stop_cluster_sync()


class _Dies(tf.keras.callbacks.Callback):
    """Kills the process of rank 1 in the third step, when both have begun it."""

    def on_train_batch_begin(self, batch, logs=None):  # noqa: ARG002 - Keras' signature
        if batch == 2:
            context = tf.distribute.get_replica_context()
            context.all_reduce("sum", tf.constant(1.0))  # rank 0 has stored the second step
            if context.replica_id_in_sync_group == 1:
                os.kill(os.getpid(), signal.SIGKILL)


def _reduced(dtype):
    context = tf.distribute.get_replica_context()
    mean = context.all_reduce("mean", tf.constant([1.0, context.replica_id_in_sync_group], dtype))
    return context.replica_id_in_sync_group, mean.numpy()


def _steps():
    model = tf.keras.Sequential([tf.keras.Input([8]), tf.keras.layers.Dense(1, kernel_initializer="zeros")])
    model.compile(tf.keras.optimizers.SGD(0.1), "mse")
    return model


def test_a_dead_rank_is_named_and_at_most_the_running_step_is_lost(tmp_path, monkeypatch):
    x = np.random.default_rng(0).normal(size=(256, 8)).astype("float32")
    y = x @ np.ones((8, 1), "float32")
    options = {"batch_size": 64, "shuffle": False, "checkpoint": tmp_path}
    with _strategy(monkeypatch) as strategy:
        assert strategy.by_mpi
        for dtype in ("float32", "float16"):  # MPI itself has no float16
            each = strategy.run(_reduced, (dtype,)).values
            assert [(rank, mean.tolist(), mean.dtype) for rank, mean in each] == [
                (0, [1.0, 0.5], dtype),
                (1, [1.0, 0.5], dtype),
            ]
        with pytest.raises(UnavailableError, match=r"rank 1 \(process \d+\) has died, and MPI ends all ranks with it"):
            strategy.fit(_steps(), x, y, **options, callbacks=[_Dies()])
    with _strategy(monkeypatch) as strategy:
        model = _steps()
        strategy.fit(model, x, y, **options)
    alone = _steps()
    for rows in [*range(2), *range(4)]:  # the two steps that were finished, and the epoch from its beginning
        alone.train_on_batch(x[64 * rows :][:64], y[64 * rows :][:64])
    assert int(model.optimizer.iterations) == 6
    np.testing.assert_allclose(model.get_weights()[0], alone.get_weights()[0], rtol=1e-5)
