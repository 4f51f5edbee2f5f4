"""``tf.data.experimental``: names under which parts of ``tf.data`` were first announced, and a few more."""

from __future__ import annotations

from typing import Any

from tapeviz.namespace import Namespace

_names = Namespace(
    __name__,
    {
        "tapeviz.data.nodes": "INFINITE_CARDINALITY=INFINITE UNKNOWN_CARDINALITY=UNKNOWN",
        "tapeviz.data.options": "AUTOTUNE",
        "tapeviz.data.trying": (
            "Counter assert_cardinality cardinality choose_from_datasets enable_debug_mode enumerate_dataset from_list "
            "get_single_element sample_from_datasets scan shuffle_and_repeat take_while unbatch unique"
        ),
    },
)
__all__ = list(_names.listed)


def __getattr__(name: str) -> Any:
    return _names.find(name)


def __dir__() -> list[str]:
    return __all__
