"""Gradient descent, with momentum and Nesterov's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.indexed_slices import IndexedSlices
from tapeviz.engine.kernels import recorded_ops as ops
from tapeviz.engine.updates import update
from tapeviz.engine.variable import Variable
from tapeviz.keras.optimizers.optimizer import Optimizer
from tapeviz.ops.array.cast import cast
from tapeviz.ops.array.tensor_scatter import tensor_scatter_nd_sub

__all__ = ["SGD"]


class SGD(Optimizer):
    r"""Gradient descent: :math:`w \leftarrow w - \eta g`.

    With momentum a variable has a velocity, :math:`v \leftarrow \mu v - \eta g`, and moves by it; with Nesterov's it
    moves by :math:`\mu v - \eta g`, where the velocity will take it. Of an embedding's table, without momentum, only
    the rows change that the gradient has.

    Args:
        learning_rate: :math:`\eta`.
        momentum: :math:`\mu`, from 0 to 1.
        nesterov: whether to look ahead.
        **options: see :class:`Optimizer`.

    Raises:
        ValueError: ``momentum`` is not a float from 0 to 1.

    >>> import tapeviz as tf
    >>> w = tf.Variable([1.0, 2.0])
    >>> _ = tf.keras.optimizers.SGD(0.5).apply_gradients([(tf.constant([1.0, -1.0]), w)])
    >>> w.numpy()
    array([0.5, 2.5], dtype=float32)
    """

    _config = ("momentum", "nesterov")

    def __init__(
        self, learning_rate: Any = 0.01, momentum: float = 0.0, nesterov: bool = False, **options: Any
    ) -> None:
        super().__init__(learning_rate, **options)
        if not isinstance(momentum, float) or not 0 <= momentum <= 1:
            raise ValueError("`momentum` must be a float between [0, 1].")
        self.momentum: float
        self.nesterov: bool
        self.momentum, self.nesterov = momentum, nesterov
        self._takes_slices = momentum == 0

    def build(self, variables: Sequence[Variable]) -> None:
        """Make the velocities, where there is momentum."""
        if self.built:
            return
        super().build(variables)
        if self.momentum:
            self.momentums: Any = self.add_optimizer_variables(variables, "momentum")

    def update_step(self, gradient: Any, variable: Variable, learning_rate: Any) -> None:
        """Change a variable by its gradient."""
        if isinstance(gradient, IndexedSlices):
            values = ops.multiply(cast(gradient.values, variable.dtype), learning_rate)
            rows = ops.expand_dims(convert_to_tensor(gradient.indices), axis=-1)
            variable.assign(tensor_scatter_nd_sub(variable, rows, values))
            return
        slots = [self.momentums[self._get_variable_index(variable)]] if self.momentum else []
        update(self._moved, gradient, [variable, *slots], [learning_rate])

    def _moved(self, _F: Any, g: Any, w: Any, *velocity_and_rate: Any) -> Sequence[Any]:
        *slots, rate = velocity_and_rate
        change = g * rate
        if not slots:
            return [w - change]
        velocity = slots[0] * self.momentum - change
        return w + (velocity * self.momentum - change if self.nesterov else velocity), velocity
