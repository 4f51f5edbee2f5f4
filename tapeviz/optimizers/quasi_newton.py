"""l-BFGS: Newton's method with as much of the Hessian as the latest steps have shown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.kernels import recorded_ops as ops
from tapeviz.engine.scopes import name_scope
from tapeviz.engine.tape import GradientTape
from tapeviz.engine.variable import Variable
from tapeviz.functions.function import function
from tapeviz.optimizers.curvature import History, dot
from tapeviz.optimizers.line_search import Point, strong_wolfe
from tapeviz.optimizers.variable_vector import VariableVector

__all__ = ["LBFGS", "Minimum", "lbfgs"]

_SEARCHES: Final = (None, "strong_wolfe")


@dataclass
class _Here:
    """Where the last iteration ended."""

    loss: float
    gradient: Any
    direction: Any = None
    t: float = 0.0
    before: Any = None  # the gradient from which the direction was computed


class LBFGS:
    """Limited-memory BFGS (L-BFGS), a quasi-Newton optimizer.

    Each iteration goes from the variables' values ``x`` along ``-H g``, where ``g`` is the gradient of the loss and
    ``H`` what the latest ``history_size`` steps say of the inverse Hessian (see :func:`two_loop`). Far from a minimum
    that is a good guess; near it, it is nearly Newton's step, and few iterations do what gradient descent needs
    thousands for.
    The loss must be the same function at every call: the whole data, not a new batch each time, and no dropout.

    Losses agree with those of PyTorch's ``torch.optim.LBFGS`` for the same arguments.

    Args:
        variables: the variables to change, of one dtype; one variable or several.
        learning_rate: how much of ``-H g`` to go; with a line search, what is tried first.
        max_iter: how many iterations a :meth:`step` makes at most.
        max_eval: how many times it may ask for the loss; a quarter more than ``max_iter`` by default.
        tolerance_grad: the largest element of the gradient with which it ends.
        tolerance_change: the change of the loss, or of all variables, with which it ends.
        history_size: how many steps to know.
        line_search_fn: "strong_wolfe" looks along the direction for a good place (see :func:`strong_wolfe`); None goes
            as far as ``learning_rate`` says, without looking.
        traced: whether loss and gradient are computed by a traced function, which is faster where the loss is made of
            many ops.

    Raises:
        ValueError: there are no variables, they are of several dtypes, or there is no such line search.

    The valley of Rosenbrock's function is curved and flat:

    >>> import tapeviz as tf
    >>> x = tf.Variable([-1.0, 2.0], dtype=tf.float64)
    >>> valley = lambda: (1.0 - x[0]) ** 2 + 100.0 * (x[1] - x[0] ** 2) ** 2
    >>> optimizer = tf.optimizers.LBFGS([x], max_iter=100, line_search_fn="strong_wolfe")
    >>> first_loss = optimizer.step(valley)
    >>> x.numpy().round(5)
    array([1., 1.])
    """

    def __init__(
        self, variables: Any, learning_rate: float = 1.0, max_iter: int = 20, max_eval: int | None = None,
        tolerance_grad: float = 1e-7, tolerance_change: float = 1e-9, history_size: int = 100,
        line_search_fn: str | None = None, traced: bool = False,
    ) -> None:  # fmt: skip
        if line_search_fn not in _SEARCHES:
            raise ValueError(f"`line_search_fn` is None or 'strong_wolfe'. Received: line_search_fn={line_search_fn!r}")
        self._flat = VariableVector([variables] if isinstance(variables, Variable) else list(variables))
        self.learning_rate: float
        self.max_iter: int
        self.learning_rate, self.max_iter = learning_rate, max_iter
        self.max_eval: int = max_iter * 5 // 4 if max_eval is None else max_eval
        self.tolerance_grad: float
        self.tolerance_change: float
        self.tolerance_grad, self.tolerance_change = tolerance_grad, tolerance_change
        self.line_search_fn, self._traced = line_search_fn, traced
        self.iterations: int
        self.evaluations: int
        self.iterations = self.evaluations = 0
        self.history: History = History(history_size)
        self._here: _Here | None = None
        self._loss: tuple[Any, Callable[[], Any]] = (None, lambda: None)

    def step(self, loss: Callable[[], Any], callback: Callable[[int, float], Any] | None = None) -> float:
        """Make up to ``max_iter`` iterations.

        Args:
            loss: a function without arguments that computes the loss from the variables.
            callback: called after each iteration with its number and the loss. Without a line search the loss after
                the last one is not asked for, and report as what it was before.

        Returns:
            The loss before the first of them.

        Raises:
            ValueError: the loss depends on none of the variables.
        """
        value, gradient = self._evaluated(loss)
        evaluations, begin = 1, value
        here = self._here = self._here or _Here(value, gradient)
        here.loss, here.gradient = value, gradient
        if _largest(gradient) <= self.tolerance_grad:
            return begin
        for iteration in range(1, self.max_iter + 1):
            before = here.loss
            with name_scope("lbfgs"):
                slope = self._aim(here)
                if slope > -self.tolerance_change:
                    break
                evaluations += self._go(here, loss, slope, last=iteration == self.max_iter)
            if callback is not None:
                callback(iteration, here.loss)
            if iteration == self.max_iter or evaluations >= self.max_eval or self._is_there(here, before):
                break
        return begin

    def _is_there(self, here: _Here, before: float) -> bool:
        """Whether nothing changes any more."""
        return (
            _largest(here.gradient) <= self.tolerance_grad
            or here.t * _largest(here.direction) <= self.tolerance_change
            or abs(here.loss - before) < self.tolerance_change
        )

    def _aim(self, here: _Here) -> float:
        """Choose the direction and the place to try first; the slope of the loss there."""
        self.iterations += 1
        if self.iterations > 1:
            self.history.add(here.direction * here.t, here.gradient - here.before)
        here.direction = -self.history.times(here.gradient)
        here.before = here.gradient
        here.t = self.learning_rate
        if self.iterations == 1:
            here.t *= min(1.0, 1.0 / float(ops.reduce_sum(ops.abs(here.gradient), axis=None, keepdims=False)))
        return float(dot(here.gradient, here.direction))

    def _go(self, here: _Here, loss: Callable[[], Any], slope: float, *, last: bool) -> int:
        """Go there, or where the line search says. Returns how many times the loss was asked for."""
        origin = self._flat.now()
        if self.line_search_fn is None:
            self._flat.assign(origin + here.direction * here.t)
            if not last:  # nobody would ask for it
                here.loss, here.gradient = self._evaluated(loss)
            return 0 if last else 1

        def at(t: float) -> Point:
            self._flat.assign(origin + here.direction * t)
            value, gradient = self._evaluated(loss)
            return Point(t, value, float(dot(gradient, here.direction)), gradient)

        start = Point(0.0, here.loss, slope, here.gradient)
        least = self.tolerance_change / _largest(here.direction)
        found, asked = strong_wolfe(at, start, here.t, least=least)
        self._flat.assign(origin + here.direction * found.t)
        here.loss, here.gradient, here.t = found.value, found.gradient, found.t
        return asked

    def _evaluated(self, loss: Callable[[], Any]) -> tuple[float, Any]:
        """The loss and its gradient, as a number and a vector."""
        known, evaluate = self._loss
        if known is not loss:
            evaluate = self._with_gradient(loss)
            self._loss = (loss, evaluate)
        value, gradient = evaluate()
        self.evaluations += 1
        return float(value), gradient

    def _with_gradient(self, loss: Callable[[], Any]) -> Callable[[], Any]:
        flat = self._flat

        def with_gradient() -> tuple[Any, Any]:
            with GradientTape(watch_accessed_variables=False) as tape:
                tape.watch(flat.variables)
                value = convert_to_tensor(loss())
            parts = tape.gradient(value, flat.variables)
            if all(part is None for part in parts):
                names = [variable.name for variable in flat.variables]
                raise ValueError(f"The loss depends on none of the variables {names}.")
            return value, flat.joined(parts)

        return function(with_gradient) if self._traced else with_gradient


def _largest(vector: Any) -> float:
    """The size of the largest element."""
    return float(ops.reduce_max(ops.abs(vector), axis=None, keepdims=False))


@dataclass(frozen=True)
class Minimum:
    """What :func:`lbfgs` found.

    Attributes:
        position: the vector, or None where variables were given, which are there now.
        losses: the loss before the first iteration, and after each.
        iterations: how many iterations were made.
        evaluations: how many times the loss was asked for.
    """

    position: Any
    losses: list[float] = field(default_factory=list)
    iterations: int = 0
    evaluations: int = 0


def lbfgs(
    loss: Callable[..., Any], start: Any, max_iter: int = 100, *, callback: Callable[[int, float], Any] | None = None,
    line_search_fn: str | None = "strong_wolfe", **options: Any,
) -> Minimum:  # fmt: skip
    """Find a minimum by l-BFGS, beginning where the variables are, or at a vector.

    Args:
        loss: with variables, a function without arguments that computes the loss from them; with a vector, a function
            of the vector.
        start: a variable, a list of variables, or a vector (what converts to a tensor of one axis).
        max_iter: how many iterations to make at most.
        callback: called after each iteration with its number and the loss.
        line_search_fn: as for :class:`LBFGS`.
        **options: see :class:`LBFGS`.

    Raises:
        ValueError: as for :class:`LBFGS`.

    On a vector:

    >>> import tapeviz as tf
    >>> center = tf.constant([3.0, -1.0, 2.0])
    >>> found = tf.optimizers.lbfgs(lambda x: tf.reduce_sum(tf.square(x - center)), tf.zeros(3))
    >>> found.position.numpy().round(4)
    array([ 3., -1.,  2.], dtype=float32)

    On variables:

    >>> w, b = tf.Variable([[0.0]]), tf.Variable([0.0])
    >>> x, y = tf.constant([[0.0], [1.0], [2.0]]), tf.constant([[2.0], [5.0], [8.0]])
    >>> found = tf.optimizers.lbfgs(lambda: tf.reduce_mean(tf.square(x @ w + b - y)), [w, b])
    >>> w.numpy().round(3), b.numpy().round(3)
    (array([[3.]], dtype=float32), array([2.], dtype=float32))
    """
    listed = isinstance(start, (list, tuple)) and any(isinstance(item, Variable) for item in start)
    if listed or isinstance(start, Variable):
        return _minimized(loss, start, None, max_iter, callback, line_search_fn, options)
    vector = Variable(convert_to_tensor(start), name="position")
    return _minimized(lambda: loss(vector.value()), vector, vector, max_iter, callback, line_search_fn, options)


def _minimized(
    loss: Callable[[], Any], variables: Variable | Sequence[Variable], vector: Any, most: int, callback: Any,
    search: str | None, options: dict[str, Any],
) -> Minimum:  # fmt: skip
    optimizer = LBFGS(variables, max_iter=most, line_search_fn=search, **options)
    losses: list[float] = []

    def report(iteration: int, value: float) -> None:
        losses.append(value)
        if callback is not None:
            callback(iteration, value)

    begin = optimizer.step(loss, report)
    position = None if vector is None else vector.value()
    return Minimum(position, [begin, *losses], optimizer.iterations, optimizer.evaluations)
