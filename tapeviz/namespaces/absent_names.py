"""What TensorFlow has and tapeviz has not, with what to use: the one table of it.

A name stands for itself and for all that is in it, unless a longer one says otherwise. `docs/tensorflow.md` is written
from this table by `python -m tools.tensorflow_page`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tapeviz.namespaces.table import NAMESPACES

__all__ = ["ABSENT", "LIMITS", "absent", "advice_for"]

_OLDER: Final = "tapeviz.compat.v1"
_RECORD: Final = "record it in TensorFlow: tapeviz.record(framework='tensorflow')"

# fmt: off
_ADVICE: Final[Mapping[str, str]] = {
    "estimators were removed from TensorFlow itself: a model of tf.keras, or a loop of one's own with tf.GradientTape":
        "estimator feature_column keras.estimator contrib.estimator contrib.learn contrib.slim contrib.boosted_trees "
        "contrib.factorization contrib.tensor_forest train.MonitoredSession train.MonitoredTrainingSession "
        "train.SessionRunHook train.Scaffold train.StopAtStepHook train.LoggingTensorHook keras.layers.DenseFeatures",
    "several devices or machines at once: one device runs the same program without it, and several processes run it "
    f"under tf.distribute.MultiWorkerMirroredStrategy; else {_RECORD}":
        "distribute.CentralStorageStrategy distribute.DistributedDataset distribute.DistributedIterator "
        "distribute.DistributedValues distribute.HierarchicalCopyAllReduce "
        "distribute.InputOptions distribute.NcclAllReduce "
        "distribute.ParameterServerStrategy distribute.RunOptions distribute.Server distribute.Strategy "
        "distribute.StrategyExtended distribute.TPUStrategy distribute.cluster_resolver distribute.coordinator "
        "distribute.experimental distribute.experimental_set_strategy "
        "distribute.in_cross_replica_context "
        "tpu contrib.distribute contrib.tpu contrib.cluster_resolver dtensor experimental.dtensor "
        "keras.distribution keras.dtensor data.experimental.AutoShardPolicy config.set_logical_device_configuration "
        "config.LogicalDeviceConfiguration config.experimental_connect_to_cluster "
        "config.experimental.VirtualDeviceConfiguration config.experimental.set_virtual_device_configuration "
        "CriticalSection DeviceSpec",
    "wrappers were removed from TensorFlow itself: write a class whose fit and predict call those of the model":
        "keras.wrappers",
    "YAML was removed from Keras itself: use model.to_json and tf.keras.models.model_from_json":
        "keras.models.model_from_yaml",
    f"trained models come with TensorFlow: {_RECORD}, or build the model of tf.keras.layers":
        "keras.applications",
    "converted models run elsewhere: tapeviz.onnx writes an ONNX file of a function":
        "lite contrib.lite xla mlir tools quantization dtypes.QUANTIZED_DTYPES QUANTIZED_DTYPES keras.quantizers",
    "tf.linalg's functions take matrices as they are":
        "linalg.LinearOperator",
    "use Python's dict of words to numbers, and tf.constant of the numbers":
        "contrib.lookup keras.layers.HashedCrossing",
    "use tf.lookup.experimental.MutableHashTable": "lookup.experimental.DenseHashTable",
    "use pandas to read the file; tf.data.Dataset.from_tensor_slices(dict(frame)) gives its rows":
        "data.experimental.SqlDataset data.experimental.make_batched_features_dataset contrib.data.CsvDataset "
        "contrib.data.make_csv_dataset",
    "use tf.data.Dataset.map with tf.image.random_flip_left_right, random_crop, random_brightness and their kin":
        "keras.layers.RandomHeight keras.layers.RandomWidth",
    "use tf.data.Dataset.from_tensor_slices over Python's list of files and of labels":
        "keras.utils.text_dataset_from_directory keras.utils.audio_dataset_from_directory "
        "keras.preprocessing.text_dataset_from_directory data.FixedLengthRecordDataset",
    "use tf.data.Dataset.window, or NumPy's sliding_window_view":
        "keras.utils.timeseries_dataset_from_array keras.preprocessing.timeseries_dataset_from_array",
    "use tqdm, which shows how far a loop is": "keras.utils.Progbar",
    "tf.data.Dataset feeds a program step by step: queues and readers were removed from TensorFlow itself":
        "queue FIFOQueue PaddingFIFOQueue PriorityQueue QueueBase RandomShuffleQueue TextLineReader WholeFileReader "
        "TFRecordReader IdentityReader LMDBReader FixedLengthRecordReader ReaderBase train.Coordinator "
        "train.QueueRunner train.batch train.batch_join train.shuffle_batch train.shuffle_batch_join "
        "train.slice_input_producer train.string_input_producer train.range_input_producer train.input_producer "
        "train.start_queue_runners train.add_queue_runner train.limit_epochs",
    "use tf.keras.layers.LSTM, GRU and RNN": "keras.layers.CuDNNLSTM keras.layers.CuDNNGRU keras.layers.ConvLSTM2D",
    "use dense tensors: tf.one_hot, tf.scatter_nd and tf.gather do what programs do with sparse ones":
        "SparseTensorValue sparse_placeholder sparse_to_dense sparse.softmax sparse.cross sparse.segment_sum "
        "io.SparseFeature SparseFeature nn.embedding_lookup_sparse nn.safe_embedding_lookup_sparse",
    "use tf.random.log_uniform_candidate_sampler":
        "nn.learned_unigram_candidate_sampler nn.fixed_unigram_candidate_sampler "
        "random.learned_unigram_candidate_sampler random.fixed_unigram_candidate_sampler",
    "use the functions of tf, tf.math and tf.nn, by TensorFlow's names": "keras.tree raw_ops manip",
    "use tf.random": "random.experimental",
    "use tf.signal": "spectral",
    "use the layers' dtype argument":
        "keras.mixed_precision keras.dtype_policies mixed_precision train.experimental",
    "use tf.GradientTape and the classes of tf.keras.optimizers, which have what the older ones had":
        "keras.legacy",
    "use tapeviz.record() and its views: the timeline, memory and why": "profiler contrib.tfprof summary.trace",
    "TensorFlow Probability has these": "distributions contrib.distributions contrib.bayesflow",
    "use Python's own reading and writing of files": "resource_loader sysconfig",
    "tf.nn.in_top_k and tf.metrics.mean give the share of targets that are among the k best predictions":
        "metrics.average_precision_at_k metrics.precision_at_k metrics.precision_at_top_k metrics.recall_at_k "
        "metrics.recall_at_top_k metrics.sparse_average_precision_at_k metrics.sparse_precision_at_k",
    "use the optimizers of tf.keras.optimizers, and those that tf.train lists":
        "train.AdagradDAOptimizer train.SyncReplicasOptimizer train.MonitoredOptimizer",
    "use tf.keras.utils.load_img and scipy.io.wavfile": "audio",
}
# fmt: on

ABSENT: Final[Mapping[str, str]] = {name: advice for advice, names in _ADVICE.items() for name in names.split()}
"""What to use, by the name that is absent, without ``tf``."""

LIMITS: Final[Mapping[str, str]] = {
    "RaggedTensor": "one ragged axis",
    "ragged": "one ragged axis",
    "sparse": "what programs use most; dense in what a dataset's map gives",
    "strings.split": "while tracing, one string at a time",
    "compat.v1.train.Server": "tasks on this machine, each on its CPU",
    "compat.v1.nn.rnn_cell.LSTMCell": "no peepholes, projections or clipping",
    "contrib.cudnn_rnn": "one direction, on any device",
    "io.parse_example": "at once; in graphs tf.io.parse_single_example",
    "keras.backend": "the functions that are ops of TensorFlow's, and the values of variables",
    "keras.utils.plot_model": "nested models are one box",
    "keras.preprocessing.image.ImageDataGenerator": "arrays, by flow; no shear, brightness or whitening",
    "keras.layers.Hashing": "other buckets than TensorFlow's",
    "keras.layers.StringLookup": "vectors are float32; of several unknown indices a hash of our own chooses",
    "distribute.MirroredStrategy": "one replica, on one device",
    "experimental.numpy": "the functions that are ops, with TensorFlow's rules for dtypes",
}
"""What there is less of than in TensorFlow, by name."""


def advice_for(name: str) -> str:
    """What to use in the place of a name of TensorFlow's, which is written without ``tf``.

    >>> advice_for("estimator.LinearClassifier").partition(":")[0]
    'estimators were removed from TensorFlow itself'
    """
    parts = name.split(".")
    for count in range(len(parts), 0, -1):
        if (found := ABSENT.get(".".join(parts[:count]))) is not None:
            return found
    return _RECORD


def absent(module: str, name: str) -> AttributeError:
    """The error to raise where a module has no such name: it says what to use."""
    older = NAMESPACES.get(module.replace("tapeviz", _OLDER, 1))
    inner = module.removeprefix(_OLDER).removeprefix("tapeviz").strip(".")
    dotted = f"{inner}.{name}".strip(".")
    if not module.startswith(_OLDER) and isinstance(older, Mapping) and _has(older, name):
        advice = "it is of TensorFlow 1: import tapeviz.compat.v1 as tf"
    elif name.startswith("_"):
        return AttributeError(f"module {module!r} has no attribute {name!r}")
    else:
        advice = advice_for(dotted)
        advice = f"if TensorFlow has it, {advice}" if advice is _RECORD else advice
    return AttributeError(f"module {module!r} has no attribute {name!r}: {advice}")


def _has(table: Mapping[str, str], name: str) -> bool:
    return any(name in {entry.partition("=")[0] for entry in names.split()} for names in table.values())
