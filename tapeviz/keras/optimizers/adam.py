"""Adam, AdamW, Adamax and Nadam."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from tapeviz.engine.kernels import recorded_ops as ops
from tapeviz.engine.updates import update
from tapeviz.engine.variable import Variable
from tapeviz.keras.optimizers.optimizer import Optimizer, single

__all__ = ["Adam", "AdamW", "Adamax", "Nadam"]


class _AdaptiveMoments(Optimizer):
    """Running means of the gradients and of their sizes, with the rates at which these change."""

    _config: ClassVar[tuple[str, ...]] = ("beta_1", "beta_2", "epsilon")

    def __init__(
        self, learning_rate: Any = 0.001, beta_1: float = 0.9, beta_2: float = 0.999, epsilon: float = 1e-7,
        **options: Any,
    ) -> None:  # fmt: skip
        super().__init__(learning_rate, **options)
        self.beta_1: float = beta_1
        self.beta_2: float = beta_2
        self.epsilon: float = epsilon


class Adam(_AdaptiveMoments):
    r"""Adam: the mean of the gradients over the root of the mean of their squares.

    .. math::
        m \leftarrow m + (1 - \beta_1)(g - m), \quad v \leftarrow v + (1 - \beta_2)(g^2 - v), \quad
        w \leftarrow w - \eta \frac{\sqrt{1 - \beta_2^t}}{1 - \beta_1^t} \frac{m}{\sqrt v + \epsilon}

    Args:
        learning_rate: :math:`\eta`.
        beta_1: how slowly the mean of the gradients changes.
        beta_2: how slowly the mean of their squares changes.
        epsilon: what keeps the quotient finite.
        amsgrad: whether the greatest :math:`v` so far is used, so that steps do not grow again.
        **options: see :class:`Optimizer`.

    >>> import tapeviz as tf
    >>> w = tf.Variable([1.0, 2.0])
    >>> _ = tf.keras.optimizers.Adam(0.5).apply_gradients([(tf.constant([3.0, -0.1]), w)])
    >>> w.numpy().round(4)
    array([0.5, 2.5], dtype=float32)
    """

    _config = (*_AdaptiveMoments._config, "amsgrad")

    def __init__(
        self, learning_rate: Any = 0.001, beta_1: float = 0.9, beta_2: float = 0.999, epsilon: float = 1e-7,
        amsgrad: bool = False, **options: Any,
    ) -> None:  # fmt: skip
        super().__init__(learning_rate, beta_1, beta_2, epsilon, **options)
        self.amsgrad: bool = amsgrad

    def build(self, variables: Sequence[Variable]) -> None:
        """Make the means of each variable."""
        if self.built:
            return
        super().build(variables)
        self._momentums, self._velocities = self.add_optimizer_variables(variables, ["momentum", "velocity"])
        if self.amsgrad:
            self._velocity_hats = self.add_optimizer_variables(variables, "velocity_hat")

    def step_numbers(self, step: Any, learning_rate: Any) -> Any:
        """The learning rate, corrected for means that began with 0."""
        return learning_rate * ops.sqrt(1 - single(self.beta_2) ** step) / (1 - single(self.beta_1) ** step)

    def update_step(self, gradient: Any, variable: Variable, learning_rate: Any) -> None:
        """Change a variable by its gradient."""
        place = self._get_variable_index(variable)
        slots = [self._momentums[place], self._velocities[place]]
        if self.amsgrad:
            slots.append(self._velocity_hats[place])
        update(self._moved, gradient, [variable, *slots], [self.shared(variable.dtype, learning_rate)])

    def _moved(self, F: Any, g: Any, w: Any, m: Any, v: Any, *greatest_and_rate: Any) -> Sequence[Any]:
        *greatest, rate = greatest_and_rate
        m = m + (g - m) * (1 - self.beta_1)
        v = v + (F.square(g) - v) * (1 - self.beta_2)
        greatest = [F.maximum(so_far, v) for so_far in greatest]
        return [w - m * rate / (F.sqrt(*greatest or [v]) + self.epsilon), m, v, *greatest]


class AdamW(Adam):
    """Adam with a weight decay of its own: see ``weight_decay`` of :class:`Optimizer`.

    Args:
        learning_rate: as for :class:`Adam`.
        weight_decay: the share of itself, times the learning rate, that a variable loses before each step.
        beta_1: as for :class:`Adam`, like those after it.
        beta_2: likewise.
        epsilon: likewise.
        amsgrad: likewise.
        **options: see :class:`Optimizer`.

    Raises:
        ValueError: ``weight_decay`` is None.

    >>> import tapeviz as tf
    >>> w = tf.Variable([1.0])
    >>> _ = tf.keras.optimizers.AdamW(0.5, weight_decay=0.2).apply_gradients([(tf.constant([1.0]), w)])
    >>> w.numpy().round(4)
    array([0.4], dtype=float32)
    """

    def __init__(
        self, learning_rate: Any = 0.001, weight_decay: float | None = 0.004, beta_1: float = 0.9,
        beta_2: float = 0.999, epsilon: float = 1e-7, amsgrad: bool = False, **options: Any,
    ) -> None:  # fmt: skip
        if weight_decay is None:
            raise ValueError("Argument `weight_decay` must be a float. Received: weight_decay=None")
        super().__init__(learning_rate, beta_1, beta_2, epsilon, amsgrad, weight_decay=weight_decay, **options)


class Adamax(_AdaptiveMoments):
    r"""Adamax: the mean of the gradients over the greatest of them, older ones counting less.

    .. math::
        m \leftarrow m + (1 - \beta_1)(g - m), \quad u \leftarrow \max(\beta_2 u, |g|), \quad
        w \leftarrow w - \frac{\eta}{1 - \beta_1^t} \frac{m}{u + \epsilon}

    Args:
        learning_rate: :math:`\eta`.
        beta_1: how slowly the mean of the gradients changes.
        beta_2: how slowly the greatest of them is forgotten.
        epsilon: what keeps the quotient finite.
        **options: see :class:`Optimizer`.

    >>> import tapeviz as tf
    >>> w = tf.Variable([1.0])
    >>> _ = tf.keras.optimizers.Adamax(0.5).apply_gradients([(tf.constant([3.0]), w)])
    >>> w.numpy().round(4)
    array([0.5], dtype=float32)
    """

    def build(self, variables: Sequence[Variable]) -> None:
        """Make the mean and the greatest size of each variable's gradients."""
        if self.built:
            return
        super().build(variables)
        self._m, self._u = self.add_optimizer_variables(variables, ["momentum", "norm"])

    def step_numbers(self, step: Any, learning_rate: Any) -> Any:
        """What corrects means that began with 0."""
        return 1 - single(self.beta_1) ** step

    def update_step(self, gradient: Any, variable: Variable, learning_rate: Any) -> None:
        """Change a variable by its gradient."""
        place = self._get_variable_index(variable)
        numbers = [learning_rate, self.shared(variable.dtype, learning_rate)]
        update(self._moved, gradient, [variable, self._m[place], self._u[place]], numbers)

    def _moved(self, F: Any, g: Any, w: Any, m: Any, u: Any, rate: Any, correction: Any) -> Sequence[Any]:
        m = m + (g - m) * (1 - self.beta_1)
        u = F.maximum(self.beta_2 * u, F.abs(g))
        return w - rate * m / (correction * (u + self.epsilon)), m, u


