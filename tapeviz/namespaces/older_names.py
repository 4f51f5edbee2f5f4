"""What stands where in TensorFlow 1's namespaces: the part of the table for ``tapeviz.compat.v1``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["CELLS", "OLDER"]

# fmt: off
CELLS: Final = {
    "tapeviz.compat.v1.layers.rnn_cells":
        "BasicLSTMCell BasicRNNCell DropoutWrapper GRUCell LSTMCell LSTMStateTuple MultiRNNCell RNNCell "
        "ResidualWrapper",
}

OLDER: Final[Mapping[str, Mapping[str, str] | str]] = {
    "tapeviz.compat.v1.gfile": {
        "tapeviz.files.gfile":
            "Copy=copy Exists=exists FastGFile=GFile GFile Glob=glob IsDirectory=isdir ListDirectory=listdir "
            "MakeDirs=makedirs MkDir=mkdir DeleteRecursively=rmtree Open=GFile Remove=remove Rename=rename Stat=stat "
            "Walk=walk",
    },
    "tapeviz.compat.v1": {
        ".": "app data flags gfile initializers layers logging losses metrics python_io summary train",
        "tapeviz":
            "batch_to_space_nd=batch_to_space complex_abs=abs lin_space=linspace py_func=numpy_function "
            "reverse_v2=reverse where_v2=where",
        "tapeviz.compat.v1.graph.default_graph": "executing_eagerly get_default_graph reset_default_graph",
        "tapeviz.compat.v1.graph.gradient_tape": "GradientTape",
        "tapeviz.compat.v1.graph.gradients": "gradients hessians",
        "tapeviz.compat.v1.graph.graph": "Graph Operation",
        "tapeviz.compat.v1.graph.graph_blocks":
            "colocate_with container control_dependencies device group name_scope no_op tuple",
        "tapeviz.compat.v1.graph.graph_keys": "GraphKeys",
        "tapeviz.compat.v1.graph.placeholders": "placeholder placeholder_with_default",
        "tapeviz.compat.v1.graph.tensor_array": "TensorArray",
        "tapeviz.engine.shapes": "Dimension",
        "tapeviz.engine.errors": "OpError",
        "tapeviz.compat.v1.graph.v2_behavior":
            "disable_eager_execution disable_v2_behavior enable_eager_execution enable_v2_behavior",
        "tapeviz.compat.versions": "__version__=VERSION",
        "tapeviz.image": "random_crop",
        "tapeviz.io":
            "FixedLenFeature FixedLenSequenceFeature VarLenFeature decode_base64 "
            "encode_base64 decode_csv decode_raw matching_files parse_example "
            "parse_single_example parse_single_sequence_example read_file write_file",
        "tapeviz.strings":
            "as_string reduce_join regex_replace string_join=join string_split=split string_strip=strip "
            "string_to_number=to_number substr",
        "tapeviz.compat.v1.v1_functions":
            "Print add_check_numerics_ops arg_max arg_min batch_gather disable_resource_variables div "
            "enable_resource_variables resource_variables_enabled set_random_seed to_bfloat16 to_complex128 "
            "to_complex64 to_double to_float to_int32 to_int64 verify_tensor_all_finite",
        "tapeviz.compat.v1.session.config":
            "ConfigProto GPUOptions GraphOptions OptimizerOptions RunMetadata RunOptions",
        "tapeviz.compat.v1.session.session": "InteractiveSession Session get_default_session",
        "tapeviz.compat.v1.variables.graph_initializers":
            "constant_initializer=Constant glorot_normal_initializer=GlorotNormal "
            "glorot_uniform_initializer=GlorotUniform ones_initializer=Ones random_normal_initializer=RandomNormal "
            "random_uniform_initializer=RandomUniform truncated_normal_initializer=TruncatedNormal "
            "variance_scaling_initializer=VarianceScaling zeros_initializer=Zeros",
        "tapeviz.compat.v1.variables.scatter":
            "batch_scatter_update scatter_add scatter_div scatter_max scatter_min scatter_mul scatter_nd_add "
            "scatter_nd_sub scatter_nd_update scatter_sub scatter_update",
        "tapeviz.compat.v1.variables.variable_scope":
            "AUTO_REUSE VariableScope get_variable get_variable_scope variable_scope",
        "tapeviz.compat.v1.variables.variables":
            "Variable VariableV1 add_to_collection add_to_collections all_variables assign assign_add assign_sub "
            "get_collection get_collection_ref global_variables global_variables_initializer initialize_all_variables "
            "initialize_variables is_variable_initialized local_variables local_variables_initializer model_variables "
            "report_uninitialized_variables trainable_variables variables_initializer",
        "tapeviz.debugging":
            "assert_greater_equal assert_less_equal assert_near assert_negative assert_non_negative "
            "assert_non_positive assert_none_equal assert_positive assert_proper_iterable assert_rank_at_least "
            "assert_rank_in assert_same_float_dtype assert_scalar assert_type check_numerics is_numeric_tensor",
        "tapeviz.linalg":
            "cholesky cholesky_solve cross diag=tensor_diag diag_part=tensor_diag_part global_norm "
            "matrix_band_part=band_part matrix_determinant=det matrix_diag=diag matrix_diag_part=diag_part "
            "matrix_inverse=inv matrix_set_diag=set_diag matrix_solve=solve matrix_solve_ls=lstsq matrix_transpose "
            "matrix_triangular_solve=triangular_solve qr self_adjoint_eig=eigh self_adjoint_eigvals=eigvalsh svd trace",
        "tapeviz.math":
            "accumulate_n angle betainc bincount ceil confusion_matrix conj count_nonzero cumprod cumulative_logsumexp "
            "digamma div_no_nan=divide_no_nan divide_no_nan erf erfc expm1 floor_div=floordiv floordiv floormod igamma "
            "igammac imag invert_permutation is_finite is_inf is_nan is_non_decreasing is_strictly_increasing lbeta "
            "lgamma log log1p log_sigmoid logical_xor mod=floormod polygamma polyval real reciprocal reduce_logsumexp "
            "rint rsqrt segment_max segment_mean segment_min segment_prod segment_sum squared_difference top_k "
            "unsorted_segment_max unsorted_segment_mean unsorted_segment_min unsorted_segment_prod "
            "unsorted_segment_sqrt_n unsorted_segment_sum xdivy xlogy zeta",
        "tapeviz.nn": "depth_to_space space_to_depth",
        "tapeviz.random":
            "multinomial=categorical random_gamma=gamma random_normal=normal random_poisson=poisson "
            "random_shuffle=shuffle random_uniform=uniform truncated_normal",
        "tapeviz.signal": "fft fft2d fft3d ifft ifft2d ifft3d",
    },
    "tapeviz.compat.v1.image": {
        "tapeviz.compat.v1.old_images":
            "ResizeMethod resize=resize_images resize_area resize_bicubic resize_bilinear resize_images "
            "resize_nearest_neighbor",
        "tapeviz.ops.image.images": "resize_image_with_crop_or_pad=resize_with_crop_or_pad",
        "tapeviz.ops.image.resize": "resize_image_with_pad=resize_with_pad",
    },
    "tapeviz.compat.v1.nn": {
        "tapeviz.compat.v1.layers.rnn_functions":
            "bidirectional_dynamic_rnn dynamic_rnn static_bidirectional_rnn static_rnn",
        "tapeviz.contrib": "rnn_cell=rnn",
        "tapeviz.ops.random.candidates":
            "log_uniform_candidate_sampler uniform_candidate_sampler",
    },
    "tapeviz.compat.v1.data": {
        ".": "experimental",
        "tapeviz.compat.v1.data.iterators":
            "Dataset Iterator TFRecordDataset TextLineDataset get_output_classes get_output_shapes get_output_types "
            "make_initializable_iterator make_one_shot_iterator",
        "tapeviz.data.iterators": "NumpyIterator",
        "tapeviz.data.nodes": "INFINITE_CARDINALITY=INFINITE UNKNOWN_CARDINALITY=UNKNOWN",
        "tapeviz.data.options": "AUTOTUNE Options ThreadingOptions",
        "tapeviz.data.structures": "DatasetSpec",
    },
    "tapeviz.compat.v1.data.experimental": "tapeviz.data.experimental",
    "tapeviz.compat.v1.initializers": {
        "tapeviz.compat.v1.variables.graph_initializers":
            "constant=Constant glorot_normal=GlorotNormal glorot_uniform=GlorotUniform identity=Identity ones=Ones "
            "random_normal=RandomNormal random_uniform=RandomUniform truncated_normal=TruncatedNormal "
            "variance_scaling=VarianceScaling zeros=Zeros",
        "tapeviz.compat.v1.variables.variables":
            "global_variables=global_variables_initializer local_variables=local_variables_initializer "
            "variables=variables_initializer",
    },
    "tapeviz.compat.v1.layers": {
        "tapeviz.compat.v1.layers.layer_classes":
            "AveragePooling1D AveragePooling2D AveragePooling3D BatchNormalization Conv1D Conv2D Conv2DTranspose "
            "Conv3D Conv3DTranspose Dense Dropout Flatten MaxPooling1D MaxPooling2D MaxPooling3D SeparableConv1D "
            "SeparableConv2D",
        "tapeviz.compat.v1.layers.layer_functions":
            "average_pooling1d average_pooling2d average_pooling3d batch_normalization conv1d conv2d conv2d_transpose "
            "conv3d conv3d_transpose dense dropout flatten max_pooling1d max_pooling2d max_pooling3d separable_conv1d "
            "separable_conv2d",
        "tapeviz.compat.v1.layers.layer_scopes": "Layer",
        "tapeviz.keras.layers.input_spec": "InputSpec",
    },
    "tapeviz.compat.v1.losses": {
        "tapeviz.compat.v1.losses.loss_functions":
            "absolute_difference cosine_distance hinge_loss huber_loss log_loss mean_pairwise_squared_error "
            "mean_squared_error sigmoid_cross_entropy softmax_cross_entropy sparse_softmax_cross_entropy",
        "tapeviz.compat.v1.losses.loss_weights":
            "Reduction add_loss compute_weighted_loss get_losses get_regularization_loss get_regularization_losses "
            "get_total_loss",
    },
    "tapeviz.compat.v1.metrics": {
        "tapeviz.compat.v1.metrics.confusion_counts":
            "false_negatives false_positives mean_iou precision recall true_negatives true_positives",
        "tapeviz.compat.v1.metrics.means":
            "accuracy mean mean_absolute_error mean_cosine_distance mean_per_class_accuracy mean_relative_error "
            "mean_squared_error mean_tensor percentage_below root_mean_squared_error",
        "tapeviz.compat.v1.metrics.thresholds":
            "auc false_negatives_at_thresholds false_positives_at_thresholds precision_at_thresholds "
            "recall_at_thresholds sensitivity_at_specificity specificity_at_sensitivity true_negatives_at_thresholds "
            "true_positives_at_thresholds",
    },
    "tapeviz.compat.v1.python_io": {
        "tapeviz.io.record_files": "TFRecordOptions TFRecordWriter tf_record_iterator",
    },
    "tapeviz.compat.v1.summary": {
        "tapeviz.compat.v1.summary.file_writer": "FileWriter",
        "tapeviz.compat.v1.summary.summary_ops": "histogram image merge merge_all scalar text",
        "tensorboardX.proto.event_pb2": "Event",
        "tensorboardX.proto.summary_pb2": "Summary",
    },
    "tapeviz.compat.v1.train": {
        "tapeviz.io.examples":
            "BytesList Example Feature FeatureList FeatureLists Features FloatList Int64List SequenceExample",
        "tapeviz.compat.v1.cluster.device_setter": "replica_device_setter",
        "tapeviz.compat.v1.cluster.server": "Server ServerDef",
        "tapeviz.compat.v1.cluster.spec": "ClusterDef ClusterSpec JobDef",
        "tapeviz.compat.v1.train.checkpoint": "Checkpoint",
        "tapeviz.compat.v1.train.learning_rate_decay":
            "cosine_decay cosine_decay_restarts exponential_decay inverse_time_decay natural_exp_decay "
            "piecewise_constant piecewise_constant_decay polynomial_decay",
        "tapeviz.compat.v1.train.optimizer":
            "GradientDescentOptimizer Optimizer create_global_step get_global_step get_or_create_global_step",
        "tapeviz.compat.v1.train.moving_average": "ExponentialMovingAverage",
        "tapeviz.compat.v1.train.saver": "Saver global_step",
        "tapeviz.compat.v1.train.slot_optimizers":
            "AdadeltaOptimizer AdagradOptimizer AdamOptimizer FtrlOptimizer MomentumOptimizer ProximalAdagradOptimizer "
            "ProximalGradientDescentOptimizer RMSPropOptimizer",
        "tapeviz.summary.records": "summary_iterator=events",
        "tapeviz.train.checkpoint": "CheckpointOptions",
        "tapeviz.train.checkpoint_reader":
            "NewCheckpointReader=load_checkpoint checkpoints_iterator list_variables load_checkpoint load_variable",
        "tapeviz.train.files": "checkpoint_exists",
        "tapeviz.train.manager": "CheckpointManager",
        "tapeviz.train.states": "get_checkpoint_state latest_checkpoint",
    },
}
# fmt: on
