"""One iteration of l-BFGS on the sparse autoencoder of UFLDL (784-196-784), with a history that is full already.

The loss and its gradient are computed once, the direction comes from all pairs, and the weights move along it. PyTorch
has its own optimizer; for TensorFlow and JAX the two-loop recursion is written as one writes it there.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from types import SimpleNamespace
from typing import Any, Final

import numpy as np

from benchmarks.harness import clock
from benchmarks.peers import load

__all__ = ["megabytes", "others", "ours", "products"]

Work = Callable[[], Any]

_PIXELS: Final = 784
_HIDDEN: Final = 196
_SPARSITY: Final = 0.1
_DECAY: Final = 3e-3
_PRICE: Final = 3.0
# So small that the pairs which iterations add stay like those that are there from the beginning.
_RATE: Final = 1e-3
_FLAT: Final = 1e-10


def _pictures(count: int) -> np.ndarray:
    return np.random.default_rng(6).uniform(0.1, 0.9, (count, _PIXELS)).astype("f4")


def _weights() -> list[np.ndarray]:
    rng = np.random.default_rng(7)
    most = np.sqrt(6 / (_PIXELS + _HIDDEN + 1))
    shapes = ((_PIXELS, _HIDDEN), (_HIDDEN, _PIXELS))
    drawn = [rng.uniform(-most, most, shape).astype("f4") for shape in shapes]
    return [*drawn, np.zeros(_HIDDEN, "f4"), np.zeros(_PIXELS, "f4")]


def _pairs(count: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return steps and what they change where the curvature is near 1."""
    rng = np.random.default_rng(8)
    size = sum(value.size for value in _weights())
    steps = [(1e-2 * rng.standard_normal(size, "f4")) for _ in range(count)]
    return [(step, step * rng.uniform(0.9, 1.1, size).astype("f4")) for step in steps]


def _loss(library: Any, x: Any, w1: Any, w2: Any, b1: Any, b2: Any) -> Any:
    """The loss: the same for tapeviz, TensorFlow and JAX."""
    hidden = library.sigmoid(x @ w1 + b1)
    error = library.sigmoid(hidden @ w2 + b2) - x
    active = library.reduce_mean(hidden, axis=0)
    rest = (1 - _SPARSITY) * library.math.log((1 - _SPARSITY) / (1 - active))
    sparse = library.reduce_sum(_SPARSITY * library.math.log(_SPARSITY / active) + rest)
    decay = library.reduce_sum(library.square(w1)) + library.reduce_sum(library.square(w2))
    return 0.5 * library.reduce_sum(library.square(error)) / x.shape[0] + 0.5 * _DECAY * decay + _PRICE * sparse


def ours(library: Any, count: int, history: int, *, traced: bool) -> Work:
    """Return an iteration of tapeviz's."""
    x = library.constant(_pictures(count))
    variables = [library.Variable(value) for value in _weights()]
    optimizer = library.optimizers.LBFGS(variables, _RATE, max_iter=1, history_size=history, traced=traced)

    def closure() -> Any:
        return _loss(library, x, *variables)

    optimizer.step(closure)
    for step, change in _pairs(history):
        optimizer.history.add(library.constant(step), library.constant(change))
    return lambda: optimizer.step(closure)


def products(count: int) -> float:
    """Return the seconds that the products of one evaluation take by themselves."""
    x, (w1, w2, _, _) = _pictures(count), _weights()
    hidden, error = x[:, :_HIDDEN].copy(), x.copy()
    begin = clock()
    for one, other in ((x, w1), (hidden, w2), (hidden.T, error), (error, w2.T), (x.T, hidden)):
        np.dot(one, other)
    return clock() - begin


def megabytes(count: int) -> float:
    """Return how large the arrays are that an evaluation makes for each of the steps of its output layer."""
    return count * _PIXELS * 4 / 1e6


def others(count: int, history: int) -> dict[str, Work]:
    """Return an iteration in the other libraries."""
    found: dict[str, Work] = {}
    if (torch := load("torch")) is not None:
        found["torch"] = _torch(torch, count, history)
    if (tensorflow := load("tensorflow")) is not None:
        found["tensorflow"] = _tensorflow(tensorflow, count, history, lambda function: function)
        found["tf.function"] = _tensorflow(tensorflow, count, history, tensorflow.function)
    if (jax := load("jax")) is not None:
        found["jax"] = _jax(jax, count, history)
    return found


def _torch(torch: Any, count: int, history: int) -> Work:
    x = torch.from_numpy(_pictures(count))
    w1, w2, b1, b2 = parameters = [torch.from_numpy(value).requires_grad_() for value in _weights()]
    optimizer = torch.optim.LBFGS(parameters, lr=_RATE, max_iter=1, history_size=history)

    def closure() -> Any:
        optimizer.zero_grad()
        hidden = torch.sigmoid(x @ w1 + b1)
        error = torch.sigmoid(hidden @ w2 + b2) - x
        active = hidden.mean(0)
        rest = (1 - _SPARSITY) * torch.log((1 - _SPARSITY) / (1 - active))
        sparse = torch.sum(_SPARSITY * torch.log(_SPARSITY / active) + rest)
        decay = torch.sum(torch.square(w1)) + torch.sum(torch.square(w2))
        loss = 0.5 * torch.sum(torch.square(error)) / count + 0.5 * _DECAY * decay + _PRICE * sparse
        loss.backward()
        return loss

    optimizer.step(closure)
    state = optimizer.state[parameters[0]]
    pairs = [(torch.from_numpy(step), torch.from_numpy(change)) for step, change in _pairs(history)]
    state["old_stps"] = [step for step, _ in pairs]
    state["old_dirs"] = [change for _, change in pairs]
    state["ro"] = [1.0 / change.dot(step) for step, change in pairs]
    return lambda: optimizer.step(closure)


