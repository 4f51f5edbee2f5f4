"""The version of TensorFlow whose API the package has."""

from __future__ import annotations

from typing import Final

__all__ = ["COMPILER_VERSION", "GIT_VERSION", "GRAPH_DEF_VERSION", "VERSION"]

VERSION: Final = "2.21.0"
GIT_VERSION: Final = "tapeviz"
COMPILER_VERSION: Final = "NumPy"
GRAPH_DEF_VERSION: Final = 0
