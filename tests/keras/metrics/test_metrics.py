"""What metrics are besides their numbers: variables, names, configurations, masks, functions, checkpoints, errors."""

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.keras import metrics
from tapeviz.keras.masks import set_mask

NEEDED = {
    "IoU": {"num_classes": 3, "target_class_ids": [1]}, "OneHotIoU": {"num_classes": 3, "target_class_ids": [1]},
    "MeanIoU": {"num_classes": 3}, "OneHotMeanIoU": {"num_classes": 3},
    "SensitivityAtSpecificity": {"specificity": 0.5}, "SpecificityAtSensitivity": {"sensitivity": 0.5},
    "PrecisionAtRecall": {"recall": 0.5}, "RecallAtPrecision": {"precision": 0.5},
    "MeanMetricWrapper": {"fn": tf.keras.losses.huber},
}  # fmt: skip
CLASSES = [name for name in metrics.__all__ if isinstance(getattr(metrics, name), type) and name != "Metric"]


@pytest.mark.parametrize("name", CLASSES)
def test_a_metric_is_made_again_from_its_configuration(name):
    made = getattr(metrics, name)(name="mine", dtype="float64", **NEEDED.get(name, {}))
    again = metrics.deserialize(metrics.serialize(made))
    assert type(again) is type(made)
    assert metrics.serialize(again) == metrics.serialize(made)
    assert (again.name, again.dtype) == ("mine", "float64")


@pytest.mark.parametrize("name", CLASSES)
def test_a_metric_that_was_told_nothing_has_a_result(name):
    metric = getattr(metrics, name)(**NEEDED.get(name, {}))
    assert np.isfinite(metric.result().numpy()).all()
    metric.reset_state()


def test_the_guide():
    mean = metrics.Mean("loss")
    mean(0)
    mean(5)
    assert repr(mean.result()) == "<tf.Tensor: shape=(), dtype=float32, numpy=2.5>"
    mean([8, 9])
    assert mean.result().numpy() == 5.5


def test_finding_by_name():
    for name in ("mse", "MSE", "mean_squared_error", "MeanSquaredError"):
        assert isinstance(metrics.get(name), metrics.MeanSquaredError)
    for name, cls in {"auc": "AUC", "r2_score": "R2Score", "f1_score": "F1Score", "kl_divergence": "KLDivergence",
                      "binary_accuracy": "BinaryAccuracy", "accuracy": "Accuracy", "mean": "Mean"}.items():  # fmt: skip
        assert type(metrics.get(name)) is getattr(metrics, cls)
    assert metrics.get(None) is None
    assert isinstance(metrics.get(metrics.AUC), metrics.AUC)
    assert tf.metrics is tf.keras.metrics
    for unknown in ("precise", "Metric", 3):
        with pytest.raises(ValueError, match="Could not interpret metric identifier"):
            metrics.get(unknown)


def test_variables_have_names_and_are_not_trained():
    mean = metrics.Mean("a loss/of mine")
    assert [variable.name for variable in mean.variables] == ["a loss/of mine/total:0", "a loss/of mine/count:0"]
    assert mean.trainable_variables == ()
    tf.keras.backend.clear_session()
    assert [metrics.Precision().name for _ in range(2)] == ["precision", "precision_1"]


def test_a_metric_of_ones_own():
    class Range(metrics.Metric):
        def __init__(self, **options):
            super().__init__(**options)
            self.low = self.add_weight(name="low", initializer="ones")
            self.high = self.add_variable(
                (), lambda shape, dtype: tf.fill(shape, tf.constant(-5.0, dtype)), name="high"
            )
            self.inner = metrics.Sum()

        def update_state(self, values):
            self.low.assign(tf.minimum(self.low, tf.reduce_min(values)))
            self.high.assign(tf.maximum(self.high, tf.reduce_max(values)))
            self.inner.update_state(values)

        def result(self):
            return {"range": self.high - self.low, "sum": self.inner.result()}

    metric = Range(name="range")
    found = tf.function(metric)(tf.constant([-1.0, 3.0]))
    assert {name: float(value) for name, value in found.items()} == {"range": 4.0, "sum": 2.0}
    assert [variable.name for variable in metric.variables] == ["range/low:0", "range/high:0", "sum/total:0"]
    metric.reset_state()
    assert [float(variable) for variable in metric.variables] == [0.0, 0.0, 0.0]


def test_what_is_left_out_of_a_class_is_said():
    class Empty(metrics.Metric):
        pass

    class Hasty(metrics.Metric):
        def __init__(self):
            self.add_variable(())

    with pytest.raises(NotImplementedError, match=r"Empty must implement `update_state\(self, y_true"):
        Empty()(1.0)
    with pytest.raises(NotImplementedError, match=r"Empty must implement `result\(self\)`"):
        Empty().result()
    with pytest.raises(RuntimeError, match="You forgot to call"):
        Hasty()


