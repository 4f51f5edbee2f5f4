"""``tf.keras.optimizers``."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

from tapeviz.namespace import Namespace

HOMES: Final = {
    "tapeviz.keras.optimizers.adagrad": "Adadelta Adagrad",
    "tapeviz.keras.optimizers.adam": "Adam AdamW",
    "tapeviz.keras.optimizers.adam_variants": "Adamax Nadam",
    "tapeviz.keras.optimizers.finding": "deserialize get serialize",
    "tapeviz.keras.optimizers.ftrl": "Ftrl",
    "tapeviz.keras.optimizers.lion": "Lion",
    "tapeviz.keras.optimizers.optimizer": "Optimizer",
    "tapeviz.keras.optimizers.rmsprop": "RMSprop",
    "tapeviz.keras.optimizers.sgd": "SGD",
}

_names: Final = Namespace(__name__, HOMES)
_offered: Final = [*_names.listed, "schedules"]
__all__ = list(_offered)


def __getattr__(name: str) -> Any:
    return import_module(f"{__name__}.schedules") if name == "schedules" else _names.find(name)


def __dir__() -> list[str]:
    return __all__
