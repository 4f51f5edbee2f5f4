# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from tensorboardX.proto.event_pb2 import Event
from tensorboardX.proto.summary_pb2 import Summary

from tapeviz.compat.v1.summary.file_writer import FileWriter
from tapeviz.compat.v1.summary.summary_ops import histogram, image, merge, merge_all, scalar, text

__all__ = ["Event", "FileWriter", "Summary", "histogram", "image", "merge", "merge_all", "scalar", "text"]