def test_metrics_made_at_the_first_call_of_a_function():
    auc = metrics.AUC(multi_label=True)
    tell = tf.function(auc)
    y_true, y_pred = tf.constant([[0, 1], [1, 1], [1, 0]]), tf.constant([[0.1, 0.8], [0.7, 0.4], [0.6, 0.3]])
    first, second = tell(y_true, y_pred).numpy(), tell(y_true, y_pred).numpy()
    assert first == second == 1.0
    assert len(auc.variables) == 4


def test_a_whole_step_is_one_graph():
    w = tf.Variable([[0.5]])
    loss, accuracy = metrics.Mean("loss"), metrics.BinaryAccuracy()
    object_ = tf.keras.losses.BinaryCrossentropy(from_logits=True)

    @tf.function
    def step(x, y):
        with tf.GradientTape() as tape:
            logits = x @ w
            value = object_(y, logits)
        w.assign_sub(0.5 * tape.gradient(value, w))
        loss.update_state(value)
        accuracy.update_state(y, tf.sigmoid(logits))
        return value

    x, y = tf.constant([[1.0], [-1.0], [2.0]]), tf.constant([[1.0], [0.0], [1.0]])
    found = [float(step(x, y)) for _ in range(5)]
    assert step.experimental_get_tracing_count() == 1
    assert found[-1] < found[0]
    assert loss.result().numpy() == pytest.approx(np.mean(found), rel=1e-6)
    assert accuracy.result().numpy() == 1.0


def test_masks_are_weights():
    y_pred = tf.constant([[0.9], [0.2], [0.8]])
    set_mask(y_pred, tf.constant([True, True, False]))
    assert metrics.BinaryAccuracy()([[1.0], [1.0], [0.0]], y_pred).numpy() == 0.5
    weighted = metrics.BinaryAccuracy()([[1.0], [1.0], [0.0]], y_pred, sample_weight=[3.0, 1.0, 5.0])
    assert weighted.numpy() == 0.75


def test_weights_of_each_step():
    mean = metrics.Mean()
    assert mean([[1.0, 3.0], [5.0, 7.0]], sample_weight=[[1.0, 1.0], [0.0, 2.0]]).numpy() == 4.5
    with pytest.raises(ValueError, match=r"`sample_weight` does not fit.*weights of shape \(3,\)"):
        mean([1.0, 2.0], sample_weight=[1.0, 2.0, 3.0])


def test_a_checkpoint_keeps_the_counts(tmp_path):
    mean, recall = metrics.Mean(), metrics.Recall()
    mean([1.0, 2.0])
    recall([1, 1], [0.7, 0.2])
    path = tf.train.Checkpoint(mean=mean, recall=recall).save(tmp_path / "counts")
    mean_again, recall_again = metrics.Mean(), metrics.Recall()
    tf.train.Checkpoint(mean=mean_again, recall=recall_again).restore(path).assert_consumed()
    assert (mean_again.result().numpy(), recall_again.result().numpy()) == (1.5, 0.5)
    assert mean_again([6.0]).numpy() == 3.0


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: metrics.AUC(curve="x"), 'Invalid AUC curve value: "x"'),
        (lambda: metrics.AUC(summation_method="x"), 'Invalid AUC summation method value: "x"'),
        (lambda: metrics.AUC(num_thresholds=1), "must be an integer > 1"),
        (lambda: metrics.AUC(num_labels=2), "needed only when `multi_label`"),
        (lambda: metrics.AUC(multi_label=True)([1], [0.5]), "must have rank 2 when `multi_label=True`. Found rank 1"),
        (lambda: metrics.Precision(thresholds=[0.5, 2.0]), r"must be in \[0, 1\]. Received: \[2.0\]"),
        (lambda: metrics.Recall(class_id=1)([1], [0.5]), "y_pred must be a 2D array"),
        (lambda: metrics.PrecisionAtRecall(1.5), r"`recall` must be in the range \[0, 1\]"),
        (lambda: metrics.RecallAtPrecision(0.5, num_thresholds=0), "must be an integer > 0"),
        (lambda: metrics.F1Score(average="all"), "Invalid `average`"),
        (lambda: metrics.FBetaScore(beta=1), "should be a Python float"),
        (lambda: metrics.FBetaScore(beta=-1.0), "should be > 0"),
        (lambda: metrics.F1Score(threshold=2.0), "verify 0 < threshold <= 1"),
        (lambda: metrics.F1Score()([1.0], [0.5]), "FBetaScore expects 2D inputs"),
        (lambda: metrics.R2Score(class_aggregation="x"), "Invalid value for argument `class_aggregation`"),
        (lambda: metrics.R2Score(num_regressors=-1), "Expected a value >= 0"),
        (lambda: metrics.R2Score()([1.0], [0.5]), "R2Score expects 2D inputs"),
        (lambda: metrics.IoU(2, [2]), "Target class id 2 is out of range"),
    ],
)
def test_what_does_not_fit_is_said(call, said):
    with pytest.raises(ValueError, match=said):
        call()


def test_too_few_examples_for_an_adjusted_score():
    with pytest.warns(UserWarning, match="More independent predictors than datapoints"):
        metrics.R2Score(num_regressors=5)([[1.0], [2.0], [4.0]], [[1.0], [2.0], [3.0]])
