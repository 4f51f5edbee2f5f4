# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from tapeviz import Tensor as ndarray
from tapeviz import (
    abs,
    add,
    argmax,
    argmin,
    argsort,
    bfloat16,
    broadcast_to,
    complex,
    complex64,
    complex128,
    cos,
    cosh,
    cumsum,
    einsum,
    equal,
    exp,
    expand_dims,
    eye,
    float16,
    float32,
    float64,
    floor,
    greater,
    greater_equal,
    int8,
    int16,
    int32,
    int64,
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
    ones_like,
    repeat,
    reshape,
    roll,
    round,
    shape,
    sign,
    sin,
    sinh,
    size,
    sort,
    sqrt,
    square,
    squeeze,
    stack,
    subtract,
    tan,
    tanh,
    tensordot,
    tile,
    transpose,
    uint8,
    uint16,
    uint32,
    uint64,
    where,
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
from tapeviz import bool as bool_
from tapeviz import clip_by_value as clip
from tapeviz import concat as concatenate
from tapeviz import pow as power
from tapeviz import reduce_all as all
from tapeviz import reduce_any as any
from tapeviz import reduce_max as amax
from tapeviz import reduce_max as max
from tapeviz import reduce_mean as mean
from tapeviz import reduce_min as amin
from tapeviz import reduce_min as min
from tapeviz import reduce_prod as prod
from tapeviz import reduce_sum as sum
from tapeviz import reverse as flip
from tapeviz import truediv as divide
from tapeviz import truediv as true_divide
from tapeviz.engine.annotations import DTypeLike as _DTypeLike
from tapeviz.engine.annotations import ShapeLike as _ShapeLike
from tapeviz.engine.annotations import TensorLike as _TensorLike
from tapeviz.engine.tensor import Tensor as _Tensor
from tapeviz.linalg import cross, inv
from tapeviz.linalg import diag_part as diagonal
from tapeviz.math import (
    angle,
    bincount,
    ceil,
    conj,
    count_nonzero,
    cumprod,
    expm1,
    imag,
    log,
    log1p,
    logical_xor,
    polyval,
    real,
    reciprocal,
    rint,
)
from tapeviz.math import conj as conjugate
from tapeviz.math import floordiv as floor_divide
from tapeviz.math import floormod as mod
from tapeviz.math import floormod as remainder
from tapeviz.math import is_finite as isfinite
from tapeviz.math import is_inf as isinf
from tapeviz.math import is_nan as isnan
from tapeviz.math import reduce_std as std
from tapeviz.math import reduce_variance as var

__all__ = [
    "abs",
    "absolute",
    "add",
    "all",
    "allclose",
    "amax",
    "amin",
    "angle",
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
    "array_equal",
    "asarray",
    "atleast_1d",
    "atleast_2d",
    "bfloat16",
    "bincount",
    "bool_",
    "broadcast_to",
    "ceil",
    "clip",
    "complex",
    "complex128",
    "complex64",
    "concatenate",
    "conj",
    "conjugate",
    "cos",
    "cosh",
    "count_nonzero",
    "cross",
    "cumprod",
    "cumsum",
    "diag",
    "diagonal",
    "divide",
    "dot",
    "einsum",
    "empty",
    "empty_like",
    "equal",
    "exp",
    "expand_dims",
    "expm1",
    "eye",
    "flip",
    "float16",
    "float32",
    "float64",
    "floor",
    "floor_divide",
    "full",
    "full_like",
    "greater",
    "greater_equal",
    "hstack",
    "identity",
    "imag",
    "inner",
    "int16",
    "int32",
    "int64",
    "int8",
    "inv",
    "isclose",
    "isfinite",
    "isinf",
    "isnan",
    "less",
    "less_equal",
    "linspace",
    "log",
    "log10",
    "log1p",
    "log2",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "matmul",
    "max",
    "maximum",
    "mean",
    "meshgrid",
    "min",
    "minimum",
    "mod",
    "moveaxis",
    "multiply",
    "ndarray",
    "negative",
    "newaxis",
    "nonzero",
    "norm",
    "not_equal",
    "ones",
    "ones_like",
    "outer",
    "pad",
    "polyval",
    "power",
    "prod",
    "ravel",
    "real",
    "reciprocal",
    "remainder",
    "repeat",
    "reshape",
    "rint",
    "roll",
    "round",
    "shape",
    "sign",
    "sin",
    "sinh",
    "size",
    "sort",
    "split",
    "sqrt",
    "square",
    "squeeze",
    "stack",
    "std",
    "subtract",
    "sum",
    "swapaxes",
    "take",
    "tan",
    "tanh",
    "tensordot",
    "tile",
    "trace",
    "transpose",
    "tril",
    "triu",
    "true_divide",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "var",
    "vdot",
    "vstack",
    "where",
    "zeros",
    "zeros_like",
]

def allclose(
    a: _TensorLike, b: _TensorLike, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> _Tensor:
    """Whether all elements are close."""

def arange(
    start: _TensorLike, stop: _TensorLike | None = None, step: _TensorLike = 1, dtype: _DTypeLike | None = None
) -> _Tensor:
    """Numbers in order, up to but not including ``stop``."""

def array(val: _TensorLike, dtype: _DTypeLike | None = None, copy: bool = True, ndmin: int = 0) -> _Tensor:
    """A tensor, of NumPy's dtype for Python's numbers."""

def array_equal(a1: _TensorLike, a2: _TensorLike) -> _Tensor:
    """Whether both have the same shape and elements."""

def asarray(a: _TensorLike, dtype: _DTypeLike | None = None) -> _Tensor:
    """A tensor: :func:`array`."""

def atleast_1d(*arys: _TensorLike) -> _Tensor:
    """Tensors with an axis at least."""

def atleast_2d(*arys: _TensorLike) -> _Tensor:
    """Tensors with two axes at least."""

def diag(v: _TensorLike, k: int = 0) -> _Tensor:
    """A matrix with a vector on a diagonal; of a matrix the diagonal."""

def dot(a: _TensorLike, b: _TensorLike) -> _Tensor:
    """The product over the last axis of the first and the one before the last of the second."""

def empty(shape: _ShapeLike, dtype: _DTypeLike = "float64") -> _Tensor:
    """Elements of no meaning: zeros."""

def empty_like(a: _TensorLike, dtype: _DTypeLike | None = None) -> _Tensor:
    """Elements of no meaning, of another tensor's shape."""

def full(shape: _ShapeLike, fill_value: _TensorLike, dtype: _DTypeLike | None = None) -> _Tensor:
    """A value everywhere."""

def full_like(a: _TensorLike, fill_value: _TensorLike, dtype: _DTypeLike | None = None) -> _Tensor:
    """A value everywhere, of the shape and dtype of another tensor."""

def hstack(tup: _TensorLike) -> _Tensor:
    """Tensors side by side."""

def identity(n: int, dtype: _DTypeLike = "float64") -> _Tensor:
    """The identity matrix."""

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

def ones(shape: _ShapeLike, dtype: _DTypeLike = "float64") -> _Tensor:
    """Ones."""

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

def zeros(shape: _ShapeLike, dtype: _DTypeLike = "float64") -> _Tensor:
    """Zeros."""

newaxis: None
