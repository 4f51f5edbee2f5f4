"""A namespace of the array API standard over tapeviz: what the data-apis consortium's tests are run against.

Everything is computed by tapeviz's ops. The adapter adds what TensorFlow's rules leave out on purpose: promotion of
mixed dtypes, items that can be set, and the standard's names and signatures.
"""

from __future__ import annotations

import math

from tests.array_api import algebra as linalg
from tests.array_api import creation, elementwise, reductions, shapes
from tests.array_api import transforms as fft
from tests.array_api.arrays import DTYPES, Array, result_type

__array_api_version__ = "2024.12"
e, inf, nan, newaxis, pi = math.e, math.inf, math.nan, None, math.pi

globals().update(DTYPES)
for _module in (creation, elementwise, reductions, shapes):
    globals().update({name: value for name, value in vars(_module).items() if callable(value) and name[0] != "_"})
__array_namespace_info__ = creation.__array_namespace_info__

__all__ = ["Array", "fft", "linalg", "result_type"]
