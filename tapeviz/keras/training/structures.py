"""What a batch is made of: inputs, targets and weights, and how they are told apart, counted and cut."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tapeviz.engine import nest
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.tensor import Tensor

__all__ = ["as_arrays", "check_lengths", "map_leaves", "unpack", "weights_by_class", "without_tensors"]


def unpack(data: Any) -> tuple[Any, Any, Any]:
    """The inputs, the targets and the weights of a batch; None for what it does not have.

    Raises:
        ValueError: it is a tuple of more than three parts.

    >>> unpack(([1], [2]))
    ([1], [2], None)
    """
    if isinstance(data, list):
        data = tuple(data)
    if not isinstance(data, tuple):
        return data, None, None
    if not 1 <= len(data) <= 3:  # noqa: PLR2004 - x, y and sample_weight
        raise ValueError(
            f"Data is expected to be in format `x`, `(x,)`, `(x, y)`, or `(x, y, sample_weight)`, found: {data}"
        )
    x, y, weight = (*data, None, None)[:3]
    return x, y, weight


def map_leaves(function: Callable[[Any], Any], structure: Any) -> Any:
    """``function`` of each leaf of a structure; None stays None.

    >>> map_leaves(lambda x: x + 1, {"a": 1, "b": None})
    {'a': 2, 'b': None}
    """
    return nest.map_structure(lambda leaf: None if leaf is None else function(leaf), structure)


def as_arrays(structure: Any, floats: str = "float32") -> Any:
    """A structure's lists of numbers, data frames, tensors and arrays as NumPy arrays; floats as ``floats``.

    A list is a structure (of several inputs) unless its items are numbers or lists of numbers.
    """
    if structure is None:
        return None
    if isinstance(structure, Mapping):
        return {key: as_arrays(value, floats) for key, value in structure.items()}
    if isinstance(structure, (list, tuple)) and not _is_nested_numbers(structure):
        return type(structure)([as_arrays(item, floats) for item in structure])
    return _as_array(structure, floats)


def _is_nested_numbers(items: Any) -> bool:
    while isinstance(items, (list, tuple)) and items:
        items = items[0]
    return isinstance(items, (bool, int, float, str, bytes, np.generic))


def _as_array(value: Any, floats: str) -> np.ndarray:
    array = value.numpy() if isinstance(value, Tensor) or hasattr(value, "_read") else np.asarray(value)
    if array.dtype == object and not all(isinstance(one, (str, bytes)) for one in array.flat):
        raise ValueError(
            f"Failed to convert a NumPy array to a Tensor: an array of Python objects ({type(array.flat[0]).__name__} "
            "first) holds no numbers"
        )
    return array.astype(floats) if array.dtype.kind == "f" and array.dtype != floats else array


def without_tensors(structure: Any) -> Any:
    """A structure's tensors as NumPy arrays."""
    return map_leaves(lambda leaf: leaf.numpy() if hasattr(leaf, "numpy") else leaf, structure)


def check_lengths(x: Any, y: Any = None, sample_weight: Any = None) -> int:
    """The number of samples, the same in all arrays.

    Raises:
        ValueError: it is not the same, or an array has no axis of samples.
    """
    lengths = {}
    for name, part in (("x", x), ("y", y), ("sample_weight", sample_weight)):
        leaves = [leaf for leaf in nest.flatten(part) if leaf is not None]
        if any(leaf.ndim == 0 for leaf in leaves):
            raise ValueError(f"{name} is a single number: training takes arrays whose first axis is that of samples")
        if leaves:
            lengths[name] = [len(leaf) for leaf in leaves]
    every = {length for found in lengths.values() for length in found}
    if len(every) > 1:
        lines = "".join(f"'{name}' sizes: {', '.join(map(str, found))}\n" for name, found in lengths.items())
        raise ValueError(
            "Data cardinality is ambiguous. Make sure all arrays contain the same number of samples." + lines
        )
    return every.pop() if every else 0


def weights_by_class(y: Any, class_weight: Mapping[int, float]) -> Any:
    """A weight a sample: that of its class, 1 for classes that are not named.

    Args:
        y: the targets: numbers of classes, or a row a sample with a 1 at the class.
        class_weight: weights by the numbers of classes.

    Raises:
        ValueError: there are several arrays of targets.
    """
    if nest.is_nested(y):
        raise ValueError("`class_weight` is only supported for Models with a single output.")
    labels = np.asarray(y.numpy() if hasattr(y, "numpy") else y)
    if labels.ndim > 1:
        labels = labels.argmax(-1) if labels.shape[-1] > 1 else labels[..., 0]
    labels = np.round(labels).astype(np.int64)
    weights = np.ones(labels.shape, np.float32)
    for number, weight in class_weight.items():
        weights[labels == int(number)] = weight
    return convert_to_tensor(weights)
