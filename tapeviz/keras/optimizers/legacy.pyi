# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from tapeviz.keras.optimizers.adagrad import Adadelta, Adagrad
from tapeviz.keras.optimizers.adam import Adam, Adamax, AdamW, Nadam
from tapeviz.keras.optimizers.ftrl import Ftrl
from tapeviz.keras.optimizers.lion import Lion
from tapeviz.keras.optimizers.optimizer import Optimizer
from tapeviz.keras.optimizers.optimizer_lookup import deserialize, get, serialize
from tapeviz.keras.optimizers.rmsprop import RMSprop
from tapeviz.keras.optimizers.sgd import SGD

__all__ = [
    "Adadelta",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "Ftrl",
    "Lion",
    "Nadam",
    "Optimizer",
    "RMSprop",
    "SGD",
    "deserialize",
    "get",
    "serialize",
]
