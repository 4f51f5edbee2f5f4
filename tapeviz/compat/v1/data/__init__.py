"""``tf.data``: datasets, and iterators for sessions."""

from __future__ import annotations

from typing import Any, Final

from tapeviz.data import experimental
from tapeviz.namespace import Namespace

_names: Final = Namespace(
    __name__,
    {
        "tapeviz.compat.v1.data.iterators": (
            "Dataset Iterator TFRecordDataset TextLineDataset get_output_classes get_output_shapes get_output_types "
            "make_initializable_iterator make_one_shot_iterator"
        ),
        "tapeviz.data.iterators": "NumpyIterator",
        "tapeviz.data.nodes": "INFINITE_CARDINALITY=INFINITE UNKNOWN_CARDINALITY=UNKNOWN",
        "tapeviz.data.options": "AUTOTUNE Options ThreadingOptions",
        "tapeviz.data.structures": "DatasetSpec",
    },
)
_modules: Final = {"experimental": experimental}
_offered: Final = [*_names.listed, *_modules]
__all__ = list(_offered)


def __getattr__(name: str) -> Any:
    return _names.find(name)


def __dir__() -> list[str]:
    return __all__
