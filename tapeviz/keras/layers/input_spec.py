"""What a layer expects of its inputs, and the errors for those that are otherwise."""

from __future__ import annotations

from typing import Any, Self

from tapeviz.engine import nest
from tapeviz.engine.dtypes import as_dtype
from tapeviz.engine.shapes import TensorShape

__all__ = ["InputSpec", "assert_input_compatibility"]


class InputSpec:
    """Rank, dtype, shape and sizes of some axes of a layer's input, each as far as it matters.

    Args:
        dtype: the dtype.
        shape: the shape; None for sizes that do not matter.
        ndim: the number of axes.
        max_ndim: the largest number of axes.
        min_ndim: the smallest.
        axes: sizes by axis.
        allow_last_axis_squeeze: whether a last axis of size 1 may be missing or be there besides.

    >>> import tapeviz as tf
    >>> tf.keras.layers.InputSpec(min_ndim=2, axes={-1: 4})
    InputSpec(min_ndim=2, axes={-1: 4})
    """

    def __init__(
        self, dtype: Any = None, shape: Any = None, ndim: int | None = None, max_ndim: int | None = None,
        min_ndim: int | None = None, axes: dict[int, int | None] | None = None, allow_last_axis_squeeze: bool = False,
        name: str | None = None,
    ) -> None:  # fmt: skip
        self.dtype: str | None = None if dtype is None else as_dtype(dtype).name
        self.shape: tuple[int | None, ...] | None = None if shape is None else TensorShape(shape).dims
        self.ndim: int | None = len(self.shape) if self.shape is not None else ndim
        self.max_ndim: int | None
        self.min_ndim: int | None
        self.max_ndim, self.min_ndim = max_ndim, min_ndim
        self.allow_last_axis_squeeze = allow_last_axis_squeeze
        self.name = name
        try:
            self.axes: dict[int, int | None] = {int(axis): size for axis, size in (axes or {}).items()}
        except (TypeError, ValueError):
            raise TypeError(f"Argument `axes` must be a dict with integer keys. Received: axes={axes}") from None
        most = ndim if ndim is not None else max_ndim
        if self.axes and most is not None and max(self.axes) > most - 1:
            raise ValueError(f"Axis {max(self.axes)} is greater than the maximum allowed value: {most - 1}")

    def get_config(self) -> dict[str, Any]:
        """The arguments with which it was made."""
        return {
            "dtype": self.dtype, "shape": self.shape, "ndim": self.ndim, "max_ndim": self.max_ndim,
            "min_ndim": self.min_ndim, "axes": self.axes,
        }  # fmt: skip

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """A spec with these arguments."""
        return cls(**config)

    def __repr__(self) -> str:
        said = ", ".join(f"{key}={value}" for key, value in self.get_config().items() if value not in (None, {}))
        return f"InputSpec({said})"


def assert_input_compatibility(input_spec: Any, inputs: Any, layer_name: str) -> None:
    """Raise ValueError unless a layer's inputs are as it expects.

    Raises:
        ValueError: their number, rank, shape or dtype is another; the message has the layer's name, what it expects and
            what was found.
    """
    if not input_spec:
        return
    specs = nest.flatten(input_spec)
    if isinstance(input_spec, dict) and isinstance(inputs, dict):
        missing = [name for name in input_spec if name not in inputs]
        if missing:
            raise ValueError(f'Missing data for input "{missing[0]}". You passed a data dictionary with keys '
                             f"{list(inputs)}. Expected the following keys: {list(input_spec)}")  # fmt: skip
        tensors = [inputs[name] for name in sorted(input_spec)]
    else:
        tensors = nest.flatten(inputs)
    if len(tensors) != len(specs):
        raise ValueError(
            f'Layer "{layer_name}" expects {len(specs)} input(s), but it received {len(tensors)} input tensors. Inputs '
            f"received: {inputs}"
        )
    for place, (tensor, spec) in enumerate(zip(tensors, specs, strict=True)):
        if spec is None:
            continue
        shape = getattr(tensor, "shape", None)
        if shape is None:
            raise ValueError(f"Inputs to a layer should be tensors. Got '{tensor}' (of type {type(tensor)}) as input "
                             f"for layer '{layer_name}'.")  # fmt: skip
        told = _unfit(spec, TensorShape(shape).dims, tensor.dtype)
        if told:
            raise ValueError(f'Input {place} of layer "{layer_name}" is incompatible with the layer: {told}')


def _unfit(spec: InputSpec, dims: tuple[int | None, ...] | None, dtype: Any) -> str:  # noqa: PLR0911 - a line a rule
    """What is wrong with an input; empty where nothing is."""
    if dims is None:
        return ""
    rank = len(dims)
    full = f"Full shape received: {dims}"
    if spec.ndim is not None and rank != spec.ndim and not _squeezable(spec, dims):
        return f"expected ndim={spec.ndim}, found ndim={rank}. {full}"
    if spec.max_ndim is not None and rank > spec.max_ndim:
        return f"expected max_ndim={spec.max_ndim}, found ndim={rank}"
    if spec.min_ndim is not None and rank < spec.min_ndim:
        return f"expected min_ndim={spec.min_ndim}, found ndim={rank}. {full}"
    if spec.dtype is not None and as_dtype(dtype).name != spec.dtype:
        return f"expected dtype={spec.dtype}, found dtype={as_dtype(dtype).name}"
    for axis, size in spec.axes.items():
        if size is not None and (not -rank <= axis < rank or dims[axis] not in (size, None)):
            return f"expected axis {axis} of input shape to have value {size}, but received input with shape {dims}"
    if spec.shape is not None:
        wanted = _trimmed(spec, spec.shape)
        found = _trimmed(spec, dims)
        if len(wanted) != len(found) or any(
            a is not None and b is not None and a != b for a, b in zip(wanted, found, strict=True)
        ):
            return f"expected shape={spec.shape}, found shape={dims}"
    return ""


def _squeezable(spec: InputSpec, dims: tuple[int | None, ...]) -> bool:
    return spec.allow_last_axis_squeeze and len(_trimmed(spec, spec.shape or ())) == len(_trimmed(spec, dims))


def _trimmed(spec: InputSpec, dims: tuple[int | None, ...]) -> tuple[int | None, ...]:
    return dims[:-1] if spec.allow_last_axis_squeeze and dims and dims[-1] == 1 else dims
