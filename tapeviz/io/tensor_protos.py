"""Tensors as bytes that TensorFlow reads: protocol buffers of its ``TensorProto``."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.dtypes import DTYPES, as_dtype
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.ops.runtime_calls import by_values

__all__ = ["make_ndarray", "make_tensor_proto", "parse_tensor", "serialize_tensor"]

_BITS: Final = ("float16", "bfloat16")


def _empty_proto() -> Any:
    # Protocol buffers take long to load, and few programs need them.
    from tensorboardX.proto import tensor_pb2  # noqa: PLC0415

    return tensor_pb2.TensorProto()


def make_tensor_proto(values: Any, dtype: Any = None, shape: Any = None, verify_shape: bool = False) -> Any:
    """Values as a protocol buffer, ``TensorProto``.

    Args:
        values: numbers, strings, or an array of them.
        dtype: the dtype; that of ``values`` unless given.
        shape: of the result; that of ``values`` unless given.
        verify_shape: whether ``values`` must have this shape already.

    Raises:
        TypeError: ``verify_shape``, and the shape is another.

    >>> import tapeviz as tf
    >>> tf.make_ndarray(tf.make_tensor_proto([[1, 2]]))
    array([[1, 2]], dtype=int32)
    """
    tensor = convert_to_tensor(values, dtype=dtype)
    array = np.asarray(tensor.numpy(), tensor.dtype.numpy)
    if shape is not None:
        if verify_shape and array.shape != tuple(shape):
            raise TypeError(f"Expected Tensor's shape: {tuple(shape)}, got {array.shape}.")
        array = np.broadcast_to(array, shape) if array.size == 1 else array.reshape(shape)
    proto = _empty_proto()
    proto.dtype = tensor.dtype.as_datatype_enum
    proto.tensor_shape.SetInParent()
    for size in array.shape:
        proto.tensor_shape.dim.add().size = size
    if tensor.dtype.name == "string":
        proto.string_val.extend(array.ravel().tolist())
    else:
        proto.tensor_content = np.ascontiguousarray(array).tobytes()
    return proto


def make_ndarray(tensor: Any) -> Any:
    """The array that a ``TensorProto`` holds.

    Raises:
        TypeError: its dtype is none of tapeviz's.

    >>> import tapeviz as tf
    >>> tf.make_ndarray(tf.make_tensor_proto("a")).item()
    b'a'
    """
    dtype = next((one for one in DTYPES.values() if one.as_datatype_enum == tensor.dtype), None)
    if dtype is None:
        raise TypeError(f"Unsupported tensor type: {tensor.dtype}.")
    shape = [dimension.size for dimension in tensor.tensor_shape.dim]
    if dtype.name == "string":
        return np.array([*tensor.string_val], object).reshape(shape)
    if tensor.tensor_content:
        return np.frombuffer(tensor.tensor_content, dtype.numpy).reshape(shape).copy()
    filled = [list(values) for field, values in tensor.ListFields() if field.name.endswith("_val")]
    numbers = _numbers(filled[0] if filled else [0, 0], dtype.numpy)
    count = int(np.prod(shape))
    return np.concatenate([numbers, np.repeat(numbers[-1:], count - len(numbers))])[:count].reshape(shape)


def _numbers(values: list[Any], dtype: Any) -> np.ndarray:
    """The numbers of a field: those of 16 bits are bits in it, and complex ones are pairs."""
    if dtype.kind == "c":
        return np.array(values, np.float64).view(np.complex128).astype(dtype)
    return np.array(values, np.uint16).view(dtype) if dtype.name in _BITS else np.array(values, dtype)


@by_values(form=lambda *_args, **_options: ((), "string"))
def serialize_tensor(tensor: Any, name: str | None = None) -> Any:
    """A tensor as bytes, a scalar string.

    >>> import tapeviz as tf
    >>> tf.io.parse_tensor(tf.io.serialize_tensor([1.0, 2.0]), tf.float32).numpy()
    array([1., 2.], dtype=float32)
    """
    return convert_to_tensor(make_tensor_proto(tensor).SerializeToString())


@by_values(form=lambda _serialized, out_type, **_options: (None, out_type))
def parse_tensor(serialized: Any, out_type: Any, name: str | None = None) -> Any:
    """The tensor whose bytes a scalar string holds.

    Args:
        serialized: what :func:`serialize_tensor` gave, or TensorFlow's.
        out_type: the dtype that it must have.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: these are no bytes of a tensor, or of another dtype.

    >>> import tapeviz as tf
    >>> tf.io.parse_tensor(tf.io.serialize_tensor("one"), tf.string).numpy()
    b'one'
    """
    proto, wanted = _empty_proto(), as_dtype(out_type)
    content = convert_to_tensor(serialized).numpy()
    try:
        proto.ParseFromString(content)
        array = make_ndarray(proto)
    except Exception as error:
        raise InvalidArgumentError(
            f"Could not parse `serialized` as TensorProto: {content[:40]!r}", "ParseTensor"
        ) from error
    if proto.dtype != wanted.as_datatype_enum:
        found = next(one.name for one in DTYPES.values() if one.as_datatype_enum == proto.dtype)
        message = f"Type mismatch between parsed tensor ({found}) and dtype ({wanted.name})"
        raise InvalidArgumentError(message, "ParseTensor")
    return convert_to_tensor(array, dtype=wanted)
