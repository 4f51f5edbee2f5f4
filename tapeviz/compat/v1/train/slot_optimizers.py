"""Optimizers that keep something for each variable, and those that put a price on its size, as TensorFlow 1 has them.

Each is its formula: ``_changed`` gives what a variable and its slots become. They differ from those of Keras in where
they add ``epsilon`` and in what they begin with.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tapeviz.compat.v1.train.optimizer import Optimizer, number
from tapeviz.engine.kernels import recorded_ops as ops

__all__ = [
    "AdadeltaOptimizer", "AdagradOptimizer", "AdamOptimizer", "FtrlOptimizer", "MomentumOptimizer",
    "ProximalAdagradOptimizer", "ProximalGradientDescentOptimizer", "RMSPropOptimizer",
]  # fmt: skip


class MomentumOptimizer(Optimizer):
    """Moves a variable by the sum of all its gradients, older ones counting less: ``a = momentum * a + g``.

    Args:
        learning_rate: a number, a tensor, or a function without arguments; so everywhere here.
        momentum: how much the sum so far counts.
        use_locking: accepted as TensorFlow does; so everywhere here.
        name: the operation's name; so everywhere here.
        use_nesterov: whether to look ahead.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     w = tf.Variable(4.0, name="w")
    ...     optimizer = tf.train.MomentumOptimizer(0.25, momentum=0.5)
    ...     step = optimizer.minimize(w * w)
    ...     session.run(tf.global_variables_initializer())
    ...     session.run([step, step])
    ...     print(session.run([w, optimizer.get_slot(w, "momentum")]), optimizer.get_slot(w, "momentum").name)
    [None, None]
    [np.float32(2.0), np.float32(8.0)] w/Momentum:0
    """

    def __init__(
        self, learning_rate: Any, momentum: Any, use_locking: bool = False, name: str = "Momentum",
        use_nesterov: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(use_locking, name)
        self._rate, self._momentum, self._nesterov = learning_rate, momentum, use_nesterov

    def _kept(self) -> tuple[tuple[str, float], ...]:
        return (("momentum", 0.0),)

    def _changed(self, gradient: Any, variable: Any, slots: Sequence[Any]) -> tuple[Any, ...]:
        rate, momentum = number(self._rate, variable), number(self._momentum, variable)
        total = slots[0] * momentum + gradient
        if self._nesterov:
            return variable - (gradient * rate + total * momentum * rate), total
        return variable - total * rate, total


class AdamOptimizer(Optimizer):
    """The mean of the gradients over the root of the mean of their squares.

    Args:
        learning_rate: how large steps are.
        beta1: how slowly the mean of the gradients changes.
        beta2: how slowly the mean of their squares changes.
        epsilon: what keeps the quotient finite.
        use_locking: accepted as TensorFlow does.
        name: the operation's name.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     w = tf.Variable(4.0)
    ...     step = tf.train.AdamOptimizer(0.5).minimize(w * w)
    ...     session.run(tf.global_variables_initializer())
    ...     session.run(step)
    ...     print(session.run(w))
    3.5
    """

    _whole_tables = True

    def __init__(
        self, learning_rate: Any = 0.001, beta1: Any = 0.9, beta2: Any = 0.999, epsilon: Any = 1e-8,
        use_locking: bool = False, name: str = "Adam",
    ) -> None:  # fmt: skip
        super().__init__(use_locking, name)
        self._rate, self._beta1, self._beta2, self._epsilon = learning_rate, beta1, beta2, epsilon
        self._powers: Any = None

    def _kept(self) -> tuple[tuple[str, float], ...]:
        return ("m", 0.0), ("v", 0.0)

    def _prepare(self, variables: Sequence[Any]) -> None:
        first = min(variables, key=lambda variable: str(variable.name))
        self._powers = [
            self._make_other(first, f"beta{place}_power", float(beta() if callable(beta) else beta))
            for place, beta in ((1, self._beta1), (2, self._beta2))
        ]
        super()._prepare(variables)

    def _changed(self, gradient: Any, variable: Any, slots: Sequence[Any]) -> tuple[Any, ...]:
        one, two = (number(power.value(), variable) for power in self._powers)
        rate = number(self._rate, variable) * ops.sqrt(1 - two) / (1 - one)
        m = slots[0] + (gradient - slots[0]) * (1 - number(self._beta1, variable))
        v = slots[1] + (ops.square(gradient) - slots[1]) * (1 - number(self._beta2, variable))
        return variable - m * rate / (ops.sqrt(v) + number(self._epsilon, variable)), m, v

    def _finish(self, variable: Any) -> list[Any]:
        betas = self._beta1, self._beta2
        return [
            power.assign(power.value() * number(beta, power)) for power, beta in zip(self._powers, betas, strict=True)
        ]


class AdagradOptimizer(Optimizer):
    """The gradient over the root of the sum of all its squares so far.

    Args:
        learning_rate: how large steps are.
        initial_accumulator_value: what the sum begins with, above 0.
        use_locking: accepted as TensorFlow does.
        name: the operation's name.

    Raises:
        ValueError: the sum would begin with 0 or less.
    """

    def __init__(
        self, learning_rate: Any, initial_accumulator_value: float = 0.1, use_locking: bool = False,
        name: str = "Adagrad",
    ) -> None:  # fmt: skip
        if initial_accumulator_value <= 0:
            raise ValueError(f"initial_accumulator_value must be positive: {initial_accumulator_value}")
        super().__init__(use_locking, name)
        self._rate, self._begin = learning_rate, initial_accumulator_value

    def _kept(self) -> tuple[tuple[str, float], ...]:
        return (("accumulator", self._begin),)

    def _changed(self, gradient: Any, variable: Any, slots: Sequence[Any]) -> tuple[Any, ...]:
        total = slots[0] + ops.square(gradient)
        return variable - number(self._rate, variable) * gradient / ops.sqrt(total), total


class ProximalAdagradOptimizer(AdagradOptimizer):
    """Adagrad with a price on the size of variables, which holds at 0 what is not worth it.

    Args:
        learning_rate: how large steps are.
        initial_accumulator_value: what the sum of squares begins with, above 0.
        l1_regularization_strength: the price of a variable's size.
        l2_regularization_strength: the price of its square.
        use_locking: accepted as TensorFlow does.
        name: the operation's name.
    """

    def __init__(
        self, learning_rate: Any, initial_accumulator_value: float = 0.1, l1_regularization_strength: Any = 0.0,
        l2_regularization_strength: Any = 0.0, use_locking: bool = False, name: str = "ProximalAdagrad",
    ) -> None:  # fmt: skip
        super().__init__(learning_rate, initial_accumulator_value, use_locking, name)
        self._prices = l1_regularization_strength, l2_regularization_strength

    def _changed(self, gradient: Any, variable: Any, slots: Sequence[Any]) -> tuple[Any, ...]:
        total = slots[0] + ops.square(gradient)
        rate = number(self._rate, variable) / ops.sqrt(total)
        return _shrunk(variable - rate * gradient, rate, *self._prices), total


class ProximalGradientDescentOptimizer(Optimizer):
    """Gradient descent with a price on the size of variables, which holds at 0 what is not worth it.

    Args:
        learning_rate: how large steps are.
        l1_regularization_strength: the price of a variable's size.
        l2_regularization_strength: the price of its square.
        use_locking: accepted as TensorFlow does.
        name: the operation's name.
    """

    def __init__(
        self, learning_rate: Any, l1_regularization_strength: Any = 0.0, l2_regularization_strength: Any = 0.0,
        use_locking: bool = False, name: str = "ProximalGradientDescent",
    ) -> None:  # fmt: skip
        super().__init__(use_locking, name)
        self._rate, self._prices = learning_rate, (l1_regularization_strength, l2_regularization_strength)

    def _changed(self, gradient: Any, variable: Any, slots: Sequence[Any]) -> tuple[Any, ...]:
        rate = number(self._rate, variable)
        return (_shrunk(variable - rate * gradient, rate, *self._prices),)


def _shrunk(x: Any, rate: Any, size: Any, square: Any) -> Any:
    """What is nearest to ``x`` when ``size`` is the price of its size and ``square`` that of its square."""
    left = ops.maximum(ops.abs(x) - rate * number(size, x), 0)
    return ops.sign(x) * left / (1 + rate * number(square, x))


class AdadeltaOptimizer(Optimizer):
    """The gradient over the root of the mean of its squares, times that of the changes made so far.

    Args:
        learning_rate: how large steps are; 1 in the paper.
        rho: how slowly the means change.
        epsilon: what keeps the quotient finite.
        use_locking: accepted as TensorFlow does.
        name: the operation's name.
    """

    def __init__(
        self, learning_rate: Any = 0.001, rho: Any = 0.95, epsilon: Any = 1e-8, use_locking: bool = False,
        name: str = "Adadelta",
    ) -> None:  # fmt: skip
        super().__init__(use_locking, name)
        self._rate, self._rho, self._epsilon = learning_rate, rho, epsilon

    def _kept(self) -> tuple[tuple[str, float], ...]:
        return ("accum", 0.0), ("accum_update", 0.0)

    def _changed(self, gradient: Any, variable: Any, slots: Sequence[Any]) -> tuple[Any, ...]:
        rho, epsilon = number(self._rho, variable), number(self._epsilon, variable)
        squares = slots[0] * rho + ops.square(gradient) * (1 - rho)
        change = ops.sqrt(slots[1] + epsilon) / ops.sqrt(squares + epsilon) * gradient
        changes = slots[1] * rho + ops.square(change) * (1 - rho)
        return variable - number(self._rate, variable) * change, squares, changes


class RMSPropOptimizer(Optimizer):
    """The gradient over the root of the mean of its squares, which begins with 1.

    Args:
        learning_rate: how large steps are.
        decay: how slowly the mean changes.
        momentum: how much of the change before is added to each change.
        epsilon: what keeps the quotient finite.
        use_locking: accepted as TensorFlow does.
        centered: whether the square of the mean gradient is taken off, which makes the mean a variance.
        name: the operation's name.
    """

    def __init__(
        self, learning_rate: Any, decay: Any = 0.9, momentum: Any = 0.0, epsilon: Any = 1e-10,
        use_locking: bool = False, centered: bool = False, name: str = "RMSProp",
    ) -> None:  # fmt: skip
        super().__init__(use_locking, name)
        self._rate, self._decay, self._momentum = learning_rate, decay, momentum
        self._epsilon, self._centered = epsilon, centered

    def _kept(self) -> tuple[tuple[str, float], ...]:
        mean = (("mg", 0.0),) if self._centered else ()
        return ("rms", 1.0), *mean, ("momentum", 0.0)

    def _changed(self, gradient: Any, variable: Any, slots: Sequence[Any]) -> tuple[Any, ...]:
        decay, epsilon = number(self._decay, variable), number(self._epsilon, variable)
        squares = slots[0] + (ops.square(gradient) - slots[0]) * (1 - decay)
        kept: tuple[Any, ...] = (squares,)
        spread = squares + epsilon
        if self._centered:
            mean = slots[1] + (gradient - slots[1]) * (1 - decay)
            kept, spread = (squares, mean), squares - ops.square(mean) + epsilon
        change = slots[-1] * number(self._momentum, variable)
        change = change + gradient * number(self._rate, variable) / ops.sqrt(spread)
        return variable - change, *kept, change


class FtrlOptimizer(Optimizer):
    """Follow the regularized leader: the variable that would have been best so far, with a price on its size.

    Args:
        learning_rate: how large steps are.
        learning_rate_power: how the rate falls with the sum of squares; at most 0.
        initial_accumulator_value: what the sum of squares begins with, at least 0.
        l1_regularization_strength: the price of a variable's size; what is not worth it stays 0.
        l2_regularization_strength: the price of its square.
        use_locking: accepted as TensorFlow does.
        name: the operation's name.
        accum_name: what the names of the sums of squares end with; ``name`` by default.
        linear_name: the same for the other sums.
        l2_shrinkage_regularization_strength: a price on size that is added to the gradient.
        beta: what is added to the price of the square, over twice the learning rate.

    Raises:
        ValueError: an argument is out of its range.
    """

    def __init__(
        self, learning_rate: Any, learning_rate_power: float = -0.5, initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0, l2_regularization_strength: float = 0.0, use_locking: bool = False,
        name: str = "Ftrl", accum_name: str | None = None, linear_name: str | None = None,
        l2_shrinkage_regularization_strength: float = 0.0, beta: float | None = None,
    ) -> None:  # fmt: skip
        super().__init__(use_locking, name)
        ranged = {
            "initial_accumulator_value": initial_accumulator_value,
            "l1_regularization_strength": l1_regularization_strength,
            "l2_regularization_strength": l2_regularization_strength,
            "l2_shrinkage_regularization_strength": l2_shrinkage_regularization_strength,
        }
        for argument, value in ranged.items():
            if value < 0:
                raise ValueError(f"{argument} {value} needs to be positive or zero")
        if learning_rate_power > 0:
            raise ValueError(f"learning_rate_power {learning_rate_power} needs to be negative or zero")
        self._rate, self._power, self._begin = learning_rate, learning_rate_power, initial_accumulator_value
        self._size, self._square = l1_regularization_strength, l2_regularization_strength
        self._shrinkage, self._beta = l2_shrinkage_regularization_strength, beta or 0.0
        self._labels = {"accum": accum_name or name, "linear": linear_name or name}

    def _kept(self) -> tuple[tuple[str, float], ...]:
        return ("accum", self._begin), ("linear", 0.0)

    def _label(self, name: str) -> str:
        return self._labels[name]

    def _changed(self, gradient: Any, variable: Any, slots: Sequence[Any]) -> tuple[Any, ...]:
        rate, power = number(self._rate, variable), -self._power
        squares, z = slots
        more = squares + ops.square(gradient)
        z = z + gradient + 2 * self._shrinkage * variable - (more**power - squares**power) / rate * variable
        price = more**power / rate + 2 * (self._square + self._beta / (2 * rate))
        free = ops.minimum(ops.maximum(z, -self._size), self._size)
        return (free - z) / price, more, z
