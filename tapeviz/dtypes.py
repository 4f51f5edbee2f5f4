"""``tf.dtypes``: types of elements, and from one to another."""

from __future__ import annotations

from typing import Any, Final

from tapeviz.engine.dtypes import DTYPES, as_dtype
from tapeviz.namespace import Namespace

_names = Namespace(
    __name__,
    {
        "tapeviz.engine.dtypes": "DType as_dtype",
        "tapeviz.ops.array.cast": "cast saturate_cast",
        "tapeviz.ops.math.complex_numbers": "complex",
    },
)
_TYPES: Final = sorted([*DTYPES, "double", "half"])
_offered: Final = [*_names.listed, *_TYPES]
__all__ = list(_offered)


def __getattr__(name: str) -> Any:
    if name not in _TYPES:
        return _names.find(name)
    globals()[name] = found = as_dtype(name)
    return found


def __dir__() -> list[str]:
    return __all__
