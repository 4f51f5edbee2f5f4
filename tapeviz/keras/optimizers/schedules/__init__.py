"""``tf.keras.optimizers.schedules``: learning rates that change with the steps."""

from __future__ import annotations

from typing import Any, Final

from tapeviz.namespace import Namespace

_names: Final = Namespace(
    __name__,
    {
        "tapeviz.keras.optimizers.schedules.cosine": "CosineDecay CosineDecayRestarts",
        "tapeviz.keras.optimizers.schedules.decaying": (
            "ExponentialDecay InverseTimeDecay PiecewiseConstantDecay PolynomialDecay"
        ),
        "tapeviz.keras.optimizers.schedules.finding": "deserialize serialize",
        "tapeviz.keras.optimizers.schedules.schedule": "LearningRateSchedule",
    },
)
_offered: Final = list(_names.listed)
__all__ = list(_offered)


def __getattr__(name: str) -> Any:
    return _names.find(name)


def __dir__() -> list[str]:
    return __all__
