"""Models: layers that are trained, saved and asked together."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Self

from tapeviz.engine import nest
from tapeviz.keras.layers.base import Layer
from tapeviz.keras.layers.given import given_to, is_silent, keep_given
from tapeviz.keras.layers.masks import set_mask
from tapeviz.keras.layers.op_layer import OpLayer
from tapeviz.keras.layers.shapes import shapes_of
from tapeviz.keras.models.keras_tensors import forms_for
from tapeviz.keras.models.network import Network
from tapeviz.keras.models.network_configs import config_of, network_of
from tapeviz.keras.models.summary import print_summary
from tapeviz.keras.saving.model_saving import Saved
from tapeviz.keras.serializing import serialize_keras_object
from tapeviz.keras.training.trainer import Trainer

__all__ = ["Model"]


class Model(Trainer, Saved, Layer, builds=False):
    """A model, written as a class with layers in attributes and ``call``; or made of inputs and outputs.

    Args:
        inputs: tensors made by :func:`Input`: one, or a list or dict of them.
        outputs: what layers, or ops, made of them.
        name: its name.

    Raises:
        ValueError: the outputs do not follow from the inputs.

    >>> import tapeviz as tf
    >>> class Net(tf.keras.Model):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.hidden = tf.keras.layers.Dense(4, activation="relu")
    ...         self.last = tf.keras.layers.Dense(1)
    ...     def call(self, x):
    ...         return self.last(self.hidden(x))
    >>> net = Net()
    >>> net(tf.ones([2, 3])).shape, net.count_params()
    (TensorShape([2, 1]), 21)

    >>> x = tf.keras.Input((3,))
    >>> y = tf.keras.layers.Dense(4, activation="relu")(x)
    >>> tf.keras.Model(x, tf.keras.layers.Dense(1)(y) + 1.0).output_shape
    (None, 1)
    """

    _network: Network | None = None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Such a class may leave it to this one to say its arguments."""
        super().__init_subclass__(**kwargs)
        cls._silent = is_silent(cls, Model)
        if cls._silent:
            keep_given(cls)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if (args and not isinstance(args[0], str)) or "inputs" in kwargs or "outputs" in kwargs:
            inputs, outputs, name, rest = _network_arguments(*args, **kwargs)
            super().__init__(name=name, **rest)
            self.autocast = False  # each input becomes what its symbol is, not what the model is
            self._set_network(Network(inputs, outputs, self.name))
            self._scoped = False
            if not self._trainable:
                self.trainable = False
            return
        if args:
            kwargs = {"name": args[0], **kwargs}
        super().__init__(**kwargs)

    def _set_network(self, network: Network | None) -> None:
        """Be the model of these steps; the layers in them are the model's."""
        self.__dict__["_network"] = network
        self._tracked["_steps"] = [] if network is None else network.layers
        self.__dict__["_passes_on"] = self.built = network is not None

    def call(self, *args: Any, **kwargs: Any) -> Any:
        """What the model computes. One written as a class says it here.

        Raises:
            NotImplementedError: it does not.
        """
        if self._network is None:
            raise NotImplementedError(
                f"Model {type(self).__name__} does not have a `call()` method implemented: give the class a method "
                "`call(self, inputs)` that says what the model computes."
            )
        inputs = args[0] if args else kwargs["inputs"]
        mask = args[2] if len(args) > 2 else kwargs.get("mask")  # noqa: PLR2004 - after inputs and training
        if mask is not None:
            for tensor, one in zip(nest.flatten(inputs), nest.flatten(mask), strict=False):
                set_mask(tensor, one)
        return self._network.run(inputs)

    def build(self, input_shape: Any = None) -> None:
        """Make the weights for inputs of a shape, with the batch.

        Raises:
            ValueError: the shape is None, or the model cannot be built from a shape alone.
        """
        if self.built or type(self).call is Model.call:
            self.built = True
            return
        if input_shape is None:
            raise ValueError(f"You can only build the model {self.name!r} with the shape of its inputs, or by calling "
                             "it with data.")  # fmt: skip
        self.built = True  # its layers are built by the call below
        if not self._building:
            forms_for(self, shapes_of(input_shape), self.compute_dtype)

    def _build_for(self, first: Any, arguments: dict[str, Any]) -> None:
        """A model's layers are built when they are called; what is the model's own is built now."""
        if type(self).build is Model.build:
            self.built: bool = True
            self.__dict__["_build_shape"] = shapes_of(first)
        else:
            super()._build_for(first, arguments)

    # What it is made of.

    @property
    def layers(self) -> list[Layer]:
        """The layers directly in the model."""
        found = self._flatten_layers(recursive=False, include_self=False)
        return [layer for layer in found if not isinstance(layer, OpLayer)]

    def get_layer(self, name: str | None = None, index: int | None = None) -> Layer:
        """The layer of that name, or at that place.

        Raises:
            ValueError: there is none.
        """
        layers = self.layers
        if index is not None:
            if index >= len(layers):
                raise ValueError(
                    f"Was asked to retrieve layer at index {index} but model only has {len(layers)} layers."
                )
            return layers[index]
        if name is None:
            raise ValueError("Provide either a layer name or layer index at `get_layer`.")
        for layer in layers:
            if layer.name == name:
                return layer
        raise ValueError(f"No such layer: {name}. Existing layers are: {[layer.name for layer in layers]}.")

    @property
    def _summarized(self) -> list[Layer]:
        """The layers that a summary lists: ops too."""
        return self._flatten_layers(recursive=False, include_self=False)

    @property
    def _shows_connections(self) -> bool:
        """Whether a summary says what each layer takes, where that is not simply the one before."""
        return True

    @property
    def inputs(self) -> list[Any] | None:
        """The tensors that stand for the inputs; None for a model written as a class."""
        return None if self._network is None else list(self._network.flat_inputs)

    @property
    def outputs(self) -> list[Any] | None:
        """The tensors that stand for the outputs; None for a model written as a class."""
        return None if self._network is None else list(self._network.flat_outputs)

    @property
    def input(self) -> Any:
        """The tensors that stand for the inputs, as the model was made with them."""
        return super().input if self._network is None else self._network.inputs

    @property
    def output(self) -> Any:
        """The tensors that stand for the outputs, as the model was made with them."""
        return super().output if self._network is None else self._network.outputs

    @property
    def input_names(self) -> list[str]:
        """The names of the inputs."""
        return [] if self._network is None else self._network.input_names

    @property
    def output_names(self) -> list[str]:
        """The names of the layers that give the outputs."""
        return [] if self._network is None else self._network.output_names

    @property
    def input_shape(self) -> Any:
        """The shape of the input, or a structure of those of the inputs."""
        return nest.map_structure(lambda tensor: tensor.shape.dims, self.input)

    @property
    def output_shape(self) -> Any:
        """The shape of the output, or a structure of those of the outputs."""
        return nest.map_structure(lambda tensor: tensor.shape.dims, self.output)

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The shape of what the model gives for inputs of a shape."""
        return super().compute_output_shape(input_shape)

    def summary(
        self, line_length: int | None = None, positions: Any = None, print_fn: Callable[[str], Any] | None = None,
        expand_nested: bool = False, show_trainable: bool = False, layer_range: Any = None,
    ) -> None:  # fmt: skip
        """Print the layers with their shapes and the number of their weights.

        Args:
            line_length: how wide the table is; as wide as is needed by default.
            positions: accepted as Keras does.
            print_fn: called with the text instead of ``print``.
            expand_nested: whether layers of models inside are listed too.
            show_trainable: whether a column says what is trained.
            layer_range: names of the first and the last layer to list.

        >>> import tapeviz as tf
        >>> model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(1, name="out")], name="small")
        >>> model.summary(print_fn=lambda text: print(text.splitlines()[0]))
        Model: "small"
        """
        print_summary(self, print_fn or print, width=line_length, nested=expand_nested, trained=show_trainable,
                      names=layer_range)  # fmt: skip

    # Configs.

    def get_config(self) -> dict[str, Any]:
        """The model as plain data: its layers and how they are connected, or what its class says.

        A class may leave it out where its arguments are plain numbers, words or structures of these.

        Raises:
            NotImplementedError: it leaves it out, and they are not.
        """
        base = {"name": self.name, "trainable": self.trainable}
        if self._network is not None and type(self).__init__ is Model.__init__:
            return {**base, **config_of(self._network)}
        return given_to(self, {**base, "dtype": self.dtype}) if self._silent else {**base, "dtype": self.dtype}

    def to_json(self, **kwargs: Any) -> str:
        """The config as text, from which :func:`model_from_json` makes the model again, with new weights."""
        return json.dumps(serialize_keras_object(self), **kwargs)

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: dict[str, Any] | None = None) -> Self:
        """The model of a config."""
        if "input_layers" not in config:
            return cls(**config)
        inputs, outputs = network_of(config, custom_objects)
        return cls(inputs=inputs, outputs=outputs, name=config.get("name"), trainable=config.get("trainable", True))


def _network_arguments(
    inputs: Any = None, outputs: Any = None, name: str | None = None, **rest: Any
) -> tuple[Any, Any, Any, dict[str, Any]]:
    if inputs is None or outputs is None:
        raise ValueError("A model is made of `inputs` and `outputs`; one of them is missing.")
    return inputs, outputs, name, rest
