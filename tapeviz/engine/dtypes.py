"""Element types under TensorFlow's names, and the way to NumPy's and back."""

from __future__ import annotations

from typing import Any, Final

import ml_dtypes
import numpy as np

from tapeviz.engine.types import LIST, LISTS

__all__ = ["DTYPES", "DType", "as_dtype", "kernel_name"]


class DType:
    """The type of a tensor's elements, such as ``tf.float32``.

    There is one object for each type, so ``is`` compares them. ``==`` also takes names and NumPy types.

    >>> import tapeviz as tf
    >>> tf.constant([1.0, 2.0]).dtype
    tf.float32
    >>> tf.float32 == "float32"
    True
    """

    __slots__ = ("_kind", "as_numpy_dtype", "name", "numpy", "size")

    def __init__(self, name: str, numpy_type: type) -> None:
        self.name: str = name
        self.numpy: np.dtype[Any] = np.dtype(numpy_type)
        self.as_numpy_dtype: type = numpy_type
        self.size: int = self.numpy.itemsize
        self._kind = "f" if name == "bfloat16" else self.numpy.kind  # NumPy knows bfloat16 as some type of another's

    @property
    def is_floating(self) -> bool:
        """Whether elements are real floating-point numbers."""
        return bool(self._kind == "f")

    @property
    def is_complex(self) -> bool:
        """Whether elements are complex numbers."""
        return self._kind == "c"

    @property
    def is_integer(self) -> bool:
        """Whether elements are integers (``bool`` is not)."""
        return self._kind in "iu"

    @property
    def is_unsigned(self) -> bool:
        """Whether elements are integers without a sign."""
        return self._kind == "u"

    @property
    def is_bool(self) -> bool:
        """Whether elements are truth values."""
        return self._kind == "b"

    @property
    def is_differentiable(self) -> bool:
        """Whether gradients exist for this type: floating-point and complex ones."""
        return self._kind in "fc"

    @property
    def base_dtype(self) -> DType:
        """This type (TensorFlow has reference types beside; tapeviz has none)."""
        return self

    @property
    def real_dtype(self) -> DType:
        """The type of the real and imaginary parts of a complex type; of another type, that type."""
        return DTYPES[{"complex64": "float32", "complex128": "float64"}.get(self.name, self.name)]

    @property
    def as_datatype_enum(self) -> int:
        """TensorFlow's number of this type."""
        return _ENUM[self.name]

    @property
    def min(self) -> Any:
        """The smallest finite value."""
        return _limits(self).min

    @property
    def max(self) -> Any:
        """The largest finite value."""
        return _limits(self).max

    def is_compatible_with(self, other: Any) -> bool:
        """Whether ``other`` is this type."""
        return bool(self == other)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, DType):
            return self is other
        if other is None:
            return False
        try:
            return as_dtype(other) is self
        except TypeError:
            return False

    def __hash__(self) -> int:
        return hash(self.name)

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return as_dtype, (self.name,)

    def __repr__(self) -> str:
        return f"tf.{self.name}"

    def __str__(self) -> str:
        return f"<dtype: '{self.name}'>"


def _limits(dtype: DType) -> Any:
    if dtype.is_bool:
        return _BoolLimits
    if dtype.is_integer:
        return np.iinfo(dtype.numpy)
    return ml_dtypes.finfo(dtype.numpy)  # type: ignore[no-untyped-call]


class _BoolLimits:
    min = False
    max = True


_ENUM: Final = {
    "float32": 1, "float64": 2, "int32": 3, "uint8": 4, "int16": 5, "int8": 6, "string": 7, "complex64": 8,
    "int64": 9, "bool": 10, "bfloat16": 14, "uint16": 17, "complex128": 18, "float16": 19, "uint32": 22, "uint64": 23,
}  # fmt: skip

DTYPES: Final[dict[str, DType]] = {
    name: DType(name, getattr(np, "bool_" if name == "bool" else name))
    for name in (
        "float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
        "bool", "complex64", "complex128",
    )
}  # fmt: skip
DTYPES["bfloat16"] = DType("bfloat16", ml_dtypes.bfloat16)
DTYPES["string"] = DType("string", np.object_)

_BY_NUMPY: Final[dict[Any, DType]] = {dtype.numpy: dtype for dtype in DTYPES.values()}
_VARIANT: Final = DType("variant", np.object_)
_BY_NUMPY.update(dict.fromkeys([LIST, *LISTS.values()], _VARIANT))
_ALIASES: Final[dict[Any, DType]] = {
    "half": DTYPES["float16"],
    "float": DTYPES["float32"],
    "double": DTYPES["float64"],
    float: DTYPES["float32"],
    int: DTYPES["int32"],
    bool: DTYPES["bool"],
    complex: DTYPES["complex128"],
    str: DTYPES["string"],
    bytes: DTYPES["string"],
}


def as_dtype(type_value: Any) -> DType:
    """The :class:`DType` that ``type_value`` names: a DType, a NumPy type, a name, or ``float``, ``int`` and ``bool``.

    Raises:
        TypeError: ``type_value`` names no type that tapeviz has.

    >>> import tapeviz as tf
    >>> tf.as_dtype("float64")
    tf.float64
    """
    value = type_value
    if value.__class__ is DType:
        return value
    known = _BY_NUMPY.get(value) if isinstance(value, np.dtype) else _ALIASES.get(value) or DTYPES.get(value)
    if known is not None:
        return known
    if isinstance(value, str) and value not in np.sctypeDict:
        raise TypeError(f"Cannot convert value {value!r} to a TensorFlow DType.")
    try:
        plain = np.dtype(value).newbyteorder("=")
    except TypeError:
        raise TypeError(f"Cannot convert value {value!r} to a TensorFlow DType.") from None
    if plain.kind in "SU":
        return DTYPES["string"]
    if plain not in _BY_NUMPY:
        raise TypeError(f"Cannot convert value {value!r} to a TensorFlow DType.")
    return _BY_NUMPY[plain]


_KERNELS_SAY: Final = {"float16": "half", "float32": "float", "float64": "double"}


def kernel_name(dtype: Any) -> str:
    """The name of a dtype in the errors of TensorFlow's kernels, such as ``half``."""
    name = as_dtype(dtype).name
    return _KERNELS_SAY.get(name, name)
