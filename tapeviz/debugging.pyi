# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from typing import Any as _Any

from tapeviz.engine.annotations import DTypeLike as _DTypeLike
from tapeviz.engine.annotations import ShapeLike as _ShapeLike
from tapeviz.engine.annotations import TensorLike as _TensorLike
from tapeviz.engine.dtypes import DType as _DType
from tapeviz.engine.tensor import Tensor as _Tensor

__all__ = [
    "Assert",
    "assert_all_finite",
    "assert_equal",
    "assert_greater",
    "assert_greater_equal",
    "assert_integer",
    "assert_less",
    "assert_less_equal",
    "assert_near",
    "assert_negative",
    "assert_non_negative",
    "assert_non_positive",
    "assert_none_equal",
    "assert_positive",
    "assert_proper_iterable",
    "assert_rank",
    "assert_rank_at_least",
    "assert_rank_in",
    "assert_same_float_dtype",
    "assert_scalar",
    "assert_shapes",
    "assert_type",
    "check_numerics",
    "disable_check_numerics",
    "disable_traceback_filtering",
    "enable_check_numerics",
    "enable_traceback_filtering",
    "get_log_device_placement",
    "is_numeric_tensor",
    "is_traceback_filtering_enabled",
    "set_log_device_placement",
]

def Assert(condition: _TensorLike, data: _Any, summarize: int | None = None, name: str | None = None) -> None:
    """Raise unless ``condition`` is true."""

def assert_all_finite(x: _TensorLike, message: str, name: str | None = None) -> _Tensor:
    """``x``, if all its elements are finite numbers: :func:`check_numerics`."""

def assert_equal(
    x: _TensorLike, y: _TensorLike, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> None:
    """Raise unless ``x == y`` in every element."""

def assert_greater(
    x: _TensorLike, y: _TensorLike, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> None:
    """Raise unless ``x > y`` in every element. Arguments as for ``assert_equal``."""

def assert_greater_equal(
    x: _TensorLike, y: _TensorLike, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> None:
    """Raise unless ``x >= y`` in every element. Arguments as for ``assert_equal``."""

def assert_integer(x: _TensorLike, message: str | None = None, name: str | None = None) -> None:
    """Raise unless ``x`` has an integer dtype."""

def assert_less(
    x: _TensorLike, y: _TensorLike, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> None:
    """Raise unless ``x < y`` in every element. Arguments as for ``assert_equal``."""

def assert_less_equal(
    x: _TensorLike, y: _TensorLike, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> None:
    """Raise unless ``x <= y`` in every element. Arguments as for ``assert_equal``."""

def assert_near(
    x: _TensorLike,
    y: _TensorLike,
    rtol: _TensorLike | None = None,
    atol: _TensorLike | None = None,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> None:
    """Raise unless ``|x - y| <= atol + rtol |y|`` in every element."""

def assert_negative(
    x: _TensorLike, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> None:
    """Raise unless ``x < 0`` in every element. Arguments as for ``assert_positive``."""

def assert_non_negative(
    x: _TensorLike, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> None:
    """Raise unless ``x >= 0`` in every element. Arguments as for ``assert_positive``."""

def assert_non_positive(
    x: _TensorLike, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> None:
    """Raise unless ``x <= 0`` in every element. Arguments as for ``assert_positive``."""

def assert_none_equal(
    x: _TensorLike, y: _TensorLike, summarize: int | None = None, message: str | None = None, name: str | None = None
) -> None:
    """Raise unless ``x != y`` in every element. Arguments as for ``assert_equal``."""

def assert_positive(
    x: _TensorLike, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> None:
    """Raise unless ``x > 0`` in every element."""

def assert_proper_iterable(values: _TensorLike) -> None:
    """Raise unless ``values`` is a collection of things, which a tensor, an array and a text are not."""

def assert_rank(x: _TensorLike, rank: _TensorLike, message: str | None = None, name: str | None = None) -> None:
    """Raise unless ``x`` has ``rank`` axes."""

def assert_rank_at_least(
    x: _TensorLike, rank: _TensorLike, message: str | None = None, name: str | None = None
) -> None:
    """Raise unless ``x`` has ``rank`` axes or more. Arguments as for ``assert_rank``."""

def assert_rank_in(x: _TensorLike, ranks: _TensorLike, message: str | None = None, name: str | None = None) -> None:
    """Raise unless the number of axes of ``x`` is one of ``ranks``. Arguments as for ``assert_rank``."""

def assert_same_float_dtype(tensors: _TensorLike | None = None, dtype: _DTypeLike | None = None) -> _DType:
    """Raise unless all have one floating-point dtype, which is returned."""

def assert_scalar(tensor: _TensorLike, message: str | None = None, name: str | None = None) -> None:
    """Raise unless ``tensor`` is one value."""

def assert_shapes(
    shapes: _ShapeLike,
    data: _Any = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> None:
    """Raise unless the shapes of several tensors fit together."""

def assert_type(tensor: _Any, tf_type: _Any, message: str | None = None, name: str | None = None) -> None:
    """Raise unless ``tensor`` has the dtype ``tf_type``."""

def check_numerics(tensor: _TensorLike, message: str, name: str | None = None) -> _Tensor:
    """``tensor``, if all its elements are finite numbers. Its gradient is checked likewise."""

def disable_check_numerics() -> None:
    """Raise no longer at results that are not finite."""

def disable_traceback_filtering() -> None:
    """Remember that tracebacks shall show all frames. Python's tracebacks always do; notebooks hide those of ops."""

def enable_check_numerics(stack_height_limit: int = 30, path_length_limit: int = 50) -> None:
    """From here on raise at the first op of this thread whose result is not finite, with its inputs."""

def enable_traceback_filtering() -> None:
    """Remember that tracebacks shall leave out frames of the library."""

def get_log_device_placement() -> bool:
    """Whether placements shall be logged."""

def is_numeric_tensor(tensor: _TensorLike) -> bool:
    """Whether this is a tensor of numbers."""

def is_traceback_filtering_enabled() -> bool:
    """Whether tracebacks shall leave out frames of the library."""

def set_log_device_placement(enabled: bool) -> None:
    """Remember whether placements shall be logged. ``Tensor.device`` and recordings tell them in any case."""
