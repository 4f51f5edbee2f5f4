# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from tapeviz.contrib.eager.dataset_iterator import Iterator
from tapeviz.contrib.eager.device_counts import list_devices, num_gpus
from tapeviz.contrib.eager.execution_modes import (
    ASYNC,
    DEVICE_PLACEMENT_EXPLICIT,
    DEVICE_PLACEMENT_SILENT,
    DEVICE_PLACEMENT_SILENT_FOR_INT32,
    DEVICE_PLACEMENT_WARN,
    SYNC,
    ShapeAndDtype,
    enable_eager_execution,
    executing_eagerly,
    in_eager_mode,
)
from tapeviz.contrib.eager.gradient_functions import (
    gradients_function,
    implicit_gradients,
    implicit_value_and_gradients,
    value_and_gradients_function,
)
from tapeviz.contrib.eager.graph_callables import graph_callable
from tapeviz.contrib.eager.network import Network, Sequential, restore_network_checkpoint, save_network_checkpoint
from tapeviz.contrib.eager.savers import CheckpointableSaver, Saver
from tapeviz.contrib.eager.traced_functions import defun
from tapeviz.contrib.eager.variable_stores import EagerVariableStore
from tapeviz.engine.custom_gradient import custom_gradient
from tapeviz.engine.scopes import TensorSpec
from tapeviz.engine.tape import GradientTape
from tapeviz.engine.variable import Variable

__all__ = [
    "ASYNC",
    "CheckpointableSaver",
    "DEVICE_PLACEMENT_EXPLICIT",
    "DEVICE_PLACEMENT_SILENT",
    "DEVICE_PLACEMENT_SILENT_FOR_INT32",
    "DEVICE_PLACEMENT_WARN",
    "EagerVariableStore",
    "GradientTape",
    "Iterator",
    "Network",
    "SYNC",
    "Saver",
    "Sequential",
    "ShapeAndDtype",
    "TensorSpec",
    "Variable",
    "custom_gradient",
    "defun",
    "enable_eager_execution",
    "executing_eagerly",
    "gradients_function",
    "graph_callable",
    "implicit_gradients",
    "implicit_value_and_gradients",
    "in_eager_mode",
    "list_devices",
    "num_gpus",
    "restore_network_checkpoint",
    "save_network_checkpoint",
    "value_and_gradients_function",
]
