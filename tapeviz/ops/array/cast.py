"""From one dtype to another: by value, bit by bit, or without leaving its range."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.backends.blocks import LARGE
from tapeviz.backends.half_precision import between_halves
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import Spec, registry
from tapeviz.engine.dtypes import DType, as_dtype
from tapeviz.engine.errors import InvalidArgumentError, UnimplementedError
from tapeviz.engine.op_definition import op
from tapeviz.engine.operators import public
from tapeviz.engine.samples import cases, floats
from tapeviz.engine.tensor import Tensor, wrap
from tapeviz.engine.types import BFLOAT16, COMPLEXES, NUMBERS
from tapeviz.ops.runtime_calls import later, open_sizes

__all__ = ["bitcast", "cast", "saturate_cast"]


def _cast(_xp: Any, x: Any, *, dtype: Any) -> Any:
    if x.dtype.kind == "c" and np.dtype(dtype).kind != "c":
        return x.real.astype(dtype)
    if x.size >= LARGE and (found := between_halves(x, dtype)) is not None:
        return found
    return x.astype(dtype)


_casted = op(
    "cast",
    doc="The same values in another dtype.",
    family="shape",
    forward=_cast,
    infer=lambda x, *, dtype: Spec(x.shape, np.dtype(dtype)),
    vjp={"x": lambda F, g, x_spec: F.cast(g, dtype=x_spec.dtype)},
    formula=r"y_i = x_i",
    vjp_formula=(r"\bar x_i = \bar y_i",),
    samples=floats(dtype=np.dtype(np.float64)),
    converts=True,
    traits="cast",
    hints="fresh",
)


def cast(x: Any, dtype: Any, name: str | None = None) -> Tensor:
    """``x`` with elements of ``dtype``: fractions are cut off, too large integers wrap around.

    Of complex numbers the real part is kept where ``dtype`` is a real one.

    Raises:
        UnimplementedError: ``x`` or ``dtype`` is a string.

    >>> import tapeviz as tf
    >>> tf.cast([1.8, -1.8], tf.int32).numpy()
    array([ 1, -1], dtype=int32)
    """
    wanted = as_dtype(dtype)
    if hasattr(x, "_apply_op"):  # sparse or ragged
        return x.with_values(cast(x.values, wanted))  # type: ignore[no-any-return]
    tensor = convert_to_tensor(x)
    given = tensor.dtype
    if given is wanted:
        return tensor
    if wanted is _STRING or given is _STRING:
        raise UnimplementedError(f"Cast {given.name} to {wanted.name} is not supported", "cast")
    result: Tensor = _casted.run(tensor, wanted.numpy)
    return result


_STRING = as_dtype("string")
public["cast"] = cast


_CASTABLE = NUMBERS | COMPLEXES


def _bitcast(xp: Any, input: Any, *, type: Any) -> Any:
    shape = _bits_rule(Spec(input.shape, input.dtype), type=type).shape
    whole = xp.ascontiguousarray(input)
    return xp.reshape(xp.reshape(whole, (-1,)).view(type), shape)


def _bits_rule(input: Spec, *, type: Any) -> Spec:
    made, size = np.dtype(type), input.dtype.itemsize
    if made.itemsize <= size:
        return Spec(input.shape if made.itemsize == size else (*input.shape, size // made.itemsize), made)
    if not input.shape or input.shape[-1] * size != made.itemsize:
        raise InvalidArgumentError(f"Cannot bitcast from {as_dtype(input.dtype).name} to {as_dtype(made).name}")
    return Spec(input.shape[:-1], made)


_bits = op(
    "bitcast",
    doc="The same bits, read as another dtype.",
    family="shape",
    forward=_bitcast,
    infer=_bits_rule,
    types=_CASTABLE,
    formula=r"y = \mathrm{bits}(x)",
    samples=cases(
        ([np.array([[1.0, 2.0]], np.float32)], {"type": np.dtype(np.int32)}),
        ([np.array([1.0, 2.0], np.float32)], {"type": np.dtype(np.uint8)}),
        ([np.array([[1, 2], [3, 4]], np.int32)], {"type": np.dtype(np.int64)}),
    ),
    silent=True,
    aliases="input",
)


def bitcast(input: Any, type: Any, name: str | None = None) -> Any:
    """The bits of ``input``, read as elements of another dtype.

    Args:
        input: a tensor of numbers.
        type: the dtype to read. A smaller one adds a last axis, a larger one takes the last axis away.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: the last axis does not hold as many as one element of ``type`` needs.

    >>> import tapeviz as tf
    >>> tf.bitcast(1.0, tf.int32).numpy()
    np.int32(1065353216)
    """
    wanted = as_dtype(type)
    if wanted.numpy not in _CASTABLE:
        raise InvalidArgumentError(
            f"Value for attr 'type' of {wanted.name} is not in the list of allowed values", "bitcast"
        )
    tensor = convert_to_tensor(input)
    if hasattr(tensor, "_numbers") and tensor.dtype.numpy == BFLOAT16:
        sizes = open_sizes(tensor)
        same = wanted.numpy.itemsize == tensor.dtype.numpy.itemsize
        return later(bitcast, (tensor, wanted), {}, (sizes if same else None, wanted))
    if tensor.dtype.numpy == BFLOAT16:  # as an op's input it would be widened
        tensor = wrap(tensor._a.view(np.uint16))
    return _bits.run(tensor, wanted.numpy)


def saturate_cast(value: Any, dtype: Any, name: str | None = None) -> Any:
    """``value`` in another dtype; what lies beyond that dtype's range becomes its smallest or its largest number.

    Args:
        value: numbers of any shape; of complex ones the real part is taken where ``dtype`` is real.
        dtype: the dtype wanted.
        name: accepted as TensorFlow does.

    Raises:
        TypeError: ``value`` or ``dtype`` has no smallest number.

    >>> import tapeviz as tf
    >>> tf.saturate_cast([-5.0, 300.0], tf.uint8).numpy()
    array([  0, 255], dtype=uint8)
    """
    value, wanted = convert_to_tensor(value), as_dtype(dtype)
    if value.dtype.is_complex:
        if wanted.is_complex:
            return public["cast"](value, wanted)
        value = registry["real"].run(value)
    given = value.dtype
    limits = as_dtype(np.finfo(wanted.numpy).dtype) if wanted.is_complex else wanted
    low, high = (_bound(given, limits, end) for end in ("min", "max"))
    if low is not None:
        value = registry["maximum"].run(value, low)
    if high is not None:
        value = registry["minimum"].run(value, high)
    return public["cast"](value, wanted)


def _bound(given: DType, wanted: DType, end: str) -> Any:
    """The last number of ``wanted`` in the dtype given, if that goes further."""
    for dtype in (given, wanted):
        if dtype.is_bool:
            raise TypeError(f"Cannot find {end}imum value of {dtype} with type {dtype}.")
    ours, theirs = getattr(given, end), getattr(wanted, end)
    if not (ours < theirs if end == "min" else ours > theirs):
        return None
    bound = np.array(theirs, given.numpy)
    # Rounded to the dtype given it may lie beyond: then the number before it.
    beyond = bound.item() < theirs if end == "min" else bound.item() > theirs
    return np.nextafter(bound, np.array(0, given.numpy)) if beyond else bound
