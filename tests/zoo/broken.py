"""Models of four sorts in which one block can be broken on purpose, so that what was before it gets no gradient."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import tapeviz as tf
from tests.zoo.models import Example, from_logits, labels, resnet, series, supervised, transformer

__all__ = ["BREAKS", "BROKEN", "break_block"]

layers = tf.keras.layers


def saturate(y: Any) -> Any:
    return tf.tanh(1e8 * y)


def shrink(y: Any) -> Any:
    return y * 1e-8


def poison(y: Any) -> Any:
    """Zero, whose root has an infinite slope."""
    return y + tf.sqrt(y - y)


def leave(y: Any) -> Any:
    return tf.constant(y.numpy())


BREAKS: dict[str, Callable[[Any], Any]] = {
    "stop_gradient": tf.stop_gradient,
    "numpy": leave,
    "saturating": saturate,
    "tiny_scale": shrink,
    "zeros": tf.zeros_like,
    "nan": poison,
}


def break_block(block: Any, how: str) -> None:
    """Break what a layer hands on."""
    call = block.call

    @functools.wraps(call)
    def broken(*inputs: Any, **options: Any) -> Any:
        return BREAKS[how](call(*inputs, **options))

    block.call = broken


def six_blocks() -> tuple[Example, Any]:
    """A transformer of six blocks and the fourth."""
    example = transformer(blocks=6)
    return example, example.model.blocks[3]


def eight_blocks() -> tuple[Example, Any]:
    """A residual network of 18 layers in four stages, thin ones, and the fifth of its eight blocks."""
    example = resnet((4, 4, 8, 8), depth=2, size=16)
    return example, example.model.blocks[4]


def reader() -> tuple[Example, Any]:
    """Three LSTM layers, and the second."""
    units = 8
    inner = [layers.LSTM(units, return_sequences=True) for _ in range(2)]
    model = tf.keras.Sequential([*inner, layers.LSTM(units), layers.Dense(3)], name="reader")
    return supervised("lstm", model, series(2, 6, 4), labels(2, 3), from_logits()), inner[1]


class Gan(tf.keras.Model):
    """A generator and a discriminator, which take turns in one step."""

    def __init__(self, units: int, depth: int) -> None:
        super().__init__()
        self.generator = tf.keras.Sequential(
            [*[layers.Dense(units, activation="relu") for _ in range(depth)], layers.Dense(4)], name="generator"
        )
        self.discriminator = tf.keras.Sequential(
            [*[layers.Dense(units, activation="relu") for _ in range(depth)], layers.Dense(1)], name="discriminator"
        )
        self.second_optimizer = tf.keras.optimizers.Adam(1e-3)

    def call(self, noise):
        return self.discriminator(self.generator(noise))

    def objective(self, noise, real):
        """The generator's loss, after the discriminator had its turn."""
        loss = tf.keras.losses.BinaryCrossentropy(from_logits=True)
        with tf.GradientTape() as tape:
            on_real, on_fake = self.discriminator(real), self.discriminator(tf.stop_gradient(self.generator(noise)))
            judged = loss(tf.ones_like(on_real), on_real) + loss(tf.zeros_like(on_fake), on_fake)
        variables = self.discriminator.trainable_variables
        self.second_optimizer.apply_gradients(zip(tape.gradient(judged, variables), variables, strict=True))
        fooled = self.discriminator(self.generator(noise))
        return loss(tf.ones_like(fooled), fooled)

    def train_step(self, data):
        noise, real = data[:2]
        with tf.GradientTape() as tape:
            loss = self.objective(noise, real)
        variables = self.generator.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
        return {"loss": loss}


def gan() -> tuple[Example, Any]:
    """A generator of four hidden layers, of which the third breaks, before a discriminator."""
    model = Gan(units=8, depth=4)
    model.compile(optimizer=tf.keras.optimizers.Adam(1e-3))
    noise, real = series(4, 1, 3)[:, 0], series(4, 1, 4)[:, 0]
    return Example("gan", model, tf.constant(noise), tf.constant(real), model.objective), model.generator.layers[2]


BROKEN: dict[str, Callable[[], tuple[Example, Any]]] = {
    "transformer": six_blocks,
    "resnet": eight_blocks,
    "lstm": reader,
    "gan": gan,
}
