"""The work of the graph benchmarks, in each library: a chain of small ops, and training steps with Adam.

A step computes a loss, its gradient, and Adam's update by hand; the state is kept by the library's own means
(variables, tensors changed in place, donated arrays).
"""

from __future__ import annotations

import itertools
import logging
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from benchmarks.peers import MISSING, load

__all__ = ["CHAIN", "LARGE", "RECURRENT", "SMALL", "chain", "chains", "recurrent", "recurrents", "step", "steps"]

_PAIRS: Final = 500
CHAIN: Final = 2 * _PAIRS
SMALL: Final = ((20, 32, 32, 2), 32)
_UNITS, _STEPS, _FEATURES, _BATCH = 64, 50, 16, 32
RECURRENT: Final = f"LSTM({_UNITS}) over {_STEPS} steps, any batch and length, one step of SGD"
LARGE: Final = ((784, 256, 128, 10), 64)
_RATE, _FIRST, _SECOND, _TINY = 1e-3, 0.9, 0.999, 1e-7

Work = Callable[[], Any]


def _numbers() -> tuple[np.ndarray, ...]:
    return np.linspace(0.5, 1.5, 4, dtype="f4"), np.full(4, 0.999, "f4"), np.full(4, 0.001, "f4")


def _long(y: Any, w: Any, b: Any) -> Any:
    for _ in range(_PAIRS):
        y = y * w
        y = y + b
    return y


def chain(library: Any) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """Return the chain and its arguments: the same for tapeviz and TensorFlow."""
    return _long, tuple(map(library.constant, _numbers()))


def chains() -> dict[str, Work]:
    """Return the chain in the other libraries."""
    found: dict[str, Work] = {}
    if (torch := load("torch")) is not None:
        given = tuple(map(torch.from_numpy, _numbers()))
        found["torch"] = lambda: _long(*given)
        _with_compile(found, lambda: torch.compile(_long), given)
    if (tensorflow := load("tensorflow")) is not None:
        _with_tensorflow(found, tensorflow, lambda: chain(tensorflow))
    if (jax := load("jax")) is not None:
        arrays = tuple(map(jax.numpy.asarray, _numbers()))
        compiled = jax.jit(_long)
        found["jax"] = lambda: compiled(*arrays).block_until_ready()
    return found


def _with_compile(found: dict[str, Work], make: Callable[[], Any], given: tuple[Any, ...]) -> None:
    """Add torch.compile, which needs a C++ compiler, or say why it is not there."""
    logging.getLogger("torch._inductor").setLevel(logging.ERROR)
    try:
        compiled = make()
        compiled(*given)
    except Exception as error:  # noqa: BLE001 - whatever is missing, the other rows can be measured
        MISSING.append(f"torch.compile ({type(error).__name__}: {str(error).splitlines()[0][:80]})")
        return
    found["torch.compile"] = lambda: compiled(*given)


def _with_tensorflow(
    found: dict[str, Work], tensorflow: Any, make: Callable[[], tuple[Callable[..., Any], tuple[Any, ...]]]
) -> None:
    for name, options in (("tf.function", {}), ("jit_compile", {"jit_compile": True})):
        work, given = make()
        traced = tensorflow.function(work, **options)
        found[name] = _called(traced, given)


def _called(work: Callable[..., Any], given: tuple[Any, ...]) -> Work:
    return lambda: work(*given)


# Training steps.


def recurrent(library: Any) -> Work:
    """Return a training step of a recurrent model, a loop as lengths are open: the same for tapeviz and TensorFlow."""
    rng, keras = np.random.default_rng(7), library.keras
    x = library.constant(rng.normal(size=(_BATCH, _STEPS, _FEATURES)).astype("f4"))
    labels = library.constant(rng.integers(0, 5, _BATCH).astype("i4"))
    model = keras.Sequential([keras.layers.LSTM(_UNITS), keras.layers.Dense(5)])
    model(x)
    measure, optimizer = keras.losses.SparseCategoricalCrossentropy(from_logits=True), keras.optimizers.SGD(0.01)

    signature = [library.TensorSpec([None, None, _FEATURES]), library.TensorSpec([None], "int32")]

    @library.function(input_signature=signature)
    def step(x: Any, labels: Any) -> Any:
        with library.GradientTape() as tape:
            loss = measure(labels, model(x, training=True))
        variables = model.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
        return loss

    return lambda: step(x, labels)


def recurrents() -> dict[str, Work]:
    """Return the recurrent model's step in TensorFlow."""
    tensorflow = load("tensorflow")
    return {} if tensorflow is None else {"tf.function": recurrent(tensorflow)}


def _data(sizes: tuple[int, ...], batch: int) -> tuple[list[np.ndarray], np.ndarray, np.ndarray]:
    rng = np.random.default_rng(11)
    weights = []
    for rows, columns in itertools.pairwise(sizes):
        weights += [rng.normal(0, 0.1, (rows, columns)).astype("f4"), np.zeros(columns, "f4")]
    return weights, rng.normal(size=(batch, sizes[0])).astype("f4"), rng.integers(0, sizes[-1], batch).astype("i4")


