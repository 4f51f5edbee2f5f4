"""Functions of ``keras.backend`` that are not TensorFlow's own under another name."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.tensor import Tensor
from tapeviz.engine.variable import Variable
from tapeviz.keras.floats import floatx
from tapeviz.ops.array.concat import concat
from tapeviz.ops.array.creation import range as count
from tapeviz.ops.array.reshape import expand_dims as expanded
from tapeviz.ops.array.reshape import reshape
from tapeviz.ops.linalg.matmul import matmul, tensordot
from tapeviz.ops.random import random_numbers

__all__ = [
    "arange", "backend", "batch_dot", "batch_flatten", "concatenate", "dot", "expand_dims", "flatten", "get_value",
    "image_data_format", "int_shape", "learning_phase", "random_normal", "random_uniform", "set_learning_phase",
    "set_value", "variable",
]  # fmt: skip

_MATRIX = 2


def backend() -> str:
    """What the layers run on, by Keras' name for it.

    >>> import tapeviz as tf
    >>> tf.keras.backend.backend()
    'tensorflow'
    """
    return "tensorflow"


def image_data_format() -> str:
    """Where the channels of an image are: at the end.

    >>> import tapeviz as tf
    >>> tf.keras.backend.image_data_format()
    'channels_last'
    """
    return "channels_last"


def learning_phase() -> int:
    """Whether layers that are not told run as in training: never. Say ``training=`` where a model is called."""
    return 0


def set_learning_phase(value: Any) -> None:
    """Change nothing for 0.

    Raises:
        NotImplementedError: it is 1.
    """
    if value:
        raise NotImplementedError("There is no global learning phase: call the model with training=True")


def variable(value: Any, dtype: Any = None, name: str | None = None, constraint: Any = None) -> Variable:
    """A variable, of the dtype of layers unless another is said.

    >>> import tapeviz as tf
    >>> tf.keras.backend.variable([1, 2]).dtype
    tf.float32
    """
    return Variable(np.asarray(value), name=name, dtype=dtype or floatx())


def get_value(x: Any) -> Any:
    """The value of a variable or tensor, as an array.

    >>> import tapeviz as tf
    >>> tf.keras.backend.get_value(tf.Variable(2.0))
    np.float32(2.0)
    """
    return x.numpy() if isinstance(x, Tensor | Variable) else x


def set_value(x: Any, value: Any) -> None:
    """Give a variable another value."""
    x.assign(np.asarray(value, x.dtype.numpy))


def int_shape(x: Any) -> tuple[int | None, ...] | None:
    """The shape of a tensor as a tuple; None where its rank is not known.

    >>> import tapeviz as tf
    >>> tf.keras.backend.int_shape(tf.zeros([2, 3]))
    (2, 3)
    """
    dims = x.shape.dims
    return None if dims is None else tuple(dims)


def expand_dims(x: Any, axis: int = -1) -> Any:
    """A new axis of size 1, the last one unless said otherwise.

    >>> import tapeviz as tf
    >>> tf.keras.backend.expand_dims([1, 2]).shape
    TensorShape([2, 1])
    """
    return expanded(x, axis)


def concatenate(tensors: Any, axis: int = -1) -> Any:
    """Tensors side by side along an axis, the last one unless said otherwise.

    >>> import tapeviz as tf
    >>> tf.keras.backend.concatenate([[[1]], [[2]]]).numpy()
    array([[1, 2]], dtype=int32)
    """
    return concat(tensors, axis)


def arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = "int32") -> Any:
    """Whole numbers in order: see :func:`tapeviz.range`."""
    return count(0, start, step, dtype) if stop is None else count(start, stop, step, dtype)


def flatten(x: Any) -> Any:
    """All elements as a vector."""
    return reshape(x, [-1])


def batch_flatten(x: Any) -> Any:
    """All elements of each example as a vector."""
    given = convert_to_tensor(x)
    return reshape(given, [-1, int(np.prod(given.shape[1:].as_list()))])


def dot(x: Any, y: Any) -> Any:
    """The product over the last axis of the first and the one before the last of the second.

    >>> import tapeviz as tf
    >>> tf.keras.backend.dot(tf.ones([2, 4, 3]), tf.ones([3, 5])).shape
    TensorShape([2, 4, 5])
    """
    first, second = convert_to_tensor(x), convert_to_tensor(y)
    if first.ndim == second.ndim == _MATRIX:
        return matmul(first, second)
    return tensordot(first, second, [[first.ndim - 1], [max(second.ndim - _MATRIX, 0)]])


def batch_dot(x: Any, y: Any, axes: Any = None) -> Any:
    """The product over an axis of each, example by example.

    >>> import tapeviz as tf
    >>> tf.keras.backend.batch_dot(tf.ones([2, 4, 3]), tf.ones([2, 3, 5])).shape
    TensorShape([2, 4, 5])
    """
    first, second = convert_to_tensor(x), convert_to_tensor(y)
    own, other = (axes, axes) if isinstance(axes, int) else axes or (first.ndim - 1, max(second.ndim - _MATRIX, 1))
    vectors = first.ndim == _MATRIX, second.ndim == _MATRIX
    left = expanded(first, 1) if vectors[0] else first
    right = expanded(second, 2) if vectors[1] else second
    product = matmul(
        left, right, transpose_a=not vectors[0] and own % first.ndim == first.ndim - _MATRIX,
        transpose_b=not vectors[1] and other % second.ndim == second.ndim - 1,
    )  # fmt: skip
    kept = [size for size, drop in zip(product.shape[1:], vectors, strict=False) if not drop]
    return reshape(product, [-1, *(kept or [1])]) if any(vectors) else product


def random_normal(shape: Any, mean: float = 0.0, stddev: float = 1.0, dtype: Any = None, seed: Any = None) -> Any:
    """Numbers of a normal distribution."""
    return random_numbers.normal(shape, mean, stddev, dtype or floatx(), seed)


def random_uniform(shape: Any, minval: float = 0.0, maxval: float = 1.0, dtype: Any = None, seed: Any = None) -> Any:
    """Numbers between two bounds."""
    return random_numbers.uniform(shape, minval, maxval, dtype or floatx(), seed)
