"""Every public name of ``tf.keras.layers`` says what it does, and its example is true."""

from __future__ import annotations

import doctest
import inspect

import pytest

import tapeviz as tf
from tapeviz.keras.names import clear_names

L = tf.keras.layers
NAMES = sorted({name: None for name in L.__all__ if getattr(L, name).__name__ == name})
NO_EXAMPLE = {"OpLayer"}  # what Keras' own layers make of ops; nobody calls it


@pytest.mark.parametrize("name", NAMES)
def test_an_example_is_true(name):
    clear_names()
    (test,) = doctest.DocTestFinder(recurse=False).find(getattr(L, name), name, globs={})
    assert test.examples or name in NO_EXAMPLE
    assert doctest.DocTestRunner().run(test).failed == 0


@pytest.mark.parametrize("name", NAMES)
def test_every_method_is_explained(name):
    found = getattr(L, name)
    members = vars(found).items() if inspect.isclass(found) else [(name, found)]
    silent = [key for key, value in members if callable(value) and key[0] != "_" and not inspect.getdoc(value)]
    assert silent == []
