"""What losses are besides their numbers: reductions, masks, weights, names, configurations, errors."""

import gc

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.keras import losses
from tapeviz.keras.losses.loss import LossFunctionWrapper
from tapeviz.keras.masks import set_mask

OFFERED = {name: getattr(losses, name) for name in losses.__all__ if name != "Loss"}
CLASSES = [name for name, value in OFFERED.items() if isinstance(value, type) and issubclass(value, losses.Loss)]


@pytest.mark.parametrize("name", CLASSES)
def test_a_loss_is_made_again_from_its_configuration(name):
    made = getattr(losses, name)(reduction="sum", name="mine", dtype="float64")
    again = losses.deserialize(losses.serialize(made))
    assert type(again) is type(made)
    assert again.get_config() == made.get_config()
    assert (again.name, again.reduction, again.dtype) == ("mine", "sum", "float64")


def test_settings_are_part_of_the_configuration():
    again = losses.deserialize(losses.serialize(losses.Huber(delta=3.0)))
    assert again([0.0], [10.0]).numpy() == losses.Huber(delta=3.0)([0.0], [10.0]).numpy() == 25.5


def test_finding_by_name():
    assert losses.get("mse") is losses.mean_squared_error is losses.MSE
    assert losses.get("bce") is losses.binary_crossentropy
    assert losses.get("log_cosh") is losses.log_cosh
    assert isinstance(losses.get("Huber"), losses.Huber)
    assert isinstance(losses.get(losses.Huber), losses.Huber)
    assert losses.get(None) is None
    assert losses.get(max) is max
    assert tf.losses is tf.keras.losses
    for unknown in ("mean_square", "Loss", "get", 3):
        with pytest.raises(ValueError, match="Could not interpret loss identifier"):
            losses.get(unknown)


def test_a_class_of_ones_own():
    @tf.keras.utils.register_keras_serializable(package="tests")
    class Largest(losses.Loss):
        def call(self, y_true, y_pred):
            return tf.reduce_max(tf.abs(y_true - y_pred), -1)

    assert Largest().name == "largest"
    assert isinstance(losses.deserialize(losses.serialize(Largest())), Largest)
    assert Largest(reduction=None)([[0.0, 1.0]], [[3.0, 1.0]]).numpy().tolist() == [3.0]
    with pytest.raises(NotImplementedError, match=r"Loss must implement `call\(self, y_true, y_pred\)`"):
        losses.Loss()(1.0, 2.0)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_a_loss_computes_in_its_own_dtype(dtype):
    assert losses.MeanSquaredError(dtype=dtype)(np.ones(3, np.float64), np.ones(3, np.float32)).dtype == dtype
    assert losses.mean_squared_error(np.ones(3, np.int64), np.zeros(3, dtype)).dtype == dtype


def test_the_usual_dtype_is_keras():
    tf.keras.backend.set_floatx("float64")
    try:
        assert losses.MeanSquaredError()([1.0], [2.0]).dtype == tf.float64
    finally:
        tf.keras.backend.set_floatx("float32")


def test_numbers_and_truths_are_taken_as_they_come():
    for y_true in ([1, 0], [True, False], np.array([1, 0], np.uint8), np.array([True, False]), tf.constant([1, 0])):
        assert losses.BinaryCrossentropy()(y_true, [0.5, 0.5]).numpy() == pytest.approx(np.log(2))
        assert losses.mean_absolute_error(y_true, [0.5, 0.5]).numpy() == 0.5


def test_of_no_examples_the_loss_is_0_and_not_nan():
    for way in (lambda f: f, tf.function):
        loss = way(lambda y: losses.MeanSquaredError()(y, y))(tf.zeros([0, 3]))
        assert loss.numpy().tolist() == []
        assert way(lambda y: losses.MeanSquaredError()(y, y))(tf.zeros([0, 2, 3])).numpy() == 0.0
    spec = [tf.TensorSpec([None, 2, 3])]
    assert (
        tf.function(lambda y: losses.MeanSquaredError()(y, y), input_signature=spec)(tf.zeros([0, 2, 3])).numpy() == 0
    )


@pytest.mark.parametrize("way", [lambda f: f, tf.function], ids=["eager", "graph"])
def test_masked_values_do_not_count(way):
    y_true, y_pred = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), tf.zeros([2, 3])
    mask = tf.constant([[True, True, False], [True, False, False]])

    def loss(reduction, weights=None):
        def masked(y):
            own = tf.identity(y)
            set_mask(own, mask)
            return LossFunctionWrapper(lambda a, b: tf.abs(a - b), reduction)(y_true, own, weights)

        return way(masked)(y_pred).numpy()

    assert loss("sum_over_batch_size") == pytest.approx((1 + 2 + 4) / 3)
    assert loss("sum") == 7.0
    assert loss("none").tolist()[0][2] == 0.0
    assert loss("sum", tf.constant([1.0, 10.0])[:, None]) == 43.0


def test_ignored_classes_and_a_mask_go_together():
    logits = tf.zeros([4, 2])
    set_mask(logits, tf.constant([True, True, False, True]))
    loss = losses.SparseCategoricalCrossentropy(from_logits=True, ignore_class=1, reduction="sum")
    assert loss([0, 1, 0, 0], logits).numpy() == pytest.approx(2 * np.log(2))


