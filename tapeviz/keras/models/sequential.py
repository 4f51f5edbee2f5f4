"""``Sequential``: layers one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from tapeviz.engine import nest
from tapeviz.engine.tensor import Tensor
from tapeviz.keras.layers.input_layer import InputLayer
from tapeviz.keras.layers.keras_tensors import is_keras_tensor
from tapeviz.keras.layers.layer import Layer
from tapeviz.keras.layers.shapes import is_shape, shapes_of
from tapeviz.keras.masks import set_mask
from tapeviz.keras.models.model import Model
from tapeviz.keras.models.network import Network
from tapeviz.keras.models.network_configs import layer_config
from tapeviz.keras.serialization import deserialize_keras_object

__all__ = ["Sequential"]


class Sequential(Model, builds=False):
    """A linear stack of layers.

    It is built when it is first called, or at once where the first layer says ``input_shape`` or an :func:`Input` comes
    before it.

    Args:
        layers: the layers.
        trainable: whether training changes them.
        name: the model's name.

    Raises:
        ValueError: something is not a layer, a name is there twice, or a layer does not fit the one before.

    >>> import tapeviz as tf
    >>> model = tf.keras.Sequential([tf.keras.layers.Dense(4, activation="relu"), tf.keras.layers.Dense(1)])
    >>> model(tf.ones([2, 3])).shape
    TensorShape([2, 1])
    >>> [layer.count_params() for layer in model.layers]
    [16, 5]
    """

    _scoped = False
    _passes_on = True

    if TYPE_CHECKING:  # one tensor comes out, so one array does

        def predict(
            self, x: Any, batch_size: int | None = None, verbose: str | int = "auto", steps: int | None = None,
            callbacks: Any = None,
        ) -> np.ndarray:  # fmt: skip
            """The output for inputs, batch by batch, as :meth:`Model.predict` gives it."""

        def predict_on_batch(self, x: Any) -> np.ndarray:
            """The output for a batch."""

    def __init__(self, layers: Sequence[Any] | None = None, trainable: bool = True, name: str | None = None) -> None:
        Layer.__init__(self, trainable=trainable, name=name)
        self._chain: list[Layer] = []
        self.__dict__["_first"] = None
        for layer in layers or ():
            self.add(layer)
        if not trainable:
            self.trainable = False

    # What it is made of.

    def add(self, layer: Any, rebuild: bool = True) -> None:
        """Put a layer at the end.

        Raises:
            ValueError: it is not a layer, its name is taken, or it does not fit.
        """
        if is_keras_tensor(layer) and layer._node.call is not None:
            layer = layer._node.call.layer
        if not isinstance(layer, Layer):
            hint = ". Put the function into a `keras.layers.Lambda`" if callable(layer) else ""
            raise ValueError(  # noqa: TRY004 - Keras' error
                f"Only instances of `keras.Layer` can be added to a Sequential model. Received: {layer} (of type "
                f"{type(layer)}){hint}"
            )
        if any(layer.name == one.name and layer is not one for one in self._chain):
            raise ValueError(
                f'All layers added to a Sequential model should have unique names. Name "{layer.name}" is already the '
                "name of a layer in this model. Update the `name` argument to pass a unique name."
            )
        if isinstance(layer, InputLayer):
            if self._chain or self._first is not None:
                raise ValueError(f"Sequential model '{self.name}' has already been configured to use input shape "
                                 f"{self._shape()}. You cannot add a different Input layer to it.")  # fmt: skip
            self._begin(layer)
            return
        if not self._chain and self._first is None:
            self._begin_with(layer)
        self._chain.append(layer)
        if not self._trainable:
            layer.trainable = False
        if self._first is not None:
            self._extend(layer)

    _first: InputLayer | None
    _network: Network | None

    def _begin_with(self, layer: Layer) -> None:
        """The first layer, which may say what comes in."""
        shape = layer._batch_shape
        if shape is None and isinstance(layer, Model) and layer._network is not None and len(layer.inputs or []) == 1:
            shape = layer.input_shape if is_shape(layer.input_shape) else None
        if shape is not None:
            self._begin(InputLayer(batch_shape=shape, dtype=layer.compute_dtype))

    def _begin(self, first: InputLayer) -> None:
        self.__dict__["_first"] = first
        self.__dict__["_network"] = None
        self.__dict__["_last"] = first.output

    _last: Any

    def _extend(self, layer: Layer) -> None:
        """Take a layer in that follows on those that are built."""
        try:
            self.__dict__["_last"] = layer(self._last)
        except BaseException:
            self._chain.remove(layer)
            raise
        self._finish()

    def _finish(self) -> None:
        first = self._first
        assert first is not None  # noqa: S101 - whoever calls this has begun
        if self._chain and all(is_keras_tensor(leaf) for leaf in nest.flatten(self._last)):
            self.__dict__["_network"] = Network(first.output, self._last, self.name)
        if self._chain:
            self.__dict__["_build_shape"] = first.batch_shape
            self.built = True

    def pop(self, rebuild: bool = True) -> Layer:
        """Take the last layer away.

        Raises:
            IndexError: there is none.
        """
        if not self._chain:
            raise IndexError(f"There are no layers in the model {self.name!r}.")
        gone = self._chain.pop()
        self.__dict__["_network"], self.__dict__["_seen"] = None, None
        self.built = False
        if self._first is not None:
            self.__dict__["_last"] = self._first.output
            for layer in self._chain:
                self.__dict__["_last"] = layer(self._last)
            self._finish()
        return gone

    @property
    def layers(self) -> list[Layer]:
        """The layers."""
        return list(self._chain)

    @property
    def _summarized(self) -> list[Layer]:
        """The layers that a summary lists."""
        return list(self._chain)

    @property
    def _shows_connections(self) -> bool:
        """Whether a summary says what each layer takes: here it is always the one before."""
        return False

    def _shape(self) -> Any:
        return None if self._first is None else self._first.batch_shape

    # Building and calling.

    def build(self, input_shape: Any = None) -> None:
        """Make the weights for inputs of a shape, with the batch.

        Raises:
            ValueError: the model has no layers, or no shape is given.
        """
        if not self._chain:
            raise ValueError(f"Sequential model {self.name} cannot be built because it has no layers. Call "
                             "`model.add(layer)`.")  # fmt: skip
        if self._first is not None:
            self.built = True
            return
        if input_shape is None:
            raise ValueError(f"You must provide an `input_shape` argument to build the model {self.name!r}.")
        shape = shapes_of(input_shape)
        self.built = True
        if not is_shape(shape):
            return
        try:
            self._begin(InputLayer(batch_shape=shape, dtype=self._chain[0].compute_dtype))
            for layer in self._chain:
                self.__dict__["_last"] = layer(self._last)
            self._finish()
        except (AttributeError, NotImplementedError):  # a layer that needs values: each is built when it is called
            self.__dict__["_first"] = self.__dict__["_network"] = None
        except BaseException:
            self.__dict__["_first"] = None
            self.built: bool = False
            raise

    def _build_for(self, first: Any, arguments: dict[str, Any]) -> None:
        shape = shapes_of(first)
        self.build((None, *shape[1:]) if is_shape(shape) and shape else shape)

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Tensor:
        """What the last layer gives."""
        __tracebackhide__ = True
        if mask is not None:
            set_mask(inputs, mask)
        network = self._network
        result: Tensor = inputs if network is None else network.adapt(inputs, casts=self._chain[0].autocast)
        for layer in self._chain:
            result = layer(result)
        return result

    # Configs.

    def get_config(self) -> dict[str, Any]:
        """The layers as plain data."""
        first = [] if self._first is None else [layer_config(self._first)]
        config = {"name": self.name, "trainable": self.trainable, "dtype": self.dtype,
                  "layers": [*first, *map(layer_config, self._chain)]}  # fmt: skip
        return config if self._first is None else {**config, "build_input_shape": self._first.batch_shape}

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: dict[str, Any] | None = None) -> Self:
        """The model of a config."""
        model = cls(name=config.get("name"))
        for one in config["layers"]:
            model.add(deserialize_keras_object(one, custom_objects))
        if model.trainable != config.get("trainable", True):
            model.trainable = False
        return model
