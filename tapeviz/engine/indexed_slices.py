"""Slices of a tensor with the rows they belong to, instead of a tensor that is zero nearly everywhere."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import registry
from tapeviz.engine.dtypes import DType, as_dtype
from tapeviz.engine.shapes import TensorShape, as_dimensions
from tapeviz.engine.tensor import EagerTensor

__all__ = ["IndexedSlices"]


class IndexedSlices:
    """The slices ``values[i]`` of a tensor at the rows ``indices[i]``; all other rows are zero.

    Any op takes it as the tensor that it stands for, in which slices of the same row are added up.

    Args:
        values: the slices, one after the other along the first axis.
        indices: the row of each.
        dense_shape: the shape of the whole tensor.

    >>> import tapeviz as tf
    >>> slices = tf.IndexedSlices(tf.constant([[1.0], [2.0], [4.0]]), tf.constant([0, 2, 0]), tf.constant([3, 1]))
    >>> tf.convert_to_tensor(slices).numpy()
    array([[5.],
           [0.],
           [2.]], dtype=float32)
    """

    def __init__(self, values: Any, indices: Any, dense_shape: Any = None) -> None:
        self._values = values
        self._indices = indices
        self._dense_shape = dense_shape

    @property
    def values(self) -> Any:
        """The slices."""
        return self._values

    @property
    def indices(self) -> Any:
        """The row of each slice."""
        return self._indices

    @property
    def dense_shape(self) -> Any:
        """The shape of the whole tensor, as a tensor; None where it is not known."""
        return self._dense_shape

    @property
    def shape(self) -> TensorShape:
        """The shape of the whole tensor."""
        return TensorShape(None if self._dense_shape is None else as_dimensions(self._dense_shape))

    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        return self._values.dtype  # type: ignore[no-any-return]

    @property
    def device(self) -> str:
        """Where the slices are."""
        return self._values.device  # type: ignore[no-any-return]

    def __neg__(self) -> IndexedSlices:
        return IndexedSlices(registry["negative"].run(self._values), self._indices, self._dense_shape)

    def __repr__(self) -> str:
        # Not in an f-string: tensors format as arrays do.
        shape = "" if self._dense_shape is None else ", dense_shape=" + str(self._dense_shape)
        return "IndexedSlices(indices=" + str(self._indices) + ", values=" + str(self._values) + shape + ")"

    def _dense(self, dtype: np.dtype | None) -> EagerTensor:
        """The tensor that these slices stand for."""
        if dtype is not None and self.dtype.numpy != dtype:
            raise ValueError(
                f"Incompatible tensor conversion requested to `dtype` {as_dtype(dtype).name} for IndexedSlices "
                f"({self}) with dtype {self.dtype.name}"
            )
        if self._dense_shape is None:
            raise ValueError(
                "Tensor conversion requested for IndexedSlices for argument `value` without dense_shape: " + str(self)
            )
        shape = self._dense_shape
        rows = as_dimensions(shape[0] if hasattr(shape, "_numbers") else shape)[0]
        indices = convert_to_tensor(self._indices)
        return registry["unsorted_segment_sum"].run(self._values, indices, rows)  # type: ignore[no-any-return]
