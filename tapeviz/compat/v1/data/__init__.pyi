# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from tapeviz.compat.v1.data.iterators import (
    Dataset,
    Iterator,
    TextLineDataset,
    TFRecordDataset,
    get_output_classes,
    get_output_shapes,
    get_output_types,
    make_initializable_iterator,
    make_one_shot_iterator,
)
from tapeviz.data import experimental
from tapeviz.data.iterators import NumpyIterator
from tapeviz.data.nodes import INFINITE as INFINITE_CARDINALITY
from tapeviz.data.nodes import UNKNOWN as UNKNOWN_CARDINALITY
from tapeviz.data.options import AUTOTUNE, Options, ThreadingOptions
from tapeviz.data.structures import DatasetSpec

__all__ = [
    "AUTOTUNE",
    "Dataset",
    "DatasetSpec",
    "INFINITE_CARDINALITY",
    "Iterator",
    "NumpyIterator",
    "Options",
    "TFRecordDataset",
    "TextLineDataset",
    "ThreadingOptions",
    "UNKNOWN_CARDINALITY",
    "experimental",
    "get_output_classes",
    "get_output_shapes",
    "get_output_types",
    "make_initializable_iterator",
    "make_one_shot_iterator",
]
