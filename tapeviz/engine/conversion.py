"""From what users pass (numbers, lists, arrays, variables) to tensors, by TensorFlow's rules for dtypes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tapeviz.backends import NUMPY, backend_of
from tapeviz.engine.deferred_numbers import Deferred, has_deferred
from tapeviz.engine.dtypes import DType, as_dtype
from tapeviz.engine.operators import public
from tapeviz.engine.shapes import TensorShape, as_dimensions
from tapeviz.engine.state import active, local
from tapeviz.engine.tensor import EagerTensor, Tensor, wrap
from tapeviz.engine.types import DIFFERENTIABLE, FLOATS, with_own_dtype

if TYPE_CHECKING:
    from tapeviz.backends import Backend

__all__ = [
    "constant", "convert_to_tensor", "is_tensor", "operand", "register_tensor_conversion_function", "scalar",
]  # fmt: skip

_INT32: Final = np.iinfo(np.int32)
_BY_KIND: Final = {
    "f": np.dtype(np.float32), "i": np.dtype(np.int32), "u": np.dtype(np.int32), "b": np.dtype(np.bool_),
    "c": np.dtype(np.complex128),
}  # fmt: skip
_KEPT: Final = 4096
_conversions: Final[list[tuple[int, Any, Callable[..., Any]]]] = []
"""By priority: classes, and what makes tensors of their objects."""
_scalars: dict[tuple[float, type, np.dtype], EagerTensor] = {}


def constant(value: Any, dtype: Any = None, shape: Any = None, name: str | None = None) -> EagerTensor:
    """A tensor with this value.

    Args:
        value: a number, a (nested) list, or an array; arrays are copied.
        dtype: type of the elements. Without it Python floats are float32, integers int32 (int64 where they need it),
            and NumPy arrays keep theirs.
        shape: the shape to give the elements; a single element fills it.
        name: accepted as TensorFlow does.

    Of a variable it is the value of now, and no gradient leads back to it (:func:`convert_to_tensor` reads the
    variable). So too of an eager tensor while a function is traced.

    Raises:
        TypeError: an element cannot be of ``dtype``, or the number of elements does not fit ``shape``.
        ValueError: the list is ragged, or there is a ``None`` in it.
        NotImplementedError: a variable, while a graph is built: it has no value then.

    >>> import tapeviz as tf
    >>> tf.constant([[10, 10], [11., 1.]]).dtype
    tf.float32
    """
    if isinstance(value, Tensor) and dtype is not None and value.dtype != dtype:
        differs = f"with dtype {as_dtype(dtype)!r}, but got dtype {value.dtype!r}."
        raise TypeError(f"Expected tensor {value if hasattr(value, '_numbers') else value._host()} {differs}")
    if hasattr(value, "_read"):
        value = value.numpy()  # the value of now, by which nobody differentiates; refused while a graph is built
    elif isinstance(value, EagerTensor) and local.state.graph is not None:
        value = local.state.graph.literal(value)
    tensor = convert_to_tensor(value, dtype=dtype, name=name)
    if shape is None:
        return tensor
    wanted = as_dimensions(shape)
    host = tensor._host()
    if host.shape == wanted:
        return tensor
    if host.size == 1:
        return _placed(np.full(wanted, host.reshape(())))  # type: ignore[no-any-return]
    if host.size != np.prod(wanted, dtype=np.int64):
        raise TypeError(
            f"Eager execution of tf.constant with unsupported shape. Tensor {host} (converted from {value!r}) has "
            f"{host.size} elements, but got `shape` {wanted} with {np.prod(wanted, dtype=np.int64)} elements)."
        )
    return _placed(host.reshape(wanted))  # type: ignore[no-any-return]


def convert_to_tensor(value: Any, dtype: Any = None, dtype_hint: Any = None, name: str | None = None) -> EagerTensor:  # noqa: ARG001
    """``value`` as a tensor; a tensor is returned as it is.

    Args:
        value: a tensor, variable, number, (nested) list, array, or anything with ``__array__``.
        dtype: the dtype it must have.
        dtype_hint: the dtype to try first where the value leaves it open.
        name: accepted as TensorFlow does.

    Raises:
        ValueError: a tensor of another dtype, a ragged list, or None.
        TypeError: an element cannot be of ``dtype``.

    >>> import tapeviz as tf
    >>> tf.convert_to_tensor([1, 2])
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>
    """
    wanted = None if dtype is None else as_dtype(dtype)
    if isinstance(value, Tensor):
        return _checked(value, wanted)
    if hasattr(value, "_read"):
        return _checked(public["read_variable"](value), wanted)
    if wanted is None and dtype_hint is not None:
        try:
            return _from_host(value, as_dtype(dtype_hint).numpy, local.state.backend)  # type: ignore[no-any-return]
        except (TypeError, ValueError):
            pass
    return _from_host(value, wanted.numpy if wanted else None, local.state.backend)  # type: ignore[no-any-return]


def register_tensor_conversion_function(
    base_type: Any, conversion_func: Callable[..., Any], priority: int = 100
) -> None:
    """Have objects of a class become tensors by a function. A class of one's own can have ``__tf_tensor__`` for that.

    Args:
        base_type: the class, or a tuple of classes.
        conversion_func: gives the tensor; it takes ``value, dtype=None, name=None, as_ref=False``.
        priority: a function with a smaller number comes first.

    Raises:
        TypeError: the function cannot be called.

    >>> import tapeviz as tf
    >>> class Euros:
    ...     def __init__(self, amount):
    ...         self.amount = amount
    >>> tf.register_tensor_conversion_function(Euros, lambda value, dtype=None, name=None, as_ref=False: value.amount)
    >>> (tf.constant(1.0) + Euros(2.0)).numpy()
    np.float32(3.0)
    """
    if not callable(conversion_func):
        raise TypeError(f"conversion_func must be callable. Received: {conversion_func!r}")
    _conversions.append((priority, base_type, conversion_func))
    _conversions.sort(key=lambda one: one[0])


def _conversion_of(value: Any) -> Callable[[Any, DType | None], Any] | None:
    """What makes a tensor of an object of a class that the program has; None where nothing says it."""
    if (own := getattr(type(value), "__tf_tensor__", None)) is not None:
        return lambda given, dtype: own(given, dtype=dtype, name=None)
    for _, kinds, function in _conversions:
        if isinstance(value, kinds):
            return lambda given, dtype: function(given, dtype=dtype, name=None, as_ref=False)
    return None


def is_tensor(x: Any) -> bool:
    """Whether ``x`` is a tensor, a variable, indexed slices, a ragged or a sparse tensor.

    >>> import tapeviz as tf
    >>> tf.is_tensor(tf.constant(1)), tf.is_tensor(1)
    (True, False)
    """
    return isinstance(x, Tensor) or any(hasattr(x, name) for name in ("_read", "_dense", "_apply_op"))


def _checked(tensor: Any, wanted: DType | None) -> EagerTensor:
    if wanted is not None and tensor.dtype is not wanted:
        raise ValueError(
            f"Tensor conversion requested dtype {wanted.name} for Tensor with dtype {tensor.dtype.name}: {tensor!r}"
        )
    return tensor  # type: ignore[no-any-return]


def operand(value: Any, like: EagerTensor | None) -> EagerTensor:
    """An input of an op as a tensor. ``like`` is the input it must agree with, whose dtype it tries to take.

    Python numbers and arrays take that dtype where they can; what cannot (a fraction for an integer op) keeps its own,
    and the op's check of dtypes then says what is wrong.
    """
    if isinstance(value, Deferred):
        return public["number"](value, np.dtype(np.int32) if like is None else like._a.dtype)  # type: ignore[no-any-return]
    backend = local.state.backend if like is None else like._backend
    if like is not None:
        dtype = like._a.dtype
        if backend is NUMPY and (value.__class__ is float or value.__class__ is int):
            made = scalar(value, dtype)
            if made is not None:
                return made
        try:
            return _from_host(value, dtype, backend, alone=False)  # type: ignore[no-any-return]
        except (TypeError, ValueError, OverflowError):
            pass
    return _from_host(value, None, backend, alone=False)  # type: ignore[no-any-return]


def scalar(value: float, dtype: np.dtype) -> EagerTensor | None:
    """A Python number as a host tensor of ``dtype``, kept for the next time; None where it would change."""
    key = (value, value.__class__, dtype)
    known = _scalars.get(key)
    if known is not None:
        return known
    if dtype not in DIFFERENTIABLE and (value.__class__ is float or dtype.kind == "b"):
        return None
    try:
        made = wrap(np.array(value, dtype))
    except OverflowError:
        return None
    # 0.0 and -0.0 are equal as keys, so zeros are made anew each time.
    if value and len(_scalars) < _KEPT:
        _scalars[key] = made
    return made


def _from_host(value: Any, dtype: np.dtype | None, backend: Backend, *, alone: bool = True) -> Any:
    """The value as a tensor; of the graph that is built, if one is. ``alone``: it is no input of an op being called."""
    if active and (graph := local.state.graph) is not None:
        if has_deferred(value):
            return _with_deferred(value, dtype or np.dtype(np.int32))
        made = _made(value, dtype, backend)
        if made.__class__ is not EagerTensor:
            return made
        return graph.literal(made) if alone else graph.argument(made)
    return _made(value, dtype, backend)


def _made(value: Any, dtype: np.dtype | None, backend: Backend) -> Any:
    if value is None:
        raise ValueError("Attempt to convert a value (None) with an unsupported type (<class 'NoneType'>) to a Tensor.")
    if isinstance(value, (np.ndarray, np.generic)):
        array = _from_array(np.asarray(value), dtype)
    elif isinstance(value, (list, tuple)) and _holds_tensors(value):
        return _packed(value, dtype)
    elif isinstance(value, (bool, int, float, complex, list, tuple, range, str, bytes)):
        array = _from_python(value, dtype)
    elif backend_of(value) is not NUMPY or hasattr(value, "__cuda_array_interface__"):
        return public["from_device"](value, dtype)
    elif hasattr(value, "_dense"):  # indexed slices
        return value._dense(dtype)
    elif (convert := _conversion_of(value)) is not None:
        return convert_to_tensor(convert(value, None if dtype is None else as_dtype(dtype)), dtype=dtype)
    else:
        array = _from_other(value, dtype)
    tensor = _place(array, backend)
    if active and (observer := local.state.observer) is not None:
        observer.on_host_in(tensor, value)
    return tensor


def _with_deferred(value: Any, dtype: np.dtype) -> EagerTensor:
    """Numbers some of which are only known when the graph runs."""
    if isinstance(value, Deferred):
        return public["number"](value, dtype)  # type: ignore[no-any-return]
    if isinstance(value, (list, tuple)):
        return public["stack"]([_with_deferred(part, dtype) for part in value])  # type: ignore[no-any-return]
    return convert_to_tensor(value, dtype=dtype)


def _from_other(value: Any, dtype: np.dtype | None) -> np.ndarray:
    """What has ``__array__`` (a table of pandas, for one), or is a shape."""
    if hasattr(value, "__array__"):
        return _from_array(np.asarray(value), dtype)
    if isinstance(value, TensorShape) and value.is_fully_defined():
        return np.array(value.as_list(), dtype or np.int32)
    if isinstance(value, TensorShape):
        raise ValueError(f"Cannot convert a partially known TensorShape {value} to a Tensor.")  # noqa: TRY004 - as TF
    raise ValueError(f"Attempt to convert a value ({value!r}) with an unsupported type ({type(value)}) to a Tensor.")


def _place(array: np.ndarray, backend: Backend) -> EagerTensor:
    # What another device cannot hold, such as strings, stays here.
    return wrap(array if backend is NUMPY or not backend.takes(array.dtype) else backend.from_host(array))


def _placed(array: np.ndarray) -> Any:
    state = local.state
    made = _place(array, state.backend)
    return made if state.graph is None else state.graph.literal(made)


def _from_array(array: np.ndarray, dtype: np.dtype | None) -> np.ndarray:
    try:
        canonical = as_dtype(array.dtype).numpy
    except TypeError:
        why = f"Unsupported numpy type: {array.dtype}"
        raise ValueError(f"Failed to convert a NumPy array to a Tensor ({why}).") from None
    if canonical.kind == "O":
        if array.size and array.dtype.kind == "O" and not isinstance(first := array.flat[0], (str, bytes)):
            why = f"Unsupported object type {type(first).__name__}"
            raise ValueError(f"Failed to convert a NumPy array to a Tensor ({why}).")
        return _from_python(array.tolist(), dtype)
    # Always a copy: the caller may write to its array, a tensor never changes.
    return with_own_dtype(np.array(array, dtype=dtype or canonical, order="C"))


def _from_python(value: Any, dtype: np.dtype | None) -> np.ndarray:
    try:
        array = np.array(value)
    except ValueError:
        raise ValueError("Can't convert non-rectangular Python sequence to Tensor.") from None
    except OverflowError:
        raise ValueError(f"Can't convert Python sequence with out-of-range integer to Tensor: {value!r}") from None
    if array.dtype.kind in "USO":
        return _from_text(value, array, dtype)
    if dtype is None:
        if array.dtype == np.uint64:
            raise ValueError(f"Can't convert Python sequence with out-of-range integer to Tensor: {value!r}")
        return with_own_dtype(array.astype(_own_dtype(value, array), copy=False))
    if not _fits(array.dtype.kind, "f" if dtype in FLOATS else dtype.kind) and array.size:
        raise TypeError(f"Cannot convert {value!r} to EagerTensor of dtype {as_dtype(dtype).name}")
    return array.astype(dtype)


def _from_text(value: Any, array: np.ndarray, dtype: np.dtype | None) -> np.ndarray:
    leaf = _leaf(value)
    if leaf is not None and any(not isinstance(item, (str, bytes)) for item in np.array(value, dtype=object).ravel()):
        raise ValueError("Can't convert Python sequence with mixed types to Tensor.")
    if not isinstance(leaf, (str, bytes)) or (dtype is not None and dtype.kind != "O"):
        if leaf is None:
            raise ValueError(
                "Attempt to convert a value (None) with an unsupported type (<class 'NoneType'>) to a Tensor."
            )
        name = "string" if dtype is None else as_dtype(dtype).name
        raise TypeError(f"Cannot convert {value!r} to EagerTensor of dtype {name}")
    encoded = [item.encode() if isinstance(item, str) else item for item in np.array(value, dtype=object).ravel()]
    made = np.empty(len(encoded), dtype=object)
    made[:] = encoded
    return made.reshape(array.shape)


def _fits(kind: str, wanted: str) -> bool:
    """Whether Python numbers of one kind may become the other without a loss that TensorFlow refuses."""
    return wanted in {"b": "biufc", "i": "iufc", "u": "iufc", "f": "fc", "c": "c"}.get(kind, "")


def _own_dtype(value: Any, array: np.ndarray) -> np.dtype:
    first = _leaf(value)
    if isinstance(first, (np.generic, np.ndarray)) and as_dtype(first.dtype).numpy in FLOATS:
        return as_dtype(first.dtype).numpy
    if array.dtype.kind == "c" and isinstance(first, (int, float)):
        raise ValueError("Can't convert Python sequence with mixed types to Tensor.")
    if array.dtype.kind in "iu" and array.size and (array.min() < _INT32.min or array.max() > _INT32.max):
        return np.dtype(np.int64)
    if array.size == 0:
        return _BY_KIND["f"]
    return _BY_KIND[array.dtype.kind]


def _leaf(value: Any) -> Any:
    while isinstance(value, (list, tuple)):
        if not value:
            return 0.0
        value = value[0]
    return value


def _holds_tensors(value: Any) -> bool:
    return any(
        isinstance(item, Tensor) or hasattr(item, "_read") or (isinstance(item, (list, tuple)) and _holds_tensors(item))
        for item in value
    )


def _packed(value: Any, dtype: np.dtype | None) -> EagerTensor:
    """A list with tensors in it: stacked by an op, so that gradients flow to them, and cast to a dtype asked for."""
    rows = [
        _packed(item, dtype) if isinstance(item, (list, tuple)) and _holds_tensors(item) else item for item in value
    ]
    wanted = next(item.dtype for item in rows if is_tensor(item)) if dtype is None else as_dtype(dtype)
    tensors = [item if is_tensor(item) else convert_to_tensor(item, dtype=wanted) for item in rows]
    if dtype is not None:
        tensors = [item if item.dtype is wanted else public["cast"](item, wanted) for item in tensors]
    return public["stack"](tensors)  # type: ignore[no-any-return]
