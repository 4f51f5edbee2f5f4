"""Ten steps of every optimizer, and schedules, agree with Keras."""

from __future__ import annotations

import numpy as np
import pytest

import tapeviz as tf
from tests.keras.optimizers.steps import ANSWERS, CASES, DTYPES, SCHEDULED, SCHEDULES, rates, run

WANTED = np.load(ANSWERS)
CLOSE = {"float64": 1e-6, "float32": 1e-5}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("title", CASES)
def test_ten_steps(title, dtype):
    wanted = WANTED[f"{title}/{dtype}"]
    for wrap in (lambda function: function, tf.function):
        found = run(tf, title, dtype, wrap)
        assert found.dtype == dtype
        np.testing.assert_allclose(found, wanted, rtol=CLOSE[dtype], atol=CLOSE[dtype] * 0.1)


@pytest.mark.parametrize("title", SCHEDULES)
def test_schedules(title):
    np.testing.assert_allclose(rates(tf, title), WANTED[f"schedule {title}"], rtol=1e-5, atol=1e-8)
    kind, given = SCHEDULES[title]
    schedule = getattr(tf.keras.optimizers.schedules, kind)(*given)
    traced = tf.function(schedule)
    found = [traced(tf.constant(step)).numpy() for step in range(SCHEDULED)]
    np.testing.assert_allclose(found, WANTED[f"schedule {title}"], rtol=1e-5, atol=1e-8)
