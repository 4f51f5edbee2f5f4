"""``tf.keras.activations``: the bends between layers, by names."""

from __future__ import annotations

from typing import Any, Final

from tapeviz.namespace import Namespace

_names: Final = Namespace(
    __name__,
    {
        "tapeviz.keras.activations.rectifying": (
            "celu elu exponential gelu hard_shrink hard_sigmoid hard_silu hard_swish=hard_silu hard_tanh leaky_relu "
            "linear mish relu relu6 selu silu soft_shrink squareplus swish=silu threshold"
        ),
        "tapeviz.keras.activations.saturating": (
            "glu log_sigmoid log_softmax sigmoid softmax softplus softsign tanh tanh_shrink"
        ),
        "tapeviz.keras.activations.lookup": "deserialize get serialize",
    },
)
_offered: Final = list(_names.listed)
__all__ = list(_offered)


def __getattr__(name: str) -> Any:
    return _names.find(name)


def __dir__() -> list[str]:
    return __all__
