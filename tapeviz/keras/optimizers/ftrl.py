"""Ftrl: follow the regularized leader."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from tapeviz.engine.updates import update
from tapeviz.engine.variable import Variable
from tapeviz.keras.optimizers.optimizer import Optimizer

__all__ = ["Ftrl"]

_ROOT: Final = 0.5


class Ftrl(Optimizer):
    r"""Follow the regularized leader: the variable that would have been best so far, with a price on its size.

    .. math::
        \sigma = \frac{(a + g^2)^{-p} - a^{-p}}{\eta}, \quad z \leftarrow z + g - \sigma w, \quad
        a \leftarrow a + g^2, \quad
        w \leftarrow \frac{\mathrm{clip}(z, -\lambda_1, \lambda_1) - z}{a^{-p} / \eta + 2 \lambda_2}

    What is below the price :math:`\lambda_1` stays exactly 0, which suits sparse features.

    Args:
        learning_rate: :math:`\eta`.
        learning_rate_power: :math:`p`, at most 0; with 0 the rate does not fall.
        initial_accumulator_value: what :math:`a` begins with, at least 0.
        l1_regularization_strength: :math:`\lambda_1`, at least 0.
        l2_regularization_strength: :math:`\lambda_2`, at least 0.
        l2_shrinkage_regularization_strength: a price on size that is added to the gradient, at least 0.
        beta: what is added to :math:`\lambda_2`, times 1 over twice the learning rate.
        **options: see :class:`Optimizer`.

    Raises:
        ValueError: an argument is out of its range.

    >>> import tapeviz as tf
    >>> w = tf.Variable([0.0, 0.0])
    >>> price = tf.keras.optimizers.Ftrl(1.0, l1_regularization_strength=0.5)
    >>> _ = price.apply_gradients([(tf.constant([0.4, 2.0]), w)])
    >>> w.numpy().round(2)
    array([ 0.  , -0.74], dtype=float32)
    """

    _config = (
        "learning_rate_power", "initial_accumulator_value", "l1_regularization_strength", "l2_regularization_strength",
        "l2_shrinkage_regularization_strength", "beta",
    )  # fmt: skip

    def __init__(
        self, learning_rate: Any = 0.001, learning_rate_power: float = -0.5, initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0, l2_regularization_strength: float = 0.0,
        l2_shrinkage_regularization_strength: float = 0.0, beta: float = 0.0, **options: Any,
    ) -> None:  # fmt: skip
        super().__init__(learning_rate, **options)
        self.learning_rate_power = learning_rate_power
        self.initial_accumulator_value = initial_accumulator_value
        self.l1_regularization_strength = l1_regularization_strength
        self.l2_regularization_strength = l2_regularization_strength
        self.l2_shrinkage_regularization_strength = l2_shrinkage_regularization_strength
        self.beta = beta
        for name in self._config[1:-1]:
            if getattr(self, name) < 0:
                raise ValueError(f"`{name}` needs to be positive or zero. Received: {name}={getattr(self, name)}.")
        if learning_rate_power > 0:
            raise ValueError(
                "`learning_rate_power` needs to be negative or zero. Received: "
                f"learning_rate_power={learning_rate_power}."
            )

    def build(self, variables: Sequence[Variable]) -> None:
        """Make both sums of each variable."""
        if self.built:
            return
        super().build(variables)
        self._accumulators, self._linears = self.add_optimizer_variables(
            variables, ["accumulator", "linear"], [float(self.initial_accumulator_value), "zeros"]
        )

    def step_numbers(self, step: Any, learning_rate: Any) -> Any:
        """Twice the price on squares."""
        return 2 * (self.l2_regularization_strength + self.beta / (2.0 * learning_rate))

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        """Change a variable by its gradient."""
        place = self._get_variable_index(variable)
        numbers = [learning_rate, self.shared(variable.dtype, learning_rate)]
        update(self._moved, gradient, [variable, self._accumulators[place], self._linears[place]], numbers)

    def _moved(self, F: Any, g: Any, w: Any, squares: Any, z: Any, rate: Any, price: Any) -> Sequence[Any]:
        power, most = -self.learning_rate_power, self.l1_regularization_strength
        more = squares + F.square(g)
        risen = _raised(F, more, power)
        pulled = g + 2 * self.l2_shrinkage_regularization_strength * w
        z = z + (pulled - (risen - _raised(F, squares, power)) / rate * w)
        free = F.minimum(F.maximum(z, -most), most)
        return (free - z) / (risen / rate + price), more, z


def _raised(F: Any, x: Any, power: float) -> Any:
    """``x ** power``; roots, which are usual, as such: they are exact, so steps of several shapes run as one."""
    return F.sqrt(x) if power == _ROOT else x**power
