"""The standard's creation functions and data types, in tapeviz's ops."""

from __future__ import annotations

import builtins
from types import SimpleNamespace
from typing import Any

import numpy as np

import tapeviz as tf
from tests.array_api.arrays import BOOL, COMPLEX, CPU, DTYPES, FLOAT, INTEGER, KINDS, Array, cast, result_type


def _default(value: Any) -> Any:
    """Return the dtype of a Python scalar."""
    if isinstance(value, builtins.bool):
        return BOOL
    if isinstance(value, int):
        return INTEGER if -(2**31) <= value < 2**31 else DTYPES["int64"]
    return FLOAT if isinstance(value, float) else COMPLEX


def _leaves(obj: Any) -> list[Any]:
    return [leaf for item in obj for leaf in _leaves(item)] if isinstance(obj, (list, tuple)) else [obj]


def asarray(obj: Any, /, *, dtype: Any = None, device: Any = None, copy: Any = None) -> Array:
    if isinstance(obj, Array):
        if copy is False and dtype not in (None, obj.dtype):
            raise ValueError("another dtype takes a copy")
        return obj if copy is False or not copy else Array(tf.identity(cast(obj, dtype or obj.dtype)))
    if isinstance(obj, (list, tuple)):
        leaves = _leaves(obj)
        if dtype is None:
            order = (BOOL, INTEGER, DTYPES["int64"], FLOAT, COMPLEX)
            dtype = max(
                (getattr(leaf, "dtype", None) or _default(leaf) for leaf in leaves), key=order.index, default=FLOAT
            )
        obj = np.asarray(obj, dtype.numpy)
    if dtype is None:
        dtype = tf.as_dtype(obj.dtype) if hasattr(obj, "dtype") else _default(obj)
    return Array(tf.constant(np.asarray(obj, dtype.numpy)))


def arange(start: Any, /, stop: Any = None, step: Any = 1, *, dtype: Any = None, device: Any = None) -> Array:
    if stop is None:
        start, stop = 0, start
    dtype = dtype or (FLOAT if any(isinstance(one, float) for one in (start, stop, step)) else INTEGER)
    count = max(0, int(np.ceil((stop - start) / step)))
    wide = DTYPES["float64"] if dtype.is_floating else DTYPES["int64"]
    steps = tf.cast(tf.range(count, dtype=tf.int64), wide)
    return Array(tf.cast(tf.constant(start, wide) + steps * tf.constant(step, wide), dtype))


def empty(shape: Any, *, dtype: Any = None, device: Any = None) -> Array:
    return zeros(shape, dtype=dtype)


def empty_like(x: Array, /, *, dtype: Any = None, device: Any = None) -> Array:
    return zeros_like(x, dtype=dtype)


def eye(n_rows: int, n_cols: int | None = None, /, *, k: int = 0, dtype: Any = None, device: Any = None) -> Array:
    n_cols = n_rows if n_cols is None else n_cols
    rows, columns = (tf.range(n, dtype=tf.int64) for n in (n_rows, n_cols))
    k = max(-n_rows, min(k, n_cols))  # diagonals further out are all the same: not there
    return Array(tf.cast(tf.equal(rows[:, None] + k, columns[None, :]), dtype or FLOAT))


def from_dlpack(x: Any, /, *, device: Any = None, copy: Any = None) -> Array:
    return Array(tf.constant(np.from_dlpack(x)))


def full(shape: Any, fill_value: Any, *, dtype: Any = None, device: Any = None) -> Array:
    value = cast(fill_value, dtype or fill_value.dtype) if isinstance(fill_value, Array) else None
    return Array(
        tf.fill(_shape(shape), tf.constant(fill_value, dtype or _default(fill_value)) if value is None else value)
    )


def full_like(x: Array, /, fill_value: Any, *, dtype: Any = None, device: Any = None) -> Array:
    return full(x.shape, fill_value, dtype=dtype or x.dtype)


def linspace(
    start: Any, stop: Any, /, num: int, *, dtype: Any = None, device: Any = None, endpoint: builtins.bool = True
) -> Array:
    is_complex = isinstance(start, complex) or isinstance(stop, complex)
    dtype = dtype or (COMPLEX if is_complex else FLOAT)
    wide = DTYPES["complex128"] if dtype.is_complex else DTYPES["float64"]
    parts = max(num - 1 if endpoint else num, 1)
    steps = tf.cast(tf.range(num, dtype=tf.int64), wide) / tf.constant(parts, wide)
    first, last = tf.constant(start, wide), tf.constant(stop, wide)
    made = first + steps * (last - first)
    if endpoint and num > 1:
        made = tf.concat([made[:-1], last[None]], 0)
    return Array(tf.cast(made, dtype))


