# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
import builtins
from collections.abc import Callable as _Callable
from typing import Any as _Any

from tapeviz import (
    analysis,
    autodiff,
    autograph,
    bitwise,
    compat,
    config,
    contrib,
    data,
    debugging,
    distribute,
    dtypes,
    errors,
    experimental,
    exports,
    image,
    io,
    keras,
    linalg,
    lookup,
    magics,
    math,
    nest,
    nn,
    onnx,
    optimizers,
    ragged,
    random,
    recording,
    saved_model,
    sets,
    signal,
    sparse,
    strings,
    summary,
    test,
    train,
    version,
    widgets,
)
from tapeviz.compat.tensorflow_alias import install_as_tensorflow
from tapeviz.compat.v1 import Graph, Operation, gradients, hessians
from tapeviz.engine.annotations import DTypeLike as _DTypeLike
from tapeviz.engine.annotations import ShapeLike as _ShapeLike
from tapeviz.engine.annotations import TensorLike as _TensorLike
from tapeviz.engine.conversion import constant, convert_to_tensor, is_tensor, register_tensor_conversion_function
from tapeviz.engine.custom_gradient import custom_gradient
from tapeviz.engine.device_blocks import device
from tapeviz.engine.dtypes import DType, as_dtype
from tapeviz.engine.indexed_slices import IndexedSlices
from tapeviz.engine.scopes import Module, TensorSpec, name_scope
from tapeviz.engine.shapes import TensorShape
from tapeviz.engine.state import executing_eagerly
from tapeviz.engine.tape import Gradient as _Gradient
from tapeviz.engine.tape import GradientTape, UnconnectedGradients
from tapeviz.engine.tensor import Tensor
from tapeviz.engine.variable import Variable
from tapeviz.engine.variable_options import VariableAggregation, VariableSynchronization
from tapeviz.functions.function import function
from tapeviz.functions.retraces import retraces
from tapeviz.graphs.control.control_flow import case, cond, switch_case, while_loop
from tapeviz.graphs.control.functional import foldl, foldr, map_fn, scan, vectorized_map
from tapeviz.graphs.control.tensor_array import TensorArray
from tapeviz.graphs.ir.tracing import init_scope
from tapeviz.io.tensor_protos import make_ndarray, make_tensor_proto
from tapeviz.keras import initializers, losses, metrics
from tapeviz.keras.initializers import Constant as constant_initializer
from tapeviz.keras.initializers import Ones as ones_initializer
from tapeviz.keras.initializers import RandomNormal as random_normal_initializer
from tapeviz.keras.initializers import RandomUniform as random_uniform_initializer
from tapeviz.keras.initializers import Zeros as zeros_initializer
from tapeviz.magics import disable, enable
from tapeviz.ops.array.ragged_tensor import RaggedTensor
from tapeviz.ops.control.execution_order import control_dependencies
from tapeviz.ops.sparse.sparse_tensor import SparseTensor, SparseTensorSpec
from tapeviz.tape.check import FindingsError
from tapeviz.tape.diff import diff
from tapeviz.tape.folder import check_folder
from tapeviz.tape.live import live
from tapeviz.tape.merge import merge
from tapeviz.tape.record import record
from tapeviz.tape.tape import Tape, load

