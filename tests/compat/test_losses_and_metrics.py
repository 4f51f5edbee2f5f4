"""``tf.losses``, ``tf.metrics`` and constraints of TensorFlow 1: their numbers, and what is refused."""

import numpy as np
import pytest

import tapeviz.compat.v1 as tf
from tests.compat.old_answers import ANSWERS, RUNS, answers

STORED = np.load(ANSWERS)


@pytest.mark.parametrize(("sort", "title", "dtype"), RUNS)
def test_as_tensorflow_has_it(sort, title, dtype):
    """What is computed in float32 there, which is most of it, is so here."""
    found = answers(tf, sort, title, dtype)
    wanted = STORED[f"{sort}/{title}/{dtype}"]
    rtol = 1e-6 if sort == "constrained" and dtype == "float64" else 1e-5
    np.testing.assert_allclose(found, wanted, rtol=rtol, atol=2e-6 if sort != "constrained" else 1e-7)


def test_every_answer_is_asked_for():
    assert len(STORED.files) == 1 + len(RUNS)


def test_losses_are_added_up_with_penalties():
    with tf.Graph().as_default(), tf.Session() as session:
        w = tf.get_variable("w", [2], initializer=tf.ones_initializer(), regularizer=lambda w: tf.reduce_sum(w * w))
        with tf.name_scope("head"):
            first = tf.losses.mean_squared_error([1.0, 3.0], w)
        second = tf.losses.absolute_difference([1.0, 4.0], w, scope="other")
        tf.losses.hinge_loss([1.0, 1.0], w, loss_collection=None)
        third = tf.losses.log_loss([1.0], [0.5], loss_collection="mine")
        assert tf.losses.get_losses() == [first, second]
        assert tf.losses.get_losses("head") == [first]
        assert tf.losses.get_losses("other") == [second]
        assert tf.losses.get_losses(loss_collection="mine") == [third]
        session.run(tf.global_variables_initializer())
        total = tf.losses.get_total_loss()
        assert total.op.name == "total_loss"
        bare = tf.losses.get_total_loss(add_regularization_losses=False)
        penalty = tf.losses.get_regularization_loss()
        assert session.run([first, second, penalty, total, bare]) == [2.0, 1.5, 2.0, 5.5, 3.5]


def test_losses_at_once():
    """Eagerly a loss is a number, and in no collection."""
    tf.enable_eager_execution()
    with tf.GradientTape() as tape:
        x = tf.constant([1.0, 3.0])
        tape.watch(x)
        found = tf.losses.mean_squared_error([1.0, 1.0], x, weights=[0.0, 1.0])
    assert found.numpy() == 4.0
    assert tape.gradient(found, x).numpy().tolist() == [0.0, 4.0]
    assert tf.losses.get_losses() == []
    with pytest.raises(RuntimeError, match=r"tf\.metrics\.mean is not supported when eager execution is enabled"):
        tf.metrics.mean([1.0])


def test_batches_of_any_size():
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 3])
        digits = tf.placeholder(tf.int64, [None])
        loss = tf.losses.sparse_softmax_cross_entropy(digits, x)
        value, update = tf.metrics.accuracy(digits, tf.argmax(x, 1))
        with pytest.raises(ValueError, match=r"must be of a known shape. Received: \(None, 3\)"):
            tf.metrics.mean_tensor(x)
        session.run(tf.local_variables_initializer())
        for size, right in ((2, 1.0), (5, 1.0), (3, 0.7)):
            given = np.eye(3, dtype=np.float32)[np.arange(size) % 3]
            answer = np.arange(size) % 3 if right == 1.0 else (np.arange(size) + 1) % 3
            assert session.run(loss, {x: given, digits: answer}) > 0
            assert session.run(update, {x: given, digits: answer}) == pytest.approx(right)
        assert session.run(value) == pytest.approx(0.7)


