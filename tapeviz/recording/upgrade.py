"""What columns of older recordings lack, filled in by the names of their ops when they are opened.

These tables say what was so when the columns came: ops that came later write their own. Nothing is added to them.
"""

from __future__ import annotations

from typing import Final

from tapeviz.recording.codec import Chunk, Frame
from tapeviz.recording.columns import Cells

__all__ = ["upgraded"]

_TRAITS: Final = {
    "bipolar": "erf softsign tanh",
    "cast": "cast",
    "custom_gradient": "custom_gradient",
    "distribution": "softmax",
    "exponential": "exp expm1",
    "factors": "cumprod pow reduce_prod segment_prod unsorted_segment_prod",
    "flat": (
        "clip_by_value max_pool maximum minimum reduce_max reduce_min relu relu6 segment_max segment_min "
        "tensor_scatter_nd_max tensor_scatter_nd_min unsorted_segment_max unsorted_segment_min where"
    ),
    "grows_exponentially": "bessel_i0 bessel_i1 cosh exp expm1 sinh",
    "identity": "assign copy_to_device ensure_shape identity read read_variable stop_gradient",
    "indexes": (
        "gather gather_nd one_hot scatter_nd segment_max segment_mean segment_min segment_prod segment_sum "
        "sparse_softmax_cross_entropy_with_logits tensor_scatter_nd_add tensor_scatter_nd_max "
        "tensor_scatter_nd_min tensor_scatter_nd_sub tensor_scatter_nd_update unsorted_segment_max "
        "unsorted_segment_min unsorted_segment_prod unsorted_segment_sum"
    ),
    "logarithm": "log log1p xlog1py xlogy",
    "logistic": "sigmoid",
    "mean": "avg_pool reduce_mean segment_mean",
    "moves": (
        "assign batch_to_space broadcast_to check_numerics clip_by_value concat copy_to_device custom_gradient "
        "dynamic_partition ensure_shape expand_dims fill gather gather_nd identity max_pool max_pool_grad_grad "
        "maximum minimum mirror_pad read read_variable reduce_max reduce_min reshape reverse reverse_sequence roll "
        "set_diag sort split squeeze stack stop_gradient strided_slice tensor_scatter_nd_max tensor_scatter_nd_min "
        "tensor_scatter_nd_update tile transpose unstack where"
    ),
    "power": "pow",
    "product": (
        "conv1d conv1d_backprop_filter conv1d_backprop_input conv2d conv2d_backprop_filter conv2d_backprop_input "
        "conv3d conv3d_backprop_filter conv3d_backprop_input cross depthwise_conv2d "
        "depthwise_conv2d_backprop_filter depthwise_conv2d_backprop_input einsum matmul multiply multiply_no_nan"
    ),
    "quotient": "divide floordiv floormod reciprocal rsqrt truncatediv truncatemod xdivy",
    "random": (
        "parameterized_truncated_normal random_binomial random_categorical random_gamma random_normal "
        "random_permutation random_poisson random_uniform random_uniform_full_int random_uniform_int "
        "truncated_normal"
    ),
    "reads_variable": "read read_variable",
    "root": "norm reduce_std rsqrt sqrt",
    "saturates": (
        "atan elu erf erfc gelu gelu_approximate log_sigmoid log_softmax selu sigmoid silu softmax softplus "
        "softsign tanh"
    ),
    "selects": "where",
    "shape_only": "ones_like rank shape size zeros_like",
    "shifted": "expm1 log1p xlog1py",
    "softmax": (
        "log_softmax reduce_logsumexp softmax softmax_cross_entropy_with_logits "
        "sparse_softmax_cross_entropy_with_logits"
    ),
    "source": "capture constant input placeholder",
    "spread": "reduce_std reduce_variance",
    "squares": "l2_loss norm reduce_std reduce_variance square squared_difference",
    "stops_gradient": "stop_gradient",
    "sum": (
        "add add_n bias_add cumsum reduce_sum scatter_nd segment_sum subtract sum_to_shape tensor_scatter_nd_add "
        "tensor_scatter_nd_sub unsorted_segment_sum"
    ),
    "writes_variable": "assign",
}
_DOMAINS: Final = {
    "-1 1": "acos asin atanh erfinv",
    "-1 inf": "log1p xlog1py",
    "0 1": "ndtri",
    "0 inf": "log rsqrt spence sqrt xlogy",
    "1 inf": "acosh",
}
_SURROGATES: Final = {
    "one_hot takes class numbers: compute the loss from the probabilities themselves": "one_hot",
    "round only what is reported, not what goes into the loss": "ceil floor rint round",
    "use tf.nn.softmax of the negative, a smooth form of it, or keep argmin out of the loss": "argmin",
    "use tf.nn.softmax, a smooth form of it, or keep argmax out of the loss": "argmax",
    "use tf.tanh, a smooth form of it": "sign",
}


_COLUMNS: Final = {"traits": _TRAITS, "domain": _DOMAINS, "surrogate": _SURROGATES}


class _Ops(Chunk):
    """Rows of ``ops`` with the columns that they lack, worked out when first asked for."""

    __slots__ = ("_ops",)

    def __init__(self, ops: Chunk) -> None:
        super().__init__(ops.rows, {**dict.fromkeys(_COLUMNS, "text"), **ops.types}, {})
        self._ops = ops

    def cells(self, name: str) -> Cells:
        """The cells of a column that is among ``types``."""
        if name in self._ops.types:
            return self._ops.cells(name)
        if name not in self._columns:
            facts: dict[str, list[str]] = {}
            for fact, names in _COLUMNS[name].items():
                for op in names.split():
                    facts.setdefault(op, []).append(fact)
            self._columns[name] = [" ".join(facts.get(op, ())) for op in map(str, self._ops.cells("name"))]
        return super().cells(name)


def upgraded(frame: Frame) -> Frame:
    """A frame with what its version did not write of ops; the frame itself where nothing is lacking."""
    ops = frame.tables.get("ops")
    if ops is None or "name" not in ops.types or _COLUMNS.keys() <= ops.types.keys():
        return frame
    return Frame({**frame.tables, "ops": _Ops(ops)})
