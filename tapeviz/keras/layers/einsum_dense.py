"""A dense layer between any axes, said as an einsum equation."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from tapeviz.engine.tensor import Tensor
from tapeviz.engine.variable import Variable
from tapeviz.keras import activations, regularizers
from tapeviz.keras.layers.layer import Layer
from tapeviz.keras.layers.parameters import config_of, make, remember
from tapeviz.ops.linalg.einsum import einsum

__all__ = ["EinsumDense"]

_FORM: Final = re.compile(r"^((?:\.\.\.)?[a-zA-Z]+(?:\.\.\.)?),([a-zA-Z]+)->((?:\.\.\.)?[a-zA-Z]+(?:\.\.\.)?)$")


class EinsumDense(Layer):
    """Sums of products with weights over the axes that an equation says.

    Args:
        equation: ``input,weights->output`` as for ``einsum``: ``"ab,bc->ac"`` is a dense layer.
        output_shape: the sizes of the output's axes, without that of the examples and those of an ellipsis; None for
            sizes that are those of the input.
        activation: what the sums go through, a function or its name.
        bias_axes: the letters of the output's axes along which numbers are added; None for none.
        kernel_initializer: how the weights begin.
        bias_initializer: how the numbers added begin.
        kernel_regularizer: what the weights cost.
        bias_regularizer: what the numbers added cost.
        kernel_constraint: what the weights are put through after each step.
        bias_constraint: what the numbers added are put through after each step.
        kwargs: what every layer takes.

    Raises:
        ValueError: the equation has another form, or does not fit the shapes.

    >>> import tapeviz as tf
    >>> layer = tf.keras.layers.EinsumDense("abc,cd->abd", output_shape=(None, 8), bias_axes="d")
    >>> layer(tf.ones([2, 5, 3])).shape
    TensorShape([2, 5, 8])
    """

    def __init__(
        self,
        equation: str,
        output_shape: Any,
        activation: Any = None,
        bias_axes: str | None = None,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.equation: str
        self.bias_axes: str | None
        self.equation, self.bias_axes = equation, bias_axes
        self.partial_output_shape: tuple[int] | tuple[Any, ...] = (
            (output_shape,) if isinstance(output_shape, int) else tuple(output_shape)
        )
        self.activation: Callable[[Any], Tensor] = activations.get(activation)
        remember(self, "kernel", kernel_initializer, kernel_regularizer, kernel_constraint)
        remember(self, "bias", bias_initializer, bias_regularizer, bias_constraint)
        found = _FORM.match(equation.replace(" ", ""))
        if found is None:
            raise ValueError(
                f"Invalid einsum equation '{equation}'. Equations must be in the form [X],[Y]->[Z], ...[X],[Y]->...[Z] "
                "or [X]...,[Y]->[Z]...."
            )
        self._terms = found.groups()

    def _sizes(self, input_shape: Any) -> dict[str, Any]:
        """The size of each letter's axis.

        Raises:
            ValueError: input and output say different ones.
        """
        given, _, wanted = self._terms
        letters = given.replace(".", "")
        front = given.startswith("...")
        out = wanted.replace(".", "")
        if front:
            sizes = dict(zip(reversed(letters), reversed(input_shape), strict=False))
            said = list(zip(reversed(out), reversed(self.partial_output_shape), strict=False))
        else:
            sizes = dict(zip(letters, input_shape, strict=False))
            said = list(zip(out[1:], self.partial_output_shape, strict=False))
        for letter, size in said:
            if size is not None and sizes.get(letter) not in (None, size):
                raise ValueError(
                    f'Layer "{self.name}": input shape and output shape do not match at shared dimension {letter!r}: '
                    f"{sizes[letter]} and {size} of the equation {self.equation!r}. Received: "
                    f"input_shape={tuple(input_shape)}, output_shape={self.partial_output_shape}"
                )
            sizes[letter] = sizes.get(letter) if size is None else size
        return sizes

    def build(self, input_shape: Any) -> None:
        """Make ``kernel``, with the sizes of its letters, and ``bias``."""
        sizes = self._sizes(input_shape)
        _, weights, wanted = self._terms
        if missing := [letter for letter in weights if sizes.get(letter) is None]:
            raise ValueError(
                f'Layer "{self.name}": the size of dimension {missing[0]!r} of the equation {self.equation!r} is not '
                f"known. Received: input_shape={tuple(input_shape)}, output_shape={self.partial_output_shape}"
            )
        self.kernel: Variable = make(self, "kernel", tuple(sizes[letter] for letter in weights))
        self.bias: Variable | None = (
            None if self.bias_axes is None else make(self, "bias", self._bias_shape(wanted, sizes, input_shape))
        )
        super().build(input_shape)

    def _bias_shape(self, wanted: str, sizes: dict[str, Any], input_shape: Any) -> tuple[int, ...]:
        letters, axes = wanted.replace(".", ""), self.bias_axes or ""
        if wrong := [letter for letter in axes if letter not in letters]:
            raise ValueError(
                f"Bias dimension {wrong[0]!r} was requested, but is not part of the output spec {wanted!r}"
            )
        first = min(letters.index(letter) for letter in axes)
        behind = len(input_shape) - len(self._terms[0].replace(".", "")) if wanted.endswith("...") else 0
        return (*(sizes[letter] if letter in axes else 1 for letter in letters[first:]), *(1,) * behind)

    def call(self, inputs: Any) -> Tensor:
        """The sums of products, plus the numbers added, through the activation."""
        sums = einsum(self.equation, inputs, self.kernel)
        sums = sums if self.bias is None else sums + self.bias
        return sums if self.activation is None else self.activation(sums)

    def compute_output_shape(self, input_shape: Any) -> tuple[Any, ...]:
        """The shape of what comes out."""
        sizes, (given, _, wanted) = self._sizes(input_shape), self._terms
        hidden = len(input_shape) - len(given.replace(".", ""))
        named = tuple(sizes[letter] for letter in wanted.replace(".", ""))
        if wanted.startswith("..."):
            return (*input_shape[:hidden], *named)
        return (*named, *input_shape[len(input_shape) - hidden :]) if wanted.endswith("...") else named

    def get_config(self) -> dict[str, Any]:
        """What the layer was made with."""
        config = {**super().get_config(), **config_of(self, "equation bias_axes", "kernel bias", "activation")}
        activity = regularizers.serialize(self.activity_regularizer)
        return {**config, "output_shape": self.partial_output_shape, "activity_regularizer": activity}
