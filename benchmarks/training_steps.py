"""The work of the training benchmarks, in each library: a step of a convolutional model, and of linear regression.

The code for tapeviz and TensorFlow is the same: Keras' layers, losses and optimizers, a tape, `apply_gradients`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from benchmarks.peers import load

__all__ = [
    "convolutional",
    "convolutional_peers",
    "eager_peers",
    "flattened",
    "regression",
    "regression_peers",
    "torch_step",
]

Work = Callable[[], Any]

_BATCH: Final = 32
_CHANNELS: Final = 16
_SIDE: Final = 24  # of what two convolutions leave of a picture
_CLASSES: Final = 10
_POINTS: Final = 1000
_RATE: Final = 0.01


def _pictures() -> tuple[np.ndarray, np.ndarray]:
    """Return a batch in the shape of MNIST's, and its labels."""
    rng = np.random.default_rng(3)
    return rng.uniform(size=(_BATCH, 28, 28, 1)).astype("f4"), rng.integers(0, _CLASSES, _BATCH).astype("i8")


def convolutional(library: Any) -> Work:
    """Return a step of the guide's convolutional model with Adam: the same for tapeviz and TensorFlow."""
    return _convolutional(library, _CHANNELS, library.keras.layers.GlobalAveragePooling2D())


def flattened(library: Any) -> Work:
    """Return a step of one with twice as many channels in the second layer and no average: the same for both."""
    return _convolutional(library, 2 * _CHANNELS, library.keras.layers.Flatten())


def _convolutional(library: Any, channels: int, joined: Any) -> Work:
    layers, keras = library.keras.layers, library.keras
    model = keras.Sequential([
        layers.Conv2D(_CHANNELS, [3, 3], activation="relu"),
        layers.Conv2D(channels, [3, 3], activation="relu"),
        joined,
        layers.Dense(_CLASSES),
    ])  # fmt: skip
    optimizer = keras.optimizers.Adam()
    measure = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    images, labels = map(library.constant, _pictures())
    model(images)

    def step() -> Any:
        with library.GradientTape() as tape:
            loss = measure(labels, model(images, training=True))
        variables = model.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
        return loss

    return step


def regression(library: Any) -> Work:
    """Return a step of linear regression with gradient descent: the same for tapeviz and TensorFlow."""
    x, y = map(library.constant, _line())
    w, b = library.Variable(5.0), library.Variable(10.0)
    optimizer = library.keras.optimizers.SGD(_RATE)

    def step() -> Any:
        with library.GradientTape() as tape:
            loss = library.reduce_mean(library.square(x * w + b - y))
        optimizer.apply_gradients(zip(tape.gradient(loss, [w, b]), [w, b], strict=True))
        return loss

    return step


def _line() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(4)
    x = rng.normal(size=_POINTS).astype("f4")
    return x, (3 * x + 2 + rng.normal(size=_POINTS)).astype("f4")


def convolutional_peers() -> dict[str, Work]:
    """Return the convolutional model's step in the other libraries."""
    found = _traced(convolutional)
    if (torch := load("torch")) is not None:
        found["torch"] = _torch_convolutional(torch, "contiguous_format")
    if (jax := load("jax")) is not None:
        found["jax"] = _jax_convolutional(jax)
    return found


def eager_peers(make: Callable[[Any], Work]) -> dict[str, Work]:
    """Return a convolutional model's step in PyTorch, in both memory formats, and in TensorFlow, all of them eager."""
    found: dict[str, Work] = {}
    if (torch := load("torch")) is not None:
        found["torch"] = _torch_convolutional(torch, "contiguous_format", flat=make is flattened)
        found["torch, channels last"] = _torch_convolutional(torch, "channels_last", flat=make is flattened)
    if (tensorflow := load("tensorflow")) is not None:
        found["tensorflow"] = make(tensorflow)
    return found


def regression_peers() -> dict[str, Work]:
    """Return the step of linear regression in the other libraries."""
    found = _traced(regression)
    if (torch := load("torch")) is not None:
        found["torch"] = _torch_regression(torch)
    if (jax := load("jax")) is not None:
        found["jax"] = _jax_regression(jax)
    return found


def _traced(make: Callable[[Any], Work]) -> dict[str, Work]:
    """Return TensorFlow's ways to run it."""
    tensorflow = load("tensorflow")
    if tensorflow is None:
        return {}
    ways: dict[str, Callable[[Work], Work]] = {
        "tensorflow": lambda step: step,
        "tf.function": tensorflow.function,
        "jit_compile": lambda step: tensorflow.function(step, jit_compile=True),
    }
    return {name: way(make(tensorflow)) for name, way in ways.items()}


