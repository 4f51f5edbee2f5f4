"""Values, dtypes, gradients, texts and errors are those of TensorFlow, which are kept as data."""

from __future__ import annotations

import json

import numpy as np
import pytest

import tapeviz as tf
from tests.reference.language import CASES, answers, cases, plain, words
from tests.reference.language import PROGRAMS as OF_PROGRAMS
from tests.reference.subjects import PROGRAMS

ANSWERS = {name: json.loads(answers(name).read_text()) for name in [*(file.stem for file in CASES), OF_PROGRAMS]}
VALUES, ERRORS = (
    [
        pytest.param(file.stem, expression, phrase, id=f"{file.stem}: {expression}")
        for file in CASES
        for expression, phrase in cases(file)
        if bool(phrase) is fails
    ]
    for fails in (False, True)
)


@pytest.mark.parametrize("file", CASES, ids=lambda file: file.stem)
def test_the_answers_are_those_to_the_cases(file):
    assert list(ANSWERS[file.stem]) == ["version", *(expression for expression, _ in cases(file))]


def test_the_answers_are_those_to_the_programs():
    assert list(ANSWERS[OF_PROGRAMS]) == ["version", *PROGRAMS]


@pytest.mark.parametrize(("subject", "expression", "phrase"), VALUES)
def test_the_value_is_tensorflows(subject, expression, phrase):
    assert not phrase
    _compare(plain(eval(expression, words(tf))), ANSWERS[subject][expression]["value"])


def _compare(ours, theirs):
    if isinstance(theirs, list):
        assert isinstance(ours, list)
        assert len(ours) == len(theirs)
        for one, other in zip(ours, theirs, strict=True):
            _compare(one, other)
    elif isinstance(theirs, dict):
        assert (ours["dtype"], ours["shape"]) == (theirs["dtype"], theirs["shape"])
        if "complex" in theirs["dtype"]:
            np.testing.assert_allclose(ours["data"], theirs["data"], rtol=2e-6, atol=2e-7)
        elif "float" in theirs["dtype"]:
            close = 1e-13 if "64" in theirs["dtype"] else 1e-3 if "16" in theirs["dtype"] else 2e-6
            np.testing.assert_allclose(ours["data"], theirs["data"], rtol=close, atol=close / 10)
        else:
            assert ours["data"] == theirs["data"]
    else:
        assert ours == theirs


@pytest.mark.parametrize(("subject", "expression", "phrase"), ERRORS)
def test_the_error_is_tensorflows(subject, expression, phrase):
    with pytest.raises(Exception, match=r"(?s).*") as caught:
        eval(expression, words(tf))
    assert type(caught.value).__name__ == ANSWERS[subject][expression]["error"]
    assert phrase in str(caught.value)


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_program_does_what_it_does_in_tensorflow(name):
    _compare(plain(PROGRAMS[name](tf)), ANSWERS[OF_PROGRAMS][name])
