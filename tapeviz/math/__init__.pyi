# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from typing import Any as _Any

from tapeviz.engine.annotations import DTypeLike as _DTypeLike
from tapeviz.engine.annotations import ShapeLike as _ShapeLike
from tapeviz.engine.annotations import TensorLike as _TensorLike
from tapeviz.engine.tensor import Tensor as _Tensor
from tapeviz.math import special

__all__ = [
    "abs",
    "accumulate_n",
    "acos",
    "acosh",
    "add",
    "add_n",
    "angle",
    "argmax",
    "argmin",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "bessel_i0",
    "bessel_i0e",
    "bessel_i1",
    "bessel_i1e",
    "betainc",
    "bincount",
    "ceil",
    "confusion_matrix",
    "conj",
    "cos",
    "cosh",
    "count_nonzero",
    "cumprod",
    "cumsum",
    "cumulative_logsumexp",
    "digamma",
    "divide",
    "divide_no_nan",
    "equal",
    "erf",
    "erfc",
    "erfcinv",
    "erfinv",
    "exp",
    "expm1",
    "floor",
    "floordiv",
    "floormod",
    "greater",
    "greater_equal",
    "igamma",
    "igammac",
    "imag",
    "in_top_k",
    "invert_permutation",
    "is_finite",
    "is_inf",
    "is_nan",
    "is_non_decreasing",
    "is_strictly_increasing",
    "l2_normalize",
    "lbeta",
    "less",
    "less_equal",
    "lgamma",
    "log",
    "log1p",
    "log_sigmoid",
    "log_softmax",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "maximum",
    "minimum",
    "mod",
    "multiply",
    "multiply_no_nan",
    "ndtri",
    "negative",
    "nextafter",
    "not_equal",
    "polygamma",
    "polyval",
    "pow",
    "real",
    "reciprocal",
    "reciprocal_no_nan",
    "reduce_all",
    "reduce_any",
    "reduce_euclidean_norm",
    "reduce_logsumexp",
    "reduce_max",
    "reduce_mean",
    "reduce_min",
    "reduce_prod",
    "reduce_std",
    "reduce_sum",
    "reduce_variance",
    "rint",
    "round",
    "rsqrt",
    "scalar_mul",
    "segment_max",
    "segment_mean",
    "segment_min",
    "segment_prod",
    "segment_sum",
    "sigmoid",
    "sign",
    "sin",
    "sinh",
    "softmax",
    "softplus",
    "softsign",
    "special",
    "sqrt",
    "square",
    "squared_difference",
    "subtract",
    "tan",
    "tanh",
    "top_k",
    "truediv",
    "unsorted_segment_max",
    "unsorted_segment_mean",
    "unsorted_segment_min",
    "unsorted_segment_prod",
    "unsorted_segment_sqrt_n",
    "unsorted_segment_sum",
    "xdivy",
    "xlog1py",
    "xlogy",
    "zero_fraction",
    "zeta",
]

