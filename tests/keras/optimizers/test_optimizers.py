"""What optimizers do besides their formulas: slots, rates, what is missing or wrong, configurations, checkpoints."""

from __future__ import annotations

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.errors import InvalidArgumentError
from tapeviz.graphs.passes.pipeline import PASSES
from tapeviz.graphs.passes.plan import Plan
from tests.keras.optimizers.steps import CASES, made

K = tf.keras.optimizers
KINDS = ["SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "Adadelta", "Adamax", "Nadam", "Ftrl", "Lion"]


def test_the_namespaces():
    assert {*KINDS, "Optimizer", "get", "serialize", "deserialize", "schedules"} <= set(K.__all__)
    assert {*K.__all__, "LBFGS", "lbfgs", "KFAC", "kfac_matmul", "two_loop", "strong_wolfe"} <= set(
        tf.optimizers.__all__
    )
    assert tf.optimizers.Adam is K.Adam
    assert tf.optimizers.schedules is K.schedules
    for module in (K, tf.optimizers, K.schedules):
        assert all(getattr(module, name) is not None for name in module.__all__)


def descent(optimizer, steps, traced):
    """Return a variable's values while it goes down a parabola."""
    w = tf.Variable([4.0, -3.0])

    def step():
        return optimizer.minimize(lambda: tf.reduce_sum(tf.square(w)), [w])

    run = tf.function(step) if traced else step
    return [(run(), w.numpy())[1] for _ in range(steps)]


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_each_makes_a_loss_smaller(kind, traced):
    optimizer = getattr(K, kind)(10.0 if kind == "Adadelta" else 0.1)
    values = descent(optimizer, 30, traced)
    assert np.abs(values[-1]).sum() < np.abs(values[0]).sum()
    assert optimizer.iterations.numpy() == 30
    assert optimizer.iterations.dtype == tf.int64


def test_slots_are_named_after_the_variables():
    w, b = tf.Variable([[1.0]], name="dense/kernel"), tf.Variable([0.0], name="dense/bias")
    adam = K.Adam(name="mine")
    assert [variable.name for variable in adam.variables] == ["mine/iteration:0", "mine/learning_rate:0"]
    adam.apply([tf.ones((1, 1)), tf.ones(1)], [w, b])
    assert [variable.name for variable in adam.variables[2:]] == [
        "mine/dense_kernel_momentum:0", "mine/dense_kernel_velocity:0",
        "mine/dense_bias_momentum:0", "mine/dense_bias_velocity:0",
    ]  # fmt: skip
    assert not any(variable.trainable for variable in adam.variables)
    assert [variable.shape for variable in adam.variables[2:]] == [(1, 1), (1, 1), (1,), (1,)]
    values = [variable.numpy() for variable in adam.variables]
    adam.set_weights([value * 0 for value in values])
    assert all(not variable.numpy().any() for variable in adam.variables)
    with pytest.raises(ValueError, match="has shape"):
        adam.set_weights([np.ones((3, 3)) for _ in values])
    with pytest.raises(ValueError, match="has not yet been built"):
        K.Adam().set_weights(values)


@pytest.mark.parametrize("kind", KINDS)
def test_a_traced_step_updates_variables_of_all_shapes_at_once(kind, monkeypatch):
    told, really = [], PASSES["pack"]

    def pack(plan: Plan):
        told.append(really(plan))
        return told[-1]

    monkeypatch.setitem(PASSES, "pack", pack)
    variables = [tf.Variable(np.ones(shape, "f4")) for shape in ((4, 3), (3,), (3, 5), (5,))]
    optimizer = getattr(K, kind)()
    x = tf.constant(np.ones((2, 4), "f4"))

    @tf.function
    def step():
        with tf.GradientTape() as tape:
            h = tf.tanh(x @ variables[0] + variables[1])
            loss = tf.reduce_sum(tf.square(h @ variables[2] + variables[3]))
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))

    for _ in range(3):
        step()
    assert any(int(text.split()[0]) >= 4 for text in told if text[0].isdigit()), told


def test_the_learning_rate_can_be_set_and_scheduled():
    optimizer = K.SGD(0.5)
    w = tf.Variable(1.0)
    assert float(optimizer.learning_rate) == 0.5
    optimizer.learning_rate = 0.25
    step = tf.function(lambda: optimizer.apply_gradients([(tf.constant(1.0), w)]))
    step()
    assert w.numpy() == 0.75
    optimizer.learning_rate = 0.5  # a variable: the trace sees it
    step()
    assert w.numpy() == 0.25
    optimizer.learning_rate = K.schedules.PiecewiseConstantDecay([2], [1.0, 2.0])
    assert len(optimizer.variables) == 1
    with pytest.raises(TypeError, match="its learning rate is not settable"):
        optimizer.learning_rate = 0.1
    for wanted in (-0.75, -2.75):
        optimizer.apply_gradients([(tf.constant(1.0), w)])
        assert w.numpy() == wanted
    rate = [1.0]
    called = K.SGD(lambda: rate[0])
    called.apply_gradients([(tf.constant(1.0), w)])
    rate[0] = 2.0
    called.apply_gradients([(tf.constant(1.0), w)])
    assert w.numpy() == -5.75
    with pytest.raises(ValueError, match="Argument `learning_rate` should be float"):
        K.SGD(1)


