# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from tapeviz import (
    abs,
    add,
    argmax,
    argmin,
    argsort,
    broadcast_to,
    cast,
    cond,
    convert_to_tensor,
    cos,
    cosh,
    cumsum,
    custom_gradient,
    divide,
    einsum,
    equal,
    exp,
    expand_dims,
    eye,
    floor,
    greater,
    greater_equal,
    is_tensor,
    less,
    less_equal,
    linspace,
    logical_and,
    logical_not,
    logical_or,
    matmul,
    maximum,
    meshgrid,
    minimum,
    multiply,
    negative,
    norm,
    not_equal,
    ones,
    ones_like,
    pow,
    repeat,
    reshape,
    roll,
    round,
    sign,
    sin,
    sinh,
    size,
    slice,
    sort,
    sqrt,
    square,
    squeeze,
    stack,
    stop_gradient,
    subtract,
    tan,
    tanh,
    tensordot,
    tile,
    transpose,
    unstack,
    vectorized_map,
    where,
    while_loop,
    zeros,
    zeros_like,
)
from tapeviz import abs as absolute
from tapeviz import acos as arccos
from tapeviz import acosh as arccosh
from tapeviz import asin as arcsin
from tapeviz import asinh as arcsinh
from tapeviz import atan as arctan
from tapeviz import atan2 as arctan2
from tapeviz import atanh as arctanh
from tapeviz import clip_by_value as clip
from tapeviz import map_fn as map
from tapeviz import pow as power
from tapeviz import range as arange
from tapeviz import reduce_all as all
from tapeviz import reduce_any as any
from tapeviz import reduce_logsumexp as logsumexp
from tapeviz import reduce_max as amax
from tapeviz import reduce_max as max
from tapeviz import reduce_mean as mean
from tapeviz import reduce_min as amin
from tapeviz import reduce_min as min
from tapeviz import reduce_prod as prod
from tapeviz import reduce_sum as sum
from tapeviz import reverse as flip
from tapeviz import scatter_nd as scatter
from tapeviz import tensor_scatter_nd_update as scatter_update
from tapeviz import truediv as true_divide
from tapeviz.engine.annotations import DTypeLike as _DTypeLike
from tapeviz.engine.annotations import ShapeLike as _ShapeLike
from tapeviz.engine.annotations import TensorLike as _TensorLike
from tapeviz.engine.tensor import Tensor as _Tensor
from tapeviz.keras.activations import (
    celu,
    elu,
    gelu,
    glu,
    hard_sigmoid,
    hard_silu,
    hard_swish,
    leaky_relu,
    log_sigmoid,
    log_softmax,
    relu,
    relu6,
    selu,
    sigmoid,
    silu,
    softmax,
    softplus,
    softsign,
    swish,
)
from tapeviz.keras.losses import binary_crossentropy, categorical_crossentropy, sparse_categorical_crossentropy
from tapeviz.keras.tensor_ops import concatenate, convert_to_numpy, fori_loop, one_hot, shape, slice_update
from tapeviz.linalg import cholesky, det, inv, qr, solve, svd
from tapeviz.linalg import diag_part as diagonal
from tapeviz.linalg import lu as lu_factor
from tapeviz.math import (
    bincount,
    ceil,
    conj,
    count_nonzero,
    cumprod,
    erf,
    erfinv,
    expm1,
    imag,
    in_top_k,
    log,
    log1p,
    logical_xor,
    real,
    reciprocal,
    rsqrt,
    top_k,
)
from tapeviz.math import floordiv as floor_divide
from tapeviz.math import floormod as mod
from tapeviz.math import is_finite as isfinite
from tapeviz.math import is_inf as isinf
from tapeviz.math import is_nan as isnan
from tapeviz.math import reduce_std as std
from tapeviz.math import reduce_variance as var
from tapeviz.math import unsorted_segment_max as segment_max
from tapeviz.math import unsorted_segment_sum as segment_sum
from tapeviz.nn import moments

