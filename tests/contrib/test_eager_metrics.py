"""``tfe.metrics`` at once and in graphs, and what eager programs were run with."""

from __future__ import annotations

import pytest

import tapeviz as tf
import tapeviz.compat.v1 as tf1
import tapeviz.contrib.eager as tfe
from tapeviz.compat.v1.graph.default_graph import at_once

CASES = {
    "mean": (tfe.metrics.Mean, [([1.0, 2.0],), ([6.0],)], 3.0),
    "weighted": (tfe.metrics.Mean, [([1.0, 2.0], [3.0, 1.0])], 1.25),
    "accuracy": (tfe.metrics.Accuracy, [([1, 2, 3], [1, 2, 0])], 2 / 3),
    "categories": (tfe.metrics.CategoricalAccuracy, [([[0.0, 1.0], [1.0, 0.0]], [[0.3, 0.7], [0.4, 0.6]])], 0.5),
    "binary": (lambda: tfe.metrics.BinaryAccuracy(0.5), [([0.0, 1.0], [0.6, 0.7])], 0.5),
    "sparse": (tfe.metrics.SparseAccuracy, [([1, 0], [[0.1, 0.9], [0.2, 0.8]])], 0.5),
}


@pytest.fixture(autouse=True)
def _store():
    with tfe.EagerVariableStore().as_default():
        yield


@pytest.mark.parametrize("name", CASES)
def test_at_once(name):
    make, batches, expected = CASES[name]
    with at_once():
        metric = make()
        for batch in batches:
            metric(*batch)
        assert metric.result().numpy() == pytest.approx(expected)
        metric.init_variables()
        assert [variable.numpy() for variable in metric.variables] == [0.0, 0.0]


@pytest.mark.parametrize("name", CASES)
def test_in_a_graph(name):
    make, batches, expected = CASES[name]
    with tf1.Graph().as_default(), tf1.Session() as session:
        metric = make()
        updates = [metric(*map(tf1.constant, batch)) for batch in batches]
        assert metric.variables == tf1.local_variables() == tf1.get_collection(tf1.GraphKeys.METRIC_VARIABLES)
        session.run(tf1.local_variables_initializer())
        for update in updates:
            session.run(update)
        assert session.run(metric.result()) == pytest.approx(expected)
        session.run(metric.init_variables())
        assert session.run(metric.variables) == [0.0, 0.0]


class Extremes(tfe.metrics.Metric):
    """A metric of one's own: several variables, and a call that gives nothing."""

    def build(self, _values):
        self.low = self.add_variable("low", (), "float32", tf1.constant_initializer(9.0))
        self.high = self.add_variable("high", (), "float32")

    def call(self, values):
        self.low.assign(tf.minimum(self.low, tf.reduce_min(values)))
        self.high.assign(tf.maximum(self.high, tf.reduce_max(values)))

    def result(self):
        return self.high - self.low


def test_a_metric_of_ones_own_at_once_and_in_a_graph():
    with at_once():
        metric = Extremes("of all values")
        assert metric([2.0, 5.0]) is metric([3.0]) is None
        assert (metric.result().numpy(), metric.name) == (3.0, "of all values")
        assert [variable.name for variable in metric.variables] == ["of_all_values/low:0", "of_all_values/high:0"]
        metric.init_variables()
        assert [variable.numpy() for variable in metric.variables] == [9.0, 0.0]
        with pytest.raises(RuntimeError, match="except in build"):
            metric.add_variable("late")
    with tf1.Graph().as_default(), tf1.Session() as session:
        metric = Extremes(use_global_variables=True)
        update = metric(tf1.constant([2.0, 5.0]))
        assert metric.variables == tf1.global_variables()
        session.run(metric.init_variables())
        session.run(update)
        assert session.run(metric.result()) == 3.0
        with pytest.raises(ValueError, match="already exists"):
            Extremes()(tf1.constant([1.0]))


