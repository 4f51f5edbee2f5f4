"""Where a model begins: ``Input``, and the layer that stands for it."""

from __future__ import annotations

from typing import Any

from tapeviz.engine.dtypes import as_dtype
from tapeviz.engine.shapes import TensorShape
from tapeviz.keras.floats import floatx
from tapeviz.keras.layers.keras_tensors import new_input
from tapeviz.keras.layers.layer import Layer

__all__ = ["Input", "InputLayer"]


class InputLayer(Layer):
    """The layer that stands for an input of a model. :func:`Input` makes one.

    Args:
        shape: the shape without the batch; None for sizes that are not known.
        batch_size: the size of the batch, where it is always the same.
        dtype: the dtype.
        batch_shape: the shape with the batch, instead of the two.
        name: its name.

    >>> import tapeviz as tf
    >>> model = tf.keras.Sequential([tf.keras.layers.InputLayer(shape=(3,)), tf.keras.layers.Dense(2)])
    >>> model.output_shape
    (None, 2)
    """

    def __init__(
        self, shape: Any = None, batch_size: int | None = None, dtype: Any = None, sparse: Any = None,
        ragged: Any = None, batch_shape: Any = None, input_tensor: Any = None, optional: bool = False,
        name: str | None = None, input_shape: Any = None, batch_input_shape: Any = None,
    ) -> None:  # fmt: skip
        kind = floatx() if dtype is None else as_dtype(dtype).name
        super().__init__(name=name)
        self.__dict__["_dtype"] = kind
        shape = input_shape if shape is None else shape
        whole = batch_input_shape if batch_shape is None else batch_shape
        if shape is None and whole is None:
            raise ValueError("You must pass a `shape` argument.")
        if shape is not None and whole is not None:
            raise ValueError("You cannot pass both `shape` and `batch_shape` at the same time.")
        dims = TensorShape(whole if shape is None else shape).dims
        if dims is None:
            raise ValueError(f"The rank of an input must be known. Received: {shape or whole}")
        self.batch_shape: tuple[int | None, ...] | tuple[int | None, *tuple[int | None, ...]] = (
            dims if shape is None else (batch_size, *dims)
        )
        new_input(self, self.batch_shape, kind, self.name)
        self.built = True

    def call(self, *args: Any, **kwargs: Any) -> Any:
        """The input as it is."""
        return args[0]

    def get_config(self) -> dict[str, Any]:
        """The arguments with which it was made."""
        return {"batch_shape": self.batch_shape, "dtype": self.dtype, "name": self.name}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> InputLayer:
        """A layer with these arguments."""
        return cls(**{key: value for key, value in config.items() if key not in ("sparse", "ragged", "trainable")})


def Input(
    shape: Any = None, batch_size: int | None = None, dtype: Any = None, sparse: Any = None, batch_shape: Any = None,
    name: str | None = None, tensor: Any = None, optional: bool = False,
) -> Any:  # fmt: skip
    """A tensor that stands for an input: layers called with it make a model, see :class:`Model`.

    Args:
        shape: the shape without the batch; None for sizes that are not known.
        batch_size: the size of the batch, where it is always the same.
        dtype: the dtype; that of :func:`floatx` by default.
        sparse: accepted as Keras does.
        batch_shape: the shape with the batch, instead of the two.
        name: the input's name.
        tensor: accepted as Keras does.
        optional: accepted as Keras does.

    Raises:
        ValueError: there is no shape, or two.

    >>> import tapeviz as tf
    >>> x = tf.keras.Input((3,))
    >>> tf.keras.Model(x, 2 * x)(tf.ones([1, 3])).numpy()
    array([[2., 2., 2.]], dtype=float32)
    """
    return InputLayer(shape=shape, batch_size=batch_size, dtype=dtype, batch_shape=batch_shape, name=name).output
