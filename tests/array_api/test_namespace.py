"""The adapter itself, in short; the consortium's tests are run by run.py."""

from __future__ import annotations

import pytest

import tapeviz as tf
from tests.array_api import namespace as xp
from tests.array_api.run import SKIPS


def test_mixed_dtypes_are_promoted_by_tapevizs_ops():
    found = xp.add(xp.asarray([1, 2], dtype=xp.int8), xp.asarray([1, 2], dtype=xp.int16))
    assert isinstance(found.tensor, tf.Tensor)
    assert found.dtype == xp.int16
    assert (xp.asarray([1.0]) + 1).dtype == xp.float32
    with pytest.raises(TypeError, match="no promotion"):
        xp.result_type(xp.int32, xp.float32)


def test_items_are_set_by_binding_a_new_tensor():
    x = xp.zeros((2, 3))
    before = x.tensor
    x[1, :] = xp.asarray([1.0, 2.0, 3.0])
    x[x > 2.5] = -1.0
    assert x.tensor.numpy().tolist() == [[0.0, 0.0, 0.0], [1.0, 2.0, -1.0]]
    assert not before.numpy().any()


def test_a_namespace_has_what_the_standard_names():
    x = xp.asarray([[1.0, 2.0], [3.0, 4.0]])
    assert x.__array_namespace__() is xp
    assert xp.linalg.matmul(x, x)[0, 0].tensor.numpy() == 7.0
    assert float(xp.sum(x)) == 10.0


def test_each_test_left_out_has_a_reason():
    reason = ""
    lines = SKIPS.read_text().splitlines()[1:]
    for line in lines:
        if not line.strip():
            reason = ""
        elif line.startswith("#"):
            reason = line
        else:
            assert reason, line
    assert len(lines) < 100
