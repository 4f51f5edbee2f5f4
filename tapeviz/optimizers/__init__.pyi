# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from tapeviz.keras.optimizers import legacy, schedules
from tapeviz.keras.optimizers.adagrad import Adadelta, Adagrad
from tapeviz.keras.optimizers.adam import Adam, Adamax, AdamW, Nadam
from tapeviz.keras.optimizers.ftrl import Ftrl
from tapeviz.keras.optimizers.lion import Lion
from tapeviz.keras.optimizers.optimizer import Optimizer
from tapeviz.keras.optimizers.optimizer_lookup import deserialize, get, serialize
from tapeviz.keras.optimizers.rmsprop import RMSprop
from tapeviz.keras.optimizers.sgd import SGD
from tapeviz.optimizers.curvature import two_loop
from tapeviz.optimizers.kfac import KFAC, kfac_matmul
from tapeviz.optimizers.line_search import Point, strong_wolfe
from tapeviz.optimizers.quasi_newton import LBFGS, Minimum, lbfgs

__all__ = [
    "Adadelta",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "Ftrl",
    "KFAC",
    "LBFGS",
    "Lion",
    "Minimum",
    "Nadam",
    "Optimizer",
    "Point",
    "RMSprop",
    "SGD",
    "deserialize",
    "get",
    "kfac_matmul",
    "lbfgs",
    "legacy",
    "schedules",
    "serialize",
    "strong_wolfe",
    "two_loop",
]
