# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from tapeviz.keras.callbacks.backup_and_restore import BackupAndRestore
from tapeviz.keras.callbacks.callback import Callback, LambdaCallback
from tapeviz.keras.callbacks.callback_list import CallbackList
from tapeviz.keras.callbacks.csv_logger import CSVLogger
from tapeviz.keras.callbacks.early_stopping import EarlyStopping, TerminateOnNaN
from tapeviz.keras.callbacks.history import History
from tapeviz.keras.callbacks.learning_rates import LearningRateScheduler, ReduceLROnPlateau
from tapeviz.keras.callbacks.live_tape import LiveTape
from tapeviz.keras.callbacks.model_checkpoint import ModelCheckpoint
from tapeviz.keras.callbacks.progress import ProgbarLogger
from tapeviz.keras.callbacks.tensorboard import TensorBoard

__all__ = [
    "BackupAndRestore",
    "CSVLogger",
    "Callback",
    "CallbackList",
    "EarlyStopping",
    "History",
    "LambdaCallback",
    "LearningRateScheduler",
    "LiveTape",
    "ModelCheckpoint",
    "ProgbarLogger",
    "ReduceLROnPlateau",
    "TensorBoard",
    "TerminateOnNaN",
]
