# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from collections.abc import Callable as _Callable
from typing import Any as _Any

from tapeviz.compat.v1.train.checkpoint import Checkpoint
from tapeviz.contrib.checkpoint import Checkpointable
from tapeviz.contrib.eager import metrics
from tapeviz.contrib.eager.dataset_iterator import Iterator
from tapeviz.contrib.eager.device_counts import list_devices, num_gpus
from tapeviz.contrib.eager.execution_callbacks import (
    async_clear_error,
    async_wait,
    execution_mode,
    get_optimizer_variables,
    restore_variables_on_create,
    run,
    run_all_tests_in_graph_and_eager_modes,
    run_test_in_graph_and_eager_modes,
    set_execution_mode,
)
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
from tapeviz.engine.annotations import DTypeLike as _DTypeLike
from tapeviz.engine.custom_gradient import custom_gradient
from tapeviz.engine.scopes import TensorSpec
from tapeviz.engine.tape import GradientTape
from tapeviz.engine.tensor import Tensor as _Tensor
from tapeviz.engine.variable import Variable

__all__ = [
    "ASYNC",
    "Checkpoint",
    "Checkpointable",
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
    "async_clear_error",
    "async_wait",
    "custom_gradient",
    "defun",
    "enable_eager_execution",
    "executing_eagerly",
    "execution_mode",
    "get_optimizer_variables",
    "gradients_function",
    "graph_callable",
    "implicit_gradients",
    "implicit_value_and_gradients",
    "in_eager_mode",
    "list_devices",
    "metrics",
    "num_gpus",
    "py_func",
    "restore_network_checkpoint",
    "restore_variables_on_create",
    "run",
    "run_all_tests_in_graph_and_eager_modes",
    "run_test_in_graph_and_eager_modes",
    "save_network_checkpoint",
    "set_execution_mode",
    "value_and_gradients_function",
]

def py_func(
    func: _Callable[..., _Any] | None = None, inp: _Any = None, Tout: _DTypeLike | None = None, name: str | None = None
) -> _Tensor:
    """What ``func`` gives for tensors, in the dtypes promised. Gradients go through the ops in it."""
