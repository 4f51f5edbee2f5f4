"""``tf.keras.callbacks``: what happens while a model is trained."""

from __future__ import annotations

from typing import Any, Final

from tapeviz.namespace import Namespace

_names: Final = Namespace(
    __name__,
    {
        "tapeviz.keras.callbacks.backing_up": "BackupAndRestore",
        "tapeviz.keras.callbacks.callback": "Callback LambdaCallback",
        "tapeviz.keras.callbacks.callback_list": "CallbackList",
        "tapeviz.keras.callbacks.csv_logger": "CSVLogger",
        "tapeviz.keras.callbacks.history": "History",
        "tapeviz.keras.callbacks.learning_rates": "LearningRateScheduler ReduceLROnPlateau",
        "tapeviz.keras.callbacks.live_tape": "LiveTape",
        "tapeviz.keras.callbacks.progress": "ProgbarLogger",
        "tapeviz.keras.callbacks.saving": "ModelCheckpoint",
        "tapeviz.keras.callbacks.tensorboard": "TensorBoard",
        "tapeviz.keras.callbacks.stopping": "EarlyStopping TerminateOnNaN",
    },
)
_offered: Final = list(_names.listed)
__all__ = list(_offered)


def __getattr__(name: str) -> Any:
    return _names.find(name)


def __dir__() -> list[str]:
    return __all__