def step(library: Any, sizes: tuple[int, ...], batch: int) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """Return a training step and its arguments: the same for tapeviz and TensorFlow."""
    weights, x, labels = _data(sizes, batch)
    parameters = [library.Variable(value) for value in weights]
    first = [library.Variable(np.zeros_like(value)) for value in weights]
    second = [library.Variable(np.zeros_like(value)) for value in weights]
    count = library.Variable(0.0)

    def train(x: Any, labels: Any) -> Any:
        with library.GradientTape() as tape:
            h = x
            for place in range(0, len(parameters), 2):
                h = h @ parameters[place] + parameters[place + 1]
                if place < len(parameters) - 2:
                    h = library.nn.relu(h)
            losses = library.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=h)
            loss = library.reduce_mean(losses)
        gradients = tape.gradient(loss, parameters)
        count.assign_add(1.0)
        rate = _RATE * library.sqrt(1 - library.pow(_SECOND, count)) / (1 - library.pow(_FIRST, count))
        for parameter, m, v, gradient in zip(parameters, first, second, gradients, strict=True):
            m.assign(_FIRST * m + (1 - _FIRST) * gradient)
            v.assign(_SECOND * v + (1 - _SECOND) * gradient * gradient)
            parameter.assign_sub(rate * m / (library.sqrt(v) + _TINY))
        return loss

    return train, (library.constant(x), library.constant(labels))


def steps(sizes: tuple[int, ...], batch: int) -> dict[str, Work]:
    """Return the training step in the other libraries."""
    found: dict[str, Work] = {}
    if (torch := load("torch")) is not None:
        work, given = _torch_step(torch, sizes, batch)
        found["torch"] = lambda: work(*given)
        again, other = _torch_step(torch, sizes, batch)
        _with_compile(found, lambda: torch.compile(again), other)
    if (tensorflow := load("tensorflow")) is not None:
        _with_tensorflow(found, tensorflow, lambda: step(tensorflow, sizes, batch))
    if (jax := load("jax")) is not None:
        found["jax"] = _jax_step(jax, sizes, batch)
    return found


def _torch_step(torch: Any, sizes: tuple[int, ...], batch: int) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    weights, x, labels = _data(sizes, batch)
    parameters = [torch.from_numpy(value) for value in weights]
    first = [torch.zeros_like(value) for value in parameters]
    second = [torch.zeros_like(value) for value in parameters]
    count = torch.zeros(())

    def loss_of(parameters: Any, x: Any, labels: Any) -> Any:
        h = x
        for place in range(0, len(parameters), 2):
            h = h @ parameters[place] + parameters[place + 1]
            if place < len(parameters) - 2:
                h = torch.relu(h)
        return torch.nn.functional.cross_entropy(h, labels)

    value_and_gradient = torch.func.grad_and_value(loss_of)

    def train(x: Any, labels: Any) -> Any:
        gradients, loss = value_and_gradient(parameters, x, labels)
        count.add_(1.0)
        rate = _RATE * torch.sqrt(1 - _SECOND**count) / (1 - _FIRST**count)
        for parameter, m, v, gradient in zip(parameters, first, second, gradients, strict=True):
            m.copy_(_FIRST * m + (1 - _FIRST) * gradient)
            v.copy_(_SECOND * v + (1 - _SECOND) * gradient * gradient)
            parameter.sub_(rate * m / (torch.sqrt(v) + _TINY))
        return loss

    return train, (torch.from_numpy(x), torch.from_numpy(labels).long())


def _jax_step(jax: Any, sizes: tuple[int, ...], batch: int) -> Work:
    numbers = jax.numpy
    weights, x, labels = _data(sizes, batch)

    def loss_of(parameters: Any, x: Any, labels: Any) -> Any:
        h = x
        for place in range(0, len(parameters), 2):
            h = h @ parameters[place] + parameters[place + 1]
            if place < len(parameters) - 2:
                h = jax.nn.relu(h)
        return -numbers.mean(numbers.take_along_axis(jax.nn.log_softmax(h), labels[:, None], 1))

    def train(state: Any, x: Any, labels: Any) -> Any:
        parameters, first, second, count = state
        loss, gradients = jax.value_and_grad(loss_of)(parameters, x, labels)
        count = count + 1
        rate = _RATE * numbers.sqrt(1 - _SECOND**count) / (1 - _FIRST**count)
        first = [_FIRST * m + (1 - _FIRST) * g for m, g in zip(first, gradients, strict=True)]
        second = [_SECOND * v + (1 - _SECOND) * g * g for v, g in zip(second, gradients, strict=True)]
        changes = [rate * m / (numbers.sqrt(v) + _TINY) for m, v in zip(first, second, strict=True)]
        parameters = [w - change for w, change in zip(parameters, changes, strict=True)]
        return (parameters, first, second, count), loss

    compiled = jax.jit(train, donate_argnums=0)
    zeros = [[numbers.zeros(value.shape) for value in weights] for _ in range(2)]
    kept = [([numbers.asarray(value) for value in weights], *zeros, numbers.float32(0))]
    given = numbers.asarray(x), numbers.asarray(labels)

    def run() -> Any:
        kept[0], loss = compiled(kept[0], *given)
        return loss.block_until_ready()

    return run
