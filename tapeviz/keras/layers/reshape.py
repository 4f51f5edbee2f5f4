"""Layers that arrange the elements of each example otherwise."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import registry
from tapeviz.engine.tensor import Tensor
from tapeviz.keras.layers.input_spec import InputSpec
from tapeviz.keras.layers.layer import Layer
from tapeviz.keras.layers.parameters import config_of

__all__ = ["Permute", "RepeatVector", "Reshape"]


class Reshape(Layer):
    """Each example in another shape.

    Args:
        target_shape: the shape of an example; one size may be -1, "what is left".
        kwargs: what every layer takes.

    Raises:
        ValueError: the number of elements does not fit.

    >>> import tapeviz as tf
    >>> tf.keras.layers.Reshape((2, -1))(tf.ones([3, 8])).shape
    TensorShape([3, 2, 4])
    """

    def __init__(self, target_shape: Iterable[int], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.target_shape: tuple[int, ...] = tuple(target_shape)
        if self.target_shape.count(-1) > 1:
            raise ValueError(
                f"There must be at most one unknown dimension (-1) in target_shape. Received: "
                f"target_shape={self.target_shape}."
            )

    def call(self, inputs: Any) -> Tensor:
        """Each example in the shape asked for."""
        inputs = convert_to_tensor(inputs)
        self.compute_output_shape(tuple(inputs.shape))
        result: Tensor = registry["reshape"].run(inputs, (inputs._a.shape[0], *self.target_shape))
        return result

    def compute_output_shape(self, input_shape: Any) -> tuple[Any, ...]:
        """The shape of what comes out."""
        sizes, wanted = tuple(input_shape[1:]), self.target_shape
        if None in sizes:
            return (input_shape[0], *(None if size == -1 else size for size in wanted))
        whole, said = math.prod(sizes), math.prod(size for size in wanted if size != -1)
        if (said != whole) if -1 not in wanted else (said == 0 or whole % said):
            raise ValueError(
                f'The total size of the tensor must be unchanged: layer "{self.name}" has target_shape={wanted}, which '
                f"does not hold the {whole} elements of an example. Received: input_shape={tuple(input_shape)}"
            )
        return (input_shape[0], *(whole // said if size == -1 else size for size in wanted))

    def get_config(self) -> dict[str, Any]:
        """What the layer was made with."""
        return {**super().get_config(), **config_of(self, "target_shape")}


class Permute(Layer):
    """The axes of each example in another order.

    Args:
        dims: the axes, counted from 1, in the order that they are to have.
        kwargs: what every layer takes.

    Raises:
        ValueError: ``dims`` is not an order of the axes, or the input has another rank.

    >>> import tapeviz as tf
    >>> tf.keras.layers.Permute((2, 1))(tf.ones([5, 2, 3])).shape
    TensorShape([5, 3, 2])
    """

    def __init__(self, dims: Iterable[int], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.dims: tuple[int, ...] = tuple(dims)
        if sorted(self.dims) != list(range(1, len(self.dims) + 1)):
            raise ValueError(
                "Invalid permutation argument `dims` for Permute Layer. The set of indices in `dims` must be "
                f"consecutive and start from 1. Received dims={dims}"
            )
        self.input_spec: Any = InputSpec(ndim=len(self.dims) + 1)

    def call(self, inputs: Any) -> Tensor:
        """The examples with their axes in the order asked for."""
        result: Tensor = registry["transpose"].run(inputs, (0, *self.dims))
        return result

    def compute_output_shape(self, input_shape: Any) -> tuple[Any, ...]:
        """The shape of what comes out."""
        return (input_shape[0], *(input_shape[axis] for axis in self.dims))

    def get_config(self) -> dict[str, Any]:
        """What the layer was made with."""
        return {**super().get_config(), **config_of(self, "dims")}


class RepeatVector(Layer):
    """Each example several times, as a sequence.

    Args:
        n: how many times.
        kwargs: what every layer takes.

    Raises:
        TypeError: ``n`` is not an integer.
        ValueError: ``n`` is not positive, or examples are not vectors.

    >>> import tapeviz as tf
    >>> tf.keras.layers.RepeatVector(3)(tf.ones([2, 4])).shape
    TensorShape([2, 3, 4])
    """

    def __init__(self, n: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if not isinstance(n, int) or isinstance(n, bool):
            raise TypeError(f"Expected an integer value for `n`, got {type(n)}.")
        if n <= 0:
            raise ValueError(f"Argument `n` should be a positive integer. Received: n={n}")
        self.n = n
        self.input_spec: Any = InputSpec(ndim=2)

    def call(self, inputs: Any) -> Tensor:
        """Each vector ``n`` times."""
        inputs = convert_to_tensor(inputs)
        examples, size = inputs._a.shape
        result: Tensor = registry["broadcast_to"].run(registry["expand_dims"].run(inputs, 1), (examples, self.n, size))
        return result

    def compute_output_shape(self, input_shape: Any) -> tuple[Any, ...]:
        """The shape of what comes out."""
        return (input_shape[0], self.n, input_shape[1])

    def get_config(self) -> dict[str, Any]:
        """What the layer was made with."""
        return {**super().get_config(), **config_of(self, "n")}
