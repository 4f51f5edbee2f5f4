"""Which module declares each op, operator, and function that the engine calls by name.

Made from the declarations by `python -m tools.op_index`.
"""

from __future__ import annotations

from typing import Final

__all__ = ["FUNCTIONS", "OPERATORS", "OPS"]


def _homes(names: dict[str, str]) -> dict[str, str]:
    return {name: home for home, listed in names.items() for name in listed.split()}


# fmt: off
OPS: Final = _homes({
    "tapeviz.ops.array.cast":
        "bitcast cast",
    "tapeviz.ops.array.concat":
        "concat split stack unstack",
    "tapeviz.ops.array.creation":
        "eye fill number ones ones_like range rank shape size zeros zeros_like",
    "tapeviz.ops.array.dynamic_partition":
        "dynamic_partition dynamic_stitch",
    "tapeviz.ops.array.gather":
        "gather",
    "tapeviz.ops.array.identity":
        "custom_gradient ensure_shape identity stop_gradient",
    "tapeviz.ops.array.pad":
        "mirror_pad mirror_pad_grad pad",
    "tapeviz.ops.array.reshape":
        "broadcast_to expand_dims reshape squeeze sum_to_shape transpose",
    "tapeviz.ops.array.reverse":
        "reverse reverse_sequence roll",
    "tapeviz.ops.array.scatter":
        "gather_nd scatter_nd",
    "tapeviz.ops.array.select":
        "nonzero one_hot where",
    "tapeviz.ops.array.sort":
        "argsort in_top_k searchsorted sort top_k",
    "tapeviz.ops.array.space_to_batch":
        "batch_to_space space_to_batch_nd",
    "tapeviz.ops.array.strided_slice":
        "strided_slice strided_slice_grad",
    "tapeviz.ops.array.tensor_scatter":
        "tensor_scatter_nd_add tensor_scatter_nd_max tensor_scatter_nd_min tensor_scatter_nd_sub "
        "tensor_scatter_nd_update",
    "tapeviz.ops.array.tile":
        "tile",
    "tapeviz.ops.array.unique":
        "invert_permutation unique unique_with_counts",
    "tapeviz.ops.collective.all_reduce":
        "all_reduce",
    "tapeviz.ops.debugging.check_numerics":
        "check_numerics",
    "tapeviz.ops.image.boxes":
        "non_max_suppression",
    "tapeviz.ops.image.resampling":
        "scale_and_translate scale_and_translate_grad",
    "tapeviz.ops.image.resize":
        "resize_bilinear resize_bilinear_grad",
    "tapeviz.ops.linalg.decompositions":
        "eigh eigvalsh qr",
    "tapeviz.ops.linalg.diagonals":
        "band_part cross diag diag_part set_diag",
    "tapeviz.ops.linalg.eigenvalues":
        "eig eigvals",
    "tapeviz.ops.linalg.einsum":
        "einsum",
    "tapeviz.ops.linalg.linear_systems":
        "det inv matrix_solve slogdet",
    "tapeviz.ops.linalg.lu":
        "lu",
    "tapeviz.ops.linalg.matmul":
        "matmul",
    "tapeviz.ops.linalg.matrix_functions":
        "expm logm sqrtm",
    "tapeviz.ops.linalg.singular_values":
        "singular_values svd",
    "tapeviz.ops.linalg.triangular":
        "cholesky triangular_solve",
    "tapeviz.ops.linalg.tridiagonal":
        "tridiagonal_solve",
    "tapeviz.ops.math.arithmetic":
        "abs add add_n maximum minimum multiply multiply_no_nan negative sign squared_difference subtract",
    "tapeviz.ops.math.bessel":
        "bessel_i0 bessel_i0e bessel_i1 bessel_i1e bessel_j0 bessel_j1 bessel_k0 bessel_k0e bessel_k1 bessel_k1e "
        "bessel_y0 bessel_y1",
    "tapeviz.ops.math.bitwise":
        "bitwise_and bitwise_or bitwise_xor invert left_shift right_shift",
    "tapeviz.ops.math.comparison":
        "equal greater greater_equal less less_equal not_equal",
    "tapeviz.ops.math.complex_numbers":
        "angle complex conj imag real",
    "tapeviz.ops.math.cumulative":
        "cumprod cumsum cumulative_logsumexp",
    "tapeviz.ops.math.division":
        "divide divide_no_nan floordiv floormod truncatediv truncatemod xdivy",
    "tapeviz.ops.math.exponentials":
        "exp expm1 log log1p log_sigmoid pow reciprocal rsqrt sigmoid softplus sqrt square xlog1py xlogy",
    "tapeviz.ops.math.gamma":
        "digamma lgamma polygamma zeta",
    "tapeviz.ops.math.gradient_figures":
        "gradient_figures",
    "tapeviz.ops.math.histograms":
        "dense_bincount histogram_fixed_width",
    "tapeviz.ops.math.incomplete_integrals":
        "betainc igamma igamma_slope igammac",
    "tapeviz.ops.math.logic":
        "logical_and logical_not logical_or logical_xor",
    "tapeviz.ops.math.reductions":
        "reduce_all reduce_any reduce_max reduce_mean reduce_min reduce_prod reduce_sum",
    "tapeviz.ops.math.rounding":
        "ceil clip_by_value floor is_finite is_inf is_nan nextafter rint round",
    "tapeviz.ops.math.segments":
        "segment_max segment_mean segment_min segment_prod segment_sum unsorted_segment_max unsorted_segment_min "
        "unsorted_segment_prod unsorted_segment_sum",
    "tapeviz.ops.math.special":
        "dawsn erf erfc erfinv expint fresnel_cos fresnel_sin ndtri spence",
    "tapeviz.ops.math.statistics":
        "argmax argmin norm reduce_logsumexp reduce_std reduce_variance",
    "tapeviz.ops.math.trigonometry":
        "acos acosh asin asinh atan atan2 atanh cos cosh sin sinh tan tanh",
    "tapeviz.ops.nn.activations":
        "elu gelu gelu_approximate leaky_relu log_softmax relu relu6 relu_grad selu silu softmax softsign",
    "tapeviz.ops.nn.bias":
        "bias_add",
    "tapeviz.ops.nn.convolution":
        "conv1d conv1d_backprop_filter conv1d_backprop_input conv2d conv2d_backprop_filter conv2d_backprop_input "
        "conv3d conv3d_backprop_filter conv3d_backprop_input",
    "tapeviz.ops.nn.depthwise_convolution":
        "depthwise_conv2d depthwise_conv2d_backprop_filter depthwise_conv2d_backprop_input",
    "tapeviz.ops.nn.losses":
        "l2_loss sigmoid_cross_entropy_with_logits softmax_cross_entropy_with_logits "
        "sparse_softmax_cross_entropy_with_logits",
    "tapeviz.ops.nn.morphology":
        "dilation2d dilation2d_positions",
    "tapeviz.ops.nn.pooling":
        "avg_pool avg_pool_grad max_pool max_pool_grad max_pool_grad_grad max_pool_positions",
    "tapeviz.ops.random.candidates":
        "sample_candidates",
    "tapeviz.ops.random.distributions":
        "parameterized_truncated_normal random_binomial random_categorical random_gamma random_gamma_grad "
        "random_poisson",
    "tapeviz.ops.random.random_ops":
        "random_normal random_permutation random_uniform random_uniform_full_int random_uniform_int truncated_normal",
    "tapeviz.ops.signal.dct":
        "dct",
    "tapeviz.ops.signal.fft":
        "fft ifft irfft rfft",
    "tapeviz.ops.state.device_copies":
        "copy_to_device",
    "tapeviz.ops.state.variable_ops":
        "assign read_variable",
})
OPERATORS: Final = _homes({
    "tapeviz.ops.linalg.matmul":
        "matmul",
    "tapeviz.ops.math.arithmetic":
        "abs add mul neg sub",
    "tapeviz.ops.math.comparison":
        "ge gt le lt",
    "tapeviz.ops.math.division":
        "floordiv mod truediv",
    "tapeviz.ops.math.exponentials":
        "pow",
    "tapeviz.ops.math.logic":
        "and invert or xor",
})
FUNCTIONS: Final = _homes({
    "tapeviz.ops.array.cast":
        "cast",
    "tapeviz.ops.array.concat":
        "stack unstack",
    "tapeviz.ops.array.creation":
        "convert_to_tensor number ones_like zeros_like",
    "tapeviz.ops.array.identity":
        "ensure_shape",
    "tapeviz.ops.array.reshape":
        "expand_dims",
    "tapeviz.ops.array.strided_slice":
        "getitem",
    "tapeviz.ops.math.comparison":
        "tensor_equal tensor_not_equal",
    "tapeviz.ops.math.division":
        "divide",
    "tapeviz.ops.sparse.sparse_tensor":
        "sparse_tensor",
    "tapeviz.ops.state.variable_ops":
        "read_variable",
    "tapeviz.ops.state.variable_slices":
        "assign_by_example assign_rows assign_slice assign_where",
    "tapeviz.ops.strings.text":
        "join_strings",
})
