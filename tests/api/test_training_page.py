"""docs/layers.md is what the tests compare now."""

from __future__ import annotations

import inspect
import re

import tapeviz as tf
from tests.keras.agreements import SECTIONS
from tests.keras.layers.data_layer_cases import CASES as DATA_LAYERS
from tools.training_page import PAGE, page, unmeasured

# Layers that compute nothing, only what a user says, or what is drawn or hashed otherwise than in Keras.
WITHOUT_NUMBERS = {"Input", "InputLayer", "InputSpec", "Lambda", "Layer", "OpLayer", "Hashing", "RandomFlip"}


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
    # The cells of a stack are on it. What prepares data is compared in tests/keras/layers, what Normalization learns in
    # tests/keras/base.
    preparing = {name for case in DATA_LAYERS for name in re.findall(r"\bL\.(\w+)", case)}
    assert classes - compared - preparing - WITHOUT_NUMBERS == {"Normalization", "StackedRNNCells"}
    assert all("StackedRNNCells" not in row.name for row in SECTIONS[0].rows())
