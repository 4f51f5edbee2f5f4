"""Layers that make one tensor of several."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, ClassVar

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import registry
from tapeviz.engine.tensor import Tensor
from tapeviz.keras.layers.layer import Layer
from tapeviz.keras.layers.parameters import config_of
from tapeviz.ops.array.concat import concat
from tapeviz.ops.linalg.einsum import einsum
from tapeviz.ops.nn.normalization import l2_normalize

__all__ = [
    "Add", "Average", "Concatenate", "Dot", "Maximum", "Minimum", "Multiply", "Subtract", "add", "average",
    "concatenate", "dot", "maximum", "minimum", "multiply", "subtract",
]  # fmt: skip


class _Merging(Layer):
    """A layer that is called on a list of tensors."""

    two: ClassVar[bool] = False

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True

    def build(self, input_shape: Any) -> None:
        """Check the shapes.

        Raises:
            ValueError: they do not go together.
        """
        if not input_shape or not all(isinstance(shape, (list, tuple)) for shape in input_shape):
            raise ValueError(
                f'A merge layer should be called on a list of at least 1 input. Layer "{self.name}" received: '
                f"input_shape={input_shape} (not a list of shapes)"
            )
        if self.two and len(input_shape) != 2:  # noqa: PLR2004 - as it is called
            raise ValueError(
                f'A `{type(self).__name__}` layer should be called on exactly 2 inputs. Layer "{self.name}" received: '
                f"input_shape={input_shape}"
            )
        self._check([tuple(shape) for shape in input_shape])
        super().build(input_shape)

    def _check(self, shapes: list[tuple[Any, ...]]) -> None:
        _broadcast(self, shapes)

    def call(self, inputs: Any) -> Tensor:
        """One tensor of the inputs."""
        tensors = [convert_to_tensor(x) for x in inputs]
        rank = max(x.ndim for x in tensors)
        result: Tensor = self._merged([_raised(x, rank) for x in tensors])
        return result

    def _merged(self, inputs: list[Any]) -> Any:
        """One tensor of tensors of the same rank."""
        raise NotImplementedError(
            f"Layer {type(self).__name__} must implement `_merged(self, inputs)`, which merges the inputs."
        )

    def compute_output_shape(self, input_shape: Any) -> tuple[Any, ...]:
        """The shape of what comes out."""
        return _broadcast(self, [tuple(shape) for shape in input_shape])

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """The steps that count in some input; None where there is an input without a mask."""
        if mask is None or any(one is None for one in mask):
            return None
        return functools.reduce(registry["logical_or"].run, mask)


def _raised(x: Any, rank: int) -> Any:
    """A tensor with axes of size 1 behind that of the examples, up to a rank."""
    sizes = x._a.shape
    return x if x.ndim == rank else registry["reshape"].run(x, (sizes[0], *(1,) * (rank - x.ndim), *sizes[1:]))


def _broadcast(layer: Layer, shapes: list[tuple[Any, ...]]) -> tuple[Any, ...]:
    rank = max(map(len, shapes))
    raised = [(shape[0], *(1,) * (rank - len(shape)), *shape[1:]) for shape in shapes]
    sizes = [{size for size in axis if size not in (1, None)} for axis in zip(*raised, strict=True)]
    batches = {shape[0] for shape in shapes} - {None}
    if len(batches) > 1:
        raise ValueError(
            f'Cannot merge tensors with different batch sizes. Layer "{layer.name}" received tensors with shapes '
            f"{shapes}"
        )
    if any(len(axis) > 1 for axis in sizes):
        raise ValueError(f'Inputs have incompatible shapes. Layer "{layer.name}" received shapes {shapes}')
    unknown = [None in axis for axis in zip(*raised, strict=True)]
    merged = [next(iter(axis), None if open_ else 1) for axis, open_ in zip(sizes, unknown, strict=True)]
    return (next(iter(batches), None), *merged[1:])


class Add(_Merging):
    """The sum of the inputs.

    >>> import tapeviz as tf
    >>> tf.keras.layers.Add()([tf.constant([[1.0]]), tf.constant([[2.0]])]).numpy()
    array([[3.]], dtype=float32)
    """

    def _merged(self, inputs: list[Any]) -> Any:
        return functools.reduce(registry["add"].run, inputs)


class Subtract(_Merging):
    """The first input minus the second.

    >>> import tapeviz as tf
    >>> tf.keras.layers.Subtract()([tf.constant([[3.0]]), tf.constant([[1.0]])]).numpy()
    array([[2.]], dtype=float32)
    """

    two = True

    def _merged(self, inputs: list[Any]) -> Any:
        return inputs[0] - inputs[1]


class Multiply(_Merging):
    """The product of the inputs, element by element.

    >>> import tapeviz as tf
    >>> tf.keras.layers.Multiply()([tf.constant([[3.0]]), tf.constant([[2.0]])]).numpy()
    array([[6.]], dtype=float32)
    """

    def _merged(self, inputs: list[Any]) -> Any:
        return functools.reduce(registry["multiply"].run, inputs)


class Average(_Merging):
    """The mean of the inputs, element by element.

    >>> import tapeviz as tf
    >>> tf.keras.layers.Average()([tf.constant([[3.0]]), tf.constant([[2.0]])]).numpy()
    array([[2.5]], dtype=float32)
    """

    def _merged(self, inputs: list[Any]) -> Any:
        return functools.reduce(registry["add"].run, inputs) / len(inputs)


class Maximum(_Merging):
    """The largest of the inputs, element by element.

    >>> import tapeviz as tf
    >>> tf.keras.layers.Maximum()([tf.constant([[3.0]]), tf.constant([[2.0]])]).numpy()
    array([[3.]], dtype=float32)
    """

    def _merged(self, inputs: list[Any]) -> Any:
        return functools.reduce(registry["maximum"].run, inputs)


class Minimum(_Merging):
    """The smallest of the inputs, element by element.

    >>> import tapeviz as tf
    >>> tf.keras.layers.Minimum()([tf.constant([[3.0]]), tf.constant([[2.0]])]).numpy()
    array([[2.]], dtype=float32)
    """

    def _merged(self, inputs: list[Any]) -> Any:
        return functools.reduce(registry["minimum"].run, inputs)


class Concatenate(_Merging):
    """The inputs concatenated along an axis.

    Args:
        axis: the axis along which they lie one behind the other.
        kwargs: what every layer takes.

    Raises:
        ValueError: the other sizes differ.

    >>> import tapeviz as tf
    >>> tf.keras.layers.Concatenate()([tf.ones([2, 3]), tf.ones([2, 1])]).shape
    TensorShape([2, 4])
    """

    def __init__(self, axis: int = -1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axis = axis

    def _check(self, shapes: list[tuple[Any, ...]]) -> None:
        self.compute_output_shape(shapes)

    def call(self, inputs: Any) -> Tensor:
        """The inputs concatenated along an axis."""
        result: Tensor = concat(list(inputs), self.axis)
        return result

    def compute_output_shape(self, input_shape: Any) -> tuple[Any, ...]:
        """The shape of what comes out."""
        shapes = [list(shape) for shape in input_shape]
        sizes = [shape.pop(self.axis) for shape in shapes]
        known = [{size for size in axis if size is not None} for axis in zip(*shapes, strict=False)]
        if len(set(map(len, shapes))) > 1 or any(len(axis) > 1 for axis in known):
            raise ValueError(
                "A `Concatenate` layer requires inputs with matching shapes except for the concatenation axis. Layer "
                f'"{self.name}" with axis={self.axis} received: input_shape={input_shape}'
            )
        merged = [next(iter(axis), None) for axis in known]
        merged.insert(self.axis % (len(merged) + 1), None if None in sizes else sum(sizes))
        return tuple(merged)

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """The masks one behind the other; inputs without one count everywhere."""
        if mask is None or all(one is None for one in mask):
            return None
        wide = [_wide_mask(convert_to_tensor(x), one) for x, one in zip(inputs, mask, strict=True)]
        return registry["reduce_any"].run(concat(wide, self.axis), (-1,), keepdims=False)

    def get_config(self) -> dict[str, Any]:
        """What the layer was made with."""
        return {**super().get_config(), **config_of(self, "axis")}


def _wide_mask(x: Any, mask: Any) -> Any:
    """The mask of the steps of a tensor as one of its elements."""
    if mask is None:
        return registry["ones"].run(x._a.shape, "bool")
    return registry["broadcast_to"].run(registry["expand_dims"].run(mask, -1), x._a.shape)


class Dot(_Merging):
    """The dot product along an axis of each of two inputs, example by example.

    Args:
        axes: the axis of both, or one of each.
        normalize: divide by the Euclidean lengths first, so that the sums are cosines.
        kwargs: what every layer takes.

    Raises:
        TypeError: ``axes`` is neither a number nor a pair.
        ValueError: the sizes of the axes differ.

    >>> import tapeviz as tf
    >>> tf.keras.layers.Dot(axes=1)([tf.constant([[1.0, 2.0]]), tf.constant([[3.0, 4.0]])]).numpy()
    array([[11.]], dtype=float32)
    """

    two = True

    def __init__(self, axes: Any, normalize: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        pair = isinstance(axes, Sequence) and len(axes) == 2  # noqa: PLR2004 - one of each input
        if not isinstance(axes, int) and not pair:
            raise TypeError(
                f"Invalid type for argument `axes`: it should be a list of two integers. Received: axes={axes}"
            )
        self.normalize: bool
        self.axes: Any
        self.axes, self.normalize = axes, normalize

    def _places(self, ranks: list[int]) -> list[int]:
        axes = [self.axes] * 2 if isinstance(self.axes, int) else list(self.axes)
        return [axis % rank for axis, rank in zip(axes, ranks, strict=True)]

    def _check(self, shapes: list[tuple[Any, ...]]) -> None:
        first, second = self._places([len(shape) for shape in shapes])
        if None not in (a := shapes[0][first], b := shapes[1][second]) and a != b:
            raise ValueError(
                f"Incompatible input shapes: axis values {a} (at axis {first}) != {b} (at axis {second}) of the inputs "
                f'of layer "{self.name}". Full input shapes: {shapes[0]}, {shapes[1]}'
            )

    def call(self, inputs: Any) -> Tensor:
        """The sums of products."""
        x, y = (convert_to_tensor(one) for one in inputs)
        first, second = self._places([x.ndim, y.ndim])
        if self.normalize:
            x, y = l2_normalize(x, first), l2_normalize(y, second)
        letters = iter("cdefghijklm")
        left = ["a", *(next(letters) for _ in range(x.ndim - 1))]
        right = ["a", *(next(letters) for _ in range(y.ndim - 1))]
        left[first] = right[second] = "b"
        kept = [letter for letter in (*left, *right[1:]) if letter != "b"]
        sums: Tensor = einsum(f"{''.join(left)},{''.join(right)}->{''.join(kept)}", x, y)
        if sums.ndim == 1:
            sums = registry["expand_dims"].run(sums, 1)
        return sums

    def compute_output_shape(self, input_shape: Any) -> tuple[Any, ...]:
        """The shape of what comes out."""
        left, right = (list(shape) for shape in input_shape)
        first, second = self._places([len(left), len(right)])
        del left[first], right[second]
        merged = left + right[1:]
        return tuple(merged) if len(merged) > 1 else (*merged, 1)

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """None: there are no steps any more."""
        return

    def get_config(self) -> dict[str, Any]:
        """What the layer was made with."""
        return {**super().get_config(), **config_of(self, "axes normalize")}


def add(inputs: Any, **kwargs: Any) -> Any:
    """The sum of the inputs: an ``Add`` layer, made and called.

    >>> import tapeviz as tf
    >>> tf.keras.layers.add([tf.constant([[1.0, 2.0]]), tf.constant([[3.0, 5.0]])]).numpy()
    array([[4., 7.]], dtype=float32)
    """
    return Add(**kwargs)(inputs)


def subtract(inputs: Any, **kwargs: Any) -> Any:
    """The first input minus the second: a ``Subtract`` layer, made and called.

    >>> import tapeviz as tf
    >>> tf.keras.layers.subtract([tf.constant([[1.0, 2.0]]), tf.constant([[3.0, 5.0]])]).numpy()
    array([[-2., -3.]], dtype=float32)
    """
    return Subtract(**kwargs)(inputs)


def multiply(inputs: Any, **kwargs: Any) -> Any:
    """The product of the inputs: a ``Multiply`` layer, made and called.

    >>> import tapeviz as tf
    >>> tf.keras.layers.multiply([tf.constant([[1.0, 2.0]]), tf.constant([[3.0, 5.0]])]).numpy()
    array([[ 3., 10.]], dtype=float32)
    """
    return Multiply(**kwargs)(inputs)


def average(inputs: Any, **kwargs: Any) -> Any:
    """The mean of the inputs: an ``Average`` layer, made and called.

    >>> import tapeviz as tf
    >>> tf.keras.layers.average([tf.constant([[1.0, 2.0]]), tf.constant([[3.0, 5.0]])]).numpy()
    array([[2. , 3.5]], dtype=float32)
    """
    return Average(**kwargs)(inputs)


def maximum(inputs: Any, **kwargs: Any) -> Any:
    """The largest of the inputs: a ``Maximum`` layer, made and called.

    >>> import tapeviz as tf
    >>> tf.keras.layers.maximum([tf.constant([[1.0, 2.0]]), tf.constant([[3.0, 5.0]])]).numpy()
    array([[3., 5.]], dtype=float32)
    """
    return Maximum(**kwargs)(inputs)


def minimum(inputs: Any, **kwargs: Any) -> Any:
    """The smallest of the inputs: a ``Minimum`` layer, made and called.

    >>> import tapeviz as tf
    >>> tf.keras.layers.minimum([tf.constant([[1.0, 2.0]]), tf.constant([[3.0, 5.0]])]).numpy()
    array([[1., 2.]], dtype=float32)
    """
    return Minimum(**kwargs)(inputs)


def concatenate(inputs: Any, axis: int = -1, **kwargs: Any) -> Any:
    """The inputs concatenated: a ``Concatenate`` layer, made and called.

    >>> import tapeviz as tf
    >>> tf.keras.layers.concatenate([tf.constant([[1.0, 2.0]]), tf.constant([[3.0, 5.0]])]).numpy()
    array([[1., 2., 3., 5.]], dtype=float32)
    """
    return Concatenate(axis=axis, **kwargs)(inputs)


def dot(inputs: Any, axes: Any = -1, **kwargs: Any) -> Any:
    """The dot product along an axis of each: a ``Dot`` layer, made and called.

    >>> import tapeviz as tf
    >>> tf.keras.layers.dot([tf.constant([[1.0, 2.0]]), tf.constant([[3.0, 5.0]])]).numpy()
    array([[13.]], dtype=float32)
    """
    return Dot(axes=axes, **kwargs)(inputs)
