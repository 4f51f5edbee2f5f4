"""docs/layers.md is what the tests compare now."""

from __future__ import annotations

import inspect

import tapeviz as tf
from tests.keras.agreements import SECTIONS
from tools.training_page import PAGE, page, unmeasured

# Layers that compute nothing, or only what a user says.
WITHOUT_NUMBERS = {"Input", "InputLayer", "InputSpec", "Lambda", "Layer", "OpLayer"}


def test_the_page_is_current():
    assert unmeasured(PAGE.read_text()) == page(measured=False), "run python -m tools.training_page"


def test_the_page_has_measured_differences():
    text = PAGE.read_text()
    assert unmeasured(text) != text
    assert text.count("| 0 | 0 |") < len([row for section in SECTIONS for row in section.rows()])


def test_every_layer_is_on_it():
    layers = tf.keras.layers
    classes = {value.__name__ for name in layers.__all__ if inspect.isclass(value := getattr(layers, name))}
    compared = {row.name for row in SECTIONS[0].rows()}
    # The cells of a stack are on it; what Normalization learns is compared in tests/keras/base.
    assert classes - compared - WITHOUT_NUMBERS == {"Normalization", "StackedRNNCells"}
    assert all("StackedRNNCells" not in row.name for row in SECTIONS[0].rows())
