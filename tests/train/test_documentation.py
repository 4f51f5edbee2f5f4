"""The examples in the docstrings are true."""

import doctest
from importlib import import_module

import pytest

MODULES = (
    "train.checkpoint", "train.following", "train.manager", "train.reading", "train.states", "keras.saving.model_files",
    "keras.saving.model_saving", "saved_model.saving", "onnx.exporting", "compat.v1.checkpoints",
)  # fmt: skip


@pytest.mark.parametrize("module", MODULES)
def test_examples_are_true(module):
    found = doctest.testmod(import_module(f"tapeviz.{module}"))
    assert found.attempted
    assert not found.failed