def abs(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The absolute value of x, element by element; that of a complex number is real."""

def accumulate_n(
    inputs: _Any, shape: _ShapeLike | None = None, tensor_dtype: _DTypeLike | None = None, name: str | None = None
) -> _Tensor:
    """The sum of a list of tensors of one shape and dtype, as ``add_n``."""

def acos(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The inverse cosine of x in radians, element by element: nan outside -1 to 1."""

def acosh(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The inverse hyperbolic cosine of x, element by element: nan below 1."""

def add(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor:
    """x + y, element by element, broadcasting."""

def add_n(inputs: _Any, name: str | None = None) -> _Tensor:
    """The sum of a list of tensors of one shape and dtype."""

def angle(input: _TensorLike, name: str | None = None) -> _Tensor:
    """The angle of complex numbers in radians; for real numbers 0, and pi for negative ones."""

def argmax(
    input: _TensorLike, axis: int | None = None, output_type: _DTypeLike = "int64", name: str | None = None
) -> _Tensor:
    """The index of the largest element along ``axis`` (0 when it is None), the first of several; never that of nan."""

def argmin(
    input: _TensorLike, axis: int | None = None, output_type: _DTypeLike = "int64", name: str | None = None
) -> _Tensor:
    """The index of the smallest element along ``axis`` (0 when it is None), the first of several; never that of nan."""

def asin(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The inverse sine of x in radians, element by element: nan outside -1 to 1."""

def asinh(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The inverse hyperbolic sine of x, element by element."""

def atan(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The inverse tangent of x in radians, element by element."""

def atan2(y: _TensorLike, x: _TensorLike, name: str | None = None) -> _Tensor:
    """The angle in radians of the point (x, y), element by element, broadcasting."""

def atanh(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The inverse hyperbolic tangent of x, element by element: infinite at -1 and 1, nan beyond."""

def bessel_i0(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The modified Bessel function of the first kind, order 0, element by element."""

def bessel_i0e(x: _TensorLike, name: str | None = None) -> _Tensor:
    """bessel_i0 times exp(-|x|), which stays small, element by element."""

def bessel_i1(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The modified Bessel function of the first kind, order 1, element by element."""

def bessel_i1e(x: _TensorLike, name: str | None = None) -> _Tensor:
    """bessel_i1 times exp(-|x|), which stays small, element by element."""

def betainc(a: _TensorLike, b: _TensorLike, x: _TensorLike, name: str | None = None) -> _Tensor:
    """The regularized incomplete beta function of a, b and x, element by element; a gradient for x alone."""

def bincount(
    arr: _TensorLike,
    weights: _TensorLike | None = None,
    minlength: _TensorLike | None = None,
    maxlength: _TensorLike | None = None,
    dtype: _DTypeLike = "int32",
    name: str | None = None,
    axis: int | None = None,
    binary_output: bool = False,
) -> _Tensor:
    """The number of occurrences of each integer from 0 on in ``arr``. No gradient."""

def ceil(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The smallest whole number that is not below x, element by element. No gradient."""

def confusion_matrix(
    labels: _TensorLike,
    predictions: _TensorLike,
    num_classes: _TensorLike | None = None,
    weights: _TensorLike | None = None,
    dtype: _DTypeLike = "int32",
    name: str | None = None,
) -> _Tensor:
    """The confusion matrix: how often each class (the row) was predicted as each class (the column)."""

def conj(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The complex conjugate, element by element; real numbers as they are."""

def cos(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The cosine of x in radians, element by element."""

def cosh(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The hyperbolic cosine of x, element by element."""

def count_nonzero(
    input: _TensorLike,
    axis: _TensorLike | None = None,
    keepdims: bool | None = None,
    dtype: _DTypeLike = "int64",
    name: str | None = None,
) -> _Tensor:
    """The number of nonzero elements along ``axis``: one axis, several, or None for all."""

def cumprod(
    x: _TensorLike, axis: int = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> _Tensor:
    """Cumulative products along ``axis``. Arguments and errors as for ``cumsum``."""

def cumsum(
    x: _TensorLike, axis: int = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> _Tensor:
    """Cumulative sums along ``axis``: up to and with each element."""

def cumulative_logsumexp(
    x: _TensorLike, axis: int = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> _Tensor:
    """Cumulative log(sum(exp(x))) along ``axis``, without overflow. Arguments and errors as for ``cumsum``."""

def digamma(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The derivative of lgamma, element by element: nan at 0, -1, -2, ..."""

def divide(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor:
    """Divide x by y as Python does: integers give float64 (float32 for 8 and 16 bits)."""

def divide_no_nan(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor:
    """Divide x by y, element by element, broadcasting; 0 where y is 0. Integers are divided as ``divide`` does."""

def equal(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor:
    """Whether x = y, element by element, broadcasting. Takes every dtype."""

def erf(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The error function, element by element."""

def erfc(x: _TensorLike, name: str | None = None) -> _Tensor:
    """1 - erf(x), exact where that is small, element by element."""

def erfcinv(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The inverse of erfc, element by element: infinite at 0 and 2, nan beyond."""

def erfinv(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The inverse of erf, element by element: infinite at -1 and 1, nan beyond."""

def exp(x: _TensorLike, name: str | None = None) -> _Tensor:
    """e to the power of x, element by element."""

def expm1(x: _TensorLike, name: str | None = None) -> _Tensor:
    """e to the power of x, minus 1, exact near 0, element by element."""

def floor(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The largest whole number that is not above x, element by element. No gradient."""

def floordiv(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor:
    """x / y rounded down, element by element, broadcasting. No gradient."""

def floormod(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor:
    """The remainder of x / y rounded down, element by element, broadcasting; it has the sign of y."""

def greater(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor:
    """Whether x > y, element by element, broadcasting."""

def greater_equal(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor:
    """Whether x >= y, element by element, broadcasting."""

def igamma(a: _TensorLike, x: _TensorLike, name: str | None = None) -> _Tensor:
    """The regularized lower incomplete gamma function of a and x, element by element, broadcasting."""

def igammac(a: _TensorLike, x: _TensorLike, name: str | None = None) -> _Tensor:
    """The regularized upper incomplete gamma function, 1 - igamma(a, x), exact where it is small, broadcasting."""

def imag(input: _TensorLike, name: str | None = None) -> _Tensor:
    """The imaginary part of complex numbers; zeros for real numbers."""

def in_top_k(targets: _TensorLike, predictions: _TensorLike, k: _TensorLike, name: str | None = None) -> _Tensor:
    """Whether the prediction for each row's target is among its ``k`` largest; ties count as hits."""

def invert_permutation(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The inverse of a permutation."""

def is_finite(x: _TensorLike, name: str | None = None) -> _Tensor:
    """Whether x is a finite number, element by element."""

def is_inf(x: _TensorLike, name: str | None = None) -> _Tensor:
    """Whether x is infinite, element by element."""

def is_nan(x: _TensorLike, name: str | None = None) -> _Tensor:
    """Whether x is not a number, element by element."""

def is_non_decreasing(x: _TensorLike, name: str | None = None) -> _Tensor:
    """Whether no element is smaller than the one before it, ``x`` read row by row; true for fewer than two."""

def is_strictly_increasing(x: _TensorLike, name: str | None = None) -> _Tensor:
    """Whether every element is larger than the one before it, ``x`` read row by row; true for fewer than two."""

def l2_normalize(
    x: _TensorLike,
    axis: _TensorLike | None = None,
    epsilon: float = 1e-12,
    name: str | None = None,
    dim: _TensorLike | None = None,
) -> _Tensor:
    """``x`` divided by its Euclidean norm along ``axis``, which counts as at least the root of ``epsilon``."""

def lbeta(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The logarithm of the absolute value of the beta function of the last axis: product of gammas by gamma of the sum."""

def less(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor:
    """Whether x < y, element by element, broadcasting."""

def less_equal(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor:
    """Whether x <= y, element by element, broadcasting."""

def lgamma(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The logarithm of the absolute value of the gamma function, element by element: inf at 0, -1, -2, ..."""

def log(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The natural logarithm of x, element by element: -inf at 0, nan below."""

def log1p(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The natural logarithm of 1 + x, exact near 0, element by element."""

def log_sigmoid(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The logarithm of the sigmoid of x, without its rounding to log(0), element by element."""

def log_softmax(logits: _TensorLike, axis: int | None = None, name: str | None = None) -> _Tensor:
    """The logarithm of ``softmax``, exact where softmax itself would round to 0."""

def logical_and(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor:
    """Whether both x and y are true, element by element, broadcasting."""

def logical_not(x: _TensorLike, name: str | None = None) -> _Tensor:
    """Whether x is false, element by element."""

def logical_or(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor:
    """Whether x or y or both are true, element by element, broadcasting."""

def logical_xor(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor:
    """Whether exactly one of x and y is true, element by element, broadcasting."""

def maximum(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor:
    """The larger of x and y, element by element, broadcasting; where they are equal the gradient goes to x."""

def minimum(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor:
    """The smaller of x and y, element by element, broadcasting; where they are equal the gradient goes to x."""

def mod(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor:
    """The remainder of x / y rounded down, element by element, broadcasting; it has the sign of y."""

def multiply(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor:
    """x * y, element by element, broadcasting."""

def multiply_no_nan(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor:
    """x * y, element by element, broadcasting; 0 where y is 0, even where x is infinite or nan."""

def ndtri(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The quantile function of the standard normal distribution, element by element."""

def negative(x: _TensorLike, name: str | None = None) -> _Tensor:
    """-x, element by element."""

def nextafter(x1: _TensorLike, x2: _TensorLike, name: str | None = None) -> _Tensor:
    """The number next to x1 that its dtype has on the way to x2, element by element, broadcasting."""

def not_equal(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor:
    """Whether x and y differ, element by element, broadcasting. Takes every dtype."""

def polygamma(a: _TensorLike, x: _TensorLike, name: str | None = None) -> _Tensor:
    """The derivative of order a of digamma at x, element by element, broadcasting; a is a whole number from 0."""

def polyval(coeffs: list[_Any], x: _TensorLike, name: str | None = None) -> _Tensor:
    """The polynomial with these coefficients, the highest power's first, at ``x``, element by element."""

def pow(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor:
    """x to the power of y, element by element, broadcasting. Integers take no negative powers."""

def real(input: _TensorLike, name: str | None = None) -> _Tensor:
    """The real part of complex numbers; real numbers as they are."""

def reciprocal(x: _TensorLike, name: str | None = None) -> _Tensor:
    """1 / x, element by element."""

def reciprocal_no_nan(x: _TensorLike, name: str | None = None) -> _Tensor:
    """1 / x, element by element; 0 where x is 0."""

def reduce_all(
    input_tensor: _TensorLike, axis: _TensorLike | None = None, keepdims: bool = False, name: str | None = None
) -> _Tensor:
    """Whether all elements along ``axis`` are true: one axis, several, or None for all. Of no elements all are."""

def reduce_any(
    input_tensor: _TensorLike, axis: _TensorLike | None = None, keepdims: bool = False, name: str | None = None
) -> _Tensor:
    """Whether any element along ``axis`` is true: one axis, several, or None for all. Of no elements none is."""

def reduce_euclidean_norm(
    input_tensor: _TensorLike, axis: _TensorLike | None = None, keepdims: bool = False, name: str | None = None
) -> _Tensor:
    """The Euclidean norm along ``axis``, the square root of the sum of squares: one axis, several, or None for all."""

def reduce_logsumexp(
    input_tensor: _TensorLike, axis: _TensorLike | None = None, keepdims: bool = False, name: str | None = None
) -> _Tensor:
    """log(sum(exp(x))) along ``axis``, where exp alone would overflow: one axis, several, or None for all."""

def reduce_max(
    input_tensor: _TensorLike, axis: _TensorLike | None = None, keepdims: bool = False, name: str | None = None
) -> _Tensor:
    """The largest element along ``axis``: one axis, several, or None for all."""

def reduce_mean(
    input_tensor: _TensorLike, axis: _TensorLike | None = None, keepdims: bool = False, name: str | None = None
) -> _Tensor:
    """The mean over ``axis``: one axis, several, or None for all. Integers give integers, the fraction cut off."""

def reduce_min(
    input_tensor: _TensorLike, axis: _TensorLike | None = None, keepdims: bool = False, name: str | None = None
) -> _Tensor:
    """The smallest element along ``axis``: one axis, several, or None for all."""

def reduce_prod(
    input_tensor: _TensorLike, axis: _TensorLike | None = None, keepdims: bool = False, name: str | None = None
) -> _Tensor:
    """The product over ``axis``: one axis, several, or None for all."""

def reduce_std(
    input_tensor: _TensorLike, axis: _TensorLike | None = None, keepdims: bool = False, name: str | None = None
) -> _Tensor:
    """The standard deviation along ``axis``, the square root of the variance: one axis, several, or None for all."""

def reduce_sum(
    input_tensor: _TensorLike, axis: _TensorLike | None = None, keepdims: bool = False, name: str | None = None
) -> _Tensor:
    """The sum over ``axis``: one axis, several, or None for all. Integers that do not fit their dtype wrap around."""

def reduce_variance(
    input_tensor: _TensorLike, axis: _TensorLike | None = None, keepdims: bool = False, name: str | None = None
) -> _Tensor:
    """The variance along ``axis``, the mean squared distance from the mean: one axis, several, or None for all."""

def rint(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The nearest whole number, the even one of two equally near, of floating-point numbers. No gradient."""

def round(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The nearest whole number, the even one of two equally near, element by element. No gradient."""

def rsqrt(x: _TensorLike, name: str | None = None) -> _Tensor:
    """1 / sqrt(x), element by element."""

def scalar_mul(scalar: _TensorLike, x: _TensorLike, name: str | None = None) -> _Tensor:
    """``x`` times a number."""

def segment_max(data: _TensorLike, segment_ids: _TensorLike, name: str | None = None) -> _Tensor:
    """The largest of slices with the same segment id, where ids ascend; equal ones share its gradient."""

def segment_mean(data: _TensorLike, segment_ids: _TensorLike, name: str | None = None) -> _Tensor:
    """The means of slices with the same segment id, where ids ascend; 0 where there are none."""

def segment_min(data: _TensorLike, segment_ids: _TensorLike, name: str | None = None) -> _Tensor:
    """The smallest of slices with the same segment id, where ids ascend; equal ones share its gradient."""

def segment_prod(data: _TensorLike, segment_ids: _TensorLike, name: str | None = None) -> _Tensor:
    """The products of slices with the same segment id, where ids ascend."""

def segment_sum(data: _TensorLike, segment_ids: _TensorLike, name: str | None = None) -> _Tensor:
    """The sums of slices with the same segment id, where ids ascend."""

def sigmoid(x: _TensorLike, name: str | None = None) -> _Tensor:
    """1 / (1 + exp(-x)), between 0 and 1, element by element."""

def sign(x: _TensorLike, name: str | None = None) -> _Tensor:
    """-1, 0 or 1 as x is below, at or above 0, with a gradient of 0; for complex numbers x / |x| each."""

def sin(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The sine of x in radians, element by element."""

def sinh(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The hyperbolic sine of x, element by element."""

def softmax(logits: _TensorLike, axis: int | None = None, name: str | None = None) -> _Tensor:
    """The softmax along ``axis`` (the last when it is None): ``exp(logits)`` divided by its sum."""

def softplus(features: _TensorLike, name: str | None = None) -> _Tensor:
    """log(1 + exp(features)), a smooth relu, element by element."""

def softsign(features: _TensorLike, name: str | None = None) -> _Tensor:
    """x / (1 + abs(x)), element by element."""

def sqrt(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The square root of x, element by element: nan below 0."""

def square(x: _TensorLike, name: str | None = None) -> _Tensor:
    """x times itself, element by element."""

def squared_difference(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor:
    """The square of x - y, element by element, broadcasting."""

def subtract(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor:
    """x - y, element by element, broadcasting."""

def tan(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The tangent of x in radians, element by element."""

def tanh(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The hyperbolic tangent of x, between -1 and 1, element by element."""

def top_k(
    input: _TensorLike,
    k: _TensorLike = 1,
    sorted: bool = True,
    index_type: _DTypeLike = "int32",
    name: str | None = None,
) -> tuple[_Tensor, _Tensor]:
    """The ``k`` largest elements of each row of ``input``, and their indices, as ``(values, indices)``."""

def truediv(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor:
    """Divide x by y as Python does: integers give float64 (float32 for 8 and 16 bits)."""

def unsorted_segment_max(
    data: _Any, segment_ids: _TensorLike, num_segments: _TensorLike, name: str | None = None
) -> _Tensor:
    """The largest of slices by number; the dtype's lowest where there are none."""

def unsorted_segment_mean(
    data: _Any, segment_ids: _TensorLike, num_segments: _TensorLike, name: str | None = None
) -> _Tensor:
    """The means of slices by number; 0 where there are none. Integers are divided as ``divide`` does."""

def unsorted_segment_min(
    data: _Any, segment_ids: _TensorLike, num_segments: _TensorLike, name: str | None = None
) -> _Tensor:
    """The smallest of slices by number; the dtype's highest where there are none."""

def unsorted_segment_prod(
    data: _Any, segment_ids: _TensorLike, num_segments: _TensorLike, name: str | None = None
) -> _Tensor:
    """The products of slices by number; 1 where there are none. Arguments and errors as for ``unsorted_segment_sum``."""

def unsorted_segment_sqrt_n(
    data: _Any, segment_ids: _TensorLike, num_segments: _TensorLike, name: str | None = None
) -> _Tensor:
    """The sums of slices by number, divided by the square roots of how many they are."""

def unsorted_segment_sum(
    data: _Any, segment_ids: _TensorLike, num_segments: _TensorLike, name: str | None = None
) -> _Tensor:
    """The sums of those slices of ``data`` whose ``segment_ids`` are k, for each k below ``num_segments``."""

def xdivy(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor:
    """x / y, element by element, broadcasting; 0 where x is 0, even where y is 0 or nan."""

def xlog1py(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor:
    """x log(1 + y), element by element, broadcasting; 0 where x is 0, even where y is -1 or nan."""

def xlogy(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor:
    """x log(y), element by element, broadcasting; 0 where x is 0, even where y is 0 or nan."""

def zero_fraction(value: _TensorLike, name: str | None = None) -> _Tensor:
    """The fraction of the elements that is zero, as float32; nan of no elements."""

def zeta(x: _TensorLike, q: _TensorLike, name: str | None = None) -> _Tensor:
    """Hurwitz's zeta function, element by element, broadcasting: inf where x is 1, nan below."""
