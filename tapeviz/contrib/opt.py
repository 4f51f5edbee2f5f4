"""``tf.contrib.opt``: SciPy's optimizers on the variables of a session's graph."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from scipy import optimize

from tapeviz.compat.v1.graph.gradients import gradients
from tapeviz.compat.v1.session.session import get_default_session
from tapeviz.compat.v1.variables.variables import trainable_variables

__all__ = ["ScipyOptimizerInterface"]


class ScipyOptimizerInterface:
    """Minimizes a loss by :func:`scipy.optimize.minimize`, whose variables are those of the graph, one after the other.

    Args:
        loss: a scalar tensor of the graph.
        var_list: the variables to change; all trainable ones unless given.
        equalities: tensors that have to be 0.
        inequalities: tensors that have to be 0 or more.
        var_to_bounds: for variables, the least and the largest value, numbers or arrays.
        **optimizer_kwargs: of SciPy's function: ``method`` ("L-BFGS-B" unless given) and ``options``.

    Raises:
        ValueError: ``method`` knows no constraints, and there are some.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     x = tf.Variable([7.0, 2.0])
    ...     optimizer = tf.contrib.opt.ScipyOptimizerInterface(tf.reduce_sum(tf.square(x - 3.0)))
    ...     session.run(tf.global_variables_initializer())
    ...     optimizer.minimize(session)
    ...     session.run(x).round(3)
    array([3., 3.], dtype=float32)
    """

    def __init__(
        self, loss: Any, var_list: Sequence[Any] | None = None, equalities: Sequence[Any] | None = None,
        inequalities: Sequence[Any] | None = None, var_to_bounds: Mapping[Any, Any] | None = None,
        **optimizer_kwargs: Any,
    ) -> None:  # fmt: skip
        self.optimizer_kwargs = {"method": "L-BFGS-B", **optimizer_kwargs}
        constraints = [*(equalities or ()), *(inequalities or ())]
        if constraints and self.optimizer_kwargs["method"] not in ("COBYLA", "COBYQA", "SLSQP", "trust-constr"):
            method = self.optimizer_kwargs["method"]
            raise ValueError(f"method {method!r} takes no equalities or inequalities: use method='SLSQP'")
        self._loss = loss
        self._variables = list(trainable_variables() if var_list is None else var_list)
        self._loss_gradient = self._gradient(loss)
        kinds = ["eq"] * len(equalities or ()) + ["ineq"] * len(inequalities or ())
        self._constraints = [
            (kind, one, self._gradient(one)) for kind, one in zip(kinds, map(_one_number, constraints), strict=True)
        ]
        self._bounds = self._bounds_of(var_to_bounds)

    def minimize(
        self, session: Any = None, feed_dict: Mapping[Any, Any] | None = None, fetches: Sequence[Any] | None = None,
        step_callback: Callable[[np.ndarray], Any] | None = None, loss_callback: Callable[..., Any] | None = None,
        **run_kwargs: Any,
    ) -> None:  # fmt: skip
        """Change the variables until SciPy's optimizer ends.

        Args:
            session: the session whose variables change; the default one unless given.
            feed_dict: what the loss's placeholders hold.
            fetches: tensors whose values ``loss_callback`` gets.
            step_callback: called after each step with all variables as one vector.
            loss_callback: called each time that the loss was computed, with the values of ``fetches``.
            **run_kwargs: further arguments of ``session.run``.

        Raises:
            ValueError: there is no session.
        """
        session = session or get_default_session()
        if session is None:
            raise ValueError("Cannot minimize without a session: pass session=, or call it in `with tf.Session():`")
        fetches = list(fetches or ())

        def evaluated(tensors: list[Any], vector: np.ndarray) -> list[Any]:
            feeds = {**(feed_dict or {}), **dict(zip(self._variables, self._parts(vector), strict=True))}
            values: list[Any] = session.run(tensors, feed_dict=feeds, **run_kwargs)
            return values

        def loss_and_gradient(vector: np.ndarray) -> tuple[float, np.ndarray]:
            loss, slopes, *seen = evaluated([self._loss, self._loss_gradient, *fetches], vector)
            if loss_callback is not None:
                loss_callback(*seen)
            return float(loss), _packed(slopes)

        constraints = [
            {
                "type": kind,
                "fun": lambda vector, one=one: float(evaluated([one], vector)[0]),
                "jac": lambda vector, slopes=slopes: _packed(evaluated(slopes, vector)),
            }
            for kind, one, slopes in self._constraints
        ]
        found = optimize.minimize(
            loss_and_gradient, _packed(session.run(self._variables)), jac=True, callback=step_callback,
            bounds=self._bounds, constraints=constraints, **self.optimizer_kwargs,
        )  # fmt: skip
        for variable, value in zip(self._variables, self._parts(found.x), strict=True):
            variable.load(value, session)

    def _gradient(self, loss: Any) -> list[Any]:
        found = gradients(loss, self._variables)
        return [
            variable * 0 if slope is None else slope for slope, variable in zip(found, self._variables, strict=True)
        ]

    def _parts(self, vector: np.ndarray) -> list[np.ndarray]:
        """The vector as one array for each variable."""
        shapes = [tuple(variable.shape.as_list()) for variable in self._variables]
        parts = np.split(vector, np.cumsum([int(np.prod(shape)) for shape in shapes])[:-1])
        types = [variable.dtype.as_numpy_dtype for variable in self._variables]
        return [part.reshape(shape).astype(kind) for part, shape, kind in zip(parts, shapes, types, strict=True)]

    def _bounds_of(self, given: Mapping[Any, Any] | None) -> list[tuple[Any, Any]] | None:
        if given is None:
            return None
        bounds: list[tuple[Any, Any]] = []
        for variable in self._variables:
            low, high = given.get(variable, (-np.inf, np.inf))
            shape = tuple(variable.shape.as_list())
            bounds += zip(*(np.broadcast_to(limit, shape).ravel().tolist() for limit in (low, high)), strict=True)
        return bounds


def _one_number(constraint: Any) -> Any:
    if constraint.shape.num_elements() != 1:
        raise ValueError(f"a constraint is one number, got shape {constraint.shape}: give a list of its elements")
    return constraint if not constraint.shape.ndims else constraint[(0,) * constraint.shape.ndims]


def _packed(arrays: Sequence[np.ndarray]) -> np.ndarray:
    return np.concatenate([np.asarray(array, np.float64).ravel() for array in arrays])
