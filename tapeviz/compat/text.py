"""Python's two kinds of text as one or the other."""

from __future__ import annotations

import os
from typing import Any

__all__ = ["as_bytes", "as_str", "as_str_any", "as_text", "path_to_str"]


def as_bytes(bytes_or_text: Any, encoding: str = "utf-8") -> bytes:
    r"""Text as bytes.

    Args:
        bytes_or_text: a ``str``, or bytes, which stay as they are.
        encoding: how the text is encoded.

    Raises:
        TypeError: it is neither.

    >>> import tapeviz as tf
    >>> tf.compat.as_bytes("é")
    b'\xc3\xa9'
    """
    if isinstance(bytes_or_text, str):
        return bytes_or_text.encode(encoding)
    if isinstance(bytes_or_text, bytes | bytearray):
        return bytes(bytes_or_text)
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


def as_text(bytes_or_text: Any, encoding: str = "utf-8") -> str:
    """Bytes as text. Arguments as for :func:`as_bytes`.

    >>> import tapeviz as tf
    >>> tf.compat.as_text(b"abc")
    'abc'
    """
    return as_bytes(bytes_or_text, encoding).decode(encoding)


as_str = as_text


def as_str_any(value: Any, encoding: str = "utf-8") -> str:
    """Bytes as text, and anything else as ``str`` gives it.

    >>> import tapeviz as tf
    >>> tf.compat.as_str_any(3)
    '3'
    """
    return as_text(value, encoding) if isinstance(value, bytes) else str(value)


def path_to_str(path: Any) -> Any:
    """A path as text; what is no path stays as it is.

    >>> import tapeviz as tf
    >>> tf.compat.path_to_str(3)
    3
    """
    return as_str_any(os.fspath(path)) if isinstance(path, os.PathLike) else path
