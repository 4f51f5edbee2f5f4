"""The bugs are named, with their line and what to do; healthy programs are passed in silence."""

from __future__ import annotations

from tests.adapters.tensorflow import bugs_of_gradients, bugs_of_training, healthy  # noqa: F401 - they fill the catalogue
from tests.adapters.tensorflow.catalogue import CATALOGUE

bugs, findings = CATALOGUE.bugs, CATALOGUE.findings


def test_there_are_twenty_five_of_each():
    assert len(bugs) == len(CATALOGUE.healthy) == 25
    assert len({bug.thread for bug in bugs}) == 25
