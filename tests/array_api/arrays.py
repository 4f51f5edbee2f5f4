"""The standard's array over a tensor: mixed dtypes are promoted, and items can be set by binding a new tensor."""

from __future__ import annotations

import builtins
import sys
from typing import Any

import numpy as np

import tapeviz as tf

DTYPES = {
    name: getattr(tf, name)
    for name in (
        "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64",
        "complex64", "complex128",
    )
}  # fmt: skip
FLOAT, INTEGER, COMPLEX, BOOL = DTYPES["float32"], DTYPES["int32"], DTYPES["complex64"], DTYPES["bool"]
KINDS = {"b": "bool", "i": "signed integer", "u": "unsigned integer", "f": "real floating", "c": "complex floating"}
CPU = "cpu"


class Array:
    """A tensor with the methods of the standard."""

    __slots__ = ("tensor",)
    __array_priority__ = 1000
    __hash__ = None

    def __init__(self, tensor: Any) -> None:
        self.tensor = tensor

    dtype = property(lambda self: self.tensor.dtype)
    shape = property(lambda self: tuple(self.tensor.shape))
    ndim = property(lambda self: len(self.shape))
    size = property(lambda self: int(np.prod(self.shape)))
    device = property(lambda self: CPU)
    T = property(lambda self: Array(tf.transpose(self.tensor)))
    mT = property(lambda self: Array(tf.linalg.matrix_transpose(self.tensor)))  # noqa: N815 - the standard's name

    def __array_namespace__(self, *, api_version: str | None = None) -> Any:
        return sys.modules["tests.array_api.namespace"]

    def to_device(self, device: Any, /, *, stream: Any = None) -> Array:
        """Return the array on ``device``, which is the only one."""
        if device != CPU:
            raise ValueError(f"no device {device!r}")
        return self

    def _one(self) -> Any:
        if self.size != 1 or self.ndim:
            raise TypeError("only an array without axes converts to a Python scalar")
        return self.tensor.numpy().item()

    def __bool__(self) -> builtins.bool:
        return builtins.bool(self._one())

    def __int__(self) -> builtins.int:
        return int(self._one())

    def __float__(self) -> float:
        return float(self._one())

    def __complex__(self) -> complex:
        return complex(self._one())

    def __index__(self) -> builtins.int:
        if not self.dtype.is_integer:
            raise TypeError("only an array of integers is an index")
        return int(self._one())

    def __len__(self) -> builtins.int:
        return self.shape[0]

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    def __getitem__(self, key: Any) -> Array:
        return Array(_item(self.tensor, key))

    def __setitem__(self, key: Any, value: Any) -> None:
        places = _item(tf.reshape(tf.range(self.size, dtype=tf.int64), self.shape), key)
        given = cast(value, self.dtype) if isinstance(value, Array) else tf.constant(value, self.dtype)
        updates = tf.reshape(tf.broadcast_to(given, places.shape), [-1])
        flat = tf.reshape(self.tensor, [-1])
        self.tensor = tf.reshape(tf.tensor_scatter_nd_update(flat, tf.reshape(places, [-1, 1]), updates), self.shape)

    def __dlpack__(
        self, *, stream: Any = None, max_version: Any = None, dl_device: Any = None, copy: Any = None
    ) -> Any:
        array = np.asarray(self.tensor.numpy())
        return array.__dlpack__(stream=stream, max_version=max_version, dl_device=dl_device, copy=copy)

    def __dlpack_device__(self) -> tuple[builtins.int, builtins.int]:
        return 1, 0

    def __repr__(self) -> str:
        return f"Array({self.tensor!r})"


def _item(tensor: Any, key: Any) -> Any:
    keys = key if isinstance(key, tuple) else (key,)
    masks = [one for one in keys if isinstance(one, Array) and one.dtype.is_bool]
    if masks and len(keys) == 1:
        mask = masks[0].tensor
        rank = len(mask.shape)
        fits = rank <= len(tensor.shape) and all(m in (0, n) for m, n in zip(mask.shape, tensor.shape, strict=False))
        if fits and 0 in tuple(mask.shape):  # which the standard allows for axes of any size
            return tf.zeros([0, *tensor.shape[rank:]], dtype=tensor.dtype)
        if not fits:
            raise IndexError(f"a mask of shape {mask.shape} does not fit an array of shape {tensor.shape}")
        if not mask.shape.rank:
            return tf.boolean_mask(tensor[None], tf.reshape(mask, [1]))
        return tf.boolean_mask(tensor, mask)
    if any(isinstance(one, Array) and one.shape for one in keys):
        return _gathered(tensor, keys)
    return tensor[tuple(map(_number, keys))]


def _number(key: Any) -> Any:
    """Return an index without arrays in it."""
    if isinstance(key, slice):
        return slice(*(_number(part) for part in (key.start, key.stop, key.step)))
    return int(key) if isinstance(key, Array) else key


def _gathered(tensor: Any, keys: tuple[Any, ...]) -> Any:
    """Index with arrays of integers, which broadcast with one another."""
    columns = [cast(one, tf.int64) if isinstance(one, Array) else tf.constant(one, tf.int64) for one in keys]
    sizes = [tf.constant(size, tf.int64) for size in tensor.shape[: len(keys)].as_list()]
    columns = [tf.where(column < 0, column + size, column) for column, size in zip(columns, sizes, strict=True)]
    shape = np.broadcast_shapes(*(tuple(column.shape) for column in columns))
    return tf.gather_nd(tensor, tf.stack([tf.broadcast_to(column, shape) for column in columns], -1))


def cast(x: Any, dtype: Any) -> Any:
    """Return the tensor of an array in a dtype."""
    return x.tensor if x.dtype == dtype else tf.cast(x.tensor, dtype)


def promoted(*values: Any) -> tuple[list[Any], Any]:
    """Return tensors of one dtype for arrays and Python scalars, and that dtype."""
    dtype = result_type(*values)
    return [cast(v, dtype) if isinstance(v, Array) else tf.constant(v, dtype) for v in values], dtype


def result_type(*arrays_and_dtypes: Any) -> Any:
    """Return the dtype that arrays, dtypes and Python scalars are promoted to."""
    known = [tf.as_dtype(getattr(v, "dtype", v)) for v in arrays_and_dtypes if not isinstance(v, (int, float, complex))]
    if not known:
        raise ValueError("at least one array or dtype is required")
    kinds = {dtype.numpy.kind for dtype in known}
    if ("b" in kinds and len(kinds) > 1) or (kinds & set("iu") and kinds & set("fc")):
        raise TypeError(f"there is no promotion between {known}")
    if "u" in kinds and "i" in kinds and tf.uint64 in known:
        raise TypeError(f"there is no promotion between {known}")
    result = tf.as_dtype(np.result_type(*(dtype.numpy for dtype in known)))
    for value in arrays_and_dtypes:
        if isinstance(value, (builtins.bool, int, float, complex)):
            result = _with_scalar(result, value)
    return result


def _with_scalar(dtype: Any, value: Any) -> Any:
    kind = dtype.numpy.kind
    if isinstance(value, builtins.bool):
        fits = kind == "b"
    elif isinstance(value, int):
        fits = kind in "iufc"
    elif isinstance(value, float):
        fits = kind in "fc"
    else:
        fits = kind in "fc"
        dtype = {"float32": DTYPES["complex64"], "float64": DTYPES["complex128"]}.get(dtype.name, dtype)
    if not fits:
        raise TypeError(f"{value!r} does not go with {dtype!r}")
    return dtype
