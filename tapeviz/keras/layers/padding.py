"""Layers that add zeros around sequences, images and volumes, or cut their edges off."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.tensor import Tensor
from tapeviz.keras.layers.input_spec import InputSpec
from tapeviz.keras.layers.layer import Layer
from tapeviz.keras.layers.parameters import config_of
from tapeviz.keras.layers.windows import format_of, inner, numbers_of, outer
from tapeviz.ops.array.pad import pad

__all__ = ["Cropping1D", "Cropping2D", "Cropping3D", "ZeroPadding1D", "ZeroPadding2D", "ZeroPadding3D"]

_Pairs = tuple[tuple[int, ...], ...]


def _pairs(value: Any, count: int, what: str) -> _Pairs:
    """How much before and after each axis, from one number for all, or a number or a pair for each."""
    if count == 1:
        return (numbers_of(value, 2, what, least=0),)
    if not isinstance(value, Iterable):
        return (numbers_of(value, 2, what, least=0),) * count
    given = tuple(value)
    if len(given) != count:
        raise ValueError(f"`{what}` should have {count} elements. Received: {what}={value}.")
    return tuple(numbers_of(entry, 2, f"entry {place} of {what}", least=0) for place, entry in enumerate(given))


def _plain(pairs: _Pairs) -> Any:
    """The pairs as a config has them: of one axis, the pair itself."""
    return pairs[0] if len(pairs) == 1 else pairs


class _Edges(Layer):
    count: ClassVar[int]

    def __init__(self, data_format: str | None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.data_format: str = format_of(data_format)
        self.input_spec: Any = InputSpec(ndim=self.count + 2)


class _ZeroPadding(_Edges):
    """What the layers that add zeros have in common; see ``ZeroPadding2D``."""

    def __init__(self, padding: Any = 1, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(data_format, **kwargs)
        self._pads = _pairs(padding, self.count, "padding")
        self.padding: Any = _plain(self._pads)

    def call(self, inputs: Any) -> Tensor:
        """The input with zeros around it."""
        last = self.data_format == "channels_last"
        result: Tensor = pad(inputs, [(0, 0), *self._pads, (0, 0)] if last else [(0, 0), (0, 0), *self._pads])
        return result

    def compute_output_shape(self, input_shape: Any) -> tuple[Any, ...]:
        """The shape of what comes out."""
        sizes = zip(inner(self, input_shape), self._pads, strict=True)
        return outer(self, input_shape, [None if size is None else size + sum(pair) for size, pair in sizes])

    def get_config(self) -> dict[str, Any]:
        """What the layer was made with."""
        return {**super().get_config(), **config_of(self, "padding data_format")}


class ZeroPadding1D(_ZeroPadding):
    """Zeros before and after sequences.

    Args:
        padding: how many on either side, or a pair of how many before and after.
        data_format: ``"channels_last"`` (or None) or ``"channels_first"``.
        kwargs: what every layer takes.

    Raises:
        ValueError: a number is negative, or the input has another rank.

    >>> import tapeviz as tf
    >>> tf.keras.layers.ZeroPadding1D((0, 2))(tf.ones([1, 2, 1])).numpy().ravel()
    array([1., 1., 0., 0.], dtype=float32)
    """

    count = 1


class ZeroPadding2D(_ZeroPadding):
    """Zeros around images.

    Args:
        padding: how many on every side, or for height and width each a number or a pair of before and after.
        data_format: ``"channels_last"`` (or None) or ``"channels_first"``.
        kwargs: what every layer takes.

    Raises:
        ValueError: a number is negative, or the input has another rank.

    >>> import tapeviz as tf
    >>> tf.keras.layers.ZeroPadding2D(((1, 0), (0, 2)))(tf.ones([1, 3, 3, 1])).shape
    TensorShape([1, 4, 5, 1])
    """

    count = 2


class ZeroPadding3D(_ZeroPadding):
    """Zeros around volumes; the arguments are those of ``ZeroPadding2D``, for three axes.

    >>> import tapeviz as tf
    >>> tf.keras.layers.ZeroPadding3D()(tf.ones([1, 2, 2, 2, 1])).shape
    TensorShape([1, 4, 4, 4, 1])
    """

    count = 3


class _Cropping(_Edges):
    """What the layers that cut edges off have in common; see ``Cropping2D``."""

    def __init__(self, cropping: Any, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(data_format, **kwargs)
        self._cuts = _pairs(cropping, self.count, "cropping")
        self.cropping: Any = _plain(self._cuts)

    def call(self, inputs: Any) -> Tensor:
        """The input without its edges."""
        x = convert_to_tensor(inputs)
        self.compute_output_shape(tuple(x.shape))
        kept = [slice(before, -after if after else None) for before, after in self._cuts]
        first = 1 if self.data_format == "channels_last" else 2
        return x[(slice(None),) * first + tuple(kept)]

    def compute_output_shape(self, input_shape: Any) -> tuple[Any, ...]:
        """The shape of what comes out."""
        sizes = list(zip(inner(self, input_shape), self._cuts, strict=True))
        if any(size is not None and sum(pair) >= size for size, pair in sizes):
            raise ValueError(
                "Values in `cropping` argument should be smaller than the corresponding spatial dimension of the "
                f'input of layer "{self.name}". Received: input_shape={tuple(input_shape)}, cropping={self.cropping}'
            )
        return outer(self, input_shape, [None if size is None else size - sum(pair) for size, pair in sizes])

    def get_config(self) -> dict[str, Any]:
        """What the layer was made with."""
        names = "cropping" if self.count == 1 else "cropping data_format"
        return {**super().get_config(), **config_of(self, names)}


class Cropping1D(_Cropping):
    """Sequences without their ends.

    Args:
        cropping: how many steps go on either side, or a pair of how many go first and last.
        kwargs: what every layer takes.

    Raises:
        ValueError: nothing would be left, or the input has another rank.

    >>> import tapeviz as tf
    >>> tf.keras.layers.Cropping1D((0, 2))(tf.ones([1, 5, 1])).shape
    TensorShape([1, 3, 1])
    """

    count = 1

    def __init__(self, cropping: Any = (1, 1), **kwargs: Any) -> None:
        super().__init__(cropping, **kwargs)


class Cropping2D(_Cropping):
    """Images without their edges.

    Args:
        cropping: how many pixels go on every side, or for height and width each a number or a pair.
        data_format: ``"channels_last"`` (or None) or ``"channels_first"``.
        kwargs: what every layer takes.

    Raises:
        ValueError: nothing would be left, or the input has another rank.

    >>> import tapeviz as tf
    >>> tf.keras.layers.Cropping2D(((1, 0), (0, 2)))(tf.ones([1, 4, 4, 1])).shape
    TensorShape([1, 3, 2, 1])
    """

    count = 2

    def __init__(self, cropping: Any = ((0, 0), (0, 0)), data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(cropping, data_format, **kwargs)


class Cropping3D(_Cropping):
    """Volumes without their edges; the arguments are those of ``Cropping2D``, for three axes.

    >>> import tapeviz as tf
    >>> tf.keras.layers.Cropping3D()(tf.ones([1, 4, 4, 4, 1])).shape
    TensorShape([1, 2, 2, 2, 1])
    """

    count = 3

    def __init__(self, cropping: Any = ((1, 1), (1, 1), (1, 1)), data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(cropping, data_format, **kwargs)
