"""``tf.random``: random numbers that can be had again."""

from __future__ import annotations

from typing import Any

from tapeviz.namespace import Namespace

_names = Namespace(
    __name__,
    {
        "tapeviz.ops.random.generators": "Generator create_rng_state get_global_generator set_global_generator",
        "tapeviz.ops.random.random_numbers": "categorical gamma normal poisson shuffle truncated_normal uniform",
        "tapeviz.ops.random.seeds": "set_seed",
        "tapeviz.ops.random.stateless": (
            "Algorithm fold_in split stateless_binomial stateless_categorical stateless_gamma stateless_normal "
            "stateless_parameterized_truncated_normal stateless_poisson stateless_truncated_normal stateless_uniform"
        ),
    },
)
__all__ = list(_names.listed)


def __getattr__(name: str) -> Any:
    return _names.find(name)


def __dir__() -> list[str]:
    return __all__
