"""What stands where in TensorFlow's namespaces: the one table of what users import.

For each namespace: the dotted name of a module, then the names that are found there, separated by spaces; a name that
is another one there is written ``name=other``. Behind ``module:function`` the function gives what a name stands for.
Under ``"."`` are the modules in the namespace. A string in the place of a table says that the namespace is another one.

From this table :mod:`tapeviz.namespaces.lazy` fills the lazy packages; `python -m tools.stubs` writes the stubs
beside them, `python -m tools.reference_page` the reference, and `tests/structure/public_names.py` the stored list of
names.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tapeviz.namespaces.older_names import CELLS, OLDER

__all__ = ["NAMESPACES"]

_OPTIMIZERS: Final = {
    "tapeviz.keras.optimizers.adagrad": "Adadelta Adagrad",
    "tapeviz.keras.optimizers.adam": "Adam AdamW Adamax Nadam",
    "tapeviz.keras.optimizers.ftrl": "Ftrl",
    "tapeviz.keras.optimizers.lion": "Lion",
    "tapeviz.keras.optimizers.optimizer_lookup": "deserialize get serialize",
    "tapeviz.keras.optimizers.optimizer": "Optimizer",
    "tapeviz.keras.optimizers.rmsprop": "RMSprop",
    "tapeviz.keras.optimizers.sgd": "SGD",
}

# fmt: off
NAMESPACES: Final[Mapping[str, Mapping[str, str] | str]] = {
    "tapeviz": {
        ".":
            "analysis autodiff autograph bitwise compat config contrib data debugging distribute dtypes errors "
            "experimental exports image initializers io keras linalg lookup losses magics math metrics nest nn onnx "
            "optimizers ragged random recording saved_model sets signal sparse strings summary test train version "
            "widgets",
        "tapeviz.compat.tensorflow_alias": "install_as_tensorflow",
        "tapeviz.compat.v1": "Graph Operation gradients hessians",
        "tapeviz.engine.conversion": "constant convert_to_tensor is_tensor register_tensor_conversion_function",
        "tapeviz.engine.custom_gradient": "custom_gradient",
        "tapeviz.engine.device_blocks": "device",
        "tapeviz.engine.dtypes": "DType as_dtype",
        "tapeviz.engine.dtypes:as_dtype":
            "bfloat16 bool complex128 complex64 double float16 float32 float64 half int16 int32 int64 int8 string "
            "uint16 uint32 uint64 uint8",
        "tapeviz.engine.indexed_slices": "IndexedSlices",
        "tapeviz.engine.scopes": "Module TensorSpec name_scope",
        "tapeviz.engine.shapes": "TensorShape",
        "tapeviz.keras.initializers":
            "constant_initializer=Constant ones_initializer=Ones random_normal_initializer=RandomNormal "
            "random_uniform_initializer=RandomUniform zeros_initializer=Zeros",
        "tapeviz.engine.state": "executing_eagerly",
        "tapeviz.engine.tape": "GradientTape UnconnectedGradients",
        "tapeviz.engine.tensor": "Tensor",
        "tapeviz.engine.variable": "Variable",
        "tapeviz.engine.variable_options": "VariableAggregation VariableSynchronization",
        "tapeviz.functions.function": "function",
        "tapeviz.functions.retraces": "retraces",
        "tapeviz.graphs.control.control_flow": "case cond switch_case while_loop",
        "tapeviz.graphs.control.functional": "foldl foldr map_fn scan vectorized_map",
        "tapeviz.graphs.control.tensor_array": "TensorArray",
        "tapeviz.graphs.ir.tracing": "init_scope",
        "tapeviz.magics": "disable enable",
        "tapeviz.ops.debugging.settings": "get_logger",
        "tapeviz.io.tensor_protos": "make_ndarray make_tensor_proto",
        "tapeviz.ops.array.cast": "bitcast cast saturate_cast",
        "tapeviz.ops.array.concat": "concat split stack unstack",
        "tapeviz.ops.array.creation": "eye fill linspace ones ones_like range rank shape size zeros zeros_like",
        "tapeviz.ops.array.dynamic_partition":
            "dynamic_partition dynamic_stitch parallel_stack sequence_mask unravel_index",
        "tapeviz.ops.array.dynamic_shapes": "broadcast_dynamic_shape broadcast_static_shape shape_n",
        "tapeviz.ops.array.gather": "gather",
        "tapeviz.ops.array.identity":
            "ensure_shape get_static_value grad_pass_through identity identity_n stop_gradient",
        "tapeviz.ops.array.pad": "pad",
        "tapeviz.ops.array.patches": "extract_volume_patches",
        "tapeviz.ops.array.ragged_tensor": "RaggedTensor",
        "tapeviz.ops.array.reshape": "broadcast_to expand_dims reshape squeeze transpose",
        "tapeviz.ops.array.reverse": "reverse reverse_sequence roll",
        "tapeviz.ops.array.scatter": "gather_nd scatter_nd",
        "tapeviz.ops.array.select": "boolean_mask one_hot where",
        "tapeviz.ops.array.sort": "argsort searchsorted sort",
        "tapeviz.ops.sparse.sparse_tensor": "SparseTensor SparseTensorSpec",
        "tapeviz.ops.array.space_to_batch":
            "batch_to_space required_space_to_batch_paddings space_to_batch space_to_batch_nd",
        "tapeviz.ops.array.strided_slice": "slice strided_slice",
        "tapeviz.ops.array.tensor_scatter":
            "tensor_scatter_nd_add tensor_scatter_nd_max tensor_scatter_nd_min tensor_scatter_nd_sub "
            "tensor_scatter_nd_update",
        "tapeviz.ops.array.tile": "meshgrid repeat tile",
        "tapeviz.ops.array.unique": "unique unique_with_counts",
        "tapeviz.ops.control.execution_order": "control_dependencies group no_gradient no_op timestamp tuple",
        "tapeviz.ops.control.py_function": "numpy_function py_function recompute_grad",
        "tapeviz.ops.debugging.assertions": "Assert assert_equal assert_greater assert_less assert_rank",
        "tapeviz.ops.control.print_op": "print",
        "tapeviz.ops.linalg.eigenvalues": "eig eigvals",
        "tapeviz.ops.linalg.einsum": "einsum",
        "tapeviz.ops.linalg.matmul": "matmul tensordot",
        "tapeviz.ops.linalg.norms": "norm",
        "tapeviz.ops.math.arithmetic": "abs add add_n maximum minimum multiply negative scalar_mul sign subtract",
        "tapeviz.ops.math.clip": "clip_by_global_norm clip_by_norm",
        "tapeviz.ops.math.comparison": "equal greater greater_equal less less_equal not_equal",
        "tapeviz.ops.math.complex_numbers": "complex",
        "tapeviz.ops.math.cumulative": "cumsum",
        "tapeviz.ops.math.division": "divide realdiv truediv truncatediv truncatemod",
        "tapeviz.ops.math.exponentials": "exp pow sigmoid sqrt square",
        "tapeviz.ops.math.histograms": "histogram_fixed_width histogram_fixed_width_bins",
        "tapeviz.ops.math.logic": "logical_and logical_not logical_or",
        "tapeviz.ops.math.reductions": "reduce_all reduce_any reduce_max reduce_mean reduce_min reduce_prod reduce_sum",
        "tapeviz.ops.math.rounding": "clip_by_value floor round",
        "tapeviz.ops.math.statistics": "argmax argmin reduce_logsumexp",
        "tapeviz.ops.math.trigonometry": "acos acosh asin asinh atan atan2 atanh cos cosh sin sinh tan tanh",
        "tapeviz.tape.check": "FindingsError",
        "tapeviz.tape.folder": "check_folder",
        "tapeviz.tape.diff": "diff",
        "tapeviz.tape.merge": "merge",
        "tapeviz.tape.live": "live",
        "tapeviz.tape.record": "record",
        "tapeviz.tape.tape": "Tape load",
    },
    "tapeviz.initializers": "tapeviz.keras.initializers",
    "tapeviz.losses": "tapeviz.keras.losses",
    "tapeviz.lookup": {
        ".": "experimental",
        "tapeviz.ops.array.lookup_tables":
            "KeyValueTensorInitializer StaticHashTable StaticVocabularyTable TextFileIndex TextFileInitializer",
    },
    "tapeviz.lookup.experimental": {
        "tapeviz.ops.array.lookup_tables": "MutableHashTable",
    },
    "tapeviz.metrics": "tapeviz.keras.metrics",
    "tapeviz.autodiff": {
        "tapeviz.engine.forward": "ForwardAccumulator",
        "tapeviz.engine.tape": "GradientTape",
    },
    "tapeviz.autograph": {
        ".": "experimental",
        "tapeviz.autograph.api": "set_verbosity to_code to_graph trace",
        "tapeviz.autograph.conversion": "Conversion convert",
        "tapeviz.autograph.experimental": "do_not_convert",
    },
    "tapeviz.bitwise": {
        "tapeviz.ops.math.bitwise": "bitwise_and bitwise_or bitwise_xor invert left_shift right_shift",
    },
    "tapeviz.compat": {
        ".": "v1 v2",
        "tapeviz.compat.text": "as_bytes as_str as_str_any as_text path_to_str",
    },
    "tapeviz.compat.v2": "tapeviz",
    "tapeviz.config": {
        ".": "experimental optimizer threading",
        "tapeviz.engine.device_lists":
            "LogicalDevice PhysicalDevice get_soft_device_placement get_visible_devices list_logical_devices "
            "list_physical_devices set_soft_device_placement set_visible_devices",
        "tapeviz.functions.function": "functions_run_eagerly run_functions_eagerly",
    },
    "tapeviz.config.experimental": {
        "tapeviz.engine.device_lists":
            "free_unused_memory get_device_details get_device_policy get_memory_growth get_memory_info "
            "get_visible_devices list_logical_devices list_physical_devices set_device_policy set_memory_growth "
            "set_visible_devices",
    },
    "tapeviz.config.optimizer": {
        "tapeviz.graphs.native.compile_policy": "get_jit set_jit",
    },
    "tapeviz.config.threading": {
        "tapeviz.engine.parallelism":
            "get_inter_op_parallelism_threads get_intra_op_parallelism_threads set_inter_op_parallelism_threads "
            "set_intra_op_parallelism_threads",
    },
    "tapeviz.contrib": {
        ".": "checkpoint cudnn_rnn data eager layers opt rnn seq2seq signal summary training",
        "tapeviz": "keras",
    },
    "tapeviz.contrib.signal": "tapeviz.signal",
    "tapeviz.contrib.rnn": {
        **CELLS,
        "tapeviz.compat.v1.layers.rnn_functions": "static_bidirectional_rnn static_rnn",
    },
    "tapeviz.contrib.eager": {
        ".": "metrics",
        "tapeviz.contrib.eager.traced_functions": "defun",
        "tapeviz.contrib.eager.gradient_functions":
            "gradients_function implicit_gradients implicit_value_and_gradients value_and_gradients_function",
        "tapeviz.contrib.eager.graph_callables": "graph_callable",
        "tapeviz.contrib.eager.dataset_iterator": "Iterator",
        "tapeviz.contrib.eager.variable_stores": "EagerVariableStore",
        "tapeviz.contrib.eager.device_counts": "list_devices num_gpus",
        "tapeviz.contrib.eager.network": "Network Sequential restore_network_checkpoint save_network_checkpoint",
        "tapeviz.contrib.eager.savers": "CheckpointableSaver Saver",
        "tapeviz.contrib.eager.execution_callbacks":
            "async_clear_error async_wait execution_mode get_optimizer_variables restore_variables_on_create run "
            "run_all_tests_in_graph_and_eager_modes run_test_in_graph_and_eager_modes set_execution_mode",
        "tapeviz.contrib.checkpoint": "Checkpointable",
        "tapeviz.compat.v1.train.checkpoint": "Checkpoint",
        "tapeviz.ops.control.py_function": "py_func=py_function",
        "tapeviz.contrib.eager.execution_modes":
            "ASYNC DEVICE_PLACEMENT_EXPLICIT DEVICE_PLACEMENT_SILENT DEVICE_PLACEMENT_SILENT_FOR_INT32 "
            "DEVICE_PLACEMENT_WARN SYNC ShapeAndDtype enable_eager_execution executing_eagerly in_eager_mode",
        "tapeviz.engine.custom_gradient": "custom_gradient",
        "tapeviz.engine.scopes": "TensorSpec",
        "tapeviz.engine.tape": "GradientTape",
        "tapeviz.engine.variable": "Variable",
    },
    "tapeviz.data": {
        ".": "experimental",
        "tapeviz.data.dataset": "Dataset",
        "tapeviz.data.iterators": "Iterator NumpyIterator",
        "tapeviz.data.nodes": "INFINITE_CARDINALITY=INFINITE UNKNOWN_CARDINALITY=UNKNOWN",
        "tapeviz.data.options": "AUTOTUNE Options ThreadingOptions",
        "tapeviz.data.record_files": "TFRecordDataset",
        "tapeviz.data.structures": "DatasetSpec",
        "tapeviz.data.text_files": "TextLineDataset",
    },
    "tapeviz.data.experimental": {
        "tapeviz.data.csv_files": "CsvDataset make_csv_dataset",
        "tapeviz.data.record_files": "TFRecordWriter=RecordsWriter",
        "tapeviz.data.experimental_functions":
            "Counter assert_cardinality cardinality choose_from_datasets enable_debug_mode enumerate_dataset from_list "
            "get_single_element sample_from_datasets scan shuffle_and_repeat take_while unbatch unique",
        "tapeviz.data.nodes": "INFINITE_CARDINALITY=INFINITE UNKNOWN_CARDINALITY=UNKNOWN",
        "tapeviz.data.options": "AUTOTUNE",
    },
    "tapeviz.debugging": {
        "tapeviz.ops.debugging.assertions":
            "Assert assert_equal assert_greater assert_greater_equal assert_integer assert_less assert_less_equal "
            "assert_near assert_negative assert_non_negative assert_non_positive assert_none_equal assert_positive "
            "assert_proper_iterable assert_rank assert_rank_at_least assert_rank_in assert_same_float_dtype "
            "assert_scalar assert_shapes assert_type is_numeric_tensor",
        "tapeviz.ops.debugging.check_numerics":
            "assert_all_finite check_numerics disable_check_numerics enable_check_numerics",
        "tapeviz.ops.debugging.settings":
            "disable_traceback_filtering enable_traceback_filtering get_log_device_placement "
            "is_traceback_filtering_enabled set_log_device_placement",
    },
    "tapeviz.dtypes": {
        "tapeviz.engine.dtypes": "DType as_dtype",
        "tapeviz.engine.dtypes:as_dtype":
            "bfloat16 bool complex128 complex64 double float16 float32 float64 half int16 int32 int64 int8 string "
            "uint16 uint32 uint64 uint8",
        "tapeviz.ops.array.cast": "cast saturate_cast",
        "tapeviz.ops.math.complex_numbers": "complex",
    },
    "tapeviz.errors": {
        "tapeviz.engine.errors":
            "AbortedError AlreadyExistsError CancelledError DataLossError DeadlineExceededError "
            "FailedPreconditionError InaccessibleTensorError InternalError InvalidArgumentError NotFoundError OpError "
            "OperatorNotAllowedInGraphError OutOfRangeError PermissionDeniedError ResourceExhaustedError ShapeError "
            "UnavailableError UnimplementedError UnknownError",
    },
    "tapeviz.experimental": {
        ".": "dlpack numpy",
    },
    "tapeviz.experimental.numpy": {
        "tapeviz":
            "abs absolute=abs add argmax argmin argsort broadcast_to complex concatenate=concat cos cosh cumsum einsum "
            "equal exp expand_dims eye flip=reverse floor greater greater_equal less less_equal linspace logical_and "
            "logical_not logical_or matmul maximum meshgrid minimum multiply negative norm not_equal ones_like "
            "power=pow "
            "repeat reshape roll round shape sign sin sinh size sort sqrt square squeeze stack subtract tan tanh "
            "tensordot tile transpose where zeros_like all=reduce_all any=reduce_any amax=reduce_max amin=reduce_min "
            "max=reduce_max mean=reduce_mean min=reduce_min prod=reduce_prod sum=reduce_sum true_divide=truediv "
            "divide=truediv arctan2=atan2 arcsin=asin arccos=acos arctan=atan arcsinh=asinh arccosh=acosh "
            "arctanh=atanh "
            "bfloat16 bool_=bool complex128 complex64 float16 float32 float64 int16 int32 int64 int8 uint16 uint32 "
            "uint64 "
            "uint8 clip=clip_by_value ndarray=Tensor",
        "tapeviz.linalg": "cross diagonal=diag_part inv",
        "tapeviz.math":
            "angle bincount ceil conj conjugate=conj count_nonzero cumprod expm1 floor_divide=floordiv imag "
            "isfinite=is_finite "
            "isinf=is_inf isnan=is_nan log log1p logical_xor mod=floormod polyval real reciprocal remainder=floormod "
            "rint std=reduce_std var=reduce_variance",
        "tapeviz.ops.math.numpy_functions":
            "allclose arange array array_equal asarray atleast_1d atleast_2d diag dot empty empty_like full full_like "
            "hstack identity inner isclose log10 log2 moveaxis nonzero ones outer pad ravel split swapaxes take "
            "trace tril triu vdot vstack zeros",
    },
    "tapeviz.experimental.dlpack": {
        "tapeviz.engine.dlpack": "from_dlpack to_dlpack",
    },
    "tapeviz.exports": {
        ".": "chrome_trace diff_page figures html summary_html summary_text tape_file",
    },
    "tapeviz.image": {
        "tapeviz.ops.files.pictures":
            "decode_and_crop_jpeg decode_bmp decode_gif decode_image decode_jpeg decode_png encode_jpeg encode_png "
            "is_jpeg",
        "tapeviz.ops.image.hues":
            "adjust_hue adjust_saturation hsv_to_rgb rgb_to_hsv",
        "tapeviz.ops.array.patches": "extract_patches",
        "tapeviz.ops.image.color": "adjust_gamma convert_image_dtype grayscale_to_rgb",
        "tapeviz.ops.image.images":
            "adjust_brightness adjust_contrast central_crop crop_to_bounding_box flip_left_right flip_up_down "
            "image_gradients pad_to_bounding_box per_image_standardization psnr resize_with_crop_or_pad "
            "rgb_to_grayscale rot90 sobel_edges total_variation transpose",
        "tapeviz.ops.image.boxes":
            "crop_and_resize non_max_suppression non_max_suppression_padded non_max_suppression_with_scores",
        "tapeviz.ops.image.random_images":
            "random_brightness random_contrast random_crop random_flip_left_right random_flip_up_down random_hue "
            "random_saturation "
            "stateless_random_brightness stateless_random_contrast stateless_random_crop "
            "stateless_random_flip_left_right stateless_random_flip_up_down stateless_random_hue "
            "stateless_random_saturation",
        "tapeviz.ops.image.resize": "ResizeMethod resize resize_with_pad",
    },
    "tapeviz.io": {
        ".": "gfile",
        "tapeviz.ops.strings.text": "decode_base64 encode_base64",
        "tapeviz.io.examples":
            "FixedLenFeature FixedLenSequenceFeature VarLenFeature parse_example parse_single_example "
            "parse_single_sequence_example",
        "tapeviz.ops.files.contents": "decode_csv decode_raw matching_files read_file write_file",
        "tapeviz.io.tensor_protos": "parse_tensor serialize_tensor",
        "tapeviz.ops.files.pictures":
            "decode_and_crop_jpeg decode_bmp decode_gif decode_image decode_jpeg decode_png encode_jpeg encode_png "
            "is_jpeg",
        "tapeviz.io.record_files": "TFRecordOptions TFRecordWriter",
    },
    "tapeviz.linalg": {
        "tapeviz.ops.array.creation": "eye",
        "tapeviz.ops.array.reshape": "matrix_transpose",
        "tapeviz.ops.linalg.decompositions": "eigh eigvalsh qr",
        "tapeviz.ops.linalg.diagonals": "band_part cross diag diag_part set_diag tensor_diag tensor_diag_part trace",
        "tapeviz.ops.linalg.eigenvalues": "eig eigvals",
        "tapeviz.ops.linalg.einsum": "einsum",
        "tapeviz.ops.linalg.linear_systems": "det inv slogdet solve",
        "tapeviz.ops.linalg.lu": "lu lu_matrix_inverse lu_reconstruct lu_solve",
        "tapeviz.ops.linalg.matmul": "adjoint matmul matvec tensordot",
        "tapeviz.ops.linalg.matrix_functions": "expm logm sqrtm",
        "tapeviz.ops.linalg.norms": "norm normalize",
        "tapeviz.ops.linalg.singular_values": "matrix_rank pinv svd",
        "tapeviz.ops.linalg.triangular": "cholesky cholesky_solve logdet lstsq triangular_solve",
        "tapeviz.ops.linalg.tridiagonal":
            "banded_triangular_solve eigh_tridiagonal tridiagonal_matmul tridiagonal_solve",
        "tapeviz.ops.math.clip": "global_norm",
        "tapeviz.ops.nn.normalization": "l2_normalize",
    },
    "tapeviz.math": {
        ".": "special",
        "tapeviz.ops.array.sort": "in_top_k top_k",
        "tapeviz.ops.array.unique": "invert_permutation",
        "tapeviz.ops.math.arithmetic":
            "abs accumulate_n add add_n maximum minimum multiply multiply_no_nan negative scalar_mul sign "
            "squared_difference subtract",
        "tapeviz.ops.math.bessel": "bessel_i0 bessel_i0e bessel_i1 bessel_i1e",
        "tapeviz.ops.math.comparison":
            "equal greater greater_equal is_non_decreasing is_strictly_increasing less less_equal not_equal",
        "tapeviz.ops.math.complex_numbers": "angle conj imag real",
        "tapeviz.ops.math.cumulative": "cumprod cumsum cumulative_logsumexp",
        "tapeviz.ops.math.division":
            "divide divide_no_nan floordiv floormod mod=floormod reciprocal_no_nan truediv xdivy",
        "tapeviz.ops.math.exponentials":
            "exp expm1 log log1p log_sigmoid polyval pow reciprocal rsqrt sigmoid softplus sqrt square xlog1py xlogy",
        "tapeviz.ops.math.gamma": "digamma lbeta lgamma polygamma zeta",
        "tapeviz.ops.math.histograms": "bincount confusion_matrix count_nonzero zero_fraction",
        "tapeviz.ops.math.incomplete_integrals": "betainc igamma igammac",
        "tapeviz.ops.math.logic": "logical_and logical_not logical_or logical_xor",
        "tapeviz.ops.math.reductions": "reduce_all reduce_any reduce_max reduce_mean reduce_min reduce_prod reduce_sum",
        "tapeviz.ops.math.rounding": "ceil floor is_finite is_inf is_nan nextafter rint round",
        "tapeviz.ops.math.segments":
            "segment_max segment_mean segment_min segment_prod segment_sum unsorted_segment_max "
            "unsorted_segment_mean unsorted_segment_min unsorted_segment_prod unsorted_segment_sqrt_n "
            "unsorted_segment_sum",
        "tapeviz.ops.math.special": "erf erfc erfcinv erfinv ndtri",
        "tapeviz.ops.math.statistics":
            "argmax argmin reduce_euclidean_norm reduce_logsumexp reduce_std reduce_variance",
        "tapeviz.ops.math.trigonometry": "acos acosh asin asinh atan atan2 atanh cos cosh sin sinh tan tanh",
        "tapeviz.ops.nn.activations": "log_softmax softmax softsign",
        "tapeviz.ops.nn.normalization": "l2_normalize",
    },
    "tapeviz.math.special": {
        "tapeviz.ops.math.bessel":
            "bessel_i0 bessel_i0e bessel_i1 bessel_i1e bessel_j0 bessel_j1 bessel_k0 bessel_k0e bessel_k1 bessel_k1e "
            "bessel_y0 bessel_y1",
        "tapeviz.ops.math.special": "dawsn expint fresnel_cos fresnel_sin spence",
    },
    "tapeviz.nest": {
        "tapeviz.ops.control.nest": "assert_same_structure flatten is_nested map_structure pack_sequence_as",
    },
    "tapeviz.nn": {
        ".": "experimental",
        "tapeviz.ops.array.sort": "in_top_k top_k",
        "tapeviz.ops.array.space_to_batch": "space_to_batch",
        "tapeviz.ops.math.exponentials": "sigmoid softplus",
        "tapeviz.ops.math.histograms": "zero_fraction",
        "tapeviz.ops.math.trigonometry": "tanh",
        "tapeviz.ops.nn.activations":
            "crelu elu gelu leaky_relu log_softmax relu relu6 selu silu softmax softsign swish",
        "tapeviz.ops.nn.bias": "bias_add",
        "tapeviz.ops.nn.convolution":
            "atrous_conv2d atrous_conv2d_transpose conv1d conv1d_transpose conv2d conv2d_transpose conv3d "
            "conv3d_transpose conv_transpose convolution",
        "tapeviz.ops.nn.ctc": "ctc_loss",
        "tapeviz.ops.nn.depthwise_convolution":
            "depthwise_conv2d depthwise_conv2d_backprop_filter depthwise_conv2d_backprop_input separable_conv2d",
        "tapeviz.ops.nn.dropout": "dropout",
        "tapeviz.ops.nn.embedding": "embedding_lookup",
        "tapeviz.ops.nn.sampled_losses": "compute_accidental_hits nce_loss sampled_softmax_loss",
        "tapeviz.ops.random.candidates": "all_candidate_sampler",
        "tapeviz.ops.nn.losses":
            "l2_loss log_poisson_loss sigmoid_cross_entropy_with_logits softmax_cross_entropy_with_logits "
            "sparse_softmax_cross_entropy_with_logits weighted_cross_entropy_with_logits",
        "tapeviz.ops.nn.loss_shares": "compute_average_loss scale_regularization_loss",
        "tapeviz.ops.nn.morphology": "dilation2d erosion2d",
        "tapeviz.ops.nn.normalization":
            "batch_norm_with_global_normalization batch_normalization l2_normalize local_response_normalization "
            "lrn=local_response_normalization moments normalize_moments sufficient_statistics weighted_moments",
        "tapeviz.ops.nn.pooling":
            "avg_pool avg_pool1d avg_pool2d avg_pool3d max_pool max_pool1d max_pool2d max_pool3d "
            "max_pool_with_argmax pool",
        "tapeviz.ops.nn.space_to_depth": "depth_to_space space_to_depth",
    },
    "tapeviz.nn.experimental": {
        "tapeviz.ops.nn.dropout": "stateless_dropout",
    },
    "tapeviz.distribute": {
        "tapeviz.distribute.one_device": "InputContext MirroredStrategy OneDeviceStrategy get_strategy has_strategy",
        "tapeviz.distribute.replica_context": "ReduceOp ReplicaContext get_replica_context",
        "tapeviz.distribute.strategy": "MultiWorkerMirroredStrategy PerReplica",
    },
    "tapeviz.onnx": {
        "tapeviz.onnx.exporter": "export",
    },
    "tapeviz.optimizers": {
        ".": "legacy schedules",
        **_OPTIMIZERS,
        "tapeviz.optimizers.curvature": "two_loop",
        "tapeviz.optimizers.kfac": "KFAC kfac_matmul",
        "tapeviz.optimizers.line_search": "Point strong_wolfe",
        "tapeviz.optimizers.quasi_newton": "LBFGS Minimum lbfgs",
    },
    "tapeviz.keras.optimizers.legacy": _OPTIMIZERS,
    "tapeviz.optimizers.legacy": "tapeviz.keras.optimizers.legacy",
    "tapeviz.optimizers.schedules": "tapeviz.keras.optimizers.schedules",
    "tapeviz.ragged": {
        "tapeviz.ops.array.ragged_tensor": "constant map_flat_values stack",
    },
    "tapeviz.random": {
        "tapeviz.ops.random.candidates":
            "all_candidate_sampler log_uniform_candidate_sampler uniform_candidate_sampler",
        "tapeviz.ops.random.generators": "Generator create_rng_state get_global_generator set_global_generator",
        "tapeviz.ops.random.random_numbers": "categorical gamma normal poisson shuffle truncated_normal uniform",
        "tapeviz.ops.random.seeds": "set_seed",
        "tapeviz.ops.random.stateless":
            "Algorithm fold_in split stateless_binomial stateless_categorical stateless_gamma stateless_normal "
            "stateless_parameterized_truncated_normal stateless_poisson stateless_truncated_normal stateless_uniform",
    },
    "tapeviz.saved_model": {
        "tapeviz.saved_model.loader": "LoadOptions contains_saved_model load",
        "tapeviz.saved_model.saver": "DEFAULT_SERVING_SIGNATURE_DEF_KEY SaveOptions save",
    },
    "tapeviz.signal": {
        "tapeviz.ops.signal.dct": "dct idct",
        "tapeviz.ops.signal.fft":
            "fft fft2d fft3d fftnd fftshift ifft ifft2d ifft3d ifftnd ifftshift irfft irfft2d irfft3d irfftnd rfft "
            "rfft2d rfft3d rfftnd",
        "tapeviz.ops.signal.frames": "frame inverse_stft inverse_stft_window_fn overlap_and_add stft",
        "tapeviz.ops.signal.spectra": "inverse_mdct linear_to_mel_weight_matrix mdct mfccs_from_log_mel_spectrograms",
        "tapeviz.ops.signal.window_functions":
            "hamming_window hann_window kaiser_bessel_derived_window kaiser_window vorbis_window",
    },
    "tapeviz.summary": {
        ".": "experimental",
        "tapeviz.summary.graphs": "graph trace_export trace_off trace_on",
        "tapeviz.summary.summaries": "histogram image scalar text write",
        "tapeviz.summary.writers":
            "SummaryWriter create_file_writer create_noop_writer flush record_if should_record_summaries",
    },
    "tapeviz.summary.experimental": {
        "tapeviz.summary.writers": "get_step set_step summary_scope",
    },
    "tapeviz.sparse": {
        "tapeviz.ops.sparse.sparse_tensor":
            "SparseTensor add concat expand_dims eye from_dense map_values reduce_max reduce_sum reorder reshape "
            "retain slice sparse_dense_matmul to_dense to_indicator transpose",
    },
    "tapeviz.sets": {
        "tapeviz.ops.sparse.sets": "difference intersection size union",
    },
    "tapeviz.strings": {
        "tapeviz.ops.strings.format": "format",
        "tapeviz.ops.strings.parts": "bytes_split reduce_join split unicode_split",
        "tapeviz.ops.strings.unicode": "unicode_decode unicode_encode unicode_transcode",
        "tapeviz.ops.strings.text":
            "as_string join length lower regex_full_match regex_replace strip substr to_number upper",
    },
    "tapeviz.test": {
        "tapeviz.compat.test_case": "Benchmark TestCase get_temp_dir main",
        "tapeviz.engine.device_lists": "gpu_device_name is_built_with_cuda is_built_with_gpu_support is_gpu_available",
        "tapeviz.engine.gradient_checker": "check_gradients compute_gradient",
    },
    "tapeviz.train": {
        "tapeviz.io.examples":
            "BytesList Example Feature FeatureList FeatureLists Features FloatList Int64List SequenceExample",
        "tapeviz.train.checkpoint": "Checkpoint CheckpointOptions",
        "tapeviz.train.checkpoint_reader": "checkpoints_iterator list_variables load_checkpoint load_variable",
        "tapeviz.train.manager": "CheckpointManager",
        "tapeviz.train.moving_average": "ExponentialMovingAverage",
        "tapeviz.train.states": "get_checkpoint_state latest_checkpoint",
    },
    "tapeviz.version": {
        "tapeviz.compat.versions": "COMPILER_VERSION GIT_VERSION GRAPH_DEF_VERSION VERSION",
    },
    "tapeviz.keras": {
        ".":
            "activations backend callbacks config constraints datasets initializers layers losses metrics models ops "
            "optimizers preprocessing random regularizers saving utils",
        "tapeviz.keras.initializers.initializer": "Initializer",
        "tapeviz.keras.layers.input_layer": "Input",
        "tapeviz.keras.layers.input_spec": "InputSpec",
        "tapeviz.keras.layers.layer": "Layer",
        "tapeviz.keras.losses.loss": "Loss",
        "tapeviz.keras.metrics.metric": "Metric",
        "tapeviz.engine.variable": "Variable",
        "tapeviz.keras.models.model": "Model",
        "tapeviz.keras.models.sequential": "Sequential",
    },
    "tapeviz.keras.activations": {
        "tapeviz.keras.activations.activations":
            "celu elu exponential gelu glu hard_shrink hard_sigmoid hard_silu hard_swish=hard_silu hard_tanh "
            "leaky_relu linear log_sigmoid log_softmax mish relu relu6 selu sigmoid silu soft_shrink softmax softplus "
            "softsign squareplus swish=silu tanh tanh_shrink threshold",
        "tapeviz.keras.activations.activation_lookup": "deserialize get serialize",
    },
    "tapeviz.keras.backend": {
        "tapeviz":
            "abs argmax argmin cast cos cumsum equal exp eye gather greater greater_equal less less_equal maximum "
            "minimum "
            "name_scope not_equal one_hot ones=ones ones_like pow reshape reverse round shape sign sin sqrt square "
            "squeeze stack stop_gradient switch=where tanh tile transpose zeros=zeros zeros_like "
            "all=reduce_all any=reduce_any max=reduce_max mean=reduce_mean min=reduce_min prod=reduce_prod "
            "sum=reduce_sum logsumexp=reduce_logsumexp clip=clip_by_value permute_dimensions=transpose "
            "repeat_elements=repeat constant convert_to_tensor=convert_to_tensor",
        "tapeviz.keras.activations": "elu hard_sigmoid relu sigmoid softmax softplus softsign",
        "tapeviz.keras.losses": "binary_crossentropy categorical_crossentropy sparse_categorical_crossentropy",
        "tapeviz.keras.floats": "epsilon floatx set_epsilon set_floatx",
        "tapeviz.keras.names": "clear_session=clear_names",
        "tapeviz.engine.variable": "Variable",
        "tapeviz.keras.tensor_functions":
            "arange backend batch_dot batch_flatten concatenate dot eval=get_value expand_dims flatten get_value "
            "image_data_format int_shape learning_phase random_normal random_uniform set_learning_phase set_value "
            "variable",
        "tapeviz.math": "cumprod l2_normalize log std=reduce_std var=reduce_variance",
        "tapeviz.nn": "bias_add",
    },
    "tapeviz.keras.callbacks": {
        "tapeviz.keras.callbacks.backup_and_restore": "BackupAndRestore",
        "tapeviz.keras.callbacks.callback": "Callback LambdaCallback",
        "tapeviz.keras.callbacks.callback_list": "CallbackList",
        "tapeviz.keras.callbacks.csv_logger": "CSVLogger",
        "tapeviz.keras.callbacks.early_stopping": "EarlyStopping TerminateOnNaN",
        "tapeviz.keras.callbacks.history": "History",
        "tapeviz.keras.callbacks.learning_rates": "LearningRateScheduler ReduceLROnPlateau",
        "tapeviz.keras.callbacks.live_tape": "LiveTape",
        "tapeviz.keras.callbacks.model_checkpoint": "ModelCheckpoint",
        "tapeviz.keras.callbacks.progress": "ProgbarLogger",
        "tapeviz.keras.callbacks.tensorboard": "TensorBoard",
    },
    "tapeviz.keras.config": {
        "tapeviz.keras.floats": "epsilon floatx set_epsilon set_floatx",
        "tapeviz.keras.tensor_functions": "backend image_data_format",
        "tapeviz.keras.tensor_ops":
            "disable_interactive_logging disable_traceback_filtering enable_interactive_logging "
            "enable_traceback_filtering",
    },
    "tapeviz.keras.constraints": {
        "tapeviz.keras.constraints.projections":
            "Constraint MaxNorm MinMaxNorm NonNeg UnitNorm deserialize get max_norm=MaxNorm min_max_norm=MinMaxNorm "
            "non_neg=NonNeg serialize unit_norm=UnitNorm",
    },
    "tapeviz.keras.datasets": {
        ".":
            "boston_housing california_housing cifar10 cifar100 diabetes digits fashion_mnist imdb mnist reuters",
    },
    "tapeviz.keras.initializers": {
        "tapeviz.keras.initializers.constants":
            "Constant Identity Ones Zeros constant=Constant identity=Identity ones=Ones zeros=Zeros",
        "tapeviz.keras.initializers.initializer": "Initializer",
        "tapeviz.keras.initializers.initializer_lookup": "deserialize get serialize",
        "tapeviz.keras.initializers.random_initializers":
            "GlorotNormal GlorotUniform HeNormal HeUniform LecunNormal LecunUniform Orthogonal RandomNormal "
            "RandomUniform TruncatedNormal VarianceScaling glorot_normal=GlorotNormal glorot_uniform=GlorotUniform "
            "he_normal=HeNormal he_uniform=HeUniform lecun_normal=LecunNormal lecun_uniform=LecunUniform "
            "orthogonal=Orthogonal random_normal=RandomNormal random_uniform=RandomUniform "
            "truncated_normal=TruncatedNormal variance_scaling=VarianceScaling",
    },
    "tapeviz.keras.layers": {
        "tapeviz.keras.serialization": "deserialize=deserialize_keras_object serialize=serialize_keras_object",
        "tapeviz.keras.layers.activation_layers": "ELU LeakyReLU PReLU ReLU Softmax",
        "tapeviz.keras.layers.attention": "AdditiveAttention Attention",
        "tapeviz.keras.layers.feature_normalization": "Normalization",
        "tapeviz.keras.layers.batch_normalization": "BatchNormalization",
        "tapeviz.keras.layers.bidirectional": "Bidirectional",
        "tapeviz.keras.layers.category_vectors": "CategoryEncoding Discretization Hashing",
        "tapeviz.keras.layers.convolution":
            "Conv1D Conv1DTranspose Conv2D Conv2DTranspose Conv3D Conv3DTranspose Convolution1D=Conv1D "
            "Convolution1DTranspose=Conv1DTranspose Convolution2D=Conv2D Convolution2DTranspose=Conv2DTranspose "
            "Convolution3D=Conv3D Convolution3DTranspose=Conv3DTranspose DepthwiseConv1D DepthwiseConv2D "
            "SeparableConv1D SeparableConv2D SeparableConvolution1D=SeparableConv1D "
            "SeparableConvolution2D=SeparableConv2D",
        "tapeviz.keras.layers.core": "Activation Flatten Identity Lambda",
        "tapeviz.keras.layers.dense": "Dense",
        "tapeviz.keras.layers.dropout":
            "ActivityRegularization AlphaDropout Dropout GaussianDropout GaussianNoise SpatialDropout1D "
            "SpatialDropout2D SpatialDropout3D",
        "tapeviz.keras.layers.einsum_dense": "EinsumDense",
        "tapeviz.keras.layers.embedding": "Embedding Masking",
        "tapeviz.keras.layers.input_layer": "Input InputLayer",
        "tapeviz.keras.layers.input_spec": "InputSpec",
        "tapeviz.keras.layers.layer": "Layer",
        "tapeviz.keras.layers.merge":
            "Add Average Concatenate Dot Maximum Minimum Multiply Subtract add average concatenate dot maximum minimum "
            "multiply subtract",
        "tapeviz.keras.layers.multi_head_attention": "MultiHeadAttention",
        "tapeviz.keras.layers.normalization":
            "GroupNormalization LayerNormalization RMSNormalization UnitNormalization",
        "tapeviz.keras.layers.op_layer": "OpLayer",
        "tapeviz.keras.layers.padding": "Cropping1D Cropping2D Cropping3D ZeroPadding1D ZeroPadding2D ZeroPadding3D",
        "tapeviz.keras.layers.pooling":
            "AveragePooling1D AveragePooling2D AveragePooling3D AvgPool1D=AveragePooling1D AvgPool2D=AveragePooling2D "
            "AvgPool3D=AveragePooling3D GlobalAveragePooling1D GlobalAveragePooling2D GlobalAveragePooling3D "
            "GlobalAvgPool1D=GlobalAveragePooling1D GlobalAvgPool2D=GlobalAveragePooling2D "
            "GlobalAvgPool3D=GlobalAveragePooling3D GlobalMaxPool1D=GlobalMaxPooling1D "
            "GlobalMaxPool2D=GlobalMaxPooling2D GlobalMaxPool3D=GlobalMaxPooling3D GlobalMaxPooling1D "
            "GlobalMaxPooling2D GlobalMaxPooling3D MaxPool1D=MaxPooling1D MaxPool2D=MaxPooling2D "
            "MaxPool3D=MaxPooling3D MaxPooling1D MaxPooling2D MaxPooling3D",
        "tapeviz.keras.layers.random_images":
            "RandomBrightness RandomContrast RandomCrop RandomFlip RandomRotation RandomTranslation RandomZoom",
        "tapeviz.keras.layers.recurrent": "GRU LSTM RNN SimpleRNN",
        "tapeviz.keras.layers.recurrent_cells": "GRUCell LSTMCell SimpleRNNCell StackedRNNCells",
        "tapeviz.keras.layers.rescaling": "Rescaling",
        "tapeviz.keras.layers.reshape": "Permute RepeatVector Reshape",
        "tapeviz.keras.layers.image_sizes": "CenterCrop Resizing",
        "tapeviz.keras.layers.text_vectorization": "TextVectorization",
        "tapeviz.keras.layers.time_distributed": "TimeDistributed",
        "tapeviz.keras.layers.upsampling": "UpSampling1D UpSampling2D UpSampling3D",
        "tapeviz.keras.layers.vocabulary": "IntegerLookup StringLookup",
    },
    "tapeviz.keras.losses": {
        "tapeviz.keras.losses.loss_reduction": "Reduction",
        "tapeviz.keras.losses.crossentropy":
            "BinaryCrossentropy BinaryFocalCrossentropy CategoricalCrossentropy CategoricalFocalCrossentropy "
            "CategoricalGeneralizedCrossEntropy SparseCategoricalCrossentropy binary_crossentropy "
            "binary_focal_crossentropy categorical_crossentropy categorical_focal_crossentropy "
            "categorical_generalized_cross_entropy sparse_categorical_crossentropy",
        "tapeviz.keras.losses.divergences":
            "KLD=kl_divergence KLDivergence Poisson kl_divergence kld=kl_divergence "
            "kullback_leibler_divergence=kl_divergence poisson",
        "tapeviz.keras.losses.hinges": "CategoricalHinge Hinge SquaredHinge categorical_hinge hinge squared_hinge",
        "tapeviz.keras.losses.loss_lookup": "deserialize get serialize",
        "tapeviz.keras.losses.loss": "Loss",
        "tapeviz.keras.losses.regression":
            "CosineSimilarity Huber LogCosh MAE=mean_absolute_error MAPE=mean_absolute_percentage_error "
            "MSE=mean_squared_error MSLE=mean_squared_logarithmic_error MeanAbsoluteError MeanAbsolutePercentageError "
            "MeanSquaredError MeanSquaredLogarithmicError cosine_similarity huber log_cosh logcosh=log_cosh "
            "mae=mean_absolute_error mape=mean_absolute_percentage_error mean_absolute_error "
            "mean_absolute_percentage_error mean_squared_error mean_squared_logarithmic_error mse=mean_squared_error "
            "msle=mean_squared_logarithmic_error",
        "tapeviz.keras.losses.segmentation": "Circle Dice Tversky circle dice tversky",
    },
    "tapeviz.keras.metrics": {
        "tapeviz.keras.losses":
            "KLD MAE MAPE MSE MSLE binary_crossentropy binary_focal_crossentropy categorical_crossentropy "
            "categorical_focal_crossentropy categorical_hinge hinge huber kl_divergence kld "
            "kullback_leibler_divergence log_cosh logcosh mae mape mean_absolute_error mean_absolute_percentage_error "
            "mean_squared_error mean_squared_logarithmic_error mse msle poisson sparse_categorical_crossentropy "
            "squared_hinge",
        "tapeviz.keras.metrics.accuracies":
            "Accuracy BinaryAccuracy CategoricalAccuracy SparseCategoricalAccuracy SparseTopKCategoricalAccuracy "
            "TopKCategoricalAccuracy binary_accuracy categorical_accuracy sparse_categorical_accuracy "
            "sparse_top_k_categorical_accuracy top_k_categorical_accuracy",
        "tapeviz.keras.metrics.confusion_metrics":
            "FalseNegatives FalsePositives Precision Recall TrueNegatives TruePositives",
        "tapeviz.keras.metrics.correlations":
            "ConcordanceCorrelation PearsonCorrelation concordance_correlation pearson_correlation",
        "tapeviz.keras.metrics.curves": "AUC",
        "tapeviz.keras.metrics.errors":
            "CosineSimilarity LogCoshError MeanAbsoluteError MeanAbsolutePercentageError MeanSquaredError "
            "MeanSquaredLogarithmicError R2Score RootMeanSquaredError",
        "tapeviz.keras.metrics.iou": "BinaryIoU IoU MeanIoU OneHotIoU OneHotMeanIoU",
        "tapeviz.keras.metrics.metric_lookup": "deserialize get serialize",
        "tapeviz.keras.metrics.metric": "Metric",
        "tapeviz.keras.metrics.operating_points":
            "PrecisionAtRecall RecallAtPrecision SensitivityAtSpecificity SpecificityAtSensitivity",
        "tapeviz.keras.metrics.probabilistic":
            "BinaryCrossentropy CategoricalCrossentropy CategoricalHinge Hinge KLDivergence Poisson "
            "SparseCategoricalCrossentropy SquaredHinge",
        "tapeviz.keras.metrics.reduction": "Mean MeanMetricWrapper Sum",
        "tapeviz.keras.metrics.scores": "F1Score FBetaScore",
    },
    "tapeviz.keras.models": {
        "tapeviz.keras.models.clone": "clone_model model_from_json",
        "tapeviz.keras.models.model": "Model",
        "tapeviz.keras.models.sequential": "Sequential",
        "tapeviz.keras.saving.model_files": "load_model save_model",
    },
    "tapeviz.keras.optimizers": {
        ".": "legacy schedules",
        **_OPTIMIZERS,
    },
    "tapeviz.keras.optimizers.schedules": {
        "tapeviz.keras.optimizers.schedules.cosine": "CosineDecay CosineDecayRestarts",
        "tapeviz.keras.optimizers.schedules.decay":
            "ExponentialDecay InverseTimeDecay PiecewiseConstantDecay PolynomialDecay",
        "tapeviz.keras.optimizers.schedules.schedule_lookup": "deserialize serialize",
        "tapeviz.keras.optimizers.schedules.schedule": "LearningRateSchedule",
    },
    "tapeviz.keras.preprocessing": {
        ".": "image sequence text",
        "tapeviz.keras.pictures": "image_dataset_from_directory",
    },
    "tapeviz.keras.preprocessing.image": {
        "tapeviz.keras.preprocessing.image_generator": "ImageDataGenerator",
        "tapeviz.keras.pictures": "array_to_img img_to_array load_img save_img",
    },
    "tapeviz.keras.preprocessing.sequence": {
        "tapeviz.keras.sequences": "pad_sequences",
    },
    "tapeviz.keras.preprocessing.text": {
        "tapeviz.keras.preprocessing.tokenizer":
            "Tokenizer hashing_trick one_hot text_to_word_sequence tokenizer_from_json",
    },
    "tapeviz.keras.ops": {
        "tapeviz":
            "add argmax argmin argsort broadcast_to cast clip=clip_by_value cond convert_to_tensor cos cosh cumsum "
            "custom_gradient divide einsum equal exp expand_dims eye floor greater greater_equal is_tensor less "
            "less_equal linspace logical_and logical_not logical_or map=map_fn matmul maximum meshgrid minimum "
            "multiply negative norm not_equal ones ones_like pow power=pow repeat reshape roll round sign "
            "sin sinh slice sort sqrt square squeeze stack stop_gradient subtract tan tanh tensordot tile transpose "
            "unstack vectorized_map where while_loop zeros zeros_like abs absolute=abs all=reduce_all any=reduce_any "
            "amax=reduce_max amin=reduce_min max=reduce_max mean=reduce_mean min=reduce_min prod=reduce_prod "
            "sum=reduce_sum logsumexp=reduce_logsumexp true_divide=truediv arctan2=atan2 arcsin=asin arccos=acos "
            "arctan=atan arcsinh=asinh arccosh=acosh arctanh=atanh arange=range scatter=scatter_nd "
            "scatter_update=tensor_scatter_nd_update size flip=reverse",
        "tapeviz.keras.activations":
            "celu elu gelu glu hard_sigmoid hard_silu hard_swish leaky_relu log_sigmoid log_softmax relu relu6 selu "
            "sigmoid silu softmax softplus softsign swish",
        "tapeviz.keras.losses": "binary_crossentropy categorical_crossentropy sparse_categorical_crossentropy",
        "tapeviz.keras.tensor_ops": "concatenate convert_to_numpy fori_loop one_hot shape slice_update",
        "tapeviz.linalg": "cholesky det diagonal=diag_part inv lu_factor=lu qr solve svd",
        "tapeviz.math":
            "bincount ceil conj count_nonzero cumprod erf erfinv expm1 floor_divide=floordiv imag in_top_k "
            "isfinite=is_finite isinf=is_inf isnan=is_nan log log1p logical_xor mod=floormod real reciprocal rsqrt "
            "segment_max=unsorted_segment_max segment_sum=unsorted_segment_sum std=reduce_std top_k "
            "var=reduce_variance",
        "tapeviz.nn": "moments",
        "tapeviz.ops.math.numpy_functions":
            "array diag dot full full_like hstack inner isclose log10 log2 moveaxis nonzero outer pad ravel split "
            "swapaxes take trace tril triu vdot vstack",
    },
    "tapeviz.keras.random": {
        "tapeviz.keras.tensor_ops":
            "SeedGenerator categorical dropout normal randint shuffle truncated_normal uniform",
    },
    "tapeviz.keras.regularizers": {
        "tapeviz.keras.regularizers.penalties":
            "L1 L1L2 L2 OrthogonalRegularizer Regularizer deserialize get l1=L1 l1_l2=L1L2 l2=L2 "
            "orthogonal_regularizer=OrthogonalRegularizer serialize",
    },
    "tapeviz.keras.saving": {
        "tapeviz.keras.saving.model_files": "load_model save_model",
        "tapeviz.keras.serialization":
            "CustomObjectScope=custom_object_scope custom_object_scope deserialize_keras_object get_custom_objects "
            "get_registered_name get_registered_object register_keras_serializable serialize_keras_object",
    },
    "tapeviz.keras.utils": {
        "tapeviz.keras.datasets.file_cache": "get_file",
        "tapeviz.keras.models.plot": "plot_model",
        "tapeviz.keras.pictures": "array_to_img image_dataset_from_directory img_to_array load_img save_img",
        "tapeviz.keras.sequences": "pad_sequences",
        "tapeviz.keras.categories": "normalize to_categorical",
        "tapeviz.keras.seeds": "set_random_seed",
        "tapeviz.keras.serialization":
            "CustomObjectScope=custom_object_scope custom_object_scope deserialize_keras_object get_custom_objects "
            "get_registered_name get_registered_object register_keras_serializable serialize_keras_object",
        "tapeviz.keras.training.py_dataset": "PyDataset Sequence=PyDataset",
    },
    "tapeviz.io.gfile": {
        "tapeviz.files.gfile":
            "GFile copy exists glob isdir join listdir makedirs mkdir remove rename rmtree stat walk",
    },
    **OLDER,
}
# fmt: on
