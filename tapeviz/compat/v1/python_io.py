"""``tf.python_io`` of TensorFlow 1: files of records."""

from __future__ import annotations

from typing import Any

from tapeviz.compat.v1.graph.absent_names import absent
from tapeviz.namespace import Namespace

_names = Namespace(
    __name__,
    {
        "tapeviz.io.record_files": "TFRecordOptions TFRecordWriter",
        "tapeviz.io.record_reading": "tf_record_iterator",
    },
)
__all__ = list(_names.listed)


def __getattr__(name: str) -> Any:
    if name not in _names.homes:
        raise absent(__name__, name)
    return _names.find(name)


def __dir__() -> list[str]:
    return __all__
