"""Evaluators at once and in graphs, and metrics that several of them share."""

from __future__ import annotations

import pytest

import tapeviz as tf
import tapeviz.compat.v1 as tf1
import tapeviz.contrib.eager as tfe
from tapeviz.compat.v1.graph.default_graph import at_once
from tapeviz.contrib.eager.evaluator import Evaluator, SparseSoftmaxEvaluator


class Same:
    """A model that gives the examples themselves."""

    def eval_data(self, examples):
        return examples


class MeanEvaluator(Evaluator):
    def __init__(self, model):
        super().__init__(model)
        self.mean = self.track_metric(tfe.metrics.Mean("mean"))

    def call(self, eval_data):
        self.mean(eval_data)


class TwoEvaluators(Evaluator):
    def __init__(self, model):
        super().__init__(model)
        self.inner = self.track_evaluator("inner", MeanEvaluator(model))
        self.total = self.track_metric(tfe.metrics.Mean("total"))

    def call(self, eval_data):
        self.total(2.0 * eval_data)
        self.inner.call(eval_data)


def _events(folder):
    _, *events = tf.contrib.summary.summary_test_util.events_from_logdir(folder)
    return [(value.tag, value.simple_value) for event in events for value in event.summary.value]


def test_at_once(tmp_path):
    with at_once():
        evaluator = TwoEvaluators(Same())
        found = evaluator.evaluate_on_dataset(tf.data.Dataset.from_tensor_slices([3.0, 5.0]))
        assert {name: float(value) for name, value in found.items()} == {"total": 8.0, "inner/mean": 4.0}
        assert [(prefix, metric.name) for prefix, metric in evaluator.metrics] == [("", "total"), ("inner/", "mean")]
        assert len(evaluator.metric_variables) == 4
        with pytest.raises(RuntimeError, match="not needed"):
            evaluator.init_variables()
        tf1.train.get_or_create_global_step()
        evaluator.all_metric_results(str(tmp_path))
    assert _events(tmp_path) == [("total", 8.0), ("mean", 4.0)]


def test_in_a_graph(tmp_path):
    with tf1.Graph().as_default(), tf1.Session() as session:
        evaluator = TwoEvaluators(Same())
        tf1.train.get_or_create_global_step()
        dataset = tf1.data.Dataset.from_tensor_slices([3.0, 5.0])
        operations = evaluator.evaluate_on_dataset(dataset, summary_logdir=str(tmp_path))
        session.run(tf1.global_variables_initializer())
        assert evaluator.run_evaluation(*operations) == {"total": 8.0, "inner/mean": 4.0}
    assert _events(tmp_path) == [("total", 8.0), ("mean", 4.0)]


def test_labels_and_predicted_classes():
    with at_once():
        evaluator = SparseSoftmaxEvaluator(Same())
        evaluator({"loss": [1.0, 3.0], "label": [1, 2], "predicted_class": [1, 0], "weights": [3.0, 1.0]})
        evaluator({"loss": 1.5, "label": 4, "predicted_class": 4})
        found = {name: float(value) for name, value in evaluator.all_metric_results().items()}
    assert found == {"Avg Loss": 1.5, "Accuracy": 0.8}


def test_what_cannot_be_tracked():
    with at_once():
        evaluator = MeanEvaluator(Same())
        assert evaluator.track_metric(evaluator.mean) is evaluator.mean
        with pytest.raises(ValueError, match="already added to Evaluator MeanEvaluator"):
            Evaluator(Same()).track_metric(evaluator.mean)
        with pytest.raises(ValueError, match="name 'mean'"):
            evaluator.track_metric(tfe.metrics.Mean("mean"))
        with pytest.raises(TypeError, match=r"not a tfe\.metrics\.Metric"):
            evaluator.track_metric(len)
        with pytest.raises(TypeError, match=r"not a tfe\.Evaluator"):
            evaluator.track_evaluator("inner", len)
        evaluator.track_evaluator("inner", Evaluator(Same()))
        with pytest.raises(RuntimeError, match="same prefix 'inner'"):
            evaluator.track_evaluator("inner", Evaluator(Same()))
