"""Tensors to and from other libraries without their names: DLPack's capsules."""

from __future__ import annotations

import ctypes
from typing import Any, Final

import numpy as np

from tapeviz.backends import NUMPY
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.devices import devices
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.tensor import EagerTensor

__all__ = ["from_dlpack", "to_dlpack"]

_FRESH: Final = b"dltensor"
_CPU: Final = 1
_capsule_name = ctypes.pythonapi.PyCapsule_GetName
_capsule_name.restype, _capsule_name.argtypes = ctypes.c_char_p, [ctypes.py_object]
_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype, _capsule_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


class _Managed(ctypes.Structure):
    """The head of DLPack's ``DLManagedTensor``: where the data is."""

    _fields_ = (("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32))


class _Given:
    """A capsule as an object with the two methods that arrays are made from."""

    def __init__(self, capsule: Any, device: tuple[int, int]) -> None:
        self._capsule = capsule
        self._device = device

    def __dlpack__(self, **_options: Any) -> Any:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._device


def to_dlpack(tf_tensor: Any) -> Any:
    """A tensor's value as a DLPack capsule, for one other library to take: a copy, since tensors never change.

    Args:
        tf_tensor: a tensor.

    Raises:
        InvalidArgumentError: it is no tensor, or of a dtype that DLPack has not (strings, bfloat16).

    >>> import tapeviz as tf
    >>> capsule = tf.experimental.dlpack.to_dlpack(tf.constant([1.0, 2.0]))
    >>> tf.experimental.dlpack.from_dlpack(capsule).numpy()
    array([1., 2.], dtype=float32)
    """
    if not isinstance(tf_tensor, EagerTensor):
        raise InvalidArgumentError("The argument to `to_dlpack` must be a TF tensor, not Python object")
    try:
        return tf_tensor.__dlpack__()
    except (BufferError, TypeError, ValueError) as error:
        raise InvalidArgumentError(f"{tf_tensor.dtype.name} is not supported by dlpack: {error}") from None


def from_dlpack(dlcapsule: Any) -> EagerTensor:
    """A tensor with the value of a DLPack capsule, or of anything that gives one: a copy.

    Args:
        dlcapsule: a capsule that nobody has taken yet, or an object with ``__dlpack__``, such as torch's tensors.

    Raises:
        InvalidArgumentError: it is neither, or was taken before.

    >>> import numpy as np, tapeviz as tf
    >>> tf.experimental.dlpack.from_dlpack(np.array([1, 2], np.int32))
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>
    """
    given = dlcapsule if hasattr(dlcapsule, "__dlpack__") else _Given(dlcapsule, _device_of(dlcapsule))
    on_host = given.__dlpack_device__()[0] == _CPU
    backend = NUMPY if on_host or devices.gpu is None else devices.gpu
    try:
        array = (np if backend is NUMPY else backend.xp).from_dlpack(given)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        raise InvalidArgumentError(f"cannot take this by dlpack: {error}") from None
    return convert_to_tensor(array)


def _device_of(capsule: Any) -> tuple[int, int]:
    try:
        name = _capsule_name(capsule)
    except ValueError:
        name = None
    if name != _FRESH:
        raise InvalidArgumentError(
            f'DLPack tensor must be a capsule with name "dltensor", got {name or type(capsule).__name__!r}. '
            "Note that a DLPack tensor may be consumed at most once."
        )
    head = _Managed.from_address(_capsule_pointer(capsule, _FRESH))
    return head.device_type, head.device_id
