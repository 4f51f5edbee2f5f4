"""Programs in several processes: the same gradients as in one, one timeline, and a death in the middle."""

import os
import signal
import sys
import time

import cloudpickle
import numpy as np
import pytest

import tapeviz as tf
from tapeviz.errors import AbortedError, InvalidArgumentError

pytestmark = pytest.mark.slow
cloudpickle.register_pickle_by_value(sys.modules[__name__])

ULPS = 4
"""By how many units in the last place of a tensor's largest element sums in another order may be apart."""


def _digits(rows):
    x, y = tf.keras.datasets.digits.load_data()[0]
    return x[:rows].reshape(rows, -1).astype("float32") / 16, y[:rows].astype("int32")


def _model():
    layers = [tf.keras.layers.Dense(32, activation="relu"), tf.keras.layers.Dense(10)]
    model = tf.keras.Sequential([tf.keras.Input([64]), *layers])
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(tf.keras.optimizers.SGD(0.5, momentum=0.5), loss, metrics=["accuracy"])
    return model


def _check_alike(found, expected, ulps=ULPS):
    for a, b in zip(found, expected, strict=True):
        assert np.abs(a - b).max() <= ulps * np.spacing(np.abs(b).max())


@pytest.fixture
def strategy(client):
    strategy = tf.distribute.MultiWorkerMirroredStrategy(client[:4], record=True, seconds=300)
    yield strategy
    strategy.close()


def _gradients(weights, x, y, size):
    """What a loop of one's own has: the gradients of the sum of a share's losses, over the whole batch."""
    w = [tf.Variable(weight) for weight in weights]
    context = tf.distribute.get_replica_context()
    rank, count = context.replica_id_in_sync_group, context.num_replicas_in_sync
    share = slice(rank, None, count)
    with tf.GradientTape() as tape:
        logits = tf.nn.relu(x[share] @ w[0] + w[1]) @ w[2] + w[3]
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(y[share], logits)
        loss = tf.reduce_sum(losses) / size
    return [g.numpy() for g in context.all_reduce("sum", tape.gradient(loss, w))]


@pytest.mark.parametrize("count", [2, 4])
def test_gradients_are_those_of_the_whole_batch(client, count):
    x, y = _digits(128)
    weights = _model().get_weights()
    expected = _gradients(weights, x, y, 128)
    strategy = tf.distribute.MultiWorkerMirroredStrategy(client[:count], seconds=300)
    found = strategy.run(_gradients, (weights, x, y, 128)).values
    strategy.close()
    assert len(found) == count
    for other in found:
        _check_alike(other, expected)
        assert all(np.array_equal(a, b) for a, b in zip(other, found[0], strict=True))  # the same bits in each


@pytest.mark.parametrize("rows", [512, 301])  # 301: the last batch has 45 rows, of which no two ranks' shares are alike
def test_fit_in_a_scope_trains_as_one_process_does(strategy, rows, capsys):
    x, y = _digits(rows)
    alone = _model()
    with strategy.scope():
        model = _model()
    model.set_weights(alone.get_weights())
    expected = alone.fit(x, y, batch_size=128, epochs=2, shuffle=False, verbose=0)
    capsys.readouterr()
    history = model.fit(x, y, batch_size=128, epochs=2, shuffle=False, verbose=2)
    assert ["Epoch 2/2" in line for line in capsys.readouterr().out.splitlines()].count(True) == 1
    _check_alike(model.get_weights(), alone.get_weights(), 8 * ULPS)  # as many steps
    assert history.epoch == [0, 1]
    if rows == 512:
        np.testing.assert_allclose(history.history["loss"], expected.history["loss"], rtol=1e-5)
        assert history.history["accuracy"] == expected.history["accuracy"]
    assert int(model.optimizer.iterations) == int(alone.optimizer.iterations)
    assert len(strategy.tape.recording.ranks) == 4
    assert "offsets as given, right to" in strategy.tape.recording.meta_dict()["merged"]
    assert {v.kind for v in strategy.tape.verdicts()} <= {"slow_rank"}  # on a machine with fewer cores than ranks


