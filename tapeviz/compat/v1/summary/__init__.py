"""``tf.summary`` of TensorFlow 1: tensors that hold summaries, which a session runs and a writer writes."""

from __future__ import annotations

from typing import Any

from tapeviz.compat.v1.graph.absent_names import absent
from tapeviz.namespace import Namespace

_names = Namespace(
    __name__,
    {
        "tapeviz.compat.v1.summary.file_writer": "FileWriter",
        "tapeviz.compat.v1.summary.summary_ops": "histogram image merge merge_all scalar text",
        "tensorboardX.proto.event_pb2": "Event",
        "tensorboardX.proto.summary_pb2": "Summary",
    },
)
__all__ = list(_names.listed)


def __getattr__(name: str) -> Any:
    if name not in _names.homes:
        raise absent(__name__, name)
    return _names.find(name)


def __dir__() -> list[str]:
    return __all__
