"""The GPU's array module fills what CuPy lacks: shown on an imitation of CuPy, for every op."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.backends import NUMPY
from tapeviz.backends.cupy_backend import CupyBackend
from tapeviz.backends.silence import run_silently
from tapeviz.backends.strict import StrictArray
from tapeviz.engine.kernels import kernel_of
from tests.backends.imitation import modules
from tests.backends.surface import NEWEST, OLDEST, VERSIONS, names
from tests.ops.catalogue import rows

MISSING = ("spacing", "vecdot")


@pytest.fixture(params=[OLDEST, NEWEST])
def gpu(request, monkeypatch):
    for name, module in modules(request.param).items():
        monkeypatch.setitem(sys.modules, name, module)
    return CupyBackend()


def _there(array):
    return StrictArray(np.array(array))


@pytest.mark.parametrize(("op", "inputs", "attrs"), rows(lambda op: not op.effects))
def test_each_op_gives_what_it_gives_on_the_host(gpu, op, inputs, attrs):
    if not all(gpu.takes(array.dtype) for array in inputs):
        return  # such tensors stay on the host
    wanted = run_silently(kernel_of(op, NUMPY), *inputs, **attrs)
    found = run_silently(kernel_of(op, gpu), *map(_there, inputs), **attrs)
    for one, other in zip(wanted if op.many else (wanted,), found if op.many else (found,), strict=True):
        array = gpu.to_host(gpu.as_array(other))
        assert array.dtype == np.asarray(one).dtype
        np.testing.assert_allclose(array, one, rtol=1e-6)


@pytest.mark.parametrize("name", ["add", "multiply", "maximum", "minimum", "logical_and", "logical_or", "bitwise_xor"])
@pytest.mark.parametrize("options", [{}, {"axis": None}, {"axis": 1, "keepdims": True}, {"axis": (0, 1)}, {"axis": ()}])
def test_ufuncs_reduce(gpu, name, options):
    array = np.array([[1, 2, 0], [4, 5, 6]]) > 1 if name.startswith("logical") else np.array([[1, 2, 3], [4, 5, 6]])
    found = getattr(gpu.xp, name).reduce(_there(array), **options)
    np.testing.assert_array_equal(found.host, getattr(np, name).reduce(array, **options))


def test_reductions_take_what_cupys_do_not(gpu):
    xp, array = gpu.xp, np.array([[1.0, 5.0], [2.0, 3.0]], np.float32)
    there, empty = _there(array), _there(np.zeros((0, 2), np.float32))
    assert xp.maximum.reduce(there, axis=None, initial=7.0).host == 7.0
    assert xp.add.reduce(there, axis=0, dtype=np.float64).host.dtype == np.float64
    assert xp.add.reduce(empty).host.tolist() == [0.0, 0.0]
    assert xp.maximum.reduce(empty, initial=-np.inf).host.tolist() == [-np.inf, -np.inf]
    assert xp.add.reduce(there, axis=None, where=_there(array > 2)).host == 8.0
    assert xp.add.accumulate(there, axis=1).host.tolist() == [[1.0, 6.0], [2.0, 5.0]]
    assert xp.maximum.accumulate(there, axis=1).host.tolist() == [[1.0, 5.0], [2.0, 3.0]]
    assert xp.add.reduceat(_there(np.arange(4)), _there(np.array([0, 2]))).host.tolist() == [1, 5]
    assert xp.multiply.outer(_there(np.arange(2)), _there(np.arange(3))).host.shape == (2, 3)


@pytest.mark.parametrize("name", ["add", "maximum", "multiply"])
@pytest.mark.parametrize("dtype", [np.float64, np.int8])
def test_ufuncs_scatter_in_place(gpu, name, dtype):
    here, there, values = np.ones(3, dtype), _there(np.ones(3, dtype)), np.array([2, 3, 4], dtype)
    getattr(np, name).at(here, [0, 0, 2], values)
    getattr(gpu.xp, name).at(there, _there(np.array([0, 0, 2])), _there(values))
    assert there.host.tolist() == here.tolist()


def test_positions_outside_raise_instead_of_wrapping_around(gpu):
    array, outside = _there(np.arange(3.0)), _there(np.array([0, 3]))
    assert gpu.xp._cupy.take(array, outside).host.tolist() == [0.0, 0.0]
    with pytest.raises(IndexError, match="out of bounds for an axis of size 3"):
        gpu.xp.take(array, outside)
    with pytest.raises(IndexError, match="out of bounds"):
        gpu.xp.take_along_axis(array, _there(np.array([-4])), 0)
    assert gpu.xp.take(array, _there(np.array([-3, 2])), axis=0).host.tolist() == [0.0, 2.0]
    assert gpu.xp.take(array, _there(np.array([], int))).host.tolist() == []


@pytest.mark.parametrize("name", MISSING)
def test_what_is_missing_is_computed_on_the_host(gpu, name):
    assert not any(name in names(version)["cupy"] for version in VERSIONS)
    inputs = [np.array([1.0, -2.0])] * getattr(np, name).nin
    found = getattr(gpu.xp, name)(*map(_there, inputs))
    assert isinstance(found, StrictArray)
    np.testing.assert_array_equal(found.host, getattr(np, name)(*inputs))
    assert gpu.xp.float32 is np.float32
    assert gpu.xp.newaxis is None
    with pytest.raises(AttributeError):
        gpu.xp.no_such_function  # noqa: B018


def test_linear_algebra_says_when_it_fails_and_scipy_fills_in(gpu):
    square = _there(np.eye(2) * 4.0)
    np.testing.assert_array_equal(gpu.xp.linalg.inv(square).host, np.eye(2) / 4)
    assert gpu.xp._cupyx.asked == "raise"
    assert gpu.xp.linalg.LinAlgError is np.linalg.LinAlgError
    q, r = gpu.xp.linalg.qr(square)
    np.testing.assert_allclose((q @ r).host, square.host)
    np.testing.assert_allclose(gpu.xp.library("special").gammaln(_there(np.array([3.0]))).host, [np.log(2.0)])


def test_the_backend_itself(gpu):
    host = np.arange(3.0)
    there = gpu.from_host(host)
    assert gpu.to_host(there).tolist() == [0.0, 1.0, 2.0]
    assert gpu.adopt(there) is not there
    assert gpu.as_array(there) is there
    assert gpu.as_array(2.0).host.shape == ()
    assert gpu.takes(np.dtype("float16"))
    assert not gpu.takes(tf.bfloat16.numpy)
    assert not gpu.takes(np.dtype(object))
    assert (gpu.name, gpu.memory(), gpu.details()["compute_capability"]) == (
        "GPU:0", {"current": 512, "peak": 1024}, (9, 0),
    )  # fmt: skip
    first, second = gpu.mark(), gpu.mark()
    assert gpu.seconds_between(first, second) is None
    gpu.wait(second)
    assert gpu.seconds_between(first, second) == pytest.approx(1e-3)
