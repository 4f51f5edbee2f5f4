"""``tf.io``: files of records."""

from __future__ import annotations

from typing import Any, Final

from tapeviz.namespace import Namespace

_names: Final = Namespace(__name__, {"tapeviz.io.record_files": "TFRecordOptions TFRecordWriter"})
_offered: Final = list(_names.listed)
__all__ = list(_offered)


def __getattr__(name: str) -> Any:
    return _names.find(name)


def __dir__() -> list[str]:
    return __all__
