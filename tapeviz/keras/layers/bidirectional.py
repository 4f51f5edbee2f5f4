"""A recurrent layer that goes along sequences in both directions."""

from __future__ import annotations

from typing import Any

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import registry
from tapeviz.keras.layers.layer import Layer
from tapeviz.keras.layers.parameters import config_of
from tapeviz.keras.serialization import deserialize_keras_object, serialize_keras_object
from tapeviz.ops.array.concat import concat

__all__ = ["Bidirectional"]


class Bidirectional(Layer):
    """A bidirectional recurrent layer: one from the first step to the last and one back, their outputs merged.

    Args:
        layer: a recurrent layer, of which the two are made.
        merge_mode: how the outputs become one: ``"concat"``, ``"sum"``, ``"mul"``, ``"ave"``; None for both.
        weights: values to begin with, of the first layer and then of the second.
        backward_layer: the second layer, where it is another.
        kwargs: what every layer takes.

    Raises:
        ValueError: ``layer`` is not a layer, ``merge_mode`` none of these, or the two do not go together.

    >>> import tapeviz as tf
    >>> layer = tf.keras.layers.Bidirectional(tf.keras.layers.LSTM(4, return_sequences=True))
    >>> layer(tf.ones([2, 5, 3])).shape
    TensorShape([2, 5, 8])
    """

    def __init__(
        self,
        layer: Any,
        merge_mode: str | None = "concat",
        weights: Any = None,
        backward_layer: Any = None,
        **kwargs: Any,
    ) -> None:
        if not isinstance(layer, Layer) or not isinstance(backward_layer, (Layer, type(None))):
            raise ValueError(  # noqa: TRY004 - Keras' error
                "Please initialize `Bidirectional` layer with recurrent layers. Received: "
                f"layer={layer}, backward_layer={backward_layer}"
            )
        if merge_mode not in {"sum", "mul", "ave", "concat", None}:
            raise ValueError(
                f"Invalid merge mode. Received: {merge_mode}. Merge mode should be one of "
                '{"sum", "mul", "ave", "concat", None}'
            )
        super().__init__(**kwargs)
        self.forward_layer: Any = _copied(layer, "forward_")
        self.backward_layer: Any = backward_layer or _copied(layer, "backward_", go_backwards=True)
        self._refuse_others()
        directions: tuple[Any, ...] = (self.forward_layer, self.backward_layer)
        for direction in directions:
            direction.zero_output_for_mask = direction.return_sequences
        self.merge_mode = merge_mode
        self._begin_with = weights
        self.stateful: Any
        self.return_sequences: Any
        self.stateful, self.return_sequences = self.forward_layer.stateful, self.forward_layer.return_sequences
        self.return_state: Any = self.forward_layer.return_state
        self.supports_masking = True

    def _refuse_others(self) -> None:
        first, second = self.forward_layer, self.backward_layer
        if first.go_backwards == second.go_backwards:
            raise ValueError(
                "Forward layer and backward layer should have different `go_backwards` value. Received: "
                f"{first.go_backwards} for both"
            )
        for name in ("stateful", "return_sequences", "return_state"):
            if (one := getattr(first, name)) != (other := getattr(second, name)):
                raise ValueError(
                    "Forward layer and backward layer are expected to have the same value for attribute "
                    f'"{name}", got "{one}" for forward layer and "{other}" for backward layer'
                )

    def build(self, sequences_shape: Any, initial_state_shape: Any = None) -> None:
        """Build the two layers."""
        for direction in (self.forward_layer, self.backward_layer):
            if not direction.built:
                direction.build(sequences_shape)
        if self._begin_with is not None:
            self.set_weights(self._begin_with)
        super().build(sequences_shape)

    def call(self, sequences: Any, initial_state: Any = None, mask: Any = None, training: Any = None) -> Any:
        """The outputs of both directions as one, and the states of both if asked for."""
        sequences = convert_to_tensor(sequences)
        half = 0 if initial_state is None else len(initial_state) // 2
        first, second = (None, None) if initial_state is None else (initial_state[:half], initial_state[half:])
        known = {"mask": mask, "training": training}
        y = self.forward_layer(sequences, initial_state=first, **known)
        back = self.backward_layer(sequences, initial_state=second, **known)
        states: tuple[Any, ...] = ()
        if self.return_state:
            states = (*y[1:], *back[1:])
            y, back = y[0], back[0]
        if self.return_sequences:
            back = registry["reverse"].run(back, (1,))
        merged = self._merged(y, back)
        if not self.return_state:
            return merged
        return (*merged, *states) if self.merge_mode is None else (merged, *states)

    def _merged(self, y: Any, back: Any) -> Any:
        if self.merge_mode == "concat":
            return concat([y, back], -1)
        if self.merge_mode == "mul":
            return y * back
        if self.merge_mode is None:
            return y, back
        return y + back if self.merge_mode == "sum" else (y + back) / 2

    def reset_states(self) -> None:
        """Set the states of both layers to zeros."""
        for direction in (self.forward_layer, self.backward_layer):
            direction.reset_states()

    reset_state = reset_states

    def compute_mask(self, sequences: Any, mask: Any = None) -> Any:
        """The mask of the steps, where all of them come out."""
        given = mask[0] if isinstance(mask, list) else mask
        of_output = given if self.return_sequences else None
        outputs = [of_output, of_output] if self.merge_mode is None else of_output
        if not self.return_state:
            return outputs
        states = [None] * (2 * len(self.forward_layer.state_size))
        return outputs + states if isinstance(outputs, list) else [outputs, *states]

    def compute_output_shape(self, sequences_shape: Any, initial_state_shape: Any = None) -> Any:
        """The shape of what comes out."""
        one = self.forward_layer.compute_output_shape(sequences_shape)
        other = self.backward_layer.compute_output_shape(sequences_shape)
        output, states = (one[0], (*one[1:], *other[1:])) if self.return_state else (one, ())
        merged: Any = (*output[:-1], 2 * output[-1]) if self.merge_mode == "concat" else output
        if self.merge_mode is None:
            return (output, output, *states)
        return (merged, *states) if self.return_state else merged

    def get_config(self) -> dict[str, Any]:
        """What the layer was made with."""
        parts = {"layer": self.forward_layer, "backward_layer": self.backward_layer}
        said = {name: serialize_keras_object(layer) for name, layer in parts.items()}
        return {**super().get_config(), **config_of(self, "merge_mode"), **said}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Bidirectional:
        """A layer with these arguments."""
        parts = {name: config.get(name) for name in ("layer", "backward_layer")}
        made = {name: None if part is None else deserialize_keras_object(part) for name, part in parts.items()}
        return cls(**{**config, **made})


def _copied(layer: Any, prefix: str, **changed: Any) -> Any:
    """A layer of the same configuration, without weights."""
    name = prefix + layer.name.removeprefix(prefix)
    return type(layer).from_config({**layer.get_config(), "name": name, **changed})
