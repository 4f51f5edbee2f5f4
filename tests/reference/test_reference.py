"""Values, dtypes, gradients, texts and errors are those of TensorFlow, which are kept as data."""

from __future__ import annotations

import json

import numpy as np
import pytest

import tapeviz as tf
from tests.reference.language import STORED, cases, plain, words
from tests.reference.subjects import PROGRAMS

ANSWERS = json.loads(STORED.read_text())


def test_the_answers_are_those_to_the_cases():
    expressions = [expression for expression, _ in cases()]
    assert list(ANSWERS) == ["version", *expressions, *(f"program {name}" for name in PROGRAMS)]


@pytest.mark.parametrize(("expression", "phrase"), [pytest.param(*case, id=case[0]) for case in cases() if not case[1]])
def test_the_value_is_tensorflows(expression, phrase):
    assert not phrase
    _compare(plain(eval(expression, words(tf))), ANSWERS[expression]["value"])


def _compare(ours, theirs):
    if isinstance(theirs, list):
        assert isinstance(ours, list)
        assert len(ours) == len(theirs)
        for one, other in zip(ours, theirs, strict=True):
            _compare(one, other)
    elif isinstance(theirs, dict):
        assert (ours["dtype"], ours["shape"]) == (theirs["dtype"], theirs["shape"])
        if "float" in theirs["dtype"]:
            close = 1e-13 if "64" in theirs["dtype"] else 1e-3 if "16" in theirs["dtype"] else 2e-6
            np.testing.assert_allclose(ours["data"], theirs["data"], rtol=close, atol=close / 10)
        else:
            assert ours["data"] == theirs["data"]
    else:
        assert ours == theirs


@pytest.mark.parametrize(("expression", "phrase"), [pytest.param(*case, id=case[0]) for case in cases() if case[1]])
def test_the_error_is_tensorflows(expression, phrase):
    with pytest.raises(Exception, match=r"(?s).*") as caught:
        eval(expression, words(tf))
    assert type(caught.value).__name__ == ANSWERS[expression]["error"]
    assert phrase in str(caught.value)


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_program_does_what_it_does_in_tensorflow(name):
    _compare(plain(PROGRAMS[name](tf)), ANSWERS[f"program {name}"])
