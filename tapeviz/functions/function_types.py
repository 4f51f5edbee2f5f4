"""What a trace takes and gives, as TensorFlow writes it: ``(x: TensorSpec(...)) -> TensorSpec(...)``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tapeviz.engine.scopes import TensorSpec
from tapeviz.engine.tensor import Tensor

__all__ = ["FunctionType"]


class FunctionType:
    """Parameters with what stands for each, the result's form, and what comes from outside.

    >>> import tapeviz as tf
    >>> @tf.function
    ... def power(x, n):
    ...     return x**n
    >>> print(power.get_concrete_function(tf.TensorSpec(None, tf.float32), n=2).function_type)
    (x: TensorSpec(shape=<unknown>, dtype=tf.float32, name=None), n: Literal[2]) -> \
TensorSpec(shape=<unknown>, dtype=tf.float32, name=None)
    """

    def __init__(self, arguments: Sequence[tuple[str, Any]], result: Any, captures: Sequence[Any]) -> None:
        self._parameters = [(name, _text(value)) for name, value in arguments]
        self._result = _text(result)
        self._captures = [_text(one) for one in captures]

    def pretty(self) -> str:
        """Each part on a line of its own."""
        kinds = ("POSITIONAL_OR_KEYWORD", "KEYWORD_ONLY")
        given = [f"  {name.removeprefix('*')} ({kinds[name[:1] == '*']}): {text}" for name, text in self._parameters]
        lines = ["Input Parameters:", *(given or ["  None"]), "Output Type:", f"  {self._result}", "Captures:"]
        return "\n".join([*lines, *(f"  {text}" for text in self._captures or ["None"])])

    def __repr__(self) -> str:
        given = ", ".join(f"{name.removeprefix('*')}: {text}" for name, text in self._parameters)
        return f"({given}) -> {self._result}"


def _text(value: Any) -> str:
    """The type of a value: a tensor's spec, a structure of such, ``Literal`` of a Python value."""
    if isinstance(value, (Tensor, TensorSpec)):
        shape = "<unknown>" if value.shape.rank is None else str(value.shape)
        return f"TensorSpec(shape={shape}, dtype={value.dtype!r}, name=None)"
    if isinstance(value, dict):
        inside = ", ".join(f"[{key!r}, {_text(part)}]" for key, part in value.items())
        return f"Dict[{inside}]"
    if isinstance(value, (list, tuple)):
        kind = "List" if isinstance(value, list) else "Tuple"
        return f"{kind}[{', '.join(map(_text, value))}]"
    if hasattr(value, "_read"):
        return f"VariableSpec(shape={value.shape}, dtype={value.dtype!r}, trainable={value.trainable})"
    return f"Literal[{value!r}]" if value is None or isinstance(value, (bool, int, float, str, bytes)) else repr(value)
