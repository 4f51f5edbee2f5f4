"""Class numbers as rows of one-hot numbers, and arrays of length 1."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz import math
from tapeviz.engine.symbolic import SymbolicTensor
from tapeviz.engine.tensor import Tensor
from tapeviz.ops.array.reshape import squeeze
from tapeviz.ops.array.select import one_hot
from tapeviz.ops.linalg.norms import norm

__all__ = ["normalize", "to_categorical"]


def to_categorical(x: Any, num_classes: int | None = None) -> Any:
    """A row for each class number: 1 at its place, 0 elsewhere.

    Args:
        x: class numbers from 0 on, of any shape; a last axis of size 1 is taken off.
        num_classes: how many classes there are; one more than the largest number unless given.

    Raises:
        IndexError: a number is not a class.
        ValueError: of a tensor of a graph, ``num_classes`` cannot be told.

    >>> import tapeviz as tf
    >>> tf.keras.utils.to_categorical([0, 2, 1], num_classes=3)
    array([[1., 0., 0.],
           [0., 0., 1.],
           [0., 1., 0.]])
    """
    if isinstance(x, Tensor):
        rank = x.shape.rank
        plain = squeeze(x, -1) if rank is not None and rank > 1 and x.shape[-1] == 1 else x
        if num_classes is None:
            if isinstance(x, SymbolicTensor):
                raise ValueError("num_classes must be given for a tensor without a value")
            num_classes = int(np.asarray(x).max()) + 1
        return one_hot(plain, num_classes)
    numbers = np.array(x, dtype="int64")
    shape = numbers.shape[:-1] if numbers.ndim > 1 and numbers.shape[-1] == 1 else numbers.shape
    width = num_classes or int(numbers.max()) + 1
    rows = np.zeros((numbers.size, width))
    rows[np.arange(numbers.size), numbers.reshape(-1)] = 1
    return rows.reshape((*shape, width))


def normalize(x: Any, axis: int = -1, order: Any = 2) -> Any:
    """``x`` divided by its norm along an axis; what is 0 all along stays 0.

    Args:
        x: an array, which gives an array, or a tensor, which gives a tensor.
        axis: the axis of the vectors.
        order: which norm: 2 for the length.

    >>> import tapeviz as tf
    >>> tf.keras.utils.normalize([[3.0, 4.0], [0.0, 0.0]])
    array([[0.6, 0.8],
           [0. , 0. ]])
    """
    if isinstance(x, Tensor):
        return math.divide_no_nan(x, norm(x, order, axis, keepdims=True))
    array = np.asarray(x)
    lengths = np.linalg.norm(array, order, axis, keepdims=True)
    return array / np.where(lengths == 0, 1, lengths)
