# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from tapeviz.keras.floats import epsilon, floatx, set_epsilon, set_floatx
from tapeviz.keras.tensor_functions import backend, image_data_format
from tapeviz.keras.tensor_ops import (
    disable_interactive_logging,
    disable_traceback_filtering,
    enable_interactive_logging,
    enable_traceback_filtering,
)

__all__ = [
    "backend",
    "disable_interactive_logging",
    "disable_traceback_filtering",
    "enable_interactive_logging",
    "enable_traceback_filtering",
    "epsilon",
    "floatx",
    "image_data_format",
    "set_epsilon",
    "set_floatx",
]
