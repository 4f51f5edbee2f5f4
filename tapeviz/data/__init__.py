"""``tf.data``: pipelines of data."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

from tapeviz.namespace import Namespace

_MODULES: Final = ("experimental",)

_names: Final = Namespace(
    __name__,
    {
        "tapeviz.data.dataset": "Dataset",
        "tapeviz.data.iterators": "Iterator NumpyIterator",
        "tapeviz.data.nodes": "INFINITE_CARDINALITY=INFINITE UNKNOWN_CARDINALITY=UNKNOWN",
        "tapeviz.data.options": "AUTOTUNE Options ThreadingOptions",
        "tapeviz.data.record_files": "TFRecordDataset",
        "tapeviz.data.structures": "DatasetSpec",
        "tapeviz.data.text_files": "TextLineDataset",
    },
)
_offered: Final = [*_names.listed, *_MODULES]
__all__ = list(_offered)


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    return _names.find(name)


def __dir__() -> list[str]:
    return __all__