def _slowed(steps):
    context = tf.distribute.get_replica_context()
    w = tf.Variable([1.0, 2.0])
    optimizer = tf.keras.optimizers.SGD(0.025)
    for _ in range(steps):
        if context.replica_id_in_sync_group == 2:
            time.sleep(0.3)  # what a slow disk does
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(w * w)
        optimizer.apply_gradients([(tape.gradient(loss, w), w)])  # the sum of four gradients
    return w.numpy()


def test_the_rank_that_holds_up_the_others_is_named(strategy):
    values = strategy.run(_slowed, (8,)).values
    for value in values:
        np.testing.assert_allclose(value, [0.8**8, 2 * 0.8**8], rtol=1e-6)
    (verdict,) = [v for v in strategy.tape.verdicts() if v.kind == "slow_rank"]
    assert "the other ranks wait for rank 2" in verdict.text
    assert not [v for v in strategy.tape.verdicts() if v.kind == "clocks_apart"]
    assert len(strategy.tape.query("op:all_reduce rank:1")) == 8


def test_what_a_rank_raises_is_raised_and_the_next_program_runs(strategy):
    def fails():
        context = tf.distribute.get_replica_context()
        if context.replica_id_in_sync_group == 1:
            raise InvalidArgumentError("bad data")
        context.all_reduce("sum", tf.constant(1.0))

    def leaves():
        context = tf.distribute.get_replica_context()
        if context.replica_id_in_sync_group != 3:
            context.all_reduce("sum", tf.constant(1.0))

    with pytest.raises(Exception, match="bad data"):
        strategy.run(fails)
    with pytest.raises(Exception, match="rank 3 has left the program") as raised:
        strategy.run(leaves)
    assert AbortedError.__name__ in str(raised.value) + repr(raised.value)
    each = strategy.run(lambda a, b: tf.constant(a + b), (tf.distribute.PerReplica([1, 2, 3, 4]),), {"b": 10})
    assert strategy.reduce("SUM", each).numpy() == 50
    assert strategy.reduce(tf.distribute.ReduceOp.MEAN, each).numpy() == 12


def test_gradients_flow_through_an_all_reduce(strategy):
    def program():
        context = tf.distribute.get_replica_context()
        x = tf.Variable(float(context.replica_id_in_sync_group + 1))
        with tf.GradientTape() as tape:
            y = x * context.all_reduce("sum", x)  # by x: what all have added, and what comes back from all
        return tape.gradient(y, x).numpy()

    assert strategy.run(program).values == (20.0, 20.0, 20.0, 20.0)


def test_an_all_reduce_in_a_graph_runs_at_each_call(strategy):
    def program():
        context = tf.distribute.get_replica_context()
        step = tf.function(lambda x: context.all_reduce("sum", x * x))
        return [float(step(tf.constant(2.0))) for _ in range(5)]

    assert strategy.run(program).values == ([16.0] * 5,) * 4


class _Dies(tf.keras.callbacks.Callback):
    """Kills the process of one rank in the middle of an epoch."""

    def on_train_batch_begin(self, batch, logs=None):  # noqa: ARG002 - Keras' signature
        context = tf.distribute.get_replica_context()
        if batch == 2 and (context.replica_id_in_sync_group, context.num_replicas_in_sync) == (1, 4):
            os.kill(os.getpid(), signal.SIGKILL)


def test_training_goes_on_without_an_engine_that_was_killed(strategy):  # the last test: the cluster is smaller then
    x, y = _digits(512)
    with strategy.scope():
        model = _model()
    before = model.evaluate(x, y, verbose=0)[0]
    with pytest.warns(RuntimeWarning, match=r"rank 1 \(process \d+\) has died; \[0, 2, 3\] go on without it"):
        history = model.fit(x, y, batch_size=64, epochs=4, callbacks=[_Dies()])
    assert history.epoch == [0, 1, 2, 3]
    assert model.evaluate(x, y, verbose=0)[0] < before / 2
    assert int(model.optimizer.iterations) == 32
    assert strategy.num_replicas_in_sync == 3
    assert len(strategy.tape.recording.ranks) == 3
    alike = _model(), strategy.run(lambda: tf.distribute.get_replica_context().num_replicas_in_sync)
    assert alike[1].values == (3, 3, 3)
