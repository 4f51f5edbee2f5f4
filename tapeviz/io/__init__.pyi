# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from tapeviz.io import gfile
from tapeviz.io.record_files import TFRecordOptions, TFRecordWriter

__all__ = ["TFRecordOptions", "TFRecordWriter", "gfile"]