def meshgrid(*arrays: Array, indexing: str = "xy") -> list[Array]:
    if not arrays:
        return []
    swap = indexing == "xy" and len(arrays) > 1
    sizes = [x.shape[0] for x in arrays]
    axes = [1, 0, *range(2, len(arrays))] if swap else list(range(len(arrays)))
    shape = [sizes[axes.index(i)] for i in range(len(arrays))]
    made = []
    for x, axis in zip(arrays, axes, strict=True):
        column = [1] * len(arrays)
        column[axis] = -1 if x.shape[0] else 0
        made.append(Array(tf.broadcast_to(tf.reshape(x.tensor, column), shape)))
    return made


def ones(shape: Any, *, dtype: Any = None, device: Any = None) -> Array:
    return Array(tf.ones(_shape(shape), dtype or FLOAT))


def ones_like(x: Array, /, *, dtype: Any = None, device: Any = None) -> Array:
    return ones(x.shape, dtype=dtype or x.dtype)


def zeros(shape: Any, *, dtype: Any = None, device: Any = None) -> Array:
    return Array(tf.zeros(_shape(shape), dtype or FLOAT))


def zeros_like(x: Array, /, *, dtype: Any = None, device: Any = None) -> Array:
    return zeros(x.shape, dtype=dtype or x.dtype)


def _triangle(x: Array, keep: Any) -> Array:
    rows, columns = (tf.range(size, dtype=tf.int64) for size in x.shape[-2:])
    return Array(tf.where(keep(columns[None, :], rows[:, None]), x.tensor, tf.zeros_like(x.tensor)))


def tril(x: Array, /, *, k: int = 0) -> Array:
    return _triangle(x, lambda column, row: tf.less_equal(column, row + k))


def triu(x: Array, /, *, k: int = 0) -> Array:
    return _triangle(x, lambda column, row: tf.greater_equal(column, row + k))


def _shape(shape: Any) -> tuple[int, ...]:
    return (shape,) if isinstance(shape, int) else tuple(shape)


def astype(x: Array, dtype: Any, /, *, copy: builtins.bool = True, device: Any = None) -> Array:
    if x.dtype == dtype and not copy:
        return x
    if dtype == BOOL and x.dtype != BOOL:
        return Array(tf.not_equal(x.tensor, tf.zeros_like(x.tensor)))
    return Array(tf.cast(x.tensor, dtype))


def can_cast(from_: Any, to: Any, /) -> builtins.bool:
    try:
        return result_type(getattr(from_, "dtype", from_), to) == to
    except TypeError:
        return False


def finfo(type: Any, /) -> Any:
    found = np.finfo(tf.as_dtype(getattr(type, "dtype", type)).numpy)
    values = {name: float(getattr(found, name)) for name in ("eps", "max", "min", "smallest_normal")}
    return SimpleNamespace(bits=int(found.bits), dtype=tf.as_dtype(found.dtype), **values)


def iinfo(type: Any, /) -> Any:
    dtype = tf.as_dtype(getattr(type, "dtype", type))
    found = np.iinfo(dtype.numpy)
    return SimpleNamespace(bits=int(found.bits), max=int(found.max), min=int(found.min), dtype=dtype)


def isdtype(dtype: Any, kind: Any) -> builtins.bool:
    if isinstance(kind, tuple):
        return any(isdtype(dtype, one) for one in kind)
    if not isinstance(kind, str):
        return builtins.bool(dtype == kind)
    mine = KINDS[dtype.numpy.kind]
    groups = {"integral": ("signed integer", "unsigned integer"), "numeric": tuple(KINDS.values())[1:]}
    if kind not in (*groups, *KINDS.values()):
        raise ValueError(f"unknown kind {kind!r}")
    return mine in groups.get(kind, (kind,))


class _Info:
    """What the namespace says of itself."""

    def capabilities(self) -> dict[str, Any]:
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": None}

    def default_device(self) -> str:
        return CPU

    def devices(self) -> list[str]:
        return [CPU]

    def default_dtypes(self, *, device: Any = None) -> dict[str, Any]:
        return {"real floating": FLOAT, "complex floating": COMPLEX, "integral": INTEGER, "indexing": DTYPES["int64"]}

    def dtypes(self, *, device: Any = None, kind: Any = None) -> dict[str, Any]:
        return {name: dtype for name, dtype in DTYPES.items() if kind is None or isdtype(dtype, kind)}


def __array_namespace_info__() -> _Info:  # noqa: N807 - the standard's name
    return _Info()
