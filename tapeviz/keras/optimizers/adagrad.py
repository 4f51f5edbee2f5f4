"""Adagrad and Adadelta."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tapeviz.engine.updates import update
from tapeviz.engine.variable import Variable
from tapeviz.keras.optimizers.optimizer import Optimizer

__all__ = ["Adadelta", "Adagrad"]


class Adagrad(Optimizer):
    r"""Adagrad: the gradient over the root of the sum of all its squares so far.

    .. math::
        a \leftarrow a + g^2, \quad w \leftarrow w - \eta \frac{g}{\sqrt{a + \epsilon}}

    Args:
        learning_rate: :math:`\eta`.
        initial_accumulator_value: what :math:`a` begins with.
        epsilon: what keeps the quotient finite.
        **options: see :class:`Optimizer`.

    >>> import tapeviz as tf
    >>> w = tf.Variable([1.0])
    >>> _ = tf.keras.optimizers.Adagrad(0.5, initial_accumulator_value=0.0).apply_gradients([(tf.constant([9.0]), w)])
    >>> w.numpy()
    array([0.5], dtype=float32)
    """

    _config = ("initial_accumulator_value", "epsilon")

    def __init__(
        self, learning_rate: Any = 0.001, initial_accumulator_value: float = 0.1, epsilon: float = 1e-7, **options: Any
    ) -> None:
        super().__init__(learning_rate, **options)
        self.initial_accumulator_value: float
        self.epsilon: float
        self.initial_accumulator_value, self.epsilon = initial_accumulator_value, epsilon

    def build(self, variables: Sequence[Variable]) -> None:
        """Make the sum of squares of each variable."""
        if self.built:
            return
        super().build(variables)
        begin = float(self.initial_accumulator_value)
        self._accumulators = self.add_optimizer_variables(variables, "accumulator", begin)

    def update_step(self, gradient: Any, variable: Variable, learning_rate: Any) -> None:
        """Change a variable by its gradient."""
        squares = self._accumulators[self._get_variable_index(variable)]
        update(self._moved, gradient, [variable, squares], [learning_rate])

    def _moved(self, F: Any, g: Any, w: Any, squares: Any, rate: Any) -> Sequence[Any]:
        squares = squares + F.square(g)
        return w - rate * g / F.sqrt(squares + self.epsilon), squares


class Adadelta(Optimizer):
    r"""Adadelta: the gradient over the root of the mean of its squares, times that of the changes made so far.

    .. math::
        a \leftarrow \rho a + (1 - \rho) g^2, \quad
        \delta = -\frac{\sqrt{d + \epsilon}}{\sqrt{a + \epsilon}} g, \quad
        d \leftarrow \rho d + (1 - \rho) \delta^2, \quad w \leftarrow w + \eta \delta

    Args:
        learning_rate: :math:`\eta`; 1 in the paper.
        rho: how slowly the means change.
        epsilon: what keeps the quotient finite, and makes the first steps differ from 0.
        **options: see :class:`Optimizer`.

    >>> import tapeviz as tf
    >>> w = tf.Variable([1.0])
    >>> _ = tf.keras.optimizers.Adadelta(1.0, rho=0.75, epsilon=1e-2).apply_gradients([(tf.constant([4.0]), w)])
    >>> w.numpy().round(2)
    array([0.8], dtype=float32)
    """

    _config = ("rho", "epsilon")

    def __init__(self, learning_rate: Any = 0.001, rho: float = 0.95, epsilon: float = 1e-7, **options: Any) -> None:
        super().__init__(learning_rate, **options)
        self.rho: float
        self.epsilon: float
        self.rho, self.epsilon = rho, epsilon

    def build(self, variables: Sequence[Variable]) -> None:
        """Make the means of each variable."""
        if self.built:
            return
        super().build(variables)
        self._accumulated_grads, self._accumulated_delta_vars = self.add_optimizer_variables(
            variables, ["accumulated_grad", "accumulated_delta_var"]
        )

    def update_step(self, gradient: Any, variable: Variable, learning_rate: Any) -> None:
        """Change a variable by its gradient."""
        place = self._get_variable_index(variable)
        slots = [self._accumulated_grads[place], self._accumulated_delta_vars[place]]
        update(self._moved, gradient, [variable, *slots], [learning_rate])

    def _moved(self, F: Any, g: Any, w: Any, squares: Any, changes: Any, rate: Any) -> Sequence[Any]:
        rho = self.rho
        squares = rho * squares + (1 - rho) * F.square(g)
        change = -(F.sqrt(changes + self.epsilon) * g / F.sqrt(squares + self.epsilon))
        return w + rate * change, squares, rho * changes + (1 - rho) * F.square(change)
