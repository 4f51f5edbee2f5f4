"""Traced functions as ONNX models, which other programs run. Needs the package ``onnx``: ``tapeviz[onnx]``."""

from __future__ import annotations

from typing import Any, Final

from tapeviz.namespace import Namespace

_names: Final = Namespace(__name__, {"tapeviz.onnx.exporting": "export"})
__all__ = list(_names.listed)


def __getattr__(name: str) -> Any:
    return _names.find(name)


def __dir__() -> list[str]:
    return __all__
