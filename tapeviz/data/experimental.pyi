# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from tapeviz.data.csv_files import CsvDataset, make_csv_dataset
from tapeviz.data.experimental_functions import (
    Counter,
    assert_cardinality,
    cardinality,
    choose_from_datasets,
    enable_debug_mode,
    enumerate_dataset,
    from_list,
    get_single_element,
    sample_from_datasets,
    scan,
    shuffle_and_repeat,
    take_while,
    unbatch,
    unique,
)
from tapeviz.data.nodes import INFINITE as INFINITE_CARDINALITY
from tapeviz.data.nodes import UNKNOWN as UNKNOWN_CARDINALITY
from tapeviz.data.options import AUTOTUNE
from tapeviz.data.record_files import RecordsWriter as TFRecordWriter

__all__ = [
    "AUTOTUNE",
    "Counter",
    "CsvDataset",
    "INFINITE_CARDINALITY",
    "TFRecordWriter",
    "UNKNOWN_CARDINALITY",
    "assert_cardinality",
    "cardinality",
    "choose_from_datasets",
    "enable_debug_mode",
    "enumerate_dataset",
    "from_list",
    "get_single_element",
    "make_csv_dataset",
    "sample_from_datasets",
    "scan",
    "shuffle_and_repeat",
    "take_while",
    "unbatch",
    "unique",
]