def test_metrics_add_up_and_refuse_others():
    with at_once():
        first, second = tfe.metrics.Mean(), tfe.metrics.Mean()
        first([1.0]), second([2.0, 6.0])
        first.aggregate([second])
        assert first.result().numpy() == 3.0
        with pytest.raises(TypeError, match="same type"):
            first.aggregate([tfe.metrics.Accuracy()])
        named = tfe.metrics.Mean("other")
        named([1.0])
        with pytest.raises(ValueError, match="same order"):
            first.aggregate([named])


def test_labels_and_predictions_of_other_shapes_are_refused():
    with at_once(), pytest.raises(tf.errors.InvalidArgumentError, match="unequal"):
        tfe.metrics.Accuracy()([[0], [0]], [0, 1])
    with at_once(), pytest.raises(tf.errors.InvalidArgumentError, match="unequal"):
        tfe.metrics.SparseAccuracy()([0, 1, 0], [[0.1, 0.9], [0.2, 0.8]])


def test_a_result_is_written_where_summaries_are(tmp_path):
    writer = tf.contrib.summary.create_file_writer(str(tmp_path))
    with at_once():
        metric = tfe.metrics.Mean("loss")
        metric([1.0, 2.0])
        metric.result()
        tf1.train.get_or_create_global_step()
        with writer.as_default(), tf.contrib.summary.always_record_summaries():
            metric.result()
    _, event = tf.contrib.summary.summary_test_util.events_from_logdir(tmp_path)
    assert [(value.tag, value.simple_value) for value in event.summary.value] == [("loss", 1.5)]


def test_variables_begin_with_what_was_saved(tmp_path):
    def made():
        with tfe.EagerVariableStore().as_default():
            layer = tf1.layers.Dense(2, name="known")
            layer(tf.ones([1, 3]))
            return layer

    first = made()
    path = tfe.Saver(first.variables).save(str(tmp_path / "model"))
    with tfe.restore_variables_on_create(path):
        second = made()
    assert second.kernel.numpy().tolist() == first.kernel.numpy().tolist()
    with tfe.restore_variables_on_create(None):
        assert made().kernel.numpy().tolist() != first.kernel.numpy().tolist()


def test_every_variable_begins_with_what_was_saved_and_one_that_was_not_is_an_error(tmp_path):
    with at_once():
        path = tfe.Saver([tf1.Variable(1.0, name="a")]).save(str(tmp_path / "model"))
        with tfe.restore_variables_on_create(path):
            assert tf1.Variable(2.0, name="a").numpy() == 1.0
            assert tf1.Variable(2.0, name="a").numpy() == 2.0  # once a name
            with pytest.raises(tf.errors.NotFoundError, match="b not found in checkpoint"):
                tf1.Variable(2.0, name="b")
        with tfe.restore_variables_on_create(path, {"c": "a"}.get):
            assert tf1.Variable(2.0, name="c").numpy() == 1.0


def test_a_saver_refuses_two_variables_of_a_name_when_it_saves(tmp_path):
    with at_once():
        first, second = (tf1.Variable(value, name="same") for value in (1.0, 2.0))
        saver = tfe.Saver([first, second])
        with pytest.raises(ValueError, match="same name: same"):
            saver.save(str(tmp_path / "model"))
        tfe.Saver([first, first]).save(str(tmp_path / "model"))


def test_a_test_runs_both_ways():
    seen = []

    class Case(tf.test.TestCase):
        @tfe.run_test_in_graph_and_eager_modes
        def test_something(self):
            x = tf1.constant([1.0, 2.0])
            seen.append(hasattr(x, "numpy") and tf1.executing_eagerly())
            assert self.evaluate(2 * x).tolist() == [2.0, 4.0]

    result = Case("test_something").run()
    assert result.wasSuccessful(), result.errors
    assert seen[0] is False


def test_modes_change_nothing():
    with tfe.execution_mode(tfe.ASYNC):
        assert tf.constant(1).numpy() == 1
    tfe.set_execution_mode(tfe.SYNC)
    tfe.async_wait()
    tfe.async_clear_error()
    with pytest.raises(SystemExit) as end:
        tfe.run(len, ["program", "one"])
    assert end.value.code == 2
