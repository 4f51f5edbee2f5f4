"""``tf.math``: elementwise mathematics, comparisons, logic and reductions."""

from __future__ import annotations

from typing import Any, Final

from tapeviz import special as special  # noqa: PLC0414 - offered from here
from tapeviz.namespace import Namespace

_names = Namespace(
    __name__,
    {
        "tapeviz.ops.nn.activations": "log_softmax softmax softsign",
        "tapeviz.ops.math.arithmetic": (
            "abs accumulate_n add add_n maximum minimum multiply multiply_no_nan negative scalar_mul sign "
            "squared_difference subtract"
        ),
        "tapeviz.ops.math.bessel": "bessel_i0 bessel_i0e bessel_i1 bessel_i1e",
        "tapeviz.ops.math.comparison": (
            "equal greater greater_equal is_non_decreasing is_strictly_increasing less less_equal not_equal"
        ),
        "tapeviz.ops.math.complex_numbers": "angle conj imag real",
        "tapeviz.ops.math.histograms": "bincount confusion_matrix count_nonzero zero_fraction",
        "tapeviz.ops.math.cumulative": "cumprod cumsum cumulative_logsumexp",
        "tapeviz.ops.array.unique": "invert_permutation",
        "tapeviz.ops.math.division": (
            "divide divide_no_nan floordiv floormod mod=floormod reciprocal_no_nan truediv xdivy"
        ),
        "tapeviz.ops.math.exponentials": (
            "exp expm1 log log1p log_sigmoid polyval pow reciprocal rsqrt sigmoid softplus sqrt square xlog1py xlogy"
        ),
        "tapeviz.ops.math.gamma": "digamma lbeta lgamma polygamma zeta",
        "tapeviz.ops.math.incomplete_integrals": "betainc igamma igammac",
        "tapeviz.ops.math.logic": "logical_and logical_not logical_or logical_xor",
        "tapeviz.ops.nn.normalization": "l2_normalize",
        "tapeviz.ops.math.reductions": (
            "reduce_all reduce_any reduce_max reduce_mean reduce_min reduce_prod reduce_sum"
        ),
        "tapeviz.ops.math.rounding": "ceil floor is_finite is_inf is_nan nextafter rint round",
        "tapeviz.ops.math.segments": (
            "segment_max segment_mean segment_min segment_prod segment_sum unsorted_segment_max "
            "unsorted_segment_mean unsorted_segment_min unsorted_segment_prod unsorted_segment_sqrt_n "
            "unsorted_segment_sum"
        ),
        "tapeviz.ops.array.sort": "in_top_k top_k",
        "tapeviz.ops.math.special": "erf erfc erfcinv erfinv ndtri",
        "tapeviz.ops.math.statistics": (
            "argmax argmin reduce_euclidean_norm reduce_logsumexp reduce_std reduce_variance"
        ),
        "tapeviz.ops.math.trigonometry": "acos acosh asin asinh atan atan2 atanh cos cosh sin sinh tan tanh",
    },
)
_offered: Final = [*_names.listed, "special"]
__all__ = list(_offered)


def __getattr__(name: str) -> Any:
    return _names.find(name)


def __dir__() -> list[str]:
    return __all__