def test_where_metrics_are_kept():
    with tf.Graph().as_default():
        value, update = tf.metrics.precision([True], [True], name="found", metrics_collections=["said"],
                                             updates_collections=[tf.GraphKeys.UPDATE_OPS])  # fmt: skip
        names = [variable.op.name for variable in tf.local_variables()]
        assert names == ["found/true_positives/count", "found/false_positives/count"]
        assert tf.get_collection(tf.GraphKeys.METRIC_VARIABLES) == tf.local_variables()
        assert (tf.trainable_variables(), tf.global_variables()) == ([], [])
        assert tf.get_collection("said") == [value]
        assert tf.get_collection(tf.GraphKeys.UPDATE_OPS) == [update]
        assert (value.op.name, update.op.name) == ("found/value", "found/update_op")


REFUSED = {
    "shapes": (lambda: tf.losses.mean_squared_error([1.0, 2.0], [1.0, 2.0, 3.0]), r"Shapes \(3,\) and \(2,\) are"),
    "weights": (lambda: tf.losses.huber_loss([1.0, 2.0], [1.0, 2.0], weights=[1.0, 2.0, 3.0]), "weights can not be"),
    "rank": (lambda: tf.losses.log_loss([[1.0], [1.0]], [[0.5], [0.5]], weights=[1.0, 2.0]), "weights.rank=1"),
    "labels": (lambda: tf.losses.hinge_loss(None, [1.0]), "Argument `labels` must not be None"),
    "reduction": (lambda: tf.losses.log_loss([1.0], [0.5], reduction="mean"), "Invalid Reduction Key mean"),
    "axis": (lambda: tf.losses.cosine_distance([[1.0]], [[1.0]]), "You must specify argument `axis`"),
    "two axes": (lambda: tf.losses.cosine_distance([[1.0]], [[1.0]], axis=1, dim=1), "both 'axis' and 'dim'"),
    "nothing to add": (tf.losses.get_total_loss, "at least one|same dtype and shape"),
    "curve": (lambda: tf.metrics.auc([1], [0.5], curve="XY"), "Curve must be either ROC or PR"),
    "method": (lambda: tf.metrics.auc([1], [0.5], summation_method="all"), "Invalid summation_method: all"),
    "share": (lambda: tf.metrics.sensitivity_at_specificity([1], [0.5], 2.0), r"must be in the range \[0, 1\]"),
    "metric": (lambda: tf.metrics.accuracy([1, 2], [1, 2, 3]), r"Shapes \(3,\) and \(2,\) are incompatible"),
    "constraint": (lambda: tf.Variable(1.0, constraint="positive"), "must be a callable"),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_refused(what):
    program, said = REFUSED[what]
    with tf.Graph().as_default(), pytest.raises(ValueError, match=said):
        program()


def test_what_is_not_there():
    with pytest.raises(AttributeError, match=r"'recall_at_k': tf\.nn\.in_top_k and tf\.metrics\.mean"):
        tf.metrics.recall_at_k  # noqa: B018
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        tf.losses.nothing  # noqa: B018


def test_constraints_of_layers_hold():
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant([[1.0, -2.0]])
        y = tf.layers.dense(x, 1, kernel_initializer=tf.ones_initializer(), kernel_constraint=tf.nn.relu)
        (kernel, bias) = tf.trainable_variables()
        assert kernel.constraint is not None
        assert bias.constraint is None
        step = tf.train.GradientDescentOptimizer(1.0).minimize(tf.reduce_sum(y))
        session.run(tf.global_variables_initializer())
        session.run(step)
        assert session.run(kernel).ravel().tolist() == [0.0, 3.0]
        assert session.run(bias).tolist() == [-1.0]


def test_constraints_hold_at_once():
    tf.enable_eager_execution()
    w = tf.Variable([0.5, -0.5], constraint=lambda w: tf.clip_by_value(w, -1.0, 1.0))
    tf.train.GradientDescentOptimizer(10.0).minimize(lambda: tf.reduce_sum(w * w), var_list=[w])
    assert w.numpy().tolist() == [-1.0, 1.0]


def test_no_constraint_for_rows():
    with tf.Graph().as_default():
        table = tf.get_variable("table", [4, 2], constraint=tf.nn.relu)
        rows = tf.IndexedSlices(tf.ones([2, 2]), tf.constant([1, 2]), tf.constant([4, 2]))
        with pytest.raises(RuntimeError, match="Cannot use a constraint function on a sparse variable: table"):
            tf.train.GradientDescentOptimizer(1.0).apply_gradients([(rows, table)])
