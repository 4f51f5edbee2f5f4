"""RMSprop."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tapeviz.engine.updates import update
from tapeviz.engine.variable import Variable
from tapeviz.keras.optimizers.optimizer import Optimizer

__all__ = ["RMSprop"]


class RMSprop(Optimizer):
    r"""RMSprop: the gradient over the root of the mean of its squares.

    .. math::
        v \leftarrow \rho v + (1 - \rho) g^2, \quad w \leftarrow w - \eta \frac{g}{\sqrt{v + \epsilon}}

    Args:
        learning_rate: :math:`\eta`.
        rho: how slowly the mean of the squares changes.
        momentum: how much of the change before is added to each change.
        epsilon: what keeps the quotient finite.
        centered: whether the square of the mean gradient is taken off :math:`v`, which makes it a variance.
        **options: see :class:`Optimizer`.

    >>> import tapeviz as tf
    >>> w = tf.Variable([1.0])
    >>> _ = tf.keras.optimizers.RMSprop(0.1, rho=0.75).apply_gradients([(tf.constant([4.0]), w)])
    >>> w.numpy().round(4)
    array([0.8], dtype=float32)
    """

    _config = ("rho", "momentum", "epsilon", "centered")

    def __init__(
        self, learning_rate: Any = 0.001, rho: float = 0.9, momentum: float = 0.0, epsilon: float = 1e-7,
        centered: bool = False, **options: Any,
    ) -> None:  # fmt: skip
        super().__init__(learning_rate, **options)
        self.rho: float
        self.momentum: float
        self.epsilon: float
        self.centered: bool
        self.rho, self.momentum, self.epsilon, self.centered = rho, momentum, epsilon, centered

    def build(self, variables: Sequence[Variable]) -> None:
        """Make the means of each variable."""
        if self.built:
            return
        super().build(variables)
        self._velocities = self.add_optimizer_variables(variables, "velocity")
        if self.momentum:
            self._momentums = self.add_optimizer_variables(variables, "momentum")
        if self.centered:
            self._average_gradients = self.add_optimizer_variables(variables, "average_gradient")

    def update_step(self, gradient: Any, variable: Variable, learning_rate: Any) -> None:
        """Change a variable by its gradient."""
        place = self._get_variable_index(variable)
        slots = [self._velocities[place]]
        if self.centered:
            slots.append(self._average_gradients[place])
        if self.momentum:
            slots.append(self._momentums[place])
        update(self._moved, gradient, [variable, *slots], [learning_rate])

    def _moved(self, F: Any, g: Any, w: Any, v: Any, *others_and_rate: Any) -> Sequence[Any]:
        *others, rate = others_and_rate
        v = self.rho * v + (1 - self.rho) * F.square(g)
        spread, means = v, []
        if self.centered:
            means = [self.rho * others[0] + (1 - self.rho) * g]
            spread = v - F.square(means[0])
        change, changes = rate * g / F.sqrt(spread + self.epsilon), []
        if self.momentum:
            change = self.momentum * others[-1] + change
            changes = [change]
        return [w - change, v, *means, *changes]
