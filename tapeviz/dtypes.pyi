# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from tapeviz.engine.annotations import DTypeLike as _DTypeLike
from tapeviz.engine.annotations import TensorLike as _TensorLike
from tapeviz.engine.dtypes import DType, as_dtype
from tapeviz.engine.tensor import Tensor as _Tensor

__all__ = [
    "DType",
    "as_dtype",
    "bfloat16",
    "bool",
    "cast",
    "complex",
    "complex128",
    "complex64",
    "double",
    "float16",
    "float32",
    "float64",
    "half",
    "int16",
    "int32",
    "int64",
    "int8",
    "saturate_cast",
    "string",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
]
bfloat16: DType
bool: DType

def cast(x: _TensorLike, dtype: _DTypeLike, name: str | None = None) -> _Tensor:
    """``x`` with elements of ``dtype``: fractions are cut off, too large integers wrap around."""

def complex(real: _TensorLike, imag: _TensorLike, name: str | None = None) -> _Tensor:
    """Complex numbers from their real and imaginary parts."""

complex128: DType
complex64: DType
double: DType
float16: DType
float32: DType
float64: DType
half: DType
int16: DType
int32: DType
int64: DType
int8: DType

def saturate_cast(value: _TensorLike, dtype: _DTypeLike, name: str | None = None) -> _Tensor:
    """``value`` in another dtype; what lies beyond that dtype's range becomes its smallest or its largest number."""

string: DType
uint16: DType
uint32: DType
uint64: DType
uint8: DType
