"""``tf.print``: values in TensorFlow's own notation, to a stream or a file."""

from __future__ import annotations

import pprint
import sys
from pathlib import Path
from typing import Any, Final

import numpy as np

from tapeviz.engine import nest
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.os_errors import translate_os_errors
from tapeviz.engine.state import local
from tapeviz.engine.tensor import Tensor
from tapeviz.engine.userline import ipython_shell
from tapeviz.engine.variable import Variable
from tapeviz.files import AppendFile

__all__ = ["print", "tensor_text"]

_SHOWN: Final = 3
_DIGITS: Final = {"float16": 9, "bfloat16": 9, "float32": 9, "float64": 17}
_SHORTER: Final = {"float16": 6, "bfloat16": 6, "float32": 6, "float64": 15}
_ESCAPED: Final = str.maketrans({"\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"', "'": "\\'", "\\": "\\\\"})
_FILE: Final = "file://"


def print(*inputs: Any, **kwargs: Any) -> None:
    """Print values, long tensors in short, by default to the standard error, in notebooks to the cell's output.

    Args:
        *inputs: tensors, Python values, and structures of them.
        **kwargs: ``output_stream`` is ``sys.stderr``, ``sys.stdout``, a function of ``logging`` or the name of a file
            as ``"file://..."``, which is added to. ``summarize`` says how many elements to show at either end of each
            axis: 3 by default, all when -1. ``sep`` and ``end`` are as for Python's print. ``name`` is accepted.

    Raises:
        ValueError: an argument or a stream is unknown.
        TypeError: ``end`` is no text, or ``summarize`` no number.

    >>> import sys, tapeviz as tf
    >>> tf.print("numbers:", tf.range(10), {"a": tf.constant([0.1, 1e10])}, output_stream=sys.stdout)
    numbers: [0 1 2 ... 7 8 9] {'a': [0.1 1e+10]}
    """
    stream = kwargs.pop("output_stream", None)
    summarize, sep, end = kwargs.pop("summarize", None), kwargs.pop("sep", " "), kwargs.pop("end", "\n")
    kwargs.pop("name", None)
    if kwargs:
        raise ValueError(f"Unrecognized keyword arguments for tf.print: {kwargs}")
    shown = _SHOWN if summarize is None else summarize
    if not isinstance(shown, int):
        raise TypeError(f"Expected int for argument 'summarize' not {shown!r}.")
    if end is not None and not isinstance(end, str):
        raise TypeError(f"Expected string for argument 'end' not {end!r}.")
    if (graph := local.state.graph) is not None:
        leaves = nest.flatten(inputs)
        tensors = [leaf for leaf in leaves if isinstance(leaf, (Tensor, Variable))]
        later = _Later(inputs, leaves, shown, sep, end, stream)
        graph.python(later, list(map(convert_to_tensor, tensors)), name="print")
        return
    write = _writer(stream)
    text = sep.join(_text(value, shown) for value in inputs)
    write(text + ("" if end is None else end))


class _Later:
    """Prints when the graph runs: the tensors then, everything else as it was while tracing."""

    def __init__(self, inputs: Any, leaves: list[Any], shown: int, sep: str, end: str | None, stream: Any) -> None:
        self._inputs = inputs
        self._leaves = leaves
        self._rest = (shown, sep, end, stream)

    def __call__(self, *tensors: Any) -> None:
        """Print with these tensors in their places."""
        given = iter(tensors)
        values = [next(given) if isinstance(leaf, (Tensor, Variable)) else leaf for leaf in self._leaves]
        shown, sep, end, stream = self._rest
        text = sep.join(_text(value, shown) for value in nest.pack(self._inputs, values))
        _writer(stream)(text + ("" if end is None else end))


def _writer(stream: Any) -> Any:
    """The function that takes the text. Streams are looked up now: a notebook puts its own in their place."""
    if stream is None:
        return _to(sys.stderr if ipython_shell() is None else sys.stdout)
    if stream is sys.stderr or stream is sys.__stderr__:
        return _to(stream)
    if stream is sys.stdout or stream is sys.__stdout__ or hasattr(stream, "write"):
        return _to(stream)
    if callable(stream) and getattr(stream, "__module__", "") == "logging":
        return lambda text: stream(text.removesuffix("\n"))
    if isinstance(stream, str) and stream.startswith(_FILE):
        return lambda text: _append(Path(stream.removeprefix(_FILE)), text)
    raise ValueError(
        f"Unsupported output stream, logging level, or file.{stream}. Supported streams are sys.stdout, sys.stderr, "
        "functions of logging. File needs to be in the form of 'file://<filepath>'."
    )


def _to(stream: Any) -> Any:
    def write(text: str) -> None:
        stream.write(text)
        stream.flush()

    return write


def _append(path: Path, text: str) -> None:
    with translate_os_errors("Cannot print to a file"):
        file = AppendFile(path, "a")
        try:
            file.append(text.encode())
        finally:
            file.close()


class _Shown:
    """A value inside a structure: shows without quotes."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


def _text(value: Any, shown: int) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, (Tensor, Variable)):
        return tensor_text(value, shown)
    structure = nest.map_structure(lambda leaf: _leaf(leaf, shown), value)
    return repr(structure) if isinstance(structure, _Shown) else pprint.pformat(structure, width=10**9)


def _leaf(leaf: Any, shown: int) -> _Shown:
    return _Shown(tensor_text(leaf, shown) if isinstance(leaf, (Tensor, Variable)) else repr(leaf))


def tensor_text(value: Any, shown: int) -> str:
    """A tensor as TensorFlow prints it, of each axis ``shown`` elements at either end."""
    tensor = convert_to_tensor(value)
    array = tensor._host()
    write = _element(tensor.dtype.name)
    if not array.ndim:
        return str(write(array[()]))
    return _axis_text(array, shown if array.size else 0, write, 1)


def _axis_text(array: np.ndarray, shown: int, write: Any, depth: int) -> str:
    """One axis: elements by a space, lines by as many line ends as there are axes below, indented by those above."""
    ends = _ends(array, shown)
    if array.ndim == 1:
        parts, separator = [write(item) for item in ends], " "
    else:
        parts = [_axis_text(row, shown, write, depth + 1) for row in ends]
        separator = "\n" * (array.ndim - 1) + " " * depth
    if 0 <= 2 * shown < len(array):
        parts.insert(shown, "..." if shown else f"{separator}...")
    return f"[{separator.join(parts)}]"


def _ends(array: np.ndarray, shown: int) -> Any:
    if shown < 0 or 2 * shown >= len(array):
        return array
    return [*array[:shown], *array[len(array) - shown :]]


def _element(dtype: str) -> Any:
    if dtype in _DIGITS:
        return lambda number: _number(float(number), dtype)
    if dtype == "bool":
        return lambda truth: str(int(truth))
    if dtype == "string":
        return _quoted
    if dtype.startswith("complex"):
        return lambda _number: "?"  # what TensorFlow prints
    return str


def _number(number: float, dtype: str) -> str:
    """The shorter of two notations where it means the same number, else the one with all digits."""
    short = f"{number:.{_SHORTER[dtype]}g}"
    same = np.float64(short) == number if dtype == "float64" else np.float32(short) == np.float32(number)
    return short if same else f"{number:.{_DIGITS[dtype]}g}"


def _quoted(text: Any) -> str:
    plain = text.decode() if isinstance(text, bytes) else str(text)
    return f'"{plain.translate(_ESCAPED)}"'
