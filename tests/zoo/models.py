"""Models as people build them, small enough to record: each with data to take a training step on.

A builder takes sizes, so that one definition serves a look at its views (a second or less to record) and a measurement
at the size of a real one. `ZOO` names the builders; `ways` says how a step of one runs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import tapeviz as tf

__all__ = ["LARGE", "ZOO", "Example"]

layers = tf.keras.layers


@dataclass(frozen=True)
class Example:
    """A model and one batch: `objective(inputs, targets)` is the loss of a training step."""

    name: str
    model: Any
    inputs: Any
    targets: Any
    objective: Callable[[Any, Any], Any]


def supervised(name: str, model: Any, inputs: Any, targets: Any, loss: Any) -> Example:
    """A model with an ordinary loss, compiled for `fit` with that loss and Adam."""
    model.compile(optimizer=tf.keras.optimizers.Adam(1e-3), loss=loss)

    def objective(inputs: Any, targets: Any) -> Any:
        return loss(targets, model(inputs, training=True))

    return Example(name, model, tf.constant(inputs), tf.constant(targets), objective)


def from_logits() -> Any:
    return tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)


def pictures(batch: int, size: int, channels: int = 3) -> np.ndarray:
    return np.random.default_rng(0).normal(size=(batch, size, size, channels)).astype(np.float32)


def series(batch: int, steps: int, features: int) -> np.ndarray:
    return np.random.default_rng(1).normal(size=(batch, steps, features)).astype(np.float32)


def labels(batch: int, classes: int, *inner: int) -> np.ndarray:
    return np.random.default_rng(2).integers(classes, size=(batch, *inner)).astype(np.int32)


def tokens(batch: int, length: int, words: int) -> np.ndarray:
    return np.random.default_rng(3).integers(words, size=(batch, length)).astype(np.int32)


class BasicBlock(layers.Layer):
    """Two convolutions beside a shortcut, as in a residual network of 18 layers."""

    def __init__(self, width: int, stride: int) -> None:
        super().__init__()
        self.first = layers.Conv2D(width, 3, strides=stride, padding="same", use_bias=False)
        self.first_norm = layers.BatchNormalization()
        self.second = layers.Conv2D(width, 3, padding="same", use_bias=False)
        self.second_norm = layers.BatchNormalization()
        self.shortcut = layers.Conv2D(width, 1, strides=stride, use_bias=False) if stride > 1 else None

    def call(self, x, training=None):
        y = tf.nn.relu(self.first_norm(self.first(x), training=training))
        y = self.second_norm(self.second(y), training=training)
        short = x if self.shortcut is None else self.shortcut(x)
        return tf.nn.relu(y + short)


class ResNet(tf.keras.Model):
    """A convolution, stages of blocks that halve the picture, an average and a dense layer."""

    def __init__(self, widths: Sequence[int], depth: int, classes: int) -> None:
        super().__init__()
        self.stem = layers.Conv2D(widths[0], 3, padding="same", use_bias=False)
        self.stem_norm = layers.BatchNormalization()
        self.blocks = [
            BasicBlock(width, 2 if stage > 0 and n == 0 else 1)
            for stage, width in enumerate(widths)
            for n in range(depth)
        ]
        self.pool = layers.GlobalAveragePooling2D()
        self.head = layers.Dense(classes)

    def call(self, x, training=None):
        x = tf.nn.relu(self.stem_norm(self.stem(x), training=training))
        for block in self.blocks:
            x = block(x, training=training)
        return self.head(self.pool(x))


def resnet(widths: Sequence[int] = (4, 8), depth: int = 2, size: int = 8, batch: int = 2, classes: int = 10) -> Example:
    """A residual network; with widths (64, 128, 256, 512) the one of 18 layers, 11 million parameters."""
    model = ResNet(widths, depth, classes)
    return supervised("resnet", model, pictures(batch, size), labels(batch, classes), from_logits())


def lstm(steps: int = 6, features: int = 4, units: int = 8, batch: int = 2, classes: int = 3) -> Example:
    """Two LSTM layers that read series, and a dense layer."""
    model = tf.keras.Sequential(
        [layers.LSTM(units, return_sequences=True), layers.LSTM(units), layers.Dense(classes)], name="reader"
    )
    return supervised("lstm", model, series(batch, steps, features), labels(batch, classes), from_logits())


def bidirectional_gru(words: int = 20, length: int = 6, units: int = 6, batch: int = 2, classes: int = 2) -> Example:
    """Words read in both directions by a GRU that skips padding."""
    model = tf.keras.Sequential(
        [
            layers.Embedding(words, units, mask_zero=True),
            layers.Bidirectional(layers.GRU(units)),
            layers.Dropout(0.2),
            layers.Dense(classes),
        ],
        name="sentiment",
    )
    return supervised("bidirectional GRU", model, tokens(batch, length, words), labels(batch, classes), from_logits())


def deep_dense(depth: int = 30, units: int = 8, batch: int = 4) -> Example:
    """Dense layers, one after the other."""
    inner = [layers.Dense(units, activation="tanh") for _ in range(depth - 1)]
    model = tf.keras.Sequential([*inner, layers.Dense(1)], name="deep")
    inputs = series(batch, 1, units)[:, 0]
    return supervised("30 dense layers", model, inputs, inputs[:, :1], tf.keras.losses.MeanSquaredError())


def unet(width: int = 4, depth: int = 2, size: int = 16, batch: int = 1, classes: int = 2) -> Example:
    """Down and up again, with what was on the way down joined in on the way up; a functional model."""

    def twice(x, filters):
        for _ in range(2):
            x = layers.Conv2D(filters, 3, padding="same", activation="relu")(x)
        return x

    x = start = layers.Input((size, size, 3))
    kept = []
    for level in range(depth):
        x = twice(x, width * 2**level)
        kept.append(x)
        x = layers.MaxPooling2D()(x)
    x = twice(x, width * 2**depth)
    for level in reversed(range(depth)):
        x = layers.Conv2DTranspose(width * 2**level, 2, strides=2)(x)
        x = twice(layers.Concatenate()([x, kept.pop()]), width * 2**level)
    model = tf.keras.Model(start, layers.Conv2D(classes, 1)(x), name="unet")
    return supervised("U-Net", model, pictures(batch, size), labels(batch, classes, size, size), from_logits())


class TransformerBlock(layers.Layer):
    """Attention and two dense layers, each normalised before and added to what came in."""

    def __init__(self, width: int, heads: int, causal: bool) -> None:
        super().__init__()
        self.causal = causal
        self.attention_norm = layers.LayerNormalization()
        self.attention = layers.MultiHeadAttention(heads, width // heads)
        self.dense_norm = layers.LayerNormalization()
        self.wide = layers.Dense(4 * width, activation="gelu")
        self.narrow = layers.Dense(width)

    def call(self, x):
        y = self.attention_norm(x)
        x = x + self.attention(y, y, use_causal_mask=self.causal)
        return x + self.narrow(self.wide(self.dense_norm(x)))


class VisionTransformer(tf.keras.Model):
    """Pictures cut into patches, each a token with a learned place; transformer blocks; their mean decides."""

    def __init__(self, width: int, blocks: int, heads: int, patch: int, classes: int) -> None:
        super().__init__()
        self.width = width
        self.patches = layers.Conv2D(width, patch, strides=patch)
        self.blocks = [TransformerBlock(width, heads, causal=False) for _ in range(blocks)]
        self.norm = layers.LayerNormalization()
        self.head = layers.Dense(classes)

    def build(self, shape):
        count = (shape[1] // self.patches.kernel_size[0]) ** 2
        self.places = self.add_weight(name="places", shape=(1, count, self.width), initializer="random_normal")
        super().build(shape)

    def call(self, images):
        x = self.patches(images)
        x = tf.reshape(x, [tf.shape(x)[0], -1, self.width]) + self.places
        for block in self.blocks:
            x = block(x)
        return self.head(tf.reduce_mean(self.norm(x), axis=1))


def vision_transformer(
    width: int = 8, blocks: int = 2, heads: int = 2, size: int = 8, patch: int = 4, batch: int = 2, classes: int = 4
) -> Example:
    """A transformer that reads pictures."""
    model = VisionTransformer(width, blocks, heads, patch, classes)
    return supervised("vision transformer", model, pictures(batch, size), labels(batch, classes), from_logits())


class LanguageModel(tf.keras.Model):
    """Tokens and their places, transformer blocks that look back only, and the scores of the next token."""

    def __init__(self, words: int, length: int, width: int, blocks: int, heads: int) -> None:
        super().__init__()
        self.words = layers.Embedding(words, width)
        self.places = layers.Embedding(length, width)
        self.blocks = [TransformerBlock(width, heads, causal=True) for _ in range(blocks)]
        self.norm = layers.LayerNormalization()
        self.scores = layers.Dense(words)

    def call(self, ids):
        x = self.words(ids) + self.places(tf.range(tf.shape(ids)[1]))
        for block in self.blocks:
            x = block(x)
        return self.scores(self.norm(x))


def transformer(
    width: int = 16, blocks: int = 2, heads: int = 2, length: int = 8, words: int = 30, batch: int = 2
) -> Example:
    """A language model that predicts the next token; width 256 and six blocks have 5 million parameters."""
    ids = tokens(batch, length + 1, words)
    model = LanguageModel(words, length, width, blocks, heads)
    return supervised("transformer", model, ids[:, :-1], ids[:, 1:], from_logits())


class SmoothNet(tf.keras.Model):
    """A network whose loss holds the gradient of its output with respect to its input: a gradient of a gradient."""

    def __init__(self, units: int) -> None:
        super().__init__()
        self.hidden = layers.Dense(units, activation="tanh")
        self.out = layers.Dense(1)

    def call(self, x):
        return self.out(self.hidden(x))

    def objective(self, x, y):
        with tf.GradientTape() as inner:
            inner.watch(x)
            predicted = self(x)
        slope = inner.gradient(predicted, x)
        penalty = tf.reduce_mean((tf.norm(slope, axis=1) - 1.0) ** 2)
        return tf.reduce_mean((predicted - y) ** 2) + 10.0 * penalty

    def train_step(self, data):
        x, y = data[:2]
        with tf.GradientTape() as tape:
            loss = self.objective(x, y)
        variables = self.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
        return {"loss": loss}


def second_order(units: int = 8, features: int = 3, batch: int = 4) -> Example:
    """A network trained with a gradient penalty."""
    model = SmoothNet(units)
    model.compile(optimizer=tf.keras.optimizers.Adam(1e-3))
    inputs = tf.constant(series(batch, 1, features)[:, 0])
    return Example("second order", model, inputs, inputs[:, :1], model.objective)


ZOO: dict[str, Callable[..., Example]] = {
    "resnet": resnet,
    "lstm": lstm,
    "bidirectional_gru": bidirectional_gru,
    "deep_dense": deep_dense,
    "unet": unet,
    "vision_transformer": vision_transformer,
    "transformer": transformer,
    "second_order": second_order,
}

LARGE: dict[str, Callable[[], Example]] = {
    "resnet18": lambda: resnet((64, 128, 256, 512), depth=2, size=32, batch=8),
    "lstm": lambda: lstm(steps=50, features=64, units=256, batch=32, classes=10),
    "transformer": lambda: transformer(width=256, blocks=6, heads=8, length=64, words=1000, batch=8),
}
