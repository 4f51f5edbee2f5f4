"""Functions of ``keras.ops`` and ``keras.random`` that are not TensorFlow's own under another name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.tensor import Tensor
from tapeviz.graphs.control.control_flow import while_loop
from tapeviz.keras.floats import floatx
from tapeviz.ops.array.concat import concat
from tapeviz.ops.array.creation import shape as sizes_of
from tapeviz.ops.array.reshape import reshape
from tapeviz.ops.array.select import one_hot as vectors
from tapeviz.ops.array.tensor_scatter import tensor_scatter_nd_update
from tapeviz.ops.math.numpy_functions import moveaxis
from tapeviz.ops.nn.dropout import dropout as dropped
from tapeviz.ops.random import random_numbers

__all__ = [
    "SeedGenerator", "categorical", "concatenate", "convert_to_numpy", "disable_interactive_logging",
    "disable_traceback_filtering", "dropout", "enable_interactive_logging", "enable_traceback_filtering", "fori_loop",
    "normal", "one_hot", "randint", "shape", "shuffle", "slice_update", "truncated_normal", "uniform",
]  # fmt: skip


def concatenate(xs: Any, axis: int = 0) -> Any:
    """Tensors, one after the other along an axis.

    >>> import tapeviz as tf
    >>> tf.keras.ops.concatenate([[1, 2], [3]]).numpy()
    array([1, 2, 3], dtype=int32)
    """
    return concat(xs, axis)


def convert_to_numpy(x: Any) -> np.ndarray:
    """A tensor as an array.

    >>> import tapeviz as tf
    >>> tf.keras.ops.convert_to_numpy(tf.constant([1.0]))
    array([1.], dtype=float32)
    """
    return np.asarray(convert_to_tensor(x).numpy())


def shape(x: Any) -> tuple[Any, ...]:
    """The sizes of the axes: numbers, or tensors where they are known when a graph runs.

    >>> import tapeviz as tf
    >>> tf.keras.ops.shape([[1, 2]])
    (1, 2)
    """
    tensor: Any = convert_to_tensor(x)
    known = tensor.shape.as_list()
    if None not in known:
        return tuple(known)
    late = sizes_of(tensor)
    return tuple(late[place] if size is None else size for place, size in enumerate(known))


def one_hot(x: Any, num_classes: int, axis: int = -1, dtype: Any = None, sparse: bool = False) -> Any:
    """Vectors with a one in the place that each index says.

    >>> import tapeviz as tf
    >>> tf.keras.ops.one_hot([1], num_classes=3).numpy()
    array([[0., 1., 0.]], dtype=float32)
    """
    return vectors(x, num_classes, axis=axis, dtype=dtype or floatx())


def slice_update(inputs: Any, start_indices: Any, updates: Any) -> Tensor:
    """A tensor with others in the place of a part of it.

    Args:
        inputs: the tensor.
        start_indices: where the part begins, along each axis.
        updates: what is put there.

    >>> import tapeviz as tf
    >>> tf.keras.ops.slice_update([0.0, 0.0, 0.0], [1], [5.0]).numpy()
    array([0., 5., 0.], dtype=float32)
    """
    new = convert_to_tensor(updates)
    places = np.argwhere(np.ones(new.shape.as_list(), bool)) + np.asarray(start_indices)
    found: Tensor = tensor_scatter_nd_update(inputs, places.astype(np.int32), reshape(new, [-1]))
    return found


def fori_loop(lower: Any, upper: Any, body_fun: Callable[[Any, Any], Any], init_val: Any) -> Any:
    """What a function of a count and a value gives in the end, from ``lower`` up to, not including, ``upper``.

    >>> import tapeviz as tf
    >>> tf.keras.ops.fori_loop(0, 4, lambda i, total: total + i, 0).numpy()
    np.int32(6)
    """
    return while_loop(lambda i, _: i < upper, lambda i, value: (i + 1, body_fun(i, value)), (lower, init_val))[1]


class SeedGenerator:
    """A seed that random functions of ``keras.random`` take.

    Args:
        seed: decides which numbers come.
        name: accepted as Keras does.

    >>> import tapeviz as tf
    >>> seed = tf.keras.random.SeedGenerator(1)
    >>> tf.keras.random.normal((2,), seed=seed).shape
    TensorShape([2])
    """

    def __init__(self, seed: int | None = None, name: str | None = None, **_options: Any) -> None:
        self.seed = seed
        self._numbers = np.random.default_rng(seed)

    def next(self) -> int:
        """The next seed."""
        return int(self._numbers.integers(2**31))


def _seed(seed: Any) -> int | None:
    return seed.seed if isinstance(seed, SeedGenerator) else seed


def normal(shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = None, seed: Any = None) -> Any:
    """Samples of the normal distribution: see :func:`tapeviz.random.normal`."""
    return random_numbers.normal(shape, mean, stddev, dtype or floatx(), _seed(seed))


def truncated_normal(shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = None, seed: Any = None) -> Any:
    """Samples of the normal distribution, none far out: see :func:`tapeviz.random.truncated_normal`."""
    return random_numbers.truncated_normal(shape, mean, stddev, dtype or floatx(), _seed(seed))


def uniform(shape: Any, minval: Any = 0.0, maxval: Any = 1.0, dtype: Any = None, seed: Any = None) -> Any:
    """Samples of the uniform distribution: see :func:`tapeviz.random.uniform`."""
    return random_numbers.uniform(shape, minval, maxval, dtype or floatx(), _seed(seed))


def randint(shape: Any, minval: Any, maxval: Any, dtype: Any = "int32", seed: Any = None) -> Any:
    """Whole numbers from ``minval`` up to, not including, ``maxval``."""
    return random_numbers.uniform(shape, minval, maxval, dtype, _seed(seed))


def categorical(logits: Any, num_samples: int, dtype: Any = "int32", seed: Any = None) -> Any:
    """Classes drawn by their log probabilities: see :func:`tapeviz.random.categorical`."""
    return random_numbers.categorical(logits, num_samples, dtype, _seed(seed))


def shuffle(x: Any, axis: int = 0, seed: Any = None) -> Any:
    """A tensor with its parts along an axis in another order."""
    found = random_numbers.shuffle(moveaxis(x, axis, 0), _seed(seed))
    return moveaxis(found, 0, axis)


def dropout(inputs: Any, rate: float, noise_shape: Any = None, seed: Any = None) -> Any:
    """A tensor of which a share is zeros, and the rest larger: see :func:`tapeviz.nn.dropout`."""
    return dropped(inputs, rate, noise_shape, _seed(seed))


def disable_traceback_filtering() -> None:
    """Do nothing: tracebacks are whole."""


def enable_traceback_filtering() -> None:
    """Do nothing: a traceback ends at the user's line."""


def disable_interactive_logging() -> None:
    """Do nothing: ``verbose=0`` leaves out what ``fit`` prints."""


def enable_interactive_logging() -> None:
    """Do nothing: ``fit`` prints what ``verbose`` says."""
