# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from tapeviz.compat.v1.variables.graph_initializers import Constant as constant
from tapeviz.compat.v1.variables.graph_initializers import GlorotNormal as glorot_normal
from tapeviz.compat.v1.variables.graph_initializers import GlorotUniform as glorot_uniform
from tapeviz.compat.v1.variables.graph_initializers import Identity as identity
from tapeviz.compat.v1.variables.graph_initializers import Ones as ones
from tapeviz.compat.v1.variables.graph_initializers import RandomNormal as random_normal
from tapeviz.compat.v1.variables.graph_initializers import RandomUniform as random_uniform
from tapeviz.compat.v1.variables.graph_initializers import TruncatedNormal as truncated_normal
from tapeviz.compat.v1.variables.graph_initializers import VarianceScaling as variance_scaling
from tapeviz.compat.v1.variables.graph_initializers import Zeros as zeros
from tapeviz.compat.v1.variables.variables import global_variables_initializer as global_variables
from tapeviz.compat.v1.variables.variables import local_variables_initializer as local_variables
from tapeviz.compat.v1.variables.variables import variables_initializer as variables

__all__ = [
    "constant",
    "global_variables",
    "glorot_normal",
    "glorot_uniform",
    "identity",
    "local_variables",
    "ones",
    "random_normal",
    "random_uniform",
    "truncated_normal",
    "variables",
    "variance_scaling",
    "zeros",
]
