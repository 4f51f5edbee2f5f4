"""The examples in the engine's docstrings are true."""

from __future__ import annotations

import doctest
import pkgutil
from importlib import import_module

import pytest

import tapeviz.engine
import tapeviz.ops

MODULES = [
    f"{package.__name__}.{name}"
    for package in (tapeviz.engine, tapeviz.ops)
    for _, name, _ in pkgutil.iter_modules(package.__path__)
]


@pytest.mark.parametrize("module", MODULES)
def test_examples_are_true(module):
    failures = []
    runner = doctest.DocTestRunner()
    for example in doctest.DocTestFinder().find(import_module(module)):
        runner.run(example, out=failures.append)
    assert not runner.failures, "".join(failures)