class Nadam(_AdaptiveMoments):
    r"""Nadam: Adam whose mean of the gradients looks a step ahead, as Nesterov's momentum does.

    The weight of that mean grows with the steps: :math:`\mu_t = \beta_1 (1 - 0.96^t / 2)`.

    Args:
        learning_rate: how large steps are.
        beta_1: how slowly the mean of the gradients changes.
        beta_2: how slowly the mean of their squares changes.
        epsilon: what keeps the quotient finite.
        **options: see :class:`Optimizer`.

    >>> import tapeviz as tf
    >>> w = tf.Variable([1.0])
    >>> _ = tf.keras.optimizers.Nadam(0.5).apply_gradients([(tf.constant([3.0]), w)])
    >>> w.numpy().round(2)
    array([0.47], dtype=float32)
    """

    def build(self, variables: Sequence[Variable]) -> None:
        """Make the means of each variable, and the product of their weights so far."""
        if self.built:
            return
        super().build(variables)
        self._momentums, self._velocities = self.add_optimizer_variables(variables, ["momentum", "velocity"])
        kind = variables[0].dtype if variables else None
        self._u_product = self.add_variable((), 1.0, kind, name="u_product")

    def _begin_step(self) -> None:
        super()._begin_step()
        step = ops.cast(self.iterations, dtype=self._u_product.dtype.numpy) + 1
        self._u_product.assign(self._u_product * self._weight(step))

    def _weight(self, step: Any) -> Any:
        return self.beta_1 * (1.0 - 0.5 * 0.96**step)

    def step_numbers(self, step: Any, learning_rate: Any) -> Any:
        """The weights of the mean and of the gradient, each corrected, and the correction of the squares."""
        so_far = ops.cast(self._u_product, dtype=step.dtype.numpy)
        ahead = self._weight(step + 1)
        of_mean, of_gradient = ahead / (1 - so_far * ahead), (1 - self._weight(step)) / (1 - so_far)
        return of_mean, of_gradient, 1 - single(self.beta_2) ** step

    def update_step(self, gradient: Any, variable: Variable, learning_rate: Any) -> None:
        """Change a variable by its gradient."""
        place = self._get_variable_index(variable)
        numbers = [learning_rate, *self.shared(variable.dtype, learning_rate)]
        update(self._moved, gradient, [variable, self._momentums[place], self._velocities[place]], numbers)

    def _moved(
        self, F: Any, g: Any, w: Any, m: Any, v: Any, rate: Any, of_mean: Any, of_gradient: Any, correction: Any
    ) -> Sequence[Any]:
        m = m + (g - m) * (1 - self.beta_1)
        v = v + (F.square(g) - v) * (1 - self.beta_2)
        ahead = of_mean * m + of_gradient * g
        return w - ahead * rate / (F.sqrt(v / correction) + self.epsilon), m, v