def test_structures_of_outputs():
    class Both(losses.Loss):
        def call(self, y_true, y_pred):
            return tf.abs(y_true["a"] - y_pred["a"]) + tf.abs(y_true["b"] - y_pred["b"])

    one = {"a": tf.constant([1.0, 2.0]), "b": tf.constant([0, 0])}
    two = {"a": tf.constant([2.0, 2.0]), "b": tf.constant([0, 4])}
    assert Both()(one, two).numpy() == 2.5


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda: losses.MeanSquaredError(reduction="avg"), ValueError, r"`reduction`.*Received: reduction=avg"),
        (
            lambda: losses.CategoricalCrossentropy()(np.ones((2, 3)), np.ones((2, 4))),
            ValueError,
            r"must have the same shape. Received: target.shape=\(2, 3\), output.shape=\(2, 4\)",
        ),
        (
            lambda: losses.binary_crossentropy(np.ones((2, 3)), np.ones((2, 3, 1))),
            ValueError,
            "must have the same rank",
        ),
        (
            lambda: losses.SparseCategoricalCrossentropy()(np.ones((2, 3)), np.ones((2, 4))),
            ValueError,
            r"must have rank \(ndim\) `target.ndim - 1`",
        ),
        (
            lambda: losses.SparseCategoricalCrossentropy()(np.ones((3,)), np.ones((2, 4))),
            ValueError,
            "up until the last dimension",
        ),
        (
            lambda: losses.SparseCategoricalCrossentropy()(np.array([1, 9]), np.ones((2, 4))),
            tf.errors.InvalidArgumentError,
            r"label value of 9 which is outside the valid range of \[0, 4\)",
        ),
        (lambda: losses.sparse_categorical_crossentropy([0], np.ones((1, 2)), axis=0), ValueError, "Only axis=-1"),
        (
            lambda: losses.categorical_crossentropy([[1.0, 0]], [[1.0, 0]], axis=True),
            ValueError,
            "must be of type `int`",
        ),
        (
            lambda: losses.MeanSquaredError()(np.ones((2, 3)), np.ones((2, 3)), np.ones(3)),
            ValueError,
            r"`sample_weight` does not fit: there are values of shape \(2,\).* shape \(3,\)",
        ),
        (lambda: losses.CategoricalGeneralizedCrossEntropy(q=1.0), ValueError, "q must be in the interval"),
    ],
)
def test_what_does_not_fit_is_said(call, error, said):
    with pytest.raises(error, match=said):
        call()


def test_one_class_is_no_choice():
    with pytest.warns(SyntaxWarning, match=r"expected y_pred.shape to be \(batch_size, num_classes\)"):
        losses.categorical_crossentropy([[1.0]], [[0.5]])


def test_a_loss_is_a_part_of_a_recording():
    with tf.record() as tape:
        losses.MeanSquaredError(name="my_loss")(tf.constant([1.0]), tf.constant([2.0]))
    assert '{"span": "scope", "name": "my_loss"}' in list(tape.recording.strings.text)


LOGITS = np.array([[60.0, -50.0, 0.0], [0.5, 0.25, -1.0]], np.float32)
MADE = {
    "categorical_crossentropy": ("softmax", np.eye(3, dtype=np.float32)[[1, 0]]),
    "sparse_categorical_crossentropy": ("softmax", np.array([1, 0])),
    "binary_crossentropy": ("sigmoid", np.array([[0, 1, 1], [1, 0, 1]], np.float32)),
}


@pytest.mark.parametrize("way", [lambda f: f, tf.function], ids=["eager", "graph"])
@pytest.mark.parametrize("name", MADE)
def test_probabilities_far_from_what_is_right_still_teach(name, way):
    """What a softmax or sigmoid made goes back to its logits, as Keras' does: no clipping, and a gradient."""
    activation, y_true = MADE[name]
    loss, make = getattr(losses, name), getattr(tf.keras.activations, activation)

    @way
    def with_gradient(x, prepare, options):
        with tf.GradientTape() as tape:
            tape.watch(x)
            value = loss(y_true, prepare(x), **options)
        return value, tape.gradient(value, x)

    logits = tf.constant(LOGITS)
    value, gradient = with_gradient(logits, make, {})
    wanted, slope = with_gradient(logits, lambda x: x, {"from_logits": True})
    np.testing.assert_allclose(value.numpy(), wanted.numpy(), rtol=1e-6)
    np.testing.assert_allclose(gradient.numpy(), slope.numpy(), rtol=1e-5)
    assert value.numpy()[0] > 36.0
    clipped, flat = with_gradient(logits, lambda x: tf.identity(make(x)), {})
    assert clipped.numpy()[0] < 17.0
    assert abs(flat.numpy()[0][:2]).max() < 1e-6


def test_probabilities_that_are_called_logits():
    with pytest.warns(
        UserWarning, match="received `from_logits=True`, but the `output` argument was produced by a Sof"
    ):
        losses.CategoricalCrossentropy(from_logits=True)([[0.0, 1.0]], tf.keras.activations.softmax([[0.0, 1.0]]))


def test_what_is_known_of_probabilities_and_masks_goes_with_them():
    from tapeviz.keras import logits
    from tapeviz.keras.masks import masked

    gc.collect()
    before = len(logits._known), len(masked)

    def once():
        @tf.function
        def step(x):
            shares = tf.keras.activations.softmax(x)
            whole = losses.SparseCategoricalCrossentropy()([0, 1], shares)
            return whole + losses.SparseCategoricalCrossentropy(ignore_class=0)([0, 1], shares)

        return step(tf.constant(LOGITS)) + losses.MeanSquaredError()(tf.keras.activations.sigmoid(LOGITS), LOGITS)

    for _ in range(3):
        assert np.isfinite(once().numpy())
    gc.collect()
    assert (len(logits._known), len(masked)) == before
