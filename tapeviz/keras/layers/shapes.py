"""Shapes of what comes in and goes out of layers, as plain tuples with None for sizes that are not known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapeviz.engine import nest
from tapeviz.engine.shapes import TensorShape

__all__ = ["flat_shapes", "is_shape", "map_shapes", "shapes_of"]


def shapes_of(value: Any) -> Any:
    """The shape of a tensor, or those of the tensors in a structure; shapes are given back as tuples."""
    if value is None or is_shape(value):
        return None if value is None else tuple(value)
    if isinstance(value, TensorShape):
        return value.dims
    if isinstance(value, (list, tuple)):
        return [shapes_of(item) for item in value]
    if isinstance(value, dict):
        return {key: shapes_of(item) for key, item in value.items()}
    shape = getattr(value, "shape", None)
    return None if shape is None else TensorShape(shape).dims


def is_shape(value: Any) -> bool:
    """Whether it is the sizes of axes."""
    return isinstance(value, (list, tuple)) and all(size is None or isinstance(size, int) for size in value)


def map_shapes(function: Callable[[Any], Any], structure: Any) -> Any:
    """The structure with what ``function`` gives for each shape in it; lists and tuples of sizes are shapes."""
    if is_shape(structure) or isinstance(structure, TensorShape):
        return function(structure)
    if isinstance(structure, dict):
        return {key: map_shapes(function, shapes) for key, shapes in structure.items()}
    mapped = [map_shapes(function, shapes) for shapes in structure]
    return type(structure)(*mapped) if hasattr(structure, "_fields") else type(structure)(mapped)


def flat_shapes(structure: Any) -> list[Any]:
    """The shapes in a structure, in the order of :func:`tapeviz.engine.nest.flatten`."""
    if is_shape(structure) or isinstance(structure, TensorShape):
        return [structure]
    return [shape for part in nest.parts(structure) or [] for shape in flat_shapes(part)]