def _direction(total: Callable[[Any], Any], gradient: Any, steps: Any, changes: Any) -> Any:
    """The two-loop recursion as one writes it."""
    q, alphas = -gradient, []
    sizes = [1.0 / total(y * s) for s, y in zip(steps, changes, strict=True)]
    for s, y, size in zip(steps[::-1], changes[::-1], sizes[::-1], strict=True):
        alphas.append(total(s * q) * size)
        q = q - alphas[-1] * y
    q = q / (sizes[-1] * total(changes[-1] * changes[-1]))
    for s, y, size, alpha in zip(steps, changes, sizes, alphas[::-1], strict=True):
        q = q + (alpha - total(y * q) * size) * s
    return q


def _tensorflow(tensorflow: Any, count: int, history: int, way: Callable[[Any], Any]) -> Work:
    x = tensorflow.constant(_pictures(count))
    variables = [tensorflow.Variable(value) for value in _weights()]
    pairs = [(tensorflow.constant(step), tensorflow.constant(change)) for step, change in _pairs(history)]
    steps, changes = [step for step, _ in pairs], [change for _, change in pairs]

    @way
    def evaluated() -> Any:
        with tensorflow.GradientTape() as tape:
            loss = _loss(tensorflow, x, *variables)
        return loss, tensorflow.concat([tensorflow.reshape(g, [-1]) for g in tape.gradient(loss, variables)], 0)

    direction = way(partial(_direction, tensorflow.reduce_sum))

    @way
    def move(d: Any) -> None:
        parts = tensorflow.split(d, [variable.shape.num_elements() for variable in variables])
        for variable, part in zip(variables, parts, strict=True):
            variable.assign_add(_RATE * tensorflow.reshape(part, variable.shape))

    _, gradient = evaluated()
    before = [gradient, direction(gradient, steps, changes)]
    move(before[1])

    def run() -> Any:
        loss, gradient = evaluated()
        step, change = _RATE * before[1], gradient - before[0]
        if float(tensorflow.reduce_sum(step * change)) > _FLAT:
            steps.append(step)
            changes.append(change)
            del steps[0], changes[0]
        before[:] = [gradient, direction(gradient, steps, changes)]
        move(before[1])
        return float(loss)

    return run


def _jax(jax: Any, count: int, history: int) -> Work:
    """Return an iteration as one compiled function, whose state stays in donated arrays: the pairs in a ring."""
    numbers = jax.numpy
    names = SimpleNamespace(
        sigmoid=jax.nn.sigmoid, reduce_mean=numbers.mean, reduce_sum=numbers.sum, square=numbers.square, math=numbers
    )
    x = numbers.asarray(_pictures(count))
    weights, parted = import_module("jax.flatten_util").ravel_pytree(list(map(numbers.asarray, _weights())))
    evaluated = jax.value_and_grad(lambda weights, x: _loss(names, x, *parted(weights)))

    def move(state: Any, x: Any) -> Any:
        weights, before, last, steps, changes, oldest = state
        loss, gradient = evaluated(weights, x)
        step, change = _RATE * last, gradient - before
        curved = numbers.vdot(step, change) > _FLAT
        steps = steps.at[oldest].set(numbers.where(curved, step, steps[oldest]))
        changes = changes.at[oldest].set(numbers.where(curved, change, changes[oldest]))
        oldest = numbers.where(curved, (oldest + 1) % history, oldest)
        last = _jax_direction(jax, gradient, steps, changes, oldest)
        return (weights + _RATE * last, gradient, last, steps, changes, oldest), loss

    pairs = _pairs(history)
    steps, changes = (numbers.stack([pair[which] for pair in pairs]) for which in range(2))
    _, gradient = jax.jit(evaluated)(weights, x)
    direction = _jax_direction(jax, gradient, steps, changes, 0)
    kept = [(weights + _RATE * direction, gradient, direction, steps, changes, numbers.int32(0))]
    compiled = jax.jit(move, donate_argnums=0)

    def run() -> Any:
        kept[0], loss = compiled(kept[0], x)
        return float(loss)

    return run


def _jax_direction(jax: Any, gradient: Any, steps: Any, changes: Any, oldest: Any) -> Any:
    """The two-loop recursion over a ring of pairs, of which the oldest is told."""
    numbers, count = jax.numpy, len(steps)

    def back(i: Any, found: Any) -> Any:
        q, alphas = found
        at = (oldest + count - 1 - i) % count
        alpha = numbers.vdot(steps[at], q) / numbers.vdot(steps[at], changes[at])
        return q - alpha * changes[at], alphas.at[at].set(alpha)

    def forward(i: Any, q: Any) -> Any:
        at = (oldest + i) % count
        beta = numbers.vdot(changes[at], q) / numbers.vdot(steps[at], changes[at])
        return q + (alphas[at] - beta) * steps[at]

    q, alphas = jax.lax.fori_loop(0, count, back, (-gradient, numbers.zeros(count)))
    newest = (oldest + count - 1) % count
    size = numbers.vdot(steps[newest], changes[newest]) / numbers.vdot(changes[newest], changes[newest])
    return jax.lax.fori_loop(0, count, forward, q * size)
