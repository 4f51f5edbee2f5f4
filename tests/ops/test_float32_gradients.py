"""float32 gradients beside float64 ones, far from where samples lie: a formula that cancels gives itself away."""

from __future__ import annotations

import numpy as np
import pytest

import tapeviz as tf
from tests.ops.catalogue import gradients, host, outputs, rows, sources, weights

FLOAT64 = np.dtype(np.float64)
OWN_FORMULA = frozenset((
    "bessel_i0e", "bessel_i1e", "bessel_k0e", "bessel_k1e", "dawsn", "elu", "fresnel_cos", "fresnel_sin", "igamma",
    "igamma_slope", "igammac", "selu", "sigmoid", "silu", "tanh",
))  # fmt: skip
"""TensorFlow's gradient of these is a difference that cancels far from 0, such as ``y * (1 - y)``; ours is the same."""
CONDITION = frozenset(("qr", "reduce_std", "reduce_variance"))
"""The result itself is as sensitive to the rounding of a mean or a product far from 0."""
VANISHING = frozenset((
    "cumulative_logsumexp", "polygamma", "softmax", "softmax_cross_entropy_with_logits",
    "sparse_softmax_cross_entropy_with_logits",
))  # fmt: skip
"""Shares below what float32 holds, or differences of them: absolute, not relative, exactness is theirs."""
EXEMPT = OWN_FORMULA | CONDITION | VANISHING


def moved(array, scale, shift):
    if array.dtype != FLOAT64:
        return array
    return np.asarray(array * scale + shift, np.float32).astype(FLOAT64)


def narrow(value):
    if isinstance(value, np.dtype) and value == FLOAT64:
        return np.dtype(np.float32)
    return value.astype(np.float32) if isinstance(value, np.ndarray) and value.dtype == FLOAT64 else value


def found(op, arrays, attrs, upstream):
    return [
        None if one is None else tf.convert_to_tensor(one).numpy()
        for one in gradients(op, [host(array) for array in arrays], attrs, upstream)
    ]


def wanted(op):
    return op.vjp and op.name not in EXEMPT and op.name != "cholesky"


@pytest.mark.parametrize(("scale", "shift"), [(30.0, 0.0), (1.0, 1000.0)])
@pytest.mark.parametrize(("op", "inputs", "attrs"), rows(wanted))
def test_a_float32_gradient_is_a_rounded_float64_one(op, inputs, attrs, scale, shift):
    wide = [moved(array, scale, shift) for array in inputs]
    results = outputs(op, [host(array) for array in wide], attrs)
    upstream = [moved(array, 1.0, 0.0) for array in weights(results, np.random.default_rng(1))]
    if not sources(op, [host(array) for array in wide]):
        return
    exact = found(op, wide, attrs, upstream)
    options = {name: narrow(value) for name, value in attrs.items()}
    rounded = found(op, [*map(narrow, wide)], options, [*map(narrow, upstream)])
    for one, other in zip(exact, rounded, strict=True):
        if one is None or not one.size or not np.all(np.isfinite(one)) or np.abs(one).max() > 1e37:
            continue
        assert np.abs(one - other).max() <= 1e-5 * np.abs(one).max() + 1e-37
