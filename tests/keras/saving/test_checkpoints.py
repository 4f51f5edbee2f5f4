"""Checkpoints of whole training runs: model, optimizer, metrics, data; eager, as a function, and in a session."""

import gc

import numpy as np
import pytest

import tapeviz as tf
import tapeviz.compat.v1 as tf1

layers = tf.keras.layers
RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(64, 3)).astype("f"), RNG.normal(size=(64, 1)).astype("f")


def network():
    return tf.keras.Sequential([layers.Dense(4, activation="tanh"), layers.BatchNormalization(), layers.Dense(1)])


class Run:
    """A training run, begun anew."""

    def __init__(self, optimizer, way):
        self.model, self.optimizer = network(), optimizer
        self.mean = tf.keras.metrics.Mean("loss")
        data = tf.data.Dataset.from_tensor_slices((X, Y)).shuffle(64, seed=3).batch(8).repeat(2)
        self.batches = iter(data)
        self.step = tf.Variable(0, name="step")
        self.root = tf.train.Checkpoint(
            model=self.model, optimizer=self.optimizer, mean=self.mean, batches=self.batches, step=self.step
        )
        self._train = tf.function(self._one) if way == "function" else self._one

    def _one(self, x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((self.model(x, training=True) - y) ** 2)
        variables = self.model.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
        self.mean.update_state(loss)
        self.step.assign_add(1)
        return loss

    def steps(self, count):
        return [float(self._train(*next(self.batches))) for _ in range(count)]


OPTIMIZERS = {
    "sgd": lambda: tf.keras.optimizers.SGD(tf.keras.optimizers.schedules.ExponentialDecay(0.1, 3, 0.5), momentum=0.9),
    "adam": lambda: tf.keras.optimizers.Adam(0.01, amsgrad=True),
    "rmsprop": lambda: tf.keras.optimizers.RMSprop(0.01, centered=True, momentum=0.5),
    "adagrad": lambda: tf.keras.optimizers.Adagrad(0.1),
    "averaged": lambda: tf.keras.optimizers.SGD(0.1, use_ema=True, gradient_accumulation_steps=2),
}


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("way", ["eager", "function"])
def test_a_run_goes_on_where_it_was(tmp_path, optimizer, way):
    """Everything is restored before any of it has been made."""
    first = Run(OPTIMIZERS[optimizer](), way)
    first.steps(5)
    path = first.root.save(tmp_path / "ckpt")
    wanted = first.steps(5)
    second = Run(OPTIMIZERS[optimizer](), way)
    status = second.root.restore(path)
    assert second.steps(5) == pytest.approx(wanted, rel=1e-6)
    status.assert_consumed()
    assert int(second.step) == int(first.step) == 10
    assert float(second.mean.result()) == pytest.approx(float(first.mean.result()), rel=1e-6)
    for mine, theirs in zip(first.optimizer.variables, second.optimizer.variables, strict=True):
        np.testing.assert_allclose(mine.numpy(), theirs.numpy(), rtol=1e-5, atol=1e-7)


def test_a_model_for_inference_leaves_the_rest(tmp_path, caplog):
    first = Run(OPTIMIZERS["adam"](), "eager")
    first.steps(2)
    path = first.root.save(tmp_path / "ckpt")
    model = network()
    status = tf.train.Checkpoint(model=model).restore(path).expect_partial()
    np.testing.assert_array_equal(model(X).numpy(), first.model(X).numpy())
    status.assert_existing_objects_matched()
    del status
    gc.collect()
    assert "unrestored values" not in caplog.text


def in_session(graph, model, session):
    """Outputs of a model in a session."""
    with graph.as_default():
        given = tf1.placeholder(tf.float32, [None, 3])
        return session.run(model(given), {given: X})


@pytest.mark.parametrize("way", ["objects", "names"])
def test_a_model_trained_eagerly_goes_on_in_a_session(tmp_path, way):
    run = Run(OPTIMIZERS["adam"](), "function")
    run.steps(3)
    path = run.root.save(tmp_path / "ckpt")
    wanted = run.model(X).numpy()
    with (graph := tf1.Graph()).as_default(), tf1.Session() as session:
        model = network()
        given = tf1.placeholder(tf.float32, [None, 3])
        outputs = model(given)
        if way == "objects":
            tf1.train.Checkpoint(model=model).restore(path).expect_partial().run_restore_ops(session)
        else:
            names = [variable.name.partition(":")[0] for variable in run.model.weights]
            tf1.train.Saver(dict(zip(names, model.weights, strict=True))).restore(session, path)
        np.testing.assert_allclose(session.run(outputs, {given: X}), wanted, rtol=1e-5)
        np.testing.assert_allclose(in_session(graph, model, session), wanted, rtol=1e-5)


@pytest.mark.parametrize("way", ["objects", "names"])
def test_a_model_of_a_session_goes_on_eagerly(tmp_path, way):
    with (graph := tf1.Graph()).as_default(), tf1.Session() as session:
        model = network()
        given = tf1.placeholder(tf.float32, [None, 3])
        outputs = model(given)
        session.run(tf1.global_variables_initializer())
        expected = session.run(outputs, {given: X})
        if way == "objects":
            path = tf1.train.Checkpoint(model=model).save(tmp_path / "ckpt", session)
        else:
            path = tf1.train.Saver().save(session, str(tmp_path / "named"))
        names = [variable.name for variable in model.weights]
    assert graph.get_collection(tf1.GraphKeys.GLOBAL_VARIABLES)
    eager = network()
    eager(X)
    if way == "objects":
        tf.train.Checkpoint(model=eager).restore(path).assert_consumed()
    else:
        named = dict(zip([name.partition(":")[0] for name in names], eager.weights, strict=True))
        tf.contrib.eager.Saver(named).restore(path)
    np.testing.assert_allclose(eager(X).numpy(), expected, rtol=1e-5)