def test_gradients_that_are_missing():
    v, w = tf.Variable(1.0, name="v"), tf.Variable(2.0, name="w")
    with pytest.raises(ValueError, match=r"^No gradients provided for any variable\."):
        K.SGD(0.5).apply_gradients([(None, v)])
    with pytest.warns(UserWarning, match=r"^Gradients do not exist for variables \['v:0'\] when minimizing the loss"):
        K.SGD(0.5).apply_gradients([(None, v), (tf.constant(1.0), w)])
    assert (v.numpy(), w.numpy()) == (1.0, 1.5)
    with pytest.raises(ValueError, match="`grads_and_vars` is empty"):
        K.SGD(0.5).apply_gradients([])


@pytest.mark.parametrize("make", [K.Adam, K.Nadam, K.RMSprop, K.Ftrl, lambda: K.SGD(0.1, momentum=0.9), K.Lion])
def test_variables_that_come_later_have_slots_of_their_own(make):
    """As before Keras 3: the two models of a GAN share an optimizer."""
    first, second, alone = (tf.Variable([1.0, 2.0]) for _ in range(3))
    shared, other = make(), make()
    shared.apply_gradients([(tf.constant([1.0, 3.0]), first)])
    kept, known = [variable.numpy() for variable in shared.variables], len(shared.variables)
    other.build([alone])
    other.iterations.assign(1)
    shared._extend([second])
    assert [variable.numpy().tolist() for variable in shared.variables[:known]] == [value.tolist() for value in kept]
    assert len({id(variable) for variable in shared.variables}) == len(shared.variables)
    if make is not K.Nadam:  # whose product of weights is one for all
        shared.apply_gradients([(tf.constant([1.0, 3.0]), second)])
        other.apply_gradients([(tf.constant([1.0, 3.0]), alone)])
        assert second.numpy().tolist() == alone.numpy().tolist()
    assert shared.iterations.numpy() == 2 - (make is K.Nadam)


def test_what_does_not_fit():
    v = tf.Variable([1.0, 2.0], name="v")
    optimizer = K.Adam()
    optimizer.apply_gradients([(tf.ones(2), v)])
    with pytest.raises(InvalidArgumentError, match=r"shape \(2,\) using a Tensor with shape \(3,\).* gradient of v:0"):
        optimizer.apply_gradients([(tf.ones(3), v)])
    with pytest.raises(ValueError, match="Received a list of 2 gradients, but there are 1 variables"):
        optimizer.apply([tf.ones(2), tf.ones(2)])
    with pytest.raises(ValueError, match="must already be built on a list of variables"):
        K.Adam().apply([tf.ones(2)])
    with pytest.raises(ValueError, match="`tape` is required when a `Tensor` loss is passed"):
        optimizer.minimize(tf.constant(1.0), [v])
    with pytest.raises(NotImplementedError, match="must implement `update_step"):
        K.Optimizer(0.1).apply_gradients([(tf.ones(2), v)])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"clipnorm": 1.0, "clipvalue": 1.0}, "Only one of `clipnorm`, `clipvalue` and `global_clipnorm` can be set"),
        ({"gradient_accumulation_steps": 1}, "`gradient_accumulation_steps` must be an integer >= 2"),
        ({"use_ema": True, "ema_momentum": 2.0}, "`ema_momentum` must be in the range"),
        ({"use_ema": True, "ema_overwrite_frequency": 0.5}, "`ema_overwrite_frequency` must be an integer >= 1"),
        ({"rate": 0.1}, "not recognized: {'rate': 0.1}"),
        ({"momentum": 2.0}, "`momentum` must be a float between"),
    ],
)
def test_arguments_out_of_range(options, message):
    with pytest.raises(ValueError, match=message):
        K.SGD(0.1, **options)


def test_other_arguments_out_of_range():
    with pytest.raises(ValueError, match="`beta_1` must be in the"):
        K.Lion(beta_1=0.0)
    with pytest.raises(ValueError, match="Argument `weight_decay` must be a float"):
        K.AdamW(weight_decay=None)
    with pytest.raises(ValueError, match="`l1_regularization_strength` needs to be positive or zero"):
        K.Ftrl(l1_regularization_strength=-1.0)
    with pytest.raises(ValueError, match="`learning_rate_power` needs to be negative or zero"):
        K.Ftrl(learning_rate_power=1.0)
    with pytest.raises(ValueError, match="Argument `decay_steps` must be > 0"):
        K.schedules.ExponentialDecay(0.1, 0, 0.5)
    with pytest.raises(ValueError, match="length of boundaries should be 1 less"):
        K.schedules.PiecewiseConstantDecay([1], [0.1])
    with pytest.raises(NotImplementedError, match="must override `__call__"):
        K.schedules.LearningRateSchedule()(0)
    with pytest.raises(NotImplementedError, match="must override `get_config"):
        K.schedules.LearningRateSchedule().get_config()


