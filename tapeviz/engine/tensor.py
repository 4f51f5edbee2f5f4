"""Tensors: immutable handles on arrays."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from tapeviz.backends import NUMPY, backend_of
from tapeviz.engine import tensor_text
from tapeviz.engine.dtypes import DType, as_dtype
from tapeviz.engine.operators import Operators, public
from tapeviz.engine.shapes import TensorShape
from tapeviz.engine.state import active, local, next_id
from tapeviz.engine.types import with_own_dtype

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tapeviz.backends import Backend

__all__ = ["DeviceTensor", "EagerTensor", "PartAssignment", "Tensor", "TensorOperators", "wrap"]

_DLPACK_CPU = 1


if TYPE_CHECKING:

    class TensorOperators(Operators):
        """The operators as annotations know them: each gives a tensor."""

        def __add__(self, other: Any) -> Tensor: ...
        def __radd__(self, other: Any) -> Tensor: ...
        def __sub__(self, other: Any) -> Tensor: ...
        def __rsub__(self, other: Any) -> Tensor: ...
        def __mul__(self, other: Any) -> Tensor: ...
        def __rmul__(self, other: Any) -> Tensor: ...
        def __truediv__(self, other: Any) -> Tensor: ...
        def __rtruediv__(self, other: Any) -> Tensor: ...
        def __floordiv__(self, other: Any) -> Tensor: ...
        def __rfloordiv__(self, other: Any) -> Tensor: ...
        def __mod__(self, other: Any) -> Tensor: ...
        def __rmod__(self, other: Any) -> Tensor: ...
        def __pow__(self, other: Any) -> Tensor: ...
        def __rpow__(self, other: Any) -> Tensor: ...
        def __matmul__(self, other: Any) -> Tensor: ...
        def __rmatmul__(self, other: Any) -> Tensor: ...
        def __and__(self, other: Any) -> Tensor: ...
        def __rand__(self, other: Any) -> Tensor: ...
        def __or__(self, other: Any) -> Tensor: ...
        def __ror__(self, other: Any) -> Tensor: ...
        def __xor__(self, other: Any) -> Tensor: ...
        def __rxor__(self, other: Any) -> Tensor: ...
        def __lt__(self, other: Any) -> Tensor: ...
        def __le__(self, other: Any) -> Tensor: ...
        def __gt__(self, other: Any) -> Tensor: ...
        def __ge__(self, other: Any) -> Tensor: ...
        def __neg__(self) -> Tensor: ...
        def __abs__(self) -> Tensor: ...
        def __invert__(self) -> Tensor: ...
        def __getitem__(self, key: Any) -> Tensor: ...
        def __iter__(self) -> Iterator[Tensor]: ...

else:
    TensorOperators = Operators


class Tensor(TensorOperators):
    """A multi-dimensional array of one dtype. Immutable: ops make new ones.

    Made by :func:`tapeviz.constant`, :func:`tapeviz.convert_to_tensor` and by every op. This class is what
    ``isinstance`` asks for; eager tensors are :class:`EagerTensor`.
    """

    __slots__ = ()

    if TYPE_CHECKING:  # what both sorts of tensors have
        _a: Any
        _id: Any
        _backend: Any

        @property
        def shape(self) -> TensorShape:
            """The shape: the sizes of the axes."""

        @property
        def dtype(self) -> DType:
            """The type of the elements."""

        @property
        def ndim(self) -> int:
            """The rank: the number of axes."""

        @property
        def device(self) -> str:
            """Where the value is, such as ``/job:localhost/replica:0/task:0/device:CPU:0``."""

        @property
        def name(self) -> str:
            """Its name; only tensors of a graph have one."""

        def get_shape(self) -> TensorShape:
            """The shape: the sizes of the axes."""

        def numpy(self) -> Any:
            """The value as a NumPy array; tensors of a graph have none."""

        def _host(self) -> np.ndarray: ...
        def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray: ...
        def __len__(self) -> int: ...
        def __bool__(self) -> bool: ...
        def __int__(self) -> int: ...
        def __float__(self) -> float: ...
        def __complex__(self) -> complex: ...
        def __index__(self) -> int: ...

    def __init__(self, *_args: Any, **_kwargs: Any) -> None:
        raise TypeError("make tensors with tf.constant or tf.convert_to_tensor")


class _Elsewhere:
    """What NumPy's and torch's arrays have and tensors have not: asking for it says where it is."""

    def __init__(self, instead: str) -> None:
        self._instead = instead

    def __set_name__(self, _owner: type, name: str) -> None:
        self._name = name

    def __get__(self, tensor: Any, _owner: type) -> Any:
        if tensor is None:
            return self
        raise AttributeError(f"'EagerTensor' object has no attribute {self._name!r}; use tf.{self._instead}")


class PartAssignment(_Elsewhere):
    """``assign`` of a tensor that is a slice of a variable: replaces that part of the variable. Others have none."""

    def __init__(self) -> None:
        super().__init__("Variable.assign")

    def __get__(self, tensor: Any, owner: type) -> Any:
        part = getattr(tensor, "_part", None)
        return super().__get__(tensor, owner) if part is None else partial(public["assign_slice"], *part)


class EagerTensor(Tensor):
    """A tensor with a value, in host memory. :class:`DeviceTensor` is one elsewhere.

    >>> import tapeviz as tf
    >>> tf.constant([[1.0, 2.0]]) * 2
    <tf.Tensor: shape=(1, 2), dtype=float32, numpy=array([[2., 4.]], dtype=float32)>
    """

    # The array, and the number: given when a tape or the recorder first asks, so that untaped ops need not pay for one.
    # No ``__getattr__`` here: with one, Python looks up every attribute of a tensor the slow way.
    # ``_part`` is there in slices of variables alone: the variable, and what stood in the brackets.
    __slots__ = ("__weakref__", "_a", "_i", "_part")
    _a: Any
    _i: int

    _backend: Backend = NUMPY

    if not TYPE_CHECKING:  # whoever asks for these is told what to ask for instead; a type checker says so at once
        astype, reshape, transpose, T, size, item = map(
            _Elsewhere, ("cast", "reshape", "transpose", "transpose", "size", "Tensor.numpy")
        )
        sum, mean, max, min = map(_Elsewhere, ("reduce_sum", "reduce_mean", "reduce_max", "reduce_min"))
        backward, grad = map(_Elsewhere, ["GradientTape().gradient"] * 2)
    assign: PartAssignment = PartAssignment()

    if not TYPE_CHECKING:
        __init__ = object.__init__  # ops make these by the million, so no Python runs; the fields are set right after

    @property
    def _id(self) -> int:
        """The number, a new one where there is none yet. Ops ask the slot itself first."""
        try:
            return self._i
        except AttributeError:
            self._i = next_id()
            if active and (observer := local.state.observer) is not None:
                observer.on_new_tensor(self)
            return self._i

    def __dir__(self) -> list[str]:
        return [name for name in object.__dir__(self) if not isinstance(getattr(type(self), name, None), _Elsewhere)]

    @property
    def shape(self) -> TensorShape:
        """The shape: the sizes of the axes."""
        return TensorShape(self._a.shape)

    def get_shape(self) -> TensorShape:
        """The shape: the sizes of the axes."""
        return TensorShape(self._a.shape)

    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        return as_dtype(self._a.dtype)

    @property
    def ndim(self) -> int:
        """The rank: the number of axes."""
        return len(self._a.shape)

    @property
    def device(self) -> str:
        """Where the value is, such as ``/job:localhost/replica:0/task:0/device:CPU:0``."""
        return self._backend.device

    @property
    def name(self) -> str:
        """Only tensors of a graph have names."""
        raise AttributeError("Tensor.name is undefined when eager execution is enabled.")

    def numpy(self) -> Any:
        """The value as a NumPy array of its own (a NumPy scalar for rank 0); writing to it changes no tensor."""
        host = self._host()
        value = host[()] if host.ndim == 0 else host.copy()
        if active:
            _left(self, "numpy", value)
        return value

    def cpu(self) -> EagerTensor:
        """This tensor in host memory: itself when it is there, a copy from another device."""
        return self

    def gpu(self, gpu_index: int = 0) -> EagerTensor:  # noqa: ARG002 - there is one
        """A copy in the GPU's memory; gradients flow back from it.

        Raises:
            RuntimeError: there is no usable GPU; the message says whether CuPy, the driver or a device is missing.
        """
        return public["on_gpu"](self)  # type: ignore[no-any-return]

    @property
    def backing_device(self) -> str:
        """Where the value is: the same as :attr:`device`."""
        return self._backend.device

    def _host(self) -> np.ndarray:
        """The value as a host array that nobody may write to: for looking, which is no exit."""
        return self._a  # type: ignore[no-any-return]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        view = self._host().view()
        view.flags.writeable = False
        if active:
            _left(self, "array", view)
        if dtype is not None and np.dtype(dtype) != view.dtype:
            return view.astype(dtype)
        return view.copy() if copy else view

    def __dlpack__(self, **options: Any) -> Any:
        """The value as a DLPack capsule; a copy, so that the receiver may write, unless ``copy=False`` is asked for."""
        host = self._host()
        if active:
            _left(self, "array", host)
        copy = options.pop("copy", None)
        options = {key: value for key, value in options.items() if value is not None}
        return (host if copy is False else host.copy()).__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (_DLPACK_CPU, 0)

    def __len__(self) -> int:
        if not self._a.shape:
            raise TypeError("Scalar tensor has no `len()`")
        return int(self._a.shape[0])

    def _python(self, convert: Any) -> Any:
        host = self._host()
        value = convert(host if host.ndim else host[()])
        if active:
            _left(self, "python", value)
        return value

    def __bool__(self) -> bool:
        return self._python(bool)  # type: ignore[no-any-return]

    def __int__(self) -> int:
        return self._python(int)  # type: ignore[no-any-return]

    def __float__(self) -> float:
        return self._python(float)  # type: ignore[no-any-return]

    def __complex__(self) -> complex:
        return self._python(complex)  # type: ignore[no-any-return]

    def __index__(self) -> int:
        return self._python(lambda value: value.__index__())  # type: ignore[no-any-return]

    def __round__(self, digits: int = 0) -> Any:
        return np.round(self._host(), digits)

    def __copy__(self) -> EagerTensor:
        return self

    def __deepcopy__(self, _memo: Any) -> EagerTensor:
        return self

    def __reduce__(self) -> tuple[Any, tuple[Any]]:
        return _unpickled, (self._host(),)

    def __str__(self) -> str:
        return self._shown(tensor_text.tensor_str(self._host(), self.shape, self.dtype))

    def __repr__(self) -> str:
        return self._shown(tensor_text.tensor_repr(self._host(), self.shape, self.dtype))

    def __format__(self, specification: str) -> str:
        host = self._host()
        return self._shown(format(host[()] if host.ndim == 0 else host, specification))

    def _shown(self, text: str) -> str:
        if active:
            _left(self, "shown", text)
        return text

    def _repr_mimebundle_(self, **_options: Any) -> dict[str, str]:
        title = f"Tensor {self.shape} {self.dtype.name}"
        return {"text/plain": repr(self), "text/html": tensor_text.tensor_html(self._host(), title, str(self._host()))}


class DeviceTensor(EagerTensor):
    """A tensor whose value is in the memory of another device."""

    __slots__ = ("_backend",)
    __array_priority__ = 1000  # CuPy's own is 100, so that CuPy's array * tensor is a tensor too

    def _host(self) -> np.ndarray:
        return self._backend.to_host(self._a)

    def cpu(self) -> EagerTensor:
        """A copy in host memory; gradients flow back from it."""
        return public["on_cpu"](self)  # type: ignore[no-any-return]

    def __dlpack__(self, **options: Any) -> Any:
        """The value as a DLPack capsule in its own device's memory; a copy, unless ``copy=False`` is asked for."""
        if active:
            _left(self, "array", self._a)
        copy = options.pop("copy", None)
        options = {key: value for key, value in options.items() if value is not None}
        return (self._a if copy is False else self._a.copy()).__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return tuple(map(int, self._a.__dlpack_device__()))  # type: ignore[return-value]

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """Where the value is in CUDA's memory, not to be written. Tensors elsewhere have no such attribute."""
        interface = dict(self._a.__cuda_array_interface__)
        address, _ = interface["data"]
        return interface | {"data": (address, True)}


def wrap(array: Any) -> EagerTensor:
    """A tensor on ``array`` itself, which nobody may write to from now on."""
    if array.__class__ is np.ndarray:
        tensor: Any = EagerTensor()
        tensor._a = array
        return tensor  # type: ignore[no-any-return]  # a call of `cast` takes a third of the time
    backend = backend_of(array)
    if backend is NUMPY and not hasattr(array, "is_list"):
        return wrap(np.asarray(array))
    if backend is NUMPY:  # a list of arrays, which a graph gives for its gradient
        held: Any = EagerTensor()
        held._a = array
        return cast("EagerTensor", held)
    elsewhere: Any = DeviceTensor()
    elsewhere._a = array
    elsewhere._backend = backend
    return cast("EagerTensor", elsewhere)


def _unpickled(array: Any) -> EagerTensor:
    return wrap(with_own_dtype(array))


def _left(tensor: EagerTensor, kind: str, array: Any) -> None:
    observer = local.state.observer
    if observer is not None:
        observer.on_host_out(tensor, kind, array)
