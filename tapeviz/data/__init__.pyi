# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from tapeviz.data import experimental
from tapeviz.data.dataset import Dataset
from tapeviz.data.iterators import Iterator, NumpyIterator
from tapeviz.data.nodes import INFINITE as INFINITE_CARDINALITY
from tapeviz.data.nodes import UNKNOWN as UNKNOWN_CARDINALITY
from tapeviz.data.options import AUTOTUNE, Options, ThreadingOptions
from tapeviz.data.record_files import TFRecordDataset
from tapeviz.data.structures import DatasetSpec
from tapeviz.data.text_files import TextLineDataset

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
]
