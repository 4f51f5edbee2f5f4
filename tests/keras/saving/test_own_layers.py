"""Models of inputs and outputs with layers of one's own, as configs and made again. Keras 2 makes the same models."""

from __future__ import annotations

import numpy as np
import pytest

import tapeviz as tf

L = tf.keras.layers


class Scaled(L.Layer):
    """A layer whose config has all its arguments."""

    def __init__(self, units=1, **options):
        super().__init__(**options)
        self.units, self.dense = units, L.Dense(units)

    def call(self, x):
        """Scale."""
        return self.dense(x) * 2.0

    def get_config(self):
        """Give the arguments, the name too."""
        return {**super().get_config(), "units": self.units}


class Nameless(L.Layer):
    """A layer whose config leaves out the name, as many programs write it."""

    def __init__(self, units=1):
        super().__init__()
        self.units, self.dense = units, L.Dense(units)

    def call(self, x):
        """Apply it."""
        return self.dense(x)

    def get_config(self):
        """Give the one argument."""
        return {"units": self.units}


class Block(tf.keras.Model):
    """A model that is a layer here."""

    def __init__(self, units=1):
        super().__init__()
        self.units, self.dense = units, L.Dense(units)

    def call(self, x):
        """Apply it."""
        return self.dense(x)

    def get_config(self):
        """Give the one argument."""
        return {"units": self.units}


class Sum(L.Layer):
    """A layer of several inputs."""

    def call(self, x):
        """Add them."""
        parts = list(x.values()) if isinstance(x, dict) else x
        return parts[0] + parts[1]


class Shifted(L.Layer):
    """A layer that takes a tensor and numbers by name."""

    def call(self, x, by=None, scale=1.0):
        """Scale and shift."""
        return x * scale + (0.0 if by is None else by)


class Trained(tf.keras.Model):
    """A model whose class adds a method, and no ``__init__``."""

    def doubled(self, x):
        """Twice what the model gives."""
        return 2.0 * self(x)


OWN = {cls.__name__: cls for cls in (Scaled, Nameless, Block, Sum, Shifted, Trained)}


def inputs():
    return tf.keras.Input((2,)), tf.keras.Input((2,))


def one(layer):
    x, _ = inputs()
    return tf.keras.Model(x, layer(x))


def two(function):
    x, y = inputs()
    return tf.keras.Model([x, y], function(x, y))


def shared():
    layer = Nameless(2)
    return two(lambda x, y: [layer(x), layer(y), layer(layer(y))])


MODELS = {
    "own": lambda: one(Scaled(3)),
    "nameless": lambda: one(Nameless(3)),
    "two nameless": lambda: one(tf.keras.Sequential([Nameless(3), Nameless(2)])),
    "chained": lambda: two(lambda x, y: Nameless(1)(Nameless(3)(x) + Nameless(3)(y))),
    "block": lambda: one(Block(3)),
    "shared": shared,
    "list": lambda: two(lambda x, y: Sum()([x, y])),
    "tuple": lambda: two(lambda x, y: Sum()((x, y))),
    "dict": lambda: two(lambda x, y: Sum()({"a": x, "b": y})),
    "by name": lambda: two(lambda x, y: Shifted()(x, by=y, scale=3.0)),
    "ops": lambda: one(lambda x: L.Dense(1)(Nameless(2)(x) * 2.0 + 1.0)),
    "nested": lambda: one(one(Nameless(3))),
}
WAYS = {
    "from_config": lambda model: tf.keras.Model.from_config(model.get_config(), custom_objects=OWN),
    "model_from_json": lambda model: tf.keras.models.model_from_json(model.to_json(), custom_objects=OWN),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", MODELS)
def test_a_model_made_again_computes_the_same(name, way):
    model = MODELS[name]()
    again = WAYS[way](model)
    again.set_weights(model.get_weights())
    given = [tf.constant([[1.0, 2.0]]), tf.constant([[3.0, 5.0]])]
    given = given if len(model.inputs) > 1 else given[0]
    for first, second in zip(tf.nest.flatten(model(given)), tf.nest.flatten(again(given)), strict=True):
        np.testing.assert_array_equal(first, second)


def test_a_subclass_that_adds_methods_is_made_again_as_such():
    x, _ = inputs()
    model = Trained(x, Nameless(3)(x))
    again = Trained.from_config(model.get_config(), custom_objects=OWN)
    again.set_weights(model.get_weights())
    assert type(again) is Trained
    np.testing.assert_array_equal(again.doubled(tf.ones([1, 2])), model.doubled(tf.ones([1, 2])))


def test_the_scope_of_own_names_serves_as_well():
    model = MODELS["chained"]()
    with tf.keras.utils.custom_object_scope(OWN):
        again = tf.keras.Model.from_config(model.get_config())
    assert again.output_shape == model.output_shape
