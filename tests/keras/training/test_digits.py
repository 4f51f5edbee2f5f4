"""A dense model learns digits: the acceptance of training."""

import statistics

import pytest

import tapeviz as tf
from benchmarks.training_fit import accuracies


@pytest.mark.slow
def test_97_percent_of_digits_it_has_not_seen_are_right():
    """The median of five seeds, on a fixed stratified hold-out of a fifth."""
    assert statistics.median(accuracies(tf)) >= 0.97