__all__ = [
    "Assert",
    "DType",
    "FindingsError",
    "GradientTape",
    "Graph",
    "IndexedSlices",
    "Module",
    "Operation",
    "RaggedTensor",
    "SparseTensor",
    "SparseTensorSpec",
    "Tape",
    "Tensor",
    "TensorArray",
    "TensorShape",
    "TensorSpec",
    "UnconnectedGradients",
    "Variable",
    "VariableAggregation",
    "VariableSynchronization",
    "__version__",
    "abs",
    "acos",
    "acosh",
    "add",
    "add_n",
    "analysis",
    "argmax",
    "argmin",
    "argsort",
    "as_dtype",
    "asin",
    "asinh",
    "assert_equal",
    "assert_greater",
    "assert_less",
    "assert_rank",
    "atan",
    "atan2",
    "atanh",
    "autodiff",
    "autograph",
    "batch_to_space",
    "bfloat16",
    "bitcast",
    "bitwise",
    "bool",
    "boolean_mask",
    "broadcast_dynamic_shape",
    "broadcast_static_shape",
    "broadcast_to",
    "case",
    "cast",
    "check_folder",
    "clip_by_global_norm",
    "clip_by_norm",
    "clip_by_value",
    "compat",
    "complex",
    "complex128",
    "complex64",
    "concat",
    "cond",
    "config",
    "constant",
    "constant_initializer",
    "contrib",
    "control_dependencies",
    "convert_to_tensor",
    "cos",
    "cosh",
    "cumsum",
    "custom_gradient",
    "data",
    "debugging",
    "device",
    "diff",
    "disable",
    "distribute",
    "divide",
    "double",
    "dtypes",
    "dynamic_partition",
    "dynamic_stitch",
    "eig",
    "eigvals",
    "einsum",
    "enable",
    "ensure_shape",
    "equal",
    "errors",
    "executing_eagerly",
    "exp",
    "expand_dims",
    "experimental",
    "exports",
    "extract_volume_patches",
    "eye",
    "fill",
    "float16",
    "float32",
    "float64",
    "floor",
    "foldl",
    "foldr",
    "function",
    "gather",
    "gather_nd",
    "get_logger",
    "get_static_value",
    "grad_pass_through",
    "gradients",
    "greater",
    "greater_equal",
    "group",
    "half",
    "hessians",
    "histogram_fixed_width",
    "histogram_fixed_width_bins",
    "identity",
    "identity_n",
    "image",
    "init_scope",
    "initializers",
    "install_as_tensorflow",
    "int16",
    "int32",
    "int64",
    "int8",
    "io",
    "is_tensor",
    "keras",
    "less",
    "less_equal",
    "linalg",
    "linspace",
    "live",
    "load",
    "logical_and",
    "logical_not",
    "logical_or",
    "lookup",
    "losses",
    "magics",
    "make_ndarray",
    "make_tensor_proto",
    "map_fn",
    "math",
    "matmul",
    "maximum",
    "merge",
    "meshgrid",
    "metrics",
    "minimum",
    "multiply",
    "name_scope",
    "negative",
    "nest",
    "newaxis",
    "nn",
    "no_gradient",
    "no_op",
    "norm",
    "not_equal",
    "numpy_function",
    "one_hot",
    "ones",
    "ones_initializer",
    "ones_like",
    "onnx",
    "optimizers",
    "pad",
    "parallel_stack",
    "pow",
    "print",
    "py_function",
    "ragged",
    "random",
    "random_normal_initializer",
    "random_uniform_initializer",
    "range",
    "rank",
    "realdiv",
    "recompute_grad",
    "record",
    "recording",
    "reduce_all",
    "reduce_any",
    "reduce_logsumexp",
    "reduce_max",
    "reduce_mean",
    "reduce_min",
    "reduce_prod",
    "reduce_sum",
    "register_tensor_conversion_function",
    "repeat",
    "required_space_to_batch_paddings",
    "reshape",
    "retraces",
    "reverse",
    "reverse_sequence",
    "roll",
    "round",
    "saturate_cast",
    "saved_model",
    "scalar_mul",
    "scan",
    "scatter_nd",
    "searchsorted",
    "sequence_mask",
    "sets",
    "shape",
    "shape_n",
    "sigmoid",
    "sign",
    "signal",
    "sin",
    "sinh",
    "size",
    "slice",
    "sort",
    "space_to_batch",
    "space_to_batch_nd",
    "sparse",
    "split",
    "sqrt",
    "square",
    "squeeze",
    "stack",
    "stop_gradient",
    "strided_slice",
    "string",
    "strings",
    "subtract",
    "summary",
    "switch_case",
    "tan",
    "tanh",
    "tensor_scatter_nd_add",
    "tensor_scatter_nd_max",
    "tensor_scatter_nd_min",
    "tensor_scatter_nd_sub",
    "tensor_scatter_nd_update",
    "tensordot",
    "test",
    "tile",
    "timestamp",
    "train",
    "transpose",
    "truediv",
    "truncatediv",
    "truncatemod",
    "tuple",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "unique",
    "unique_with_counts",
    "unravel_index",
    "unstack",
    "vectorized_map",
    "version",
    "where",
    "while_loop",
    "widgets",
    "zeros",
    "zeros_initializer",
    "zeros_like",
]

def Assert(condition: _TensorLike, data: _Any, summarize: int | None = None, name: str | None = None) -> None:
    """Raise unless ``condition`` is true."""

def abs(x: _TensorLike, name: str | None = None) -> Tensor:
    """The absolute value of x, element by element; that of a complex number is real."""

def acos(x: _TensorLike, name: str | None = None) -> Tensor:
    """The inverse cosine of x in radians, element by element: nan outside -1 to 1."""

def acosh(x: _TensorLike, name: str | None = None) -> Tensor:
    """The inverse hyperbolic cosine of x, element by element: nan below 1."""

def add(x: _TensorLike, y: _TensorLike, name: str | None = None) -> Tensor:
    """x + y, element by element, broadcasting."""

def add_n(inputs: _Any, name: str | None = None) -> Tensor:
    """The sum of a list of tensors of one shape and dtype."""

def argmax(
    input: _TensorLike, axis: int | None = None, output_type: _DTypeLike = "int64", name: str | None = None
) -> Tensor:
    """The index of the largest element along ``axis`` (0 when it is None), the first of several; never that of nan."""

def argmin(
    input: _TensorLike, axis: int | None = None, output_type: _DTypeLike = "int64", name: str | None = None
) -> Tensor:
    """The index of the smallest element along ``axis`` (0 when it is None), the first of several; never that of nan."""

