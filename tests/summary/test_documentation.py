"""The examples in the docstrings are true."""

import doctest
from importlib import import_module

import pytest

MODULES = (
    "summary.graphs", "summary.records", "summary.writers", "summary.writing", "compat.v1.file_writers",
    "compat.v1.summary_ops",
)  # fmt: skip


@pytest.mark.parametrize("module", MODULES)
def test_examples_are_true(module):
    found = doctest.testmod(import_module(f"tapeviz.{module}"))
    assert found.attempted
    assert not found.failed
