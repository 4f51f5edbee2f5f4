"""Programs for several devices run on one."""

from __future__ import annotations

import numpy as np
import pytest

import tapeviz as tf


@pytest.mark.parametrize("make", [tf.distribute.MirroredStrategy, tf.distribute.OneDeviceStrategy])
def test_a_loop_for_several_replicas_trains_on_one(make):
    strategy = make()
    with strategy.scope():
        assert tf.distribute.has_strategy()
        assert tf.distribute.get_strategy() is strategy
        model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
        optimizer = tf.keras.optimizers.SGD(0.1)
    assert not tf.distribute.has_strategy()
    x = np.random.RandomState(0).rand(32, 3).astype(np.float32)
    data = tf.data.Dataset.from_tensor_slices((x, x.sum(1, keepdims=True))).batch(16 * strategy.num_replicas_in_sync)

    def step(x, y):
        with tf.GradientTape() as tape:
            loss = tf.nn.compute_average_loss((model(x) - y) ** 2, global_batch_size=16)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        return loss

    @tf.function
    def distributed(x, y):
        return strategy.reduce(tf.distribute.ReduceOp.SUM, strategy.run(step, args=(x, y)), axis=None)

    losses = [float(distributed(*batch)) for _ in range(5) for batch in strategy.experimental_distribute_dataset(data)]
    assert losses[-1] < losses[0]


def test_what_replicas_give_is_that_of_one():
    strategy = tf.distribute.MirroredStrategy(["cpu:0", "cpu:1"])
    assert strategy.reduce("mean", tf.constant([1.0, 3.0]), axis=0).numpy() == 2.0
    assert strategy.gather(tf.constant([1.0]), axis=0).numpy().tolist() == [1.0]
    assert strategy.experimental_local_results(3) == (3,)
    made = strategy.distribute_datasets_from_function(
        lambda context: tf.data.Dataset.range(4).batch(context.get_per_replica_batch_size(2))
    )
    assert [batch.numpy().tolist() for batch in made] == [[0, 1], [2, 3]]
    assert next(strategy.make_dataset_iterator(made)).numpy().tolist() == [0, 1]
    with pytest.raises(ValueError, match="MAX"):
        strategy.reduce("max", 1.0, axis=None)
