"""``tf.data``: datasets, and iterators for sessions."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

from tapeviz.namespace import Namespace

_MODULES: Final = ("experimental",)

_names: Final = Namespace(
    __name__,
    {
        "tapeviz.compat.v1.datasets": (
            "Dataset Iterator TextLineDataset get_output_classes get_output_shapes get_output_types "
            "make_initializable_iterator make_one_shot_iterator"
        ),
        "tapeviz.data.iterators": "NumpyIterator",
        "tapeviz.data.nodes": "INFINITE_CARDINALITY=INFINITE UNKNOWN_CARDINALITY=UNKNOWN",
        "tapeviz.data.options": "AUTOTUNE Options ThreadingOptions",
        "tapeviz.data.structures": "DatasetSpec",
    },
)
_offered: Final = [*_names.listed, *_MODULES]
__all__ = list(_offered)


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"tapeviz.data.{name}")
    return _names.find(name)


def __dir__() -> list[str]:
    return __all__