def argsort(
    values: _TensorLike,
    axis: int = -1,
    direction: str = "ASCENDING",
    stable: builtins.bool = False,
    name: str | None = None,
) -> Tensor:
    """The indices that sort ``values`` along ``axis``, as int32. No gradient."""

def asin(x: _TensorLike, name: str | None = None) -> Tensor:
    """The inverse sine of x in radians, element by element: nan outside -1 to 1."""

def asinh(x: _TensorLike, name: str | None = None) -> Tensor:
    """The inverse hyperbolic sine of x, element by element."""

def assert_equal(
    x: _TensorLike, y: _TensorLike, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> None:
    """Raise unless ``x == y`` in every element."""

def assert_greater(
    x: _TensorLike, y: _TensorLike, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> None:
    """Raise unless ``x > y`` in every element. Arguments as for ``assert_equal``."""

def assert_less(
    x: _TensorLike, y: _TensorLike, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> None:
    """Raise unless ``x < y`` in every element. Arguments as for ``assert_equal``."""

def assert_rank(x: _TensorLike, rank: _TensorLike, message: str | None = None, name: str | None = None) -> None:
    """Raise unless ``x`` has ``rank`` axes."""

def atan(x: _TensorLike, name: str | None = None) -> Tensor:
    """The inverse tangent of x in radians, element by element."""

def atan2(y: _TensorLike, x: _TensorLike, name: str | None = None) -> Tensor:
    """The angle in radians of the point (x, y), element by element, broadcasting."""

def atanh(x: _TensorLike, name: str | None = None) -> Tensor:
    """The inverse hyperbolic tangent of x, element by element: infinite at -1 and 1, nan beyond."""

def batch_to_space(input: _TensorLike, block_shape: _TensorLike, crops: _TensorLike, name: str | None = None) -> Tensor:
    """Blocks put together again from the batch, then cropped: it undoes ``space_to_batch``."""

bfloat16: DType

def bitcast(input: _TensorLike, type: _DTypeLike, name: str | None = None) -> Tensor:
    """The bits of ``input``, read as elements of another dtype."""

bool: DType

def boolean_mask(tensor: _TensorLike, mask: _TensorLike, axis: int | None = None, name: str = "boolean_mask") -> Tensor:
    """The elements (or slices) of ``tensor`` where ``mask`` is true, as one axis in place of the mask's axes."""

def broadcast_dynamic_shape(shape_x: _ShapeLike, shape_y: _ShapeLike) -> Tensor:
    """The shape that tensors of these two shapes broadcast to, as a tensor."""

def broadcast_static_shape(shape_x: _ShapeLike, shape_y: _ShapeLike) -> TensorShape:
    """The :class:`TensorShape` that tensors of these two shapes broadcast to, as far as sizes are known."""

def broadcast_to(input: _TensorLike, shape: _ShapeLike, name: str | None = None) -> Tensor:
    """``input`` repeated along axes of size 1, and along new axes in front, to ``shape``."""

def cast(x: _TensorLike, dtype: _DTypeLike, name: str | None = None) -> Tensor:
    """``x`` with elements of ``dtype``: fractions are cut off, too large integers wrap around."""

def clip_by_global_norm(
    t_list: _TensorLike, clip_norm: _TensorLike, use_norm: _TensorLike | None = None, name: str | None = None
) -> builtins.tuple[list[_Gradient], Tensor]:
    """The tensors, all scaled by one factor so that their global norm is at most ``clip_norm``."""

def clip_by_norm(
    t: _TensorLike, clip_norm: _TensorLike, axes: _TensorLike | None = None, name: str | None = None
) -> Tensor | IndexedSlices:
    """``t``, scaled to the Euclidean norm ``clip_norm`` where its own is larger."""

def clip_by_value(
    t: _TensorLike, clip_value_min: _TensorLike, clip_value_max: _TensorLike, name: str | None = None
) -> Tensor:
    """``t`` with smaller elements raised to ``clip_value_min`` and larger ones lowered to ``clip_value_max``."""

def complex(real: _TensorLike, imag: _TensorLike, name: str | None = None) -> Tensor:
    """Complex numbers from their real and imaginary parts."""

complex128: DType
complex64: DType

def concat(values: _TensorLike, axis: int, name: str = "concat") -> Tensor:
    """The tensors in the list ``values``, concatenated along ``axis``."""

def cos(x: _TensorLike, name: str | None = None) -> Tensor:
    """The cosine of x in radians, element by element."""

def cosh(x: _TensorLike, name: str | None = None) -> Tensor:
    """The hyperbolic cosine of x, element by element."""

def cumsum(
    x: _TensorLike,
    axis: int = 0,
    exclusive: builtins.bool = False,
    reverse: builtins.bool = False,
    name: str | None = None,
) -> Tensor:
    """Cumulative sums along ``axis``: up to and with each element."""

def divide(x: _TensorLike, y: _TensorLike, name: str | None = None) -> Tensor:
    """Divide x by y as Python does: integers give float64 (float32 for 8 and 16 bits)."""

double: DType

def dynamic_partition(
    data: _Any, partitions: _TensorLike, num_partitions: int, name: str | None = None
) -> list[Tensor]:
    """The rows of ``data`` in ``num_partitions`` tensors: row i goes to the one with the number ``partitions[i]``."""

def dynamic_stitch(indices: _TensorLike, data: _Any, name: str | None = None) -> Tensor:
    """One tensor of rows: row j of ``data[i]`` becomes row ``indices[i][j]``. It undoes ``dynamic_partition``."""

def eig(tensor: _TensorLike, name: str | None = None) -> builtins.tuple[Tensor, Tensor]:
    """The eigenvalues of a square matrix, in no particular order, and its eigenvectors as columns: complex numbers."""

def eigvals(tensor: _TensorLike, name: str | None = None) -> Tensor:
    """The eigenvalues of a square matrix, in no particular order: complex numbers."""

def einsum(equation: str, *inputs: _Any, **kwargs: _Any) -> Tensor:
    """The sum of products that ``equation`` describes: letters name axes, and what the output lacks is summed over."""

def ensure_shape(x: _TensorLike, shape: _ShapeLike, name: str | None = None) -> Tensor:
    """``x`` as it is, if it has the shape expected; None stands for any size, or any shape."""

def equal(x: _TensorLike, y: _TensorLike, name: str | None = None) -> Tensor:
    """Whether x = y, element by element, broadcasting. Takes every dtype."""

def exp(x: _TensorLike, name: str | None = None) -> Tensor:
    """e to the power of x, element by element."""

def expand_dims(input: _TensorLike, axis: int, name: str | None = None) -> Tensor:
    """``input`` with a new axis of size 1 at position ``axis``; negative positions count from the end."""

def extract_volume_patches(
    input: _TensorLike, ksizes: _TensorLike, strides: _TensorLike, padding: str, name: str | None = None
) -> Tensor:
    """Windows that slide over volumes, the elements of each in the depth of one voxel."""

def eye(
    num_rows: int,
    num_columns: int | None = None,
    batch_shape: _ShapeLike | None = None,
    dtype: _DTypeLike = "float32",
    name: str | None = None,
) -> Tensor:
    """The identity matrix of ``num_rows`` rows and as many columns unless said otherwise; a stack if ``batch_shape``."""

def fill(dims: _ShapeLike, value: _TensorLike, name: str | None = None, layout: _TensorLike | None = None) -> Tensor:
    """A tensor of the shape ``dims`` filled with ``value``, a single number."""

float16: DType
float32: DType
float64: DType

def floor(x: _TensorLike, name: str | None = None) -> Tensor:
    """The largest whole number that is not above x, element by element. No gradient."""

def gather(
    params: _TensorLike,
    indices: _TensorLike,
    validate_indices: _TensorLike | None = None,
    axis: int | None = None,
    batch_dims: int = 0,
    name: str | None = None,
) -> Tensor:
    """The slices of ``params`` at ``indices`` along ``axis``."""

def gather_nd(
    params: _TensorLike,
    indices: _TensorLike,
    batch_dims: int = 0,
    name: str | None = None,
    bad_indices_policy: str = "",
) -> Tensor:
    """The elements (or slices) of ``params`` that the rows of ``indices`` name: a row has an index an axis."""

def get_logger() -> Tensor:
    """Python's logger of TensorFlow, which warns of what a program should know."""

def get_static_value(tensor: _TensorLike, partial: builtins.bool = False) -> _Any:
    """The value of a tensor as an array; what is no tensor as it is; None for a variable, which may change."""

def grad_pass_through(f: _Callable[..., _Any]) -> _Callable[..., _Any]:
    """A function that computes what ``f`` does and passes gradients on as if it were the identity."""

def greater(x: _TensorLike, y: _TensorLike, name: str | None = None) -> Tensor:
    """Whether x > y, element by element, broadcasting."""

def greater_equal(x: _TensorLike, y: _TensorLike, name: str | None = None) -> Tensor:
    """Whether x >= y, element by element, broadcasting."""

def group(*inputs: _Any, **kwargs: _Any) -> _Any:
    """Do nothing: the ops that gave ``inputs`` have run already. While a function is traced, an operation after them."""

half: DType

def histogram_fixed_width(
    values: _TensorLike,
    value_range: _TensorLike,
    nbins: _TensorLike = 100,
    dtype: _DTypeLike = "int32",
    name: str | None = None,
) -> Tensor:
    """A histogram: how many of ``values`` lie in each of ``nbins`` bins of equal width."""

def histogram_fixed_width_bins(
    values: _TensorLike,
    value_range: _TensorLike,
    nbins: _TensorLike = 100,
    dtype: _DTypeLike = "int32",
    name: str | None = None,
) -> Tensor:
    """The index of the bin, of ``nbins`` of equal width, in which each of ``values`` lies, as int32."""

def identity(input: _TensorLike, name: str | None = None) -> Tensor:
    """The same value, as a tensor of its own."""

def identity_n(input: _TensorLike, name: str | None = None) -> list[Tensor]:
    """The tensors in the list ``input``, each as a tensor of its own."""

int16: DType
int32: DType
int64: DType
int8: DType

def less(x: _TensorLike, y: _TensorLike, name: str | None = None) -> Tensor:
    """Whether x < y, element by element, broadcasting."""

def less_equal(x: _TensorLike, y: _TensorLike, name: str | None = None) -> Tensor:
    """Whether x <= y, element by element, broadcasting."""

def linspace(start: _TensorLike, stop: _TensorLike, num: int, name: str | None = None, axis: int = 0) -> Tensor:
    """``num`` evenly spaced numbers from ``start`` to ``stop``, both included; along a new axis for tensors."""

def logical_and(x: _TensorLike, y: _TensorLike, name: str | None = None) -> Tensor:
    """Whether both x and y are true, element by element, broadcasting."""

def logical_not(x: _TensorLike, name: str | None = None) -> Tensor:
    """Whether x is false, element by element."""

def logical_or(x: _TensorLike, y: _TensorLike, name: str | None = None) -> Tensor:
    """Whether x or y or both are true, element by element, broadcasting."""

def matmul(
    a: _TensorLike,
    b: _TensorLike,
    transpose_a: builtins.bool = False,
    transpose_b: builtins.bool = False,
    adjoint_a: builtins.bool = False,
    adjoint_b: builtins.bool = False,
    a_is_sparse: builtins.bool = False,
    b_is_sparse: builtins.bool = False,
    output_type: _DTypeLike | None = None,
    grad_a: builtins.bool = False,
    grad_b: builtins.bool = False,
    name: str | None = None,
) -> Tensor:
    """The product of two matrices, or of stacks of them: rows of ``a`` times columns of ``b``."""

def maximum(x: _TensorLike, y: _TensorLike, name: str | None = None) -> Tensor:
    """The larger of x and y, element by element, broadcasting; where they are equal the gradient goes to x."""

def meshgrid(*args: _Any, **kwargs: _Any) -> list[Tensor]:
    """Coordinates of a grid: one tensor an argument, each of the shape of the whole grid."""

def minimum(x: _TensorLike, y: _TensorLike, name: str | None = None) -> Tensor:
    """The smaller of x and y, element by element, broadcasting; where they are equal the gradient goes to x."""

def multiply(x: _TensorLike, y: _TensorLike, name: str | None = None) -> Tensor:
    """x * y, element by element, broadcasting."""

def negative(x: _TensorLike, name: str | None = None) -> Tensor:
    """-x, element by element."""

def no_gradient(op_type: str) -> None:
    """Say that ops of a type have no gradient, which in tapeviz each op's declaration says."""

def no_op(name: str | None = None) -> _Any:
    """Do nothing. While a function is traced it is an operation, for what has to come after others."""

def norm(
    tensor: _TensorLike,
    ord: _TensorLike = "euclidean",
    axis: _TensorLike | None = None,
    keepdims: builtins.bool | None = None,
    name: str | None = None,
) -> Tensor:
    """The norm of vectors along ``axis``, or of matrices along two axes."""

def not_equal(x: _TensorLike, y: _TensorLike, name: str | None = None) -> Tensor:
    """Whether x and y differ, element by element, broadcasting. Takes every dtype."""

def numpy_function(
    func: _Callable[..., _Any] | None = None,
    inp: _Any = None,
    Tout: _DTypeLike | None = None,
    stateful: builtins.bool = True,
    name: str | None = None,
) -> _Any:
    """What ``func`` gives for NumPy arrays, as tensors. No gradient goes through."""

def one_hot(
    indices: _TensorLike,
    depth: _TensorLike,
    on_value: _TensorLike | None = None,
    off_value: _TensorLike | None = None,
    axis: int | None = None,
    dtype: _DTypeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """For each element of ``indices`` a row of ``depth`` elements: ``on_value`` at that position, else ``off_value``."""

def ones(
    shape: _ShapeLike, dtype: _DTypeLike = "float32", name: str | None = None, layout: _TensorLike | None = None
) -> Tensor:
    """Ones of this shape."""

def ones_like(
    input: _TensorLike, dtype: _DTypeLike | None = None, name: str | None = None, layout: _TensorLike | None = None
) -> Tensor:
    """Ones of the shape (and dtype, unless given) of ``input``."""

def pad(
    tensor: _TensorLike,
    paddings: _TensorLike,
    mode: str = "CONSTANT",
    constant_values: _TensorLike = 0,
    name: str | None = None,
) -> Tensor:
    """``tensor`` with ``paddings[k] = (before, after)`` elements added along axis k."""

def parallel_stack(values: _TensorLike, name: str = "parallel_stack") -> Tensor:
    """``stack`` along a new first axis, in a graph; the parts need not all be there before the first is copied."""

def pow(x: _TensorLike, y: _TensorLike, name: str | None = None) -> Tensor:
    """x to the power of y, element by element, broadcasting. Integers take no negative powers."""

def print(*inputs: _Any, **kwargs: _Any) -> None:
    """Print values, long tensors in short, by default to the standard error, in notebooks to the cell's output."""

def py_function(
    func: _Callable[..., _Any] | None = None, inp: _Any = None, Tout: _DTypeLike | None = None, name: str | None = None
) -> _Any:
    """What ``func`` gives for tensors, in the dtypes promised. Gradients go through the ops in it."""

def range(
    start: _TensorLike,
    limit: _TensorLike | None = None,
    delta: _TensorLike = 1,
    dtype: _DTypeLike | None = None,
    name: str = "range",
) -> Tensor:
    """Numbers from ``start`` (0 when only one number is given) up to, not including, ``limit``, in steps of ``delta``."""

def rank(input: _TensorLike, name: str | None = None) -> Tensor:
    """The rank of ``input``: the number of its axes, as a tensor."""

def realdiv(x: _TensorLike, y: _TensorLike, name: str | None = None) -> Tensor:
    """x / y for floating-point and complex numbers, element by element, broadcasting."""

def recompute_grad(f: _Callable[..., _Any]) -> _Callable[..., _Any]:
    """``f``, of which a tape keeps the inputs alone: for its gradient it runs once more. Time for memory."""

def reduce_all(
    input_tensor: _TensorLike, axis: _TensorLike | None = None, keepdims: builtins.bool = False, name: str | None = None
) -> Tensor:
    """Whether all elements along ``axis`` are true: one axis, several, or None for all. Of no elements all are."""

def reduce_any(
    input_tensor: _TensorLike, axis: _TensorLike | None = None, keepdims: builtins.bool = False, name: str | None = None
) -> Tensor:
    """Whether any element along ``axis`` is true: one axis, several, or None for all. Of no elements none is."""

def reduce_logsumexp(
    input_tensor: _TensorLike, axis: _TensorLike | None = None, keepdims: builtins.bool = False, name: str | None = None
) -> Tensor:
    """log(sum(exp(x))) along ``axis``, where exp alone would overflow: one axis, several, or None for all."""

def reduce_max(
    input_tensor: _TensorLike, axis: _TensorLike | None = None, keepdims: builtins.bool = False, name: str | None = None
) -> Tensor:
    """The largest element along ``axis``: one axis, several, or None for all."""

def reduce_mean(
    input_tensor: _TensorLike, axis: _TensorLike | None = None, keepdims: builtins.bool = False, name: str | None = None
) -> Tensor:
    """The mean over ``axis``: one axis, several, or None for all. Integers give integers, the fraction cut off."""

def reduce_min(
    input_tensor: _TensorLike, axis: _TensorLike | None = None, keepdims: builtins.bool = False, name: str | None = None
) -> Tensor:
    """The smallest element along ``axis``: one axis, several, or None for all."""

def reduce_prod(
    input_tensor: _TensorLike, axis: _TensorLike | None = None, keepdims: builtins.bool = False, name: str | None = None
) -> Tensor:
    """The product over ``axis``: one axis, several, or None for all."""

def reduce_sum(
    input_tensor: _TensorLike, axis: _TensorLike | None = None, keepdims: builtins.bool = False, name: str | None = None
) -> Tensor:
    """The sum over ``axis``: one axis, several, or None for all. Integers that do not fit their dtype wrap around."""

def repeat(input: _TensorLike, repeats: _TensorLike, axis: int | None = None, name: str | None = None) -> Tensor:
    """Each element of ``input`` repeated, along ``axis``, or of the flattened tensor when it is None."""

def required_space_to_batch_paddings(
    input_shape: _ShapeLike, block_shape: _TensorLike, base_paddings: _TensorLike | None = None, name: str | None = None
) -> builtins.tuple[Tensor, Tensor]:
    """Paddings with which the axes are multiples of the block, and crops that take away what they add."""

def reshape(tensor: _TensorLike, shape: _ShapeLike, name: str | None = None) -> Tensor:
    """The elements of ``tensor`` in ``shape``; one size may be -1, "what is left"."""

def reverse(tensor: _TensorLike, axis: _TensorLike, name: str | None = None) -> Tensor:
    """``tensor`` with its elements reversed along each axis in the list ``axis``."""

def reverse_sequence(
    input: _TensorLike,
    seq_lengths: _TensorLike,
    seq_axis: int | None = None,
    batch_axis: int | None = None,
    name: str | None = None,
) -> Tensor:
    """``input`` with the first ``seq_lengths[b]`` elements of sequence b in the opposite order, the rest as it is."""

def roll(input: _TensorLike, shift: _TensorLike, axis: _TensorLike, name: str | None = None) -> Tensor:
    """``input`` rolled by ``shift`` along ``axis``: elements shifted past one end come in at the other."""

def round(x: _TensorLike, name: str | None = None) -> Tensor:
    """The nearest whole number, the even one of two equally near, element by element. No gradient."""

def saturate_cast(value: _TensorLike, dtype: _DTypeLike, name: str | None = None) -> Tensor:
    """``value`` in another dtype; what lies beyond that dtype's range becomes its smallest or its largest number."""

def scalar_mul(scalar: _TensorLike, x: _TensorLike, name: str | None = None) -> Tensor:
    """``x`` times a number."""

def scatter_nd(
    indices: _TensorLike, updates: _TensorLike, shape: _ShapeLike, bad_indices_policy: str = "", name: str | None = None
) -> Tensor:
    """Zeros of this shape with ``updates`` added where the rows of ``indices`` say; what comes twice is added twice."""

def searchsorted(
    sorted_sequence: _TensorLike,
    values: _TensorLike,
    side: str = "left",
    out_type: _DTypeLike = "int32",
    name: str | None = None,
) -> Tensor:
    """The index at which each element of ``values`` would be inserted into ``sorted_sequence`` to keep it sorted."""

def sequence_mask(
    lengths: _TensorLike, maxlen: _TensorLike | None = None, dtype: _DTypeLike = "bool", name: str | None = None
) -> Tensor:
    """For each length a row that is true for as many elements, then false."""

def shape(input: _TensorLike, out_type: _DTypeLike = "int32", name: str | None = None) -> Tensor:
    """The shape of ``input``: the sizes of its axes, as a tensor."""

def shape_n(input: _TensorLike, out_type: _DTypeLike = "int32", name: str | None = None) -> list[Tensor]:
    """The shapes of the tensors in the list ``input``, each as a tensor."""

def sigmoid(x: _TensorLike, name: str | None = None) -> Tensor:
    """1 / (1 + exp(-x)), between 0 and 1, element by element."""

def sign(x: _TensorLike, name: str | None = None) -> Tensor:
    """-1, 0 or 1 as x is below, at or above 0, with a gradient of 0; for complex numbers x / |x| each."""

def sin(x: _TensorLike, name: str | None = None) -> Tensor:
    """The sine of x in radians, element by element."""

def sinh(x: _TensorLike, name: str | None = None) -> Tensor:
    """The hyperbolic sine of x, element by element."""

def size(input: _TensorLike, out_type: _DTypeLike | None = None, name: str | None = None) -> Tensor:
    """The number of elements of ``input``, as a tensor."""

def slice(input_: _TensorLike, begin: _TensorLike, size: _ShapeLike, name: str | None = None) -> Tensor:
    """The part of ``input_`` from ``begin`` on with ``size`` elements along each axis; -1 for all that are left."""

def sort(values: _TensorLike, axis: int = -1, direction: str = "ASCENDING", name: str | None = None) -> Tensor:
    """The elements of ``values`` sorted along ``axis``."""

def space_to_batch(
    input: _TensorLike, block_shape: _TensorLike, paddings: _TensorLike, name: str | None = None
) -> Tensor:
    """The elements at the same place of each block, after padding with zeros, together in the batch."""

def space_to_batch_nd(
    input: _TensorLike, block_shape: _TensorLike, paddings: _TensorLike, name: str | None = None
) -> Tensor:
    """The same as ``space_to_batch``."""

def split(
    value: _TensorLike, num_or_size_splits: _TensorLike, axis: int = 0, num: int | None = None, name: str = "split"
) -> list[Tensor]:
    """``value`` split along ``axis`` into equal parts (a number) or parts of given sizes (a list; -1 for what is left)."""

def sqrt(x: _TensorLike, name: str | None = None) -> Tensor:
    """The square root of x, element by element: nan below 0."""

def square(x: _TensorLike, name: str | None = None) -> Tensor:
    """x times itself, element by element."""

def squeeze(input: _TensorLike, axis: _TensorLike | None = None, name: str | None = None) -> Tensor:
    """``input`` without its axes of size 1, or without those of them that ``axis`` names."""

def stack(values: _TensorLike, axis: int = 0, name: str = "stack") -> Tensor:
    """The tensors in the list ``values``, all of one shape, stacked along a new axis at ``axis``."""

def stop_gradient(input: _TensorLike, name: str | None = None) -> Tensor:
    """The same value, through which no gradient flows back."""

def strided_slice(
    input_: _TensorLike,
    begin: _TensorLike,
    end: _TensorLike,
    strides: _TensorLike | None = None,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
    var: _Any = None,
    name: str | None = None,
) -> Tensor:
    """``input_[begin[0]:end[0]:strides[0], begin[1]:end[1]:strides[1], ...]``; square brackets say the same."""

string: DType

def subtract(x: _TensorLike, y: _TensorLike, name: str | None = None) -> Tensor:
    """x - y, element by element, broadcasting."""

def tan(x: _TensorLike, name: str | None = None) -> Tensor:
    """The tangent of x in radians, element by element."""

def tanh(x: _TensorLike, name: str | None = None) -> Tensor:
    """The hyperbolic tangent of x, between -1 and 1, element by element."""

def tensor_scatter_nd_add(
    tensor: _TensorLike,
    indices: _TensorLike,
    updates: _TensorLike,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> Tensor:
    """``tensor`` with ``updates`` added to the elements (or slices) that rows of ``indices`` name."""

def tensor_scatter_nd_max(
    tensor: _TensorLike,
    indices: _TensorLike,
    updates: _TensorLike,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> Tensor:
    """``tensor`` with ``updates`` where they are larger than the elements (or slices) that rows of ``indices`` name."""

def tensor_scatter_nd_min(
    tensor: _TensorLike,
    indices: _TensorLike,
    updates: _TensorLike,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> Tensor:
    """``tensor`` with ``updates`` where they are smaller than the elements (or slices) that rows of ``indices`` name."""

def tensor_scatter_nd_sub(
    tensor: _TensorLike,
    indices: _TensorLike,
    updates: _TensorLike,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> Tensor:
    """``tensor`` with ``updates`` taken from the elements (or slices) that rows of ``indices`` name."""

def tensor_scatter_nd_update(
    tensor: _TensorLike, indices: _TensorLike, updates: _TensorLike, name: str | None = None
) -> Tensor:
    """``tensor`` with ``updates`` in place of the elements (or slices) that rows of ``indices`` name."""

def tensordot(a: _TensorLike, b: _TensorLike, axes: _TensorLike, name: str | None = None) -> Tensor:
    """The sum of products of ``a`` and ``b`` over pairs of axes."""

def tile(input: _TensorLike, multiples: _TensorLike, name: str | None = None) -> Tensor:
    """``input`` repeated ``multiples[k]`` times along axis k."""

def timestamp(name: str | None = None) -> Tensor:
    """The time now, in seconds since 1970, as a float64."""

def transpose(
    a: _TensorLike, perm: _TensorLike | None = None, conjugate: builtins.bool = False, name: str | None = None
) -> Tensor:
    """``a`` with its axes permuted to the order ``perm``; reversed when it is None. ``conjugate`` conjugates it, too."""

def truediv(x: _TensorLike, y: _TensorLike, name: str | None = None) -> Tensor:
    """Divide x by y as Python does: integers give float64 (float32 for 8 and 16 bits)."""

def truncatediv(x: _TensorLike, y: _TensorLike, name: str | None = None) -> Tensor:
    """x / y rounded towards 0, element by element, broadcasting, as C divides integers. No gradient."""

def truncatemod(x: _TensorLike, y: _TensorLike, name: str | None = None) -> Tensor:
    """The remainder of x / y rounded towards 0; it has the sign of x, as in C. No gradient."""

def tuple(tensors: _TensorLike, control_inputs: _Any = None, name: str | None = None) -> _Any:
    """``tensors``: all of them have been computed already; while a function is traced, each is there once all are."""

uint16: DType
uint32: DType
uint64: DType
uint8: DType

def unique(x: _TensorLike, out_idx: _DTypeLike = "int32", name: str | None = None) -> builtins.tuple[Tensor, Tensor]:
    """The unique elements of ``x``, in the order in which they first occur, as ``(y, idx)``: ``x`` is ``y[idx]``."""

def unique_with_counts(
    x: _TensorLike, out_idx: _DTypeLike = "int32", name: str | None = None
) -> builtins.tuple[Tensor, Tensor, Tensor]:
    """The unique elements of ``x``, and the count of each, as ``(y, idx, count)``."""

def unravel_index(indices: _TensorLike, dims: _ShapeLike, name: str | None = None) -> Tensor:
    """The indices along each axis of the elements with these numbers, were the array laid out row by row."""

def unstack(value: _TensorLike, num: int | None = None, axis: int = 0, name: str = "unstack") -> list[Tensor]:
    """The slices of ``value`` along ``axis``, as a list of tensors without that axis."""

def where(
    condition: _TensorLike, x: _TensorLike | None = None, y: _TensorLike | None = None, name: str | None = None
) -> Tensor:
    """``x`` where ``condition`` is true, else ``y``; with ``condition`` alone the positions where it is."""

def zeros(
    shape: _ShapeLike, dtype: _DTypeLike = "float32", name: str | None = None, layout: _TensorLike | None = None
) -> Tensor:
    """Zeros of this shape."""

def zeros_like(
    input: _TensorLike, dtype: _DTypeLike | None = None, name: str | None = None, layout: _TensorLike | None = None
) -> Tensor:
    """Zeros of the shape (and dtype, unless given) of ``input``."""

__version__: str
newaxis: None

def load_ipython_extension(shell: object) -> None: ...
def unload_ipython_extension(shell: object) -> None: ...
