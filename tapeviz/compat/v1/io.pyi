# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from tapeviz.io import TFRecordOptions, TFRecordWriter, gfile

__all__ = ["TFRecordOptions", "TFRecordWriter", "gfile"]
