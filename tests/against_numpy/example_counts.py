"""How many examples: some in every run, many at night."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import hypothesis
import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

EACH_RUN, NIGHTLY = 200, 10_000

amounts = pytest.mark.parametrize(
    "examples",
    [pytest.param(EACH_RUN, marks=pytest.mark.slow), pytest.param(NIGHTLY, marks=pytest.mark.nightly)],
)
seeds = st.integers(0, 2**32 - 1)


def explore(examples: int, check: Callable[..., None], *strategies: Any) -> None:
    """Run ``check`` on that many examples; those of each run are the same ones each time."""
    chosen = settings(
        max_examples=examples,
        deadline=None,
        derandomize=examples == EACH_RUN,
        database=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
    )
    chosen(hypothesis.given(*strategies)(check))()


def numbers(seed: int, shape: tuple[int, ...], dtype: Any = np.float64) -> np.ndarray:
    """Return an array of the shape: what is in it matters less than its form, so hypothesis only chooses a seed."""
    rng = np.random.default_rng(seed)
    if np.dtype(dtype).kind in "iu":
        return rng.integers(-9 if np.dtype(dtype).kind == "i" else 0, 10, shape).astype(dtype)
    return rng.uniform(-2.0, 2.0, shape).astype(dtype)


def agree(tensor: Any, array: Any, *, exact: bool = True) -> None:
    """Assert that a tensor has an array's shape, dtype and elements."""
    got, wanted = tensor.numpy(), np.asarray(array)
    assert tuple(tensor.shape) == wanted.shape
    assert np.asarray(got).dtype == wanted.dtype
    if exact:
        np.testing.assert_array_equal(got, wanted)
    else:
        np.testing.assert_allclose(got, wanted, rtol=1e-10, atol=1e-12)
