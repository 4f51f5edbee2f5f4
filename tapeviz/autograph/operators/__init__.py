"""What converted code calls: each operator decides by the value that it meets.

On a value of Python's it does what Python does. On a tensor of a graph it makes the statement part of the graph.
"""

from tapeviz.autograph import conversion
from tapeviz.autograph.operators.builtins import (
    all_,
    any_,
    bool_,
    enumerate_,
    float_,
    int_,
    len_,
    max_,
    min_,
    range_,
    zip_,
)
from tapeviz.autograph.operators.calls import call
from tapeviz.autograph.operators.conditionals import if_, if_exp
from tapeviz.autograph.operators.logic import and_, assert_, not_, or_
from tapeviz.autograph.operators.loops import for_, loop_options, while_
from tapeviz.autograph.operators.variables import unset

__all__ = [
    "all_", "and_", "any_", "assert_", "bool_", "call", "enumerate_", "float_", "for_", "if_", "if_exp", "int_", "len_",
    "loop_options", "max_", "min_", "not_", "or_", "range_", "unset", "while_", "zip_",
]  # fmt: skip

conversion.operators.__dict__.update({name: globals()[name] for name in __all__})
