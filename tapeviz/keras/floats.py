"""The floating-point dtype of layers that say none, and the small number that keeps divisions safe."""

from __future__ import annotations

from typing import Any, Final

from tapeviz.engine.dtypes import as_dtype

__all__ = ["epsilon", "floatx", "set_epsilon", "set_floatx"]

_settings: Final[dict[str, Any]] = {"floatx": "float32", "epsilon": 1e-7}


def floatx() -> str:
    """The dtype of layers that say none.

    >>> import tapeviz as tf
    >>> tf.keras.backend.floatx()
    'float32'
    """
    return str(_settings["floatx"])


def set_floatx(value: Any) -> None:
    """Have layers made from here on be of this dtype unless they say another.

    Raises:
        ValueError: it is none of float16, bfloat16, float32 and float64.

    >>> import tapeviz as tf
    >>> tf.keras.backend.set_floatx("float32")
    """
    name = value if isinstance(value, str) else as_dtype(value).name
    if name not in ("float16", "bfloat16", "float32", "float64"):
        raise ValueError(
            f"Unknown `floatx` value: {value}. Expected one of ('bfloat16', 'float16', 'float32', 'float64')"
        )
    _settings["floatx"] = name


def epsilon() -> float:
    """The small number that keeps divisions and logarithms safe.

    >>> import tapeviz as tf
    >>> tf.keras.backend.epsilon()
    1e-07
    """
    return float(_settings["epsilon"])


def set_epsilon(value: float) -> None:
    """Have it be another.

    >>> import tapeviz as tf
    >>> tf.keras.backend.set_epsilon(1e-7)
    """
    _settings["epsilon"] = float(value)
