"""Every expression of ``cases/`` gives on another device what it gives here: with tensors made there by themselves."""

from __future__ import annotations

import pytest

import tapeviz as tf
from tapeviz.engine.devices import devices
from tests.engine.strict_gpu import standing_in
from tests.reference.language import CASES, cases, plain, words

ABOUT_DEVICES = ("device", "gpu", "tf.config", "tf.test", "dlpack")


def _answer(expression):
    tf.random.set_seed(1)
    try:
        return plain(eval(expression, words(tf)))
    except Exception as error:  # noqa: BLE001 - an error is an answer
        return type(error).__name__


def _text(answer):
    """Return the answer as text, in which nan is nan; the host's own kernels may leave a zero another sign."""
    return repr(answer).replace("-0.0", "0.0")


@pytest.mark.slow
@pytest.mark.parametrize("file", CASES, ids=lambda file: file.stem)
def test_the_device_makes_no_difference(file):
    expressions = [text for text, _ in cases(file) if not any(word in text for word in ABOUT_DEVICES)]
    here = [_answer(text) for text in expressions]
    with standing_in():
        devices.choose("auto")
        there = [_answer(text) for text in expressions]
    pairs = zip(expressions, map(_text, here), map(_text, there), strict=True)
    differ = [text for text, one, other in pairs if one != other]
    assert differ == []
