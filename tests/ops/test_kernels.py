"""A kernel of the host gives what the op's own forward gives, for odd values and for large arrays, too."""

from __future__ import annotations

import numpy as np
import pytest

from tapeviz.backends.numpy_kernels import KERNELS
from tapeviz.engine.declaration import registry
from tests.ops.catalogue import SEED

ODD = [0.0, 1.5, -1.5, np.inf, -np.inf, np.nan]


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int32])
@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("size", [6, 6000])
def test_a_kernel_gives_what_the_forward_gives(name, size, dtype):
    op = registry[name]
    rng = np.random.default_rng(SEED)
    odd = [0, 1, -1] if dtype == np.int32 else ODD
    inputs = [rng.choice(odd, size).astype(dtype) for _ in op.inputs]
    np.testing.assert_array_equal(KERNELS[name](*inputs), op.forward(np, *inputs), strict=True)
