"""Models: layers that are trained, saved and asked together."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final, Self

from tapeviz.engine import nest
from tapeviz.keras.layers.init_arguments import given_to, is_silent, keep_given
from tapeviz.keras.layers.input_layer import InputLayer
from tapeviz.keras.layers.keras_tensors import forms_for, is_keras_tensor
from tapeviz.keras.layers.layer import Layer
from tapeviz.keras.layers.op_layer import OpLayer
from tapeviz.keras.layers.shapes import shapes_of
from tapeviz.keras.masks import set_mask
from tapeviz.keras.models.network import Network
from tapeviz.keras.models.network_configs import config_of, network_of
from tapeviz.keras.models.summary import print_summary
from tapeviz.keras.saving.inference import inference
from tapeviz.keras.saving.model_files import save_model
from tapeviz.keras.saving.weight_files import read_weights, write_weights
from tapeviz.keras.serialization import serialize_keras_object
from tapeviz.keras.training.trainer import Trainer
from tapeviz.onnx.exporter import export as write_onnx
from tapeviz.saved_model.saver import save as write_saved_model

__all__ = ["Model"]


# The attributes in which models have their layers in order.
_STEPS: Final = ("_chain", "_steps")


class Model(Trainer, Layer, builds=False):
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
    _whole: Network | None = None  # with what is added to the loss
    _uses: list[tuple[Any, Callable[[Any], Any]]]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Such a class may leave it to this one to say its arguments."""
        super().__init_subclass__(**kwargs)
        cls._silent = is_silent(cls, Model)
        if cls._silent:
            keep_given(cls)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if len(args) > 1 or any(map(is_keras_tensor, nest.flatten(args))) or kwargs.keys() & {"inputs", "outputs"}:
            inputs, outputs, name, rest = _network_arguments(*args, **kwargs)
            super().__init__(name=name, **rest)
            self.autocast = False  # each input becomes what its symbol is, not what the model is
            self._set_network(Network(inputs, outputs, self.name))
            self._scoped = False
            if not self._trainable:
                self.trainable = False
            return
        if args and isinstance(args[0], str):
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
        if self._whole is None:
            return self._network.run(inputs)
        outputs, values = self._whole.run(inputs)
        for (_, use), value in zip(self._uses, values, strict=True):
            use(value)
        return outputs

    def add_loss(self, loss: Any) -> None:
        """Add to the loss: as :meth:`Layer.add_loss`; or a tensor of the model, made of its inputs and outputs.

        A model's configuration does not tell of such tensors: one that is loaded is without them.

        >>> import tapeviz as tf
        >>> x = tf.keras.Input((2,))
        >>> y = tf.keras.layers.Dense(2)(x)
        >>> model = tf.keras.Model(x, y)
        >>> model.add_loss(tf.reduce_mean((y - x) ** 2))
        >>> model.compile("sgd")
        >>> list(model.fit(tf.ones([4, 2]), verbose=0).history)
        ['loss']
        """
        for one in loss if isinstance(loss, (list, tuple)) else [loss]:
            if is_keras_tensor(one):
                self._use(one, super().add_loss)
            else:
                super().add_loss(one)

    def add_metric(self, value: Any, name: str | None = None, aggregation: str | None = "mean") -> None:
        """Take a tensor into account in a mean: as :meth:`Layer.add_metric`; or a tensor of the model."""
        if is_keras_tensor(value):
            self._use(value, lambda found: super(Model, self).add_metric(found, name, aggregation))
        else:
            super().add_metric(value, name, aggregation)

    def _use(self, tensor: Any, use: Callable[[Any], Any]) -> None:
        """Have each call of the model compute a tensor more, and do this with it."""
        network: Any = self._network
        fields = self.__dict__
        fields["_uses"] = [*fields.get("_uses", ()), (tensor, use)]
        fields["_whole"] = Network(network.inputs, (network.outputs, [one for one, _ in fields["_uses"]]), self.name)

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

    # Files.

    def _checkpoint_children(self) -> list[tuple[str, Any]]:
        """What a checkpoint keeps of the model: layers by number where it is made of a list of them, and attributes."""
        own: list[tuple[str, Any]] = super()._checkpoint_children()
        steps = [layer for name, part in own if name in _STEPS for layer in part if not isinstance(layer, InputLayer)]
        layers = [(f"layer-{number}", layer) for number, layer in enumerate(steps)]
        return [*layers, *((name, part) for name, part in own if name not in _STEPS)]

    def _inference(self) -> Any:
        """Calling the model without training, as a traced function; None where it has not been built."""
        return inference(self)

    def save(self, filepath: Any, overwrite: bool = True, zipped: Any = None, **kwargs: Any) -> None:
        """Write the model to one file, from which :func:`load_model` makes it again without the code that made it.

        Args:
            filepath: the file; its name ends in ``.keras``. Under ``.h5``, or without an ending, the same is written,
                with a warning: older programs find there what they saved.
            overwrite: whether a file of this name is replaced.
            zipped: accepted as Keras does.
            **kwargs: ``include_optimizer=False`` leaves out the optimizer's state.

        Raises:
            ValueError: the name has another ending.
            FileExistsError: the file is there and must not be replaced.
            NotImplementedError: a class of one's own does not say its config.
            PermissionDeniedError, NotFoundError, FailedPreconditionError, ResourceExhaustedError: the file cannot be
                written. One of this name that was there before is there as it was.
        """
        save_model(self, filepath, overwrite, zipped, **kwargs)

    def export(self, filepath: Any, format: str = "tf_saved_model", input_signature: Any = None) -> None:
        """Write the model's computation of outputs, without training.

        Args:
            filepath: a folder for :func:`tapeviz.saved_model.load`, or with ``format="onnx"`` a file.
            format: ``"tf_saved_model"`` or ``"onnx"``.
            input_signature: a :class:`TensorSpec` an input; by default the shape that the model was built for, with any
                number of rows.

        Raises:
            ValueError: the model has not been built, or the format is none of these.
            UnimplementedError: an op cannot be written: which one, and where it comes from.
        """
        if format not in ("tf_saved_model", "onnx"):
            raise ValueError(f"Unrecognized format={format}. Supported formats are: tf_saved_model, onnx.")
        computed = inference(self, input_signature)
        if computed is None:
            raise ValueError(
                "This model has not yet been built. Call it on some data first, or give an input_signature."
            )
        if format == "onnx":
            write_onnx(computed, filepath)
        else:
            write_saved_model(self, filepath, signatures=computed)

    def save_weights(self, filepath: Any, overwrite: bool = True, save_format: Any = None) -> None:
        """Write the weights under a prefix, such as ``"weights"`` or ``"./folder/my.weights.h5"``.

        Args:
            filepath: the prefix. It is one of a checkpoint, whatever it ends in.
            overwrite: whether weights that are there are replaced.
            save_format: accepted as TensorFlow does.

        Raises:
            ValueError: the model has not been built.
            FileExistsError: there are weights, which must not be replaced.
            PermissionDeniedError, NotFoundError, FailedPreconditionError, ResourceExhaustedError: the files cannot be
                written. Weights that were there before are there as they were.

        >>> import tapeviz as tf, tempfile
        >>> first, second = (tf.keras.Sequential([tf.keras.layers.Dense(2)]) for _ in range(2))
        >>> x = tf.ones([1, 3])
        >>> before = first(x).numpy()
        >>> prefix = tempfile.mkdtemp() + "/weights"
        >>> first.save_weights(prefix)
        >>> status = second.load_weights(prefix)
        >>> (second(x).numpy() == before).all(), status.assert_consumed() is not None
        (np.True_, True)
        """
        write_weights(self, filepath, overwrite)

    def load_weights(
        self, filepath: Any, skip_mismatch: bool = False, by_name: bool = False, options: Any = None
    ) -> Any:
        """Give the model the weights under a prefix. Layers that are not built yet get theirs as they make them.

        Args:
            filepath: the prefix.
            skip_mismatch: leave weights as they are for which none of the shape was saved, and say which.
            by_name: match weights by their names, and not by where the model has them.
            options: accepted as TensorFlow does.

        Returns:
            A status with ``assert_consumed``, ``assert_existing_objects_matched`` and ``expect_partial``.

        Raises:
            FileNotFoundError: there are no weights under the prefix; it is a NotFoundError, too.
            ValueError: the model has other weights than those saved; a table says which. Nothing was changed.
            DataLossError: a file is damaged: which, and which weight. Nothing was changed.
        """
        return read_weights(self, filepath, skip_mismatch=skip_mismatch, by_name=by_name)


def _network_arguments(
    inputs: Any = None, outputs: Any = None, name: str | None = None, **rest: Any
) -> tuple[Any, Any, Any, dict[str, Any]]:
    if inputs is None or outputs is None:
        raise ValueError("A model is made of `inputs` and `outputs`; one of them is missing.")
    return inputs, outputs, name, rest
