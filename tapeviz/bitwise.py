"""``tf.bitwise``: arithmetic with the bits of integers."""

from __future__ import annotations

from typing import Any

from tapeviz.namespace import Namespace

_names = Namespace(
    __name__,
    {
        "tapeviz.ops.math.bitwise": "bitwise_and bitwise_or bitwise_xor invert left_shift right_shift",
    },
)
__all__ = list(_names.listed)


def __getattr__(name: str) -> Any:
    return _names.find(name)


def __dir__() -> list[str]:
    return __all__
