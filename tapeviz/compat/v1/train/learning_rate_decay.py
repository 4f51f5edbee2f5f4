"""Learning rates that fall with the steps, as TensorFlow 1 has them: functions of the count of steps.

In a graph they give a tensor. With eager execution they give a function, which optimizers call at each step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tapeviz.compat.v1.graph.default_graph import graph_of
from tapeviz.compat.v1.graph.graph_functions import in_graph
from tapeviz.keras.optimizers.schedules.cosine import CosineDecay, CosineDecayRestarts
from tapeviz.keras.optimizers.schedules.decay import (
    ExponentialDecay,
    InverseTimeDecay,
    PiecewiseConstantDecay,
    PolynomialDecay,
)
from tapeviz.ops.math.exponentials import exp

__all__ = [
    "cosine_decay", "cosine_decay_restarts", "exponential_decay", "inverse_time_decay", "natural_exp_decay",
    "piecewise_constant", "piecewise_constant_decay", "polynomial_decay",
]  # fmt: skip


def _decayed(schedule: Callable[[Any], Any], step: Any, name: str) -> Any:
    """The rate of a step: a tensor of the graph; eagerly a function that gives it."""
    if step is None:
        raise ValueError(f"global_step is required for {name}.")
    if graph_of([step]) is None:
        return lambda: schedule(step() if callable(step) else step)
    return in_graph(lambda given: schedule(given), name)(step)  # noqa: PLW0108 - a schedule has no signature to keep


def exponential_decay(
    learning_rate: Any, global_step: Any, decay_steps: Any, decay_rate: Any, staircase: bool = False,
    name: str | None = None,
) -> Any:  # fmt: skip
    """``learning_rate * decay_rate ** (global_step / decay_steps)``.

    Args:
        learning_rate: the rate of step 0.
        global_step: the count of steps.
        decay_steps: after how many steps the rate is multiplied with ``decay_rate``.
        decay_rate: the factor.
        staircase: whether the rate falls every ``decay_steps`` steps, instead of a little at each.
        name: the name scope of what is added to the graph; so everywhere here.

    Raises:
        ValueError: there is no ``global_step``; so everywhere here.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     step = tf.train.get_or_create_global_step()
    ...     rate = tf.train.exponential_decay(0.5, step, 10, 0.25)
    ...     print(session.run(rate, {step: 5}))
    0.25
    """
    schedule = ExponentialDecay(learning_rate, decay_steps, decay_rate, staircase)
    return _decayed(schedule, global_step, name or "ExponentialDecay")


def natural_exp_decay(
    learning_rate: Any, global_step: Any, decay_steps: Any, decay_rate: Any, staircase: bool = False,
    name: str | None = None,
) -> Any:  # fmt: skip
    """``learning_rate * exp(-decay_rate * global_step / decay_steps)``. Arguments as for :func:`exponential_decay`."""
    schedule = ExponentialDecay(learning_rate, decay_steps, exp(-1.0 * decay_rate), staircase)
    return _decayed(schedule, global_step, name or "ExponentialTimeDecay")


def inverse_time_decay(
    learning_rate: Any, global_step: Any, decay_steps: Any, decay_rate: Any, staircase: bool = False,
    name: str | None = None,
) -> Any:  # fmt: skip
    """``learning_rate / (1 + decay_rate * global_step / decay_steps)``. Arguments as for :func:`exponential_decay`."""
    schedule = InverseTimeDecay(learning_rate, decay_steps, decay_rate, staircase)
    return _decayed(schedule, global_step, name or "InverseTimeDecay")


def piecewise_constant(x: Any, boundaries: Sequence[Any], values: Sequence[Any], name: str | None = None) -> Any:
    """``values[0]`` up to and with step ``boundaries[0]``, then ``values[1]`` up to the next boundary, and so on.

    Args:
        x: the count of steps.
        boundaries: the last step of each value but the last, ascending.
        values: one more than there are boundaries.
        name: the name scope of what is added to the graph.

    Raises:
        ValueError: the lengths do not fit.
    """
    return _decayed(PiecewiseConstantDecay(boundaries, values), x, name or "PiecewiseConstant")


piecewise_constant_decay = piecewise_constant


def polynomial_decay(
    learning_rate: Any, global_step: Any, decay_steps: Any, end_learning_rate: Any = 0.0001, power: Any = 1.0,
    cycle: bool = False, name: str | None = None,
) -> Any:  # fmt: skip
    """A polynomial from ``learning_rate`` to ``end_learning_rate``: see Keras' ``PolynomialDecay``.

    Args:
        learning_rate: the rate of step 0.
        global_step: the count of steps.
        decay_steps: the step from which on the rate is ``end_learning_rate``.
        end_learning_rate: the lowest rate.
        power: of the polynomial; 1 is a straight line.
        cycle: whether the rate rises again after ``decay_steps``.
        name: the name scope of what is added to the graph.
    """
    schedule = PolynomialDecay(learning_rate, decay_steps, end_learning_rate, power, cycle)
    return _decayed(schedule, global_step, name or "PolynomialDecay")


def cosine_decay(
    learning_rate: Any, global_step: Any, decay_steps: Any, alpha: Any = 0.0, name: str | None = None
) -> Any:
    """Half a wave of the cosine from ``learning_rate`` down to ``alpha`` times it.

    Args:
        learning_rate: the rate of step 0.
        global_step: the count of steps.
        decay_steps: over how many steps it falls.
        alpha: what is left at the end, as a share.
        name: the name scope of what is added to the graph.
    """
    return _decayed(CosineDecay(learning_rate, decay_steps, alpha), global_step, name or "CosineDecay")


def cosine_decay_restarts(
    learning_rate: Any, global_step: Any, first_decay_steps: Any, t_mul: Any = 2.0, m_mul: Any = 1.0,
    alpha: Any = 0.0, name: str | None = None,
) -> Any:  # fmt: skip
    """Falls like :func:`cosine_decay` and begins again: see Keras' ``CosineDecayRestarts``.

    Args:
        learning_rate: the rate of step 0.
        global_step: the count of steps.
        first_decay_steps: over how many steps the first fall goes.
        t_mul: how many times longer each fall is than the one before.
        m_mul: how many times higher each begins.
        alpha: what is left at the end of a fall, as a share.
        name: the name scope of what is added to the graph.
    """
    schedule = CosineDecayRestarts(learning_rate, first_decay_steps, t_mul, m_mul, alpha)
    return _decayed(schedule, global_step, name or "SGDRDecay")
