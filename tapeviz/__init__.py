"""A TensorFlow-shaped eager autodiff engine on NumPy whose every op can be recorded and seen in a notebook.

Everything is found on first use: importing the package costs little more than importing NumPy, and an op's function is
generated when somebody asks for it.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

__version__ = "0.1.0"

_MODULES: Final = ("analysis", "errors", "exports", "linalg", "magics", "math", "nn", "random", "recording", "widgets")

# Where each public name lives: module, then its names.
_NAMES: Final = {
    "tapeviz.engine.convert": "constant convert_to_tensor",
    "tapeviz.engine.custom_gradient": "custom_gradient",
    "tapeviz.engine.dtypes": "DType as_dtype",
    "tapeviz.engine.scopes": "Module TensorSpec name_scope",
    "tapeviz.engine.shapes": "TensorShape",
    "tapeviz.engine.tape": "GradientTape UnconnectedGradients",
    "tapeviz.engine.tensor": "Tensor",
    "tapeviz.engine.variable": "Variable",
    "tapeviz.tape": "Tape",
    "tapeviz.taping": "record",
    "tapeviz.ops.arithmetic": "add divide multiply negative square subtract",
    "tapeviz.ops.creation": "ones ones_like zeros zeros_like",
    "tapeviz.ops.elementwise": "exp tanh",
    "tapeviz.ops.matrices": "matmul",
    "tapeviz.ops.reductions": "reduce_mean reduce_sum",
    "tapeviz.ops.shaping": "broadcast_to cast identity reshape stop_gradient transpose",
}

_DTYPES: Final = (
    "bool", "complex128", "complex64", "double", "float16", "float32", "float64", "half", "int16", "int32", "int64",
    "int8", "string", "uint16", "uint32", "uint64", "uint8",
)  # fmt: skip
_HOME: Final = {name: module for module, names in _NAMES.items() for name in names.split()}

newaxis = None

__all__ = sorted([*_HOME, *_MODULES, *_DTYPES, "__version__", "executing_eagerly", "newaxis"])


def executing_eagerly() -> bool:
    """Whether ops run as soon as they are called: always, outside a traced function."""
    return True


def __getattr__(name: str) -> Any:
    if name in _HOME:
        found = _resolve(name)
    elif name in _MODULES:
        import_module("tapeviz.ops")
        found = import_module(f"tapeviz.{name}")
    elif name in _DTYPES:
        found = import_module("tapeviz.engine.dtypes").as_dtype(name)
    else:
        raise AttributeError(f"module 'tapeviz' has no attribute {name!r}")
    globals()[name] = found
    return found


def _resolve(name: str) -> Any:
    import_module("tapeviz.ops")  # the engine finds ops by name, so all are declared before any is used
    found = getattr(import_module(_HOME[name]), name)
    return import_module("tapeviz.engine.define").public_form(found)


def __dir__() -> list[str]:
    return list(__all__)
