"""Lion."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tapeviz.engine.updates import update
from tapeviz.engine.variable import Variable
from tapeviz.keras.optimizers.optimizer import Optimizer

__all__ = ["Lion"]


class Lion(Optimizer):
    r"""Lion: every element moves by the learning rate, in the direction that its gradients mostly had.

    .. math::
        w \leftarrow w - \eta\, \mathrm{sign}(\beta_1 m + (1 - \beta_1) g), \quad
        m \leftarrow \beta_2 m + (1 - \beta_2) g

    Args:
        learning_rate: :math:`\eta`: a tenth to a third of what suits Adam.
        beta_1: how much the gradients so far count for the direction; above 0, at most 1.
        beta_2: how slowly their mean changes.
        **options: see :class:`Optimizer`.

    Raises:
        ValueError: ``beta_1`` is out of its range.

    >>> import tapeviz as tf
    >>> w = tf.Variable([1.0, 1.0])
    >>> _ = tf.keras.optimizers.Lion(0.5).apply_gradients([(tf.constant([3.0, -0.01]), w)])
    >>> w.numpy()
    array([0.5, 1.5], dtype=float32)
    """

    _config = ("beta_1", "beta_2")

    def __init__(self, learning_rate: Any = 0.001, beta_1: float = 0.9, beta_2: float = 0.99, **options: Any) -> None:
        super().__init__(learning_rate, **options)
        if not 0 < beta_1 <= 1:
            raise ValueError(
                "Argument `beta_1` must be in the [0, 1] range. Otherwise, the optimizer degenerates to SignSGD. "
                f"Received: beta_1={beta_1}."
            )
        self.beta_1: float
        self.beta_2: float
        self.beta_1, self.beta_2 = beta_1, beta_2

    def build(self, variables: Sequence[Variable]) -> None:
        """Make the mean of each variable's gradients."""
        if self.built:
            return
        super().build(variables)
        self._momentums = self.add_optimizer_variables(variables, "momentum")

    def update_step(self, gradient: Any, variable: Variable, learning_rate: Any) -> None:
        """Change a variable by its gradient."""
        m = self._momentums[self._get_variable_index(variable)]
        update(self._moved, gradient, [variable, m], [learning_rate])

    def _moved(self, F: Any, g: Any, w: Any, m: Any, rate: Any) -> Sequence[Any]:
        moved = w - rate * F.sign(m * self.beta_1 + g * (1.0 - self.beta_1))
        return moved, m * self.beta_2 + g * (1.0 - self.beta_2)