__all__ = [
    "abs",
    "absolute",
    "add",
    "all",
    "amax",
    "amin",
    "any",
    "arange",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "argmax",
    "argmin",
    "argsort",
    "array",
    "binary_crossentropy",
    "bincount",
    "broadcast_to",
    "cast",
    "categorical_crossentropy",
    "ceil",
    "celu",
    "cholesky",
    "clip",
    "concatenate",
    "cond",
    "conj",
    "convert_to_numpy",
    "convert_to_tensor",
    "cos",
    "cosh",
    "count_nonzero",
    "cumprod",
    "cumsum",
    "custom_gradient",
    "det",
    "diag",
    "diagonal",
    "divide",
    "dot",
    "einsum",
    "elu",
    "equal",
    "erf",
    "erfinv",
    "exp",
    "expand_dims",
    "expm1",
    "eye",
    "flip",
    "floor",
    "floor_divide",
    "fori_loop",
    "full",
    "full_like",
    "gelu",
    "glu",
    "greater",
    "greater_equal",
    "hard_sigmoid",
    "hard_silu",
    "hard_swish",
    "hstack",
    "imag",
    "in_top_k",
    "inner",
    "inv",
    "is_tensor",
    "isclose",
    "isfinite",
    "isinf",
    "isnan",
    "leaky_relu",
    "less",
    "less_equal",
    "linspace",
    "log",
    "log10",
    "log1p",
    "log2",
    "log_sigmoid",
    "log_softmax",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "logsumexp",
    "lu_factor",
    "map",
    "matmul",
    "max",
    "maximum",
    "mean",
    "meshgrid",
    "min",
    "minimum",
    "mod",
    "moments",
    "moveaxis",
    "multiply",
    "negative",
    "nonzero",
    "norm",
    "not_equal",
    "one_hot",
    "ones",
    "ones_like",
    "outer",
    "pad",
    "pow",
    "power",
    "prod",
    "qr",
    "ravel",
    "real",
    "reciprocal",
    "relu",
    "relu6",
    "repeat",
    "reshape",
    "roll",
    "round",
    "rsqrt",
    "scatter",
    "scatter_update",
    "segment_max",
    "segment_sum",
    "selu",
    "shape",
    "sigmoid",
    "sign",
    "silu",
    "sin",
    "sinh",
    "size",
    "slice",
    "slice_update",
    "softmax",
    "softplus",
    "softsign",
    "solve",
    "sort",
    "sparse_categorical_crossentropy",
    "split",
    "sqrt",
    "square",
    "squeeze",
    "stack",
    "std",
    "stop_gradient",
    "subtract",
    "sum",
    "svd",
    "swapaxes",
    "swish",
    "take",
    "tan",
    "tanh",
    "tensordot",
    "tile",
    "top_k",
    "trace",
    "transpose",
    "tril",
    "triu",
    "true_divide",
    "unstack",
    "var",
    "vdot",
    "vectorized_map",
    "vstack",
    "where",
    "while_loop",
    "zeros",
    "zeros_like",
]

def array(val: _TensorLike, dtype: _DTypeLike | None = None, copy: bool = True, ndmin: int = 0) -> _Tensor:
    """A tensor, of NumPy's dtype for Python's numbers."""

def diag(v: _TensorLike, k: int = 0) -> _Tensor:
    """A matrix with a vector on a diagonal; of a matrix the diagonal."""

def dot(a: _TensorLike, b: _TensorLike) -> _Tensor:
    """The product over the last axis of the first and the one before the last of the second."""

def full(shape: _ShapeLike, fill_value: _TensorLike, dtype: _DTypeLike | None = None) -> _Tensor:
    """A value everywhere."""

def full_like(a: _TensorLike, fill_value: _TensorLike, dtype: _DTypeLike | None = None) -> _Tensor:
    """A value everywhere, of the shape and dtype of another tensor."""

def hstack(tup: _TensorLike) -> _Tensor:
    """Tensors side by side."""

def inner(a: _TensorLike, b: _TensorLike) -> _Tensor:
    """The product over the last axis of both."""

def isclose(
    a: _TensorLike, b: _TensorLike, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> _Tensor:
    """Which elements are close."""

def log10(x: _TensorLike) -> _Tensor:
    """The logarithm to the base 10."""

def log2(x: _TensorLike) -> _Tensor:
    """The logarithm to the base 2."""

def moveaxis(a: _TensorLike, source: _TensorLike, destination: _TensorLike) -> _Tensor:
    """Axes moved to other places."""

def nonzero(a: _TensorLike) -> _Tensor:
    """The places of the elements that are not 0, axis by axis."""

def outer(a: _TensorLike, b: _TensorLike) -> _Tensor:
    """The product of each element with each."""

def pad(
    array: _TensorLike, pad_width: _TensorLike, mode: str = "constant", constant_values: _TensorLike = 0
) -> _Tensor:
    """More elements at the ends of axes."""

def ravel(a: _TensorLike) -> _Tensor:
    """All elements as a vector."""

def split(ary: _TensorLike, indices_or_sections: _TensorLike, axis: int = 0) -> list[_Tensor]:
    """Parts along an axis: equal ones, or cut before the places given."""

def swapaxes(a: _TensorLike, axis1: int, axis2: int) -> _Tensor:
    """Two axes in each other's place."""

def take(
    a: _TensorLike,
    indices: _TensorLike,
    axis: _TensorLike | None = None,
    out: _TensorLike | None = None,
    mode: str = "clip",
) -> _Tensor:
    """The elements, or slices, at indices."""

def trace(a: _TensorLike, offset: int = 0, axis1: int = 0, axis2: int = 1) -> _Tensor:
    """The sum of a diagonal."""

def tril(m: _TensorLike, k: int = 0) -> _Tensor:
    """A matrix with zeros above a diagonal."""

def triu(m: _TensorLike, k: int = 0) -> _Tensor:
    """A matrix with zeros below a diagonal."""

def vdot(a: _TensorLike, b: _TensorLike) -> _Tensor:
    """The product of all elements of both."""

def vstack(tup: _TensorLike) -> _Tensor:
    """Tensors below each other."""
