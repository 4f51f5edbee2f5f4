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
        session.run(tf1.global_variables_initializer())
        for update in updates:
            session.run(update)
        assert session.run(metric.result()) == pytest.approx(expected)
        session.run(metric.init_variables())
        assert session.run(metric.variables) == [0.0, 0.0]


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