def _torch_convolutional(torch: Any, layout: str, *, flat: bool = False) -> Work:
    nn, channels = torch.nn, 2 * _CHANNELS if flat else _CHANNELS
    model = nn.Sequential(
        nn.Conv2d(1, _CHANNELS, 3), nn.ReLU(), nn.Conv2d(_CHANNELS, channels, 3), nn.ReLU(),
        *([] if flat else [nn.AdaptiveAvgPool2d(1)]), nn.Flatten(),
        nn.Linear(channels * _SIDE**2 if flat else channels, _CLASSES),
    ).to(memory_format=getattr(torch, layout))  # fmt: skip
    images, labels = _pictures()
    x, targets = torch.from_numpy(np.ascontiguousarray(np.moveaxis(images, -1, 1))), torch.from_numpy(labels)
    x = x.to(memory_format=getattr(torch, layout))
    optimizer = torch.optim.Adam(model.parameters())
    return torch_step(optimizer, lambda: nn.functional.cross_entropy(model(x), targets))


def _torch_regression(torch: Any) -> Work:
    x, y = map(torch.from_numpy, _line())
    w, b = (torch.tensor(value, requires_grad=True) for value in (5.0, 10.0))

    def loss() -> Any:
        return ((x * w + b - y) ** 2).mean()

    return torch_step(torch.optim.SGD([w, b], lr=_RATE), loss)


def torch_step(optimizer: Any, compute: Work) -> Work:
    """Return a training step of PyTorch's."""

    def step() -> Any:
        optimizer.zero_grad()
        loss = compute()
        loss.backward()
        optimizer.step()
        return loss

    return step


def _jax_regression(jax: Any) -> Work:
    x, y = map(jax.numpy.asarray, _line())

    def loss_of(state: Any) -> Any:
        return jax.numpy.mean((x * state[0] + state[1] - y) ** 2)

    def train(state: Any) -> Any:
        loss, gradients = jax.value_and_grad(loss_of)(state)
        return [value - _RATE * g for value, g in zip(state, gradients, strict=True)], loss

    return _kept(jax, train, [jax.numpy.float32(5.0), jax.numpy.float32(10.0)])


def _jax_convolutional(jax: Any) -> Work:
    numbers = jax.numpy
    rng = np.random.default_rng(5)
    shapes = [(3, 3, 1, _CHANNELS), (_CHANNELS,), (3, 3, _CHANNELS, _CHANNELS), (_CHANNELS,), (_CHANNELS, _CLASSES),
              (_CLASSES,)]  # fmt: skip
    weights = [numbers.asarray(rng.normal(0, 0.1, shape).astype("f4")) for shape in shapes]
    images, labels = map(numbers.asarray, _pictures())

    def convolve(x: Any, w: Any, b: Any) -> Any:
        y = jax.lax.conv_general_dilated(x, w, (1, 1), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC"))
        return jax.nn.relu(y + b)

    def loss_of(weights: Any) -> Any:
        h = convolve(convolve(images, *weights[:2]), *weights[2:4]).mean((1, 2)) @ weights[4] + weights[5]
        return -numbers.mean(numbers.take_along_axis(jax.nn.log_softmax(h), labels[:, None], 1))

    def train(state: Any) -> Any:
        weights, first, second, count = state
        loss, gradients = jax.value_and_grad(loss_of)(weights)
        count = count + 1
        rate = 1e-3 * numbers.sqrt(1 - 0.999**count) / (1 - 0.9**count)
        first = [m + 0.1 * (g - m) for m, g in zip(first, gradients, strict=True)]
        second = [v + 0.001 * (g * g - v) for v, g in zip(second, gradients, strict=True)]
        moved = [rate * m / (numbers.sqrt(v) + 1e-7) for m, v in zip(first, second, strict=True)]
        weights = [w - change for w, change in zip(weights, moved, strict=True)]
        return (weights, first, second, count), loss

    zeros = [[numbers.zeros(shape) for shape in shapes] for _ in range(2)]
    return _kept(jax, train, (weights, *zeros, numbers.float32(0)))


def _kept(jax: Any, train: Callable[[Any], Any], state: Any) -> Work:
    """Return a compiled step that keeps its state in donated arrays."""
    compiled = jax.jit(train, donate_argnums=0)
    kept = [state]

    def run() -> Any:
        kept[0], loss = compiled(kept[0])
        return loss.block_until_ready()

    return run
