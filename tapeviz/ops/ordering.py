"""What orders ops in a graph. Eager ops run one after the other as they are called, so there is little to do."""

from __future__ import annotations

import time
from typing import Any

from tapeviz.engine.convert import convert_to_tensor
from tapeviz.engine.tensor import EagerTensor

__all__ = [
    "control_dependencies", "group", "no_gradient", "no_op", "timestamp", "tuple",
]  # fmt: skip


def no_op(name: str | None = None) -> None:
    """Do nothing.

    >>> import tapeviz as tf
    >>> tf.no_op()
    """


def group(*inputs: Any, **kwargs: Any) -> None:
    """Do nothing: the ops that gave ``inputs`` have run already.

    >>> import tapeviz as tf
    >>> tf.group(tf.constant(1), tf.constant(2))
    """


def tuple(tensors: Any, control_inputs: Any = None, name: str | None = None) -> Any:
    """``tensors``: all of them have been computed already.

    Args:
        tensors: what is given back.
        control_inputs: accepted as TensorFlow does.
        name: accepted as TensorFlow does.

    >>> import tapeviz as tf
    >>> tf.tuple([1, 2])
    [1, 2]
    """
    return tensors


class control_dependencies:  # noqa: N801 - TensorFlow's name
    """A block that runs after ``control_inputs``, as it does in any case. Functions among them are called.

    Raises:
        TypeError: ``control_inputs`` is no list.

    >>> import tapeviz as tf
    >>> with tf.control_dependencies([tf.constant(1)]):
    ...     print("then")
    then
    """

    def __init__(self, control_inputs: Any) -> None:
        for item in () if control_inputs is None else control_inputs:
            if callable(item) and not isinstance(item, EagerTensor) and not hasattr(item, "dtype"):
                item()

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_details: object) -> None:
        return None


def no_gradient(op_type: str) -> None:
    """Say that ops of a type have no gradient, which in tapeviz each op's declaration says.

    Raises:
        TypeError: ``op_type`` is no text.

    >>> import tapeviz as tf
    >>> tf.no_gradient("Size")
    """
    if not isinstance(op_type, str):
        raise TypeError("op_type must be a string")


def timestamp(name: str | None = None) -> Any:
    """The time now, in seconds since 1970, as a float64.

    >>> import tapeviz as tf
    >>> tf.timestamp().dtype
    tf.float64
    """
    return convert_to_tensor(time.time(), dtype="float64")
