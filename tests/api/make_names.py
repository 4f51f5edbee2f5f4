"""The names that TensorFlow documents, with their parameters, stored for a machine that has no TensorFlow.

Run it with an interpreter that has TensorFlow::

    python tests/api/make_names.py
"""

from __future__ import annotations

import inspect
import json
from pathlib import Path

import tensorflow as tf

STORED = Path(__file__).parent / "tensorflow_names.json"

SPACES = "autodiff bitwise config debugging dtypes image linalg math nest nn random signal test"
NAMESPACES = {"tf": tf} | {f"tf.{space}": getattr(tf, space) for space in SPACES.split()}

# Of these namespaces only what is named belongs in an eager engine; the others are taken whole.
ONLY = {
    "tf.config": "get_soft_device_placement get_visible_devices list_logical_devices list_physical_devices "
    "set_soft_device_placement",
    "tf.image": "ResizeMethod resize",
    "tf.test": "compute_gradient gpu_device_name is_built_with_cuda is_built_with_gpu_support is_gpu_available",
}

# What belongs to another part of TensorFlow than its eager engine, whatever namespace it stands in.
ELSEWHERE = {
    "graphs, traced functions and what is loaded into them": "AggregationMethod Graph Operation RegisterGradient "
    "autograph check_pinned control_dependencies disable_traceback_filtering enable_traceback_filtering function "
    "get_log_device_placement get_logger get_static_value grad_pass_through gradients graph_util guarantee_const "
    "hessians import_graph_def init_scope inside_function is_symbolic_tensor is_traceback_filtering_enabled "
    "load_library load_op_library make_ndarray make_tensor_proto no_gradient nondifferentiable_batch_function "
    "recompute_grad set_log_device_placement type_spec_from_value variable_creator_scope",
    "ragged, sparse and other composite tensors": "IndexedSlicesSpec NoneTensorSpec OptionalSpec RaggedTensor "
    "RaggedTensorSpec SparseTensor SparseTensorSpec TensorArraySpec TypeSpec collapse_repeated "
    "embedding_lookup_sparse ragged_fill_empty_rows ragged_fill_empty_rows_grad resource "
    "safe_embedding_lookup_sparse variant",
    "text": "as_string edit_distance fingerprint string_to_hash_bucket strings",
    "linear operators as objects": "LinearOperator LinearOperatorAdjoint LinearOperatorBlockDiag "
    "LinearOperatorBlockLowerTriangular LinearOperatorCirculant LinearOperatorCirculant2D LinearOperatorCirculant3D "
    "LinearOperatorComposition LinearOperatorDiag LinearOperatorFullMatrix LinearOperatorHouseholder "
    "LinearOperatorIdentity LinearOperatorInversion LinearOperatorKronecker LinearOperatorLowRankUpdate "
    "LinearOperatorLowerTriangular LinearOperatorPermutation LinearOperatorScaledIdentity LinearOperatorToeplitz "
    "LinearOperatorTridiag LinearOperatorZeros",
    "initializers, which come with the layers": "constant_initializer ones_initializer random_normal_initializer "
    "random_uniform_initializer zeros_initializer",
    "cells of recurrent layers": "RNNCellDeviceWrapper RNNCellDropoutWrapper RNNCellResidualWrapper",
    "distribution over machines": "CriticalSection DeviceSpec VariableAggregation VariableSynchronization",
    "samplers of very large vocabularies": "all_candidate_sampler compute_accidental_hits "
    "fixed_unigram_candidate_sampler learned_unigram_candidate_sampler log_uniform_candidate_sampler nce_loss "
    "sampled_softmax_loss uniform_candidate_sampler",
    "quantization": "QUANTIZED_DTYPES dequantize fake_quant_with_min_max_args fake_quant_with_min_max_args_gradient "
    "fake_quant_with_min_max_vars fake_quant_with_min_max_vars_gradient fake_quant_with_min_max_vars_per_channel "
    "fake_quant_with_min_max_vars_per_channel_gradient qint16 qint32 qint8 quantize quantize_and_dequantize "
    "quantize_and_dequantize_v2 quint16 quint8",
    "element types and kernels of accelerators": "approx_max_k approx_min_k approx_top_k conv2d_backprop_filter_v2 "
    "conv2d_backprop_input_v2 float4_e2m1fn float8_e4m3b11fnuz float8_e4m3fn float8_e4m3fnuz float8_e5m2 "
    "float8_e5m2fnuz int2 int4 uint2 uint4",
}
LEFT_OUT = {name for names in ELSEWHERE.values() for name in names.split()}

# Classes that users meet and do not construct, so that their parameters are nobody's business.
MET = {"DType", "Tensor"}


def names() -> dict[str, dict[str, list[str] | None]]:
    """Return each namespace's names with their parameters in order, None for what is no function or class."""
    found: dict[str, dict[str, list[str] | None]] = {}
    for space, module in NAMESPACES.items():
        wanted = ONLY[space].split() if space in ONLY else _documented(module)
        found[space] = {name: _parameters(getattr(module, name)) for name in wanted if name not in LEFT_OUT}
    return found


def _documented(module) -> list[str]:
    return [
        name for name in sorted(dir(module)) if not name.startswith("_") and not inspect.ismodule(getattr(module, name))
    ]


def _parameters(value) -> list[str] | None:
    if not callable(value) or isinstance(value, tf.DType) or getattr(value, "__name__", "") in MET:
        return None
    try:
        parameters = list(inspect.signature(value.__init__ if inspect.isclass(value) else value).parameters.values())
    except (TypeError, ValueError):
        return None
    if inspect.isclass(value):
        parameters = [one for one in parameters if one.name != "self"]
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    named = [stars.get(one.kind, "") + one.name for one in parameters]
    return None if inspect.isclass(value) and any(name.startswith("*") for name in named) else named


if __name__ == "__main__":
    lines = [
        f'"{space}": {{\n'
        + ",\n".join(f'  "{name}": {json.dumps(parameters)}' for name, parameters in functions.items())
        + "\n}"
        for space, functions in names().items()
    ]
    STORED.write_text("{" + ",\n".join(lines) + "}\n")
