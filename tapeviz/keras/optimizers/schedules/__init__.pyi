# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from tapeviz.keras.optimizers.schedules.cosine import CosineDecay, CosineDecayRestarts
from tapeviz.keras.optimizers.schedules.decay import (
    ExponentialDecay,
    InverseTimeDecay,
    PiecewiseConstantDecay,
    PolynomialDecay,
)
from tapeviz.keras.optimizers.schedules.schedule import LearningRateSchedule
from tapeviz.keras.optimizers.schedules.schedule_lookup import deserialize, serialize

__all__ = [
    "CosineDecay",
    "CosineDecayRestarts",
    "ExponentialDecay",
    "InverseTimeDecay",
    "LearningRateSchedule",
    "PiecewiseConstantDecay",
    "PolynomialDecay",
    "deserialize",
    "serialize",
]
