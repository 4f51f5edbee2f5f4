"""``tf.test``: what tests of programs ask."""

from __future__ import annotations

from typing import Any

from tapeviz.namespace import Namespace

_names = Namespace(
    __name__,
    {
        "tapeviz.engine.gradient_checker": "check_gradients compute_gradient",
        "tapeviz.engine.device_lists": "gpu_device_name is_built_with_cuda is_built_with_gpu_support is_gpu_available",
    },
)
__all__ = list(_names.listed)


def __getattr__(name: str) -> Any:
    return _names.find(name)


def __dir__() -> list[str]:
    return __all__
