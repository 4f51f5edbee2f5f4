# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from tapeviz.keras.initializers.constants import Constant, Identity, Ones, Zeros
from tapeviz.keras.initializers.constants import Constant as constant
from tapeviz.keras.initializers.constants import Identity as identity
from tapeviz.keras.initializers.constants import Ones as ones
from tapeviz.keras.initializers.constants import Zeros as zeros
from tapeviz.keras.initializers.initializer import Initializer
from tapeviz.keras.initializers.initializer_lookup import deserialize, get, serialize
from tapeviz.keras.initializers.random_initializers import (
    GlorotNormal,
    GlorotUniform,
    HeNormal,
    HeUniform,
    LecunNormal,
    LecunUniform,
    Orthogonal,
    RandomNormal,
    RandomUniform,
    TruncatedNormal,
    VarianceScaling,
)
from tapeviz.keras.initializers.random_initializers import GlorotNormal as glorot_normal
from tapeviz.keras.initializers.random_initializers import GlorotUniform as glorot_uniform
from tapeviz.keras.initializers.random_initializers import HeNormal as he_normal
from tapeviz.keras.initializers.random_initializers import HeUniform as he_uniform
from tapeviz.keras.initializers.random_initializers import LecunNormal as lecun_normal
from tapeviz.keras.initializers.random_initializers import LecunUniform as lecun_uniform
from tapeviz.keras.initializers.random_initializers import Orthogonal as orthogonal
from tapeviz.keras.initializers.random_initializers import RandomNormal as random_normal
from tapeviz.keras.initializers.random_initializers import RandomUniform as random_uniform
from tapeviz.keras.initializers.random_initializers import TruncatedNormal as truncated_normal
from tapeviz.keras.initializers.random_initializers import VarianceScaling as variance_scaling

__all__ = [
    "Constant",
    "GlorotNormal",
    "GlorotUniform",
    "HeNormal",
    "HeUniform",
    "Identity",
    "Initializer",
    "LecunNormal",
    "LecunUniform",
    "Ones",
    "Orthogonal",
    "RandomNormal",
    "RandomUniform",
    "TruncatedNormal",
    "VarianceScaling",
    "Zeros",
    "constant",
    "deserialize",
    "get",
    "glorot_normal",
    "glorot_uniform",
    "he_normal",
    "he_uniform",
    "identity",
    "lecun_normal",
    "lecun_uniform",
    "ones",
    "orthogonal",
    "random_normal",
    "random_uniform",
    "serialize",
    "truncated_normal",
    "variance_scaling",
    "zeros",
]
