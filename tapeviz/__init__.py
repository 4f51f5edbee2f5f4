"""A TensorFlow-shaped eager autodiff engine on NumPy whose every op can be recorded and seen in a notebook.

Everything is found on first use: importing the package costs little more than importing NumPy, and an op's function is
generated when somebody asks for it.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

from tapeviz.namespace import Namespace

__version__ = "0.1.0"

_MODULES: Final = (
    "analysis", "autodiff", "autograph", "bitwise", "compat", "config", "contrib", "data", "debugging", "dtypes",
    "errors", "experimental", "exports", "image", "io", "keras", "linalg", "magics", "math", "nest", "nn", "onnx",
    "optimizers", "random", "recording", "saved_model", "signal", "summary", "test", "train", "widgets",
)  # fmt: skip

# Where each public name lives: module, then its names.
_NAMES: Final = {
    "tapeviz.compat.v1": "Graph Operation gradients hessians",
    "tapeviz.engine.convert": "constant convert_to_tensor is_tensor",
    "tapeviz.engine.custom_gradient": "custom_gradient",
    "tapeviz.engine.devices": "device",
    "tapeviz.engine.dtypes": "DType as_dtype",
    "tapeviz.engine.scopes": "Module TensorSpec name_scope",
    "tapeviz.engine.shapes": "TensorShape",
    "tapeviz.engine.tape": "GradientTape UnconnectedGradients",
    "tapeviz.engine.tensor": "Tensor",
    "tapeviz.engine.variable": "Variable",
    "tapeviz.functions.function": "function",
    "tapeviz.functions.retraces": "retraces",
    "tapeviz.graphs.control.control_flow": "case cond switch_case while_loop",
    "tapeviz.graphs.control.functional": "foldl foldr map_fn scan vectorized_map",
    "tapeviz.graphs.control.tensor_array": "TensorArray",
    "tapeviz.graphs.ir.tracing": "init_scope",
    "tapeviz.keras": "initializers losses metrics",
    "tapeviz.magics": "disable enable",
    "tapeviz.tape.diff": "diff",
    "tapeviz.tape.tape": "Tape load",
    "tapeviz.tape.record": "record",
    "tapeviz.ops.math.arithmetic": ("abs add add_n maximum minimum multiply negative scalar_mul sign subtract"),
    "tapeviz.ops.debugging.assertions": "Assert assert_equal assert_greater assert_less assert_rank",
    "tapeviz.ops.control.py_function": "numpy_function py_function recompute_grad",
    "tapeviz.ops.math.clip": "clip_by_global_norm clip_by_norm",
    "tapeviz.ops.math.comparison": "equal greater greater_equal less less_equal not_equal",
    "tapeviz.ops.math.complex_numbers": "complex",
    "tapeviz.ops.array.creation": "eye fill linspace ones ones_like range rank shape size zeros zeros_like",
    "tapeviz.ops.math.histograms": "histogram_fixed_width histogram_fixed_width_bins",
    "tapeviz.ops.math.cumulative": "cumsum",
    "tapeviz.ops.array.unique": "unique unique_with_counts",
    "tapeviz.ops.math.division": "divide realdiv truediv truncatediv truncatemod",
    "tapeviz.ops.linalg.eigenvalues": "eig eigvals",
    "tapeviz.ops.math.exponentials": "exp pow sigmoid sqrt square",
    "tapeviz.ops.array.select": "boolean_mask one_hot where",
    "tapeviz.ops.array.gather": "gather",
    "tapeviz.ops.array.strided_slice": "slice strided_slice",
    "tapeviz.ops.array.concat": "concat split stack unstack",
    "tapeviz.ops.math.logic": "logical_and logical_not logical_or",
    "tapeviz.ops.linalg.matmul": "matmul tensordot",
    "tapeviz.ops.control.execution_order": "control_dependencies group no_gradient no_op timestamp tuple",
    "tapeviz.ops.debugging.print_op": "print",
    "tapeviz.ops.linalg.norms": "norm",
    "tapeviz.ops.math.reductions": ("reduce_all reduce_any reduce_max reduce_mean reduce_min reduce_prod reduce_sum"),
    "tapeviz.ops.array.tile": "meshgrid repeat tile",
    "tapeviz.ops.math.rounding": "clip_by_value floor round",
    "tapeviz.ops.array.cast": "bitcast cast saturate_cast",
    "tapeviz.ops.array.scatter": "gather_nd scatter_nd",
    "tapeviz.ops.array.tensor_scatter": (
        "tensor_scatter_nd_add tensor_scatter_nd_max tensor_scatter_nd_min tensor_scatter_nd_sub "
        "tensor_scatter_nd_update"
    ),
    "tapeviz.ops.array.reshape": "broadcast_to expand_dims reshape squeeze transpose",
    "tapeviz.ops.array.sort": "argsort searchsorted sort",
    "tapeviz.ops.math.statistics": "argmax argmin reduce_logsumexp",
    "tapeviz.ops.math.trigonometry": "acos acosh asin asinh atan atan2 atanh cos cosh sin sinh tan tanh",
    "tapeviz.ops.array.pad": "pad",
    "tapeviz.ops.array.reverse": "reverse reverse_sequence roll",
    "tapeviz.ops.array.identity": "ensure_shape get_static_value grad_pass_through identity identity_n stop_gradient",
    "tapeviz.ops.linalg.einsum": "einsum",
    "tapeviz.ops.array.dynamic_partition": (
        "dynamic_partition dynamic_stitch parallel_stack sequence_mask unravel_index"
    ),
    "tapeviz.ops.array.dynamic_shapes": "broadcast_dynamic_shape broadcast_static_shape shape_n",
    "tapeviz.ops.array.space_to_batch": (
        "batch_to_space required_space_to_batch_paddings space_to_batch space_to_batch_nd"
    ),
    "tapeviz.engine.indexed_slices": "IndexedSlices",
    "tapeviz.ops.array.patches": "extract_volume_patches",
}

_DTYPES: Final = (
    "bfloat16", "bool", "complex128", "complex64", "double", "float16", "float32", "float64", "half", "int16", "int32",
    "int64", "int8", "string", "uint16", "uint32", "uint64", "uint8",
)  # fmt: skip

_names: Final = Namespace(__name__, _NAMES)
newaxis = None

_offered: Final = [*_names.listed, *_MODULES, *_DTYPES, "__version__", "executing_eagerly", "newaxis"]
__all__ = list(_offered)


def executing_eagerly() -> bool:
    """Whether ops run as soon as they are called: always, outside a traced function."""
    return import_module("tapeviz.engine.state").local.state.graph is None


def load_ipython_extension(shell: Any) -> None:
    """Add the magics to a shell: what ``%load_ext tapeviz`` calls."""
    import_module("tapeviz.ops")
    import_module("tapeviz.magics").load(shell)


def unload_ipython_extension(shell: Any) -> None:
    """Take the magics away again: what ``%unload_ext tapeviz`` calls."""
    import_module("tapeviz.magics").unload(shell)


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        found: Any = import_module(f"tapeviz.{name}")
    elif name in _DTYPES:
        found = import_module("tapeviz.engine.dtypes").as_dtype(name)
    else:
        return _names.find(name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return list(__all__)
