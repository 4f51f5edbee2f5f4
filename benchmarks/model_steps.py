"""The work of the benchmarks of whole models, in each library: a transformer and a recurrent model, and their steps.

The code for tapeviz and TensorFlow is the same: Keras' layers, losses and optimizers, a tape, `apply_gradients`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from benchmarks.peers import load

__all__ = ["RECURRENT", "TRANSFORMER", "recurrent", "recurrents", "transformer", "transformers"]

Work = Callable[[], Any]

_WORDS, _WIDTH, _HEADS, _DEPTH, _BATCH, _LENGTH = 1000, 256, 4, 6, 8, 64
TRANSFORMER: Final = f"transformer of 5 million parameters on {_BATCH}x{_LENGTH} words, one step of Adam"
_UNITS, _STEPS, _FEATURES, _SERIES = 64, 50, 16, 32
RECURRENT: Final = f"LSTM({_UNITS}) over {_STEPS} steps, one step of SGD"


def _stepped(library: Any, model: Any, inputs: Any, labels: Any, optimizer: Any) -> Work:
    """Return a step of an optimizer on a model with a loss by labels."""
    measure = library.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    x, targets = library.constant(inputs), library.constant(labels)
    model(x)

    def step() -> Any:
        with library.GradientTape() as tape:
            loss = measure(targets, model(x, training=True))
        variables = model.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
        return loss

    return step


def _traced(make: Callable[[Any], Work]) -> dict[str, Work]:
    """Return TensorFlow's compiled ways to run a step."""
    tensorflow = load("tensorflow")
    if tensorflow is None:
        return {}
    ways = {"tf.function": {}, "jit_compile": {"jit_compile": True}}
    return {name: tensorflow.function(make(tensorflow), **options) for name, options in ways.items()}


def recurrent(library: Any) -> Work:
    """Return a step of a recurrent model whose sizes are all known."""
    layers, rng = library.keras.layers, np.random.default_rng(7)
    x, labels = rng.normal(size=(_SERIES, _STEPS, _FEATURES)).astype("f4"), rng.integers(0, 5, _SERIES).astype("i4")
    model = library.keras.Sequential([layers.LSTM(_UNITS), layers.Dense(5)])
    return _stepped(library, model, x, labels, library.keras.optimizers.SGD(0.01))


def recurrents() -> dict[str, Work]:
    """Return the recurrent model's step in TensorFlow."""
    return _traced(recurrent)


def _words() -> tuple[np.ndarray, np.ndarray]:
    words = np.random.default_rng(3).integers(0, _WORDS, (_BATCH, _LENGTH + 1)).astype("i4")
    return words[:, :-1], words[:, 1:]


def transformer(library: Any) -> Work:
    """Return a step of a transformer that says the next word, without dropout."""
    keras, layers = library.keras, library.keras.layers
    words = layers.Input((_LENGTH,), dtype="int32")
    x = layers.Embedding(_WORDS, _WIDTH)(words)
    for _ in range(_DEPTH):
        y = layers.LayerNormalization()(x)
        x = x + layers.MultiHeadAttention(_HEADS, _WIDTH // _HEADS)(y, y, use_causal_mask=True)
        y = layers.LayerNormalization()(x)
        x = x + layers.Dense(_WIDTH)(layers.Dense(4 * _WIDTH, activation="gelu")(y))
    model = keras.Model(words, layers.Dense(_WORDS)(layers.LayerNormalization()(x)))
    return _stepped(library, model, *_words(), keras.optimizers.Adam(1e-3))


def transformers() -> dict[str, Work]:
    """Return the transformer's step in the other libraries."""
    found = _traced(transformer)
    if (jax := load("jax")) is not None:
        found["jax"] = _jax_transformer(jax)
    return found


def _weights() -> dict[str, Any]:
    rng = np.random.default_rng(5)

    def dense(rows: int, columns: int) -> dict[str, Any]:
        return {"w": rng.normal(0, 0.02, (rows, columns)).astype("f4"), "b": np.zeros(columns, "f4")}

    def norm() -> dict[str, Any]:
        return {"scale": np.ones(_WIDTH, "f4"), "shift": np.zeros(_WIDTH, "f4")}

    blocks = [
        {"norm": norm(), "qkv": dense(_WIDTH, 3 * _WIDTH), "out": dense(_WIDTH, _WIDTH),
         "second": norm(), "wide": dense(_WIDTH, 4 * _WIDTH), "narrow": dense(4 * _WIDTH, _WIDTH)}
        for _ in range(_DEPTH)
    ]  # fmt: skip
    words = rng.normal(0, 0.02, (_WORDS, _WIDTH)).astype("f4")
    return {"words": words, "blocks": blocks, "norm": norm(), "head": dense(_WIDTH, _WORDS)}


def _jax_logits(jax: Any, weights: Any, inputs: Any) -> Any:
    """Return the transformer's logits."""
    numbers = jax.numpy

    def norm(x: Any, w: Any) -> Any:
        centered = x - x.mean(-1, keepdims=True)
        return centered * jax.lax.rsqrt((centered * centered).mean(-1, keepdims=True) + 1e-3) * w["scale"] + w["shift"]

    def dense(x: Any, w: Any) -> Any:
        return x @ w["w"] + w["b"]

    x, causal = weights["words"][inputs], numbers.tril(numbers.ones((_LENGTH, _LENGTH), bool))
    for block in weights["blocks"]:
        parts = dense(norm(x, block["norm"]), block["qkv"]).reshape(_BATCH, _LENGTH, 3, _HEADS, _WIDTH // _HEADS)
        q, k, v = (parts[:, :, place] for place in range(3))
        scores = numbers.einsum("bqhd,bkhd->bhqk", q, k) / (_WIDTH // _HEADS) ** 0.5
        shares = jax.nn.softmax(numbers.where(causal, scores, -1e9))
        x = x + dense(numbers.einsum("bhqk,bkhd->bqhd", shares, v).reshape(_BATCH, _LENGTH, _WIDTH), block["out"])
        wide = jax.nn.gelu(dense(norm(x, block["second"]), block["wide"]), approximate=False)
        x = x + dense(wide, block["narrow"])
    return dense(norm(x, weights["norm"]), weights["head"])


def _jax_transformer(jax: Any) -> Work:
    numbers, tree = jax.numpy, jax.tree_util
    inputs, labels = map(numbers.asarray, _words())

    def loss_of(weights: Any) -> Any:
        shares = jax.nn.log_softmax(_jax_logits(jax, weights, inputs))
        return -numbers.mean(numbers.take_along_axis(shares, labels[..., None], -1))

    def train(state: Any) -> Any:
        weights, first, second, count = state
        loss, gradients = jax.value_and_grad(loss_of)(weights)
        count = count + 1
        rate = 1e-3 * numbers.sqrt(1 - 0.999**count) / (1 - 0.9**count)
        first = tree.tree_map(lambda m, g: m + 0.1 * (g - m), first, gradients)
        second = tree.tree_map(lambda v, g: v + 0.001 * (g * g - v), second, gradients)
        weights = tree.tree_map(lambda w, m, v: w - rate * m / (numbers.sqrt(v) + 1e-7), weights, first, second)
        return (weights, first, second, count), loss

    compiled = jax.jit(train, donate_argnums=0)
    weights = tree.tree_map(numbers.asarray, _weights())
    zeros = [tree.tree_map(numbers.zeros_like, weights) for _ in range(2)]
    kept = [(weights, *zeros, numbers.float32(0))]

    def run() -> Any:
        kept[0], loss = compiled(kept[0])
        return loss.block_until_ready()

    return run
