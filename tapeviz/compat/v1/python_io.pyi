# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from tapeviz.io.record_files import TFRecordOptions, TFRecordWriter, tf_record_iterator

__all__ = ["TFRecordOptions", "TFRecordWriter", "tf_record_iterator"]