@pytest.mark.parametrize("title", CASES)
def test_a_configuration_makes_another_like_it(title):
    one = made(tf, title)
    told = K.serialize(one)
    other = K.deserialize(told)
    assert type(other) is type(one)
    assert K.serialize(other) == told
    assert type(one).from_config(one.get_config()).get_config() == one.get_config()


def test_optimizers_by_name():
    assert isinstance(K.get("adam"), K.Adam)
    assert isinstance(K.get("RMSprop"), K.RMSprop)
    sgd = K.SGD()
    assert K.get(sgd) is sgd
    assert K.get(None) is None
    assert K.get({"class_name": "sgd", "config": {"learning_rate": 0.5}}).learning_rate.numpy() == 0.5
    for wrong in ("no such", 3):
        with pytest.raises(ValueError, match=f"Could not interpret optimizer identifier: {wrong}"):
            K.get(wrong)


def test_indexed_slices_of_the_same_row_are_added_up():
    rows = tf.IndexedSlices(tf.constant([[1.0, 2.0], [3.0, 1.0]]), tf.constant([1, 1]), tf.constant([3, 2]))
    for kind in KINDS:
        found = []
        for gradient in (rows, tf.convert_to_tensor(rows)):
            table = tf.Variable(np.ones((3, 2), "f4"))
            optimizer = getattr(K, kind)(0.1)
            for _ in range(3):
                optimizer.apply_gradients([(gradient, table)])
            found.append(table.numpy())
        np.testing.assert_allclose(*found, rtol=1e-6)


def test_an_embedding_is_trained_by_rows():
    table = tf.Variable(np.ones((5, 2), "f4"))
    optimizer = K.SGD(0.5)

    @tf.function
    def step(places):
        return optimizer.minimize(lambda: tf.reduce_sum(tf.gather(table, places)), [table])

    step(tf.constant([0, 3, 3]))
    assert table.numpy()[:, 0].tolist() == [0.5, 1.0, 1.0, 0.0, 1.0]


def test_weight_decay_leaves_out_what_is_named():
    kernel, bias = tf.Variable([1.0], name="dense/kernel"), tf.Variable([1.0], name="dense/bias")
    other = tf.Variable([1.0], name="other")
    optimizer = K.SGD(0.5, weight_decay=0.5)
    optimizer.exclude_from_weight_decay(var_list=[other], var_names=["bias"])
    optimizer.apply([tf.zeros(1)] * 3, [kernel, bias, other])
    assert [float(v.numpy()[0]) for v in (kernel, bias, other)] == [0.75, 1.0, 1.0]
    with pytest.raises(ValueError, match="can only be configured before the optimizer is built"):
        optimizer.exclude_from_weight_decay(var_names=["kernel"])


def test_a_loss_is_scaled_and_averages_are_given_at_the_end():
    w = tf.Variable(1.0)
    optimizer = K.SGD(0.5, loss_scale_factor=4.0, use_ema=True, ema_momentum=0.5)
    with tf.GradientTape() as tape:
        loss = w * w
    assert optimizer.scale_loss(tf.constant(2.0)).numpy() == 8.0
    optimizer.minimize(loss, [w], tape)
    assert w.numpy() == 0.0
    optimizer.minimize(lambda: -w, [w])
    assert w.numpy() == 0.5
    optimizer.finalize_variable_values([w])
    assert w.numpy() == 0.25


def test_a_constraint_holds_after_each_step():
    layer = tf.keras.layers.Dense(1, use_bias=False, kernel_constraint=lambda w: tf.maximum(w, 0.0))
    layer.build((None, 2))
    layer.set_weights([np.array([[0.3], [2.0]], "f4")])
    K.SGD(1.0).apply([tf.ones((2, 1))], layer.trainable_variables)
    assert layer.kernel.numpy().ravel().tolist() == [0.0, 1.0]


def test_state_goes_through_a_checkpoint(tmp_path):
    def training():
        return tf.Variable([2.0, -1.0], name="w"), K.Adam(0.1, amsgrad=True)

    def steps(w, optimizer, count):
        for _ in range(count):
            optimizer.minimize(lambda: tf.reduce_sum(tf.square(w)), [w])
        return w.numpy()

    w, optimizer = training()
    steps(w, optimizer, 5)
    path = tf.train.Checkpoint(w=w, optimizer=optimizer).save(str(tmp_path / "at"))
    wanted = steps(w, optimizer, 5)
    again, fresh = training()
    tf.train.Checkpoint(w=again, optimizer=fresh).restore(path)  # before there are slots
    assert np.array_equal(steps(again, fresh, 5), wanted)
    assert fresh.iterations.numpy() == 10


def test_a_recording_shows_the_optimizer_as_a_part():
    w = tf.Variable(1.0)
    optimizer = K.SGD(0.5, name="descent")
    with tf.record() as run:
        optimizer.minimize(lambda: w * w, [w])
    assert '{"span": "scope", "name": "descent"}' in [row.text for row in run.strings]
