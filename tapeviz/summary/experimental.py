"""``tf.summary.experimental``: the step that summaries are of."""

from __future__ import annotations

from typing import Any, Final

from tapeviz.namespace import Namespace

_names: Final = Namespace(__name__, {"tapeviz.summary.writers": "get_step set_step summary_scope"})
_offered: Final = list(_names.listed)
__all__ = list(_offered)


def __getattr__(name: str) -> Any:
    return _names.find(name)


def __dir__() -> list[str]:
    return __all__
