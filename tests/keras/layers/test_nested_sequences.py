"""Recurrent layers along several sequences at once. The losses are those of Keras 2 for the same cells."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

import tapeviz as tf

L = tf.keras.layers


class Pair(L.Layer):
    """A cell with two inputs, two states and one output."""

    def __init__(self, **options):
        super().__init__(**options)
        self.state_size, self.output_size = [3, 3], 3

    def build(self, shapes):
        """Note the shapes of one step."""
        self.shapes = [tuple(shape) for shape in shapes]
        self.w = self.add_weight(name="w", shape=(2, 3), initializer="ones")
        self.built = True

    def call(self, inputs, states):
        """Add the one to the state, the other to the output."""
        first, second = inputs
        total = tf.matmul(first, self.w) + states[0]
        return total + tf.reduce_sum(second, -1, keepdims=True), [total, states[1]]


class Both(NamedTuple):
    """Two outputs, or two states."""

    a: object
    b: object


class Named(L.Layer):
    """A cell with a dict of inputs, and named tuples of states and outputs whose sizes are shapes."""

    def __init__(self, **options):
        super().__init__(**options)
        self.state_size = Both(tf.TensorShape([3]), tf.TensorShape([2, 3]))
        self.output_size = Both(tf.TensorShape([3]), tf.TensorShape([2, 3]))

    def build(self, shapes):
        """Make one weight."""
        assert set(shapes) == {"a", "b"}
        self.w = self.add_weight(name="w", shape=(2, 3), initializer="ones")
        self.built = True

    def call(self, inputs, states):
        """Add each input to a state."""
        one = tf.matmul(inputs["a"], self.w) + states[0]
        two = tf.stack([one, one], axis=1) + inputs["b"] + states[1]
        return Both(one, two), Both(one, two)


def rows(*shape):
    return np.ones(shape, np.float32)


def test_two_inputs_in_fit_and_predict():
    first, second = tf.keras.Input((4, 2)), tf.keras.Input((4, 5))
    layer = L.RNN(Pair())
    model = tf.keras.Model([first, second], layer((first, second)))
    model.compile("sgd", "mse")
    history = model.fit([rows(6, 4, 2), rows(6, 4, 5)], rows(6, 3), batch_size=3, shuffle=False, verbose=0).history
    assert layer.cell.shapes == [(None, 2), (None, 5)]
    assert history["loss"] == pytest.approx([116.55680084228516])
    found = model.predict([rows(1, 4, 2), rows(1, 4, 5)], verbose=0)
    np.testing.assert_allclose(found, [[8.426133155822754] * 3], rtol=1e-6)


def test_a_dict_of_inputs_in_a_dataset():
    class Cell(Pair):
        def build(self, shapes):
            super().build([shapes["a"], shapes["b"]])

        def call(self, inputs, states):
            return super().call((inputs["a"], inputs["b"]), states)

    class Along(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.layer = L.RNN(Cell(), return_sequences=True)

        def call(self, x):
            return self.layer(x)

    model = Along()
    model.compile("sgd", "mse")
    data = ({"a": rows(6, 4, 2), "b": rows(6, 4, 5)}, rows(6, 4, 3))
    history = model.fit(tf.data.Dataset.from_tensor_slices(data).batch(2), epochs=2, verbose=0).history
    assert history["loss"] == pytest.approx([71.16944122314453, 39.07185363769531])


def steps_by_hand(cell, x, mask=None):
    examples, steps = x["a"].shape[:2]
    states = [tf.zeros([examples, 3]), tf.zeros([examples, 2, 3])]
    outputs, last = [], None
    for step in range(steps):
        output, after = cell({"a": x["a"][:, step], "b": x["b"][:, step]}, states)
        if mask is not None:
            keep = mask[:, step]
            old = [tf.zeros_like(part) for part in output] if last is None else last
            output, after = (
                [tf.where(tf.reshape(keep, [-1, *[1] * (n.ndim - 1)]), n, o) for n, o in zip(new, before, strict=True)]
                for new, before in ((output, old), (after, states))
            )
        states, last = list(after), output
        outputs.append(output)
    return [tf.stack(parts, axis=1).numpy() for parts in zip(*outputs, strict=True)]


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("way", ["eager", "traced", "loop"])
def test_outputs_and_states_of_any_structure_and_rank(way, masked):
    steps = 70 if way == "loop" else 4
    rng = np.random.default_rng(0)
    x = {"a": tf.constant(rng.normal(size=(2, steps, 2)), "float32"),
         "b": tf.constant(rng.normal(size=(2, steps, 2, 3)), "float32")}  # fmt: skip
    mask = tf.constant(rng.random((2, steps)) > 0.3) if masked else None
    layer = L.RNN(Named(), return_sequences=True)
    run = (lambda: layer(x, mask=mask)) if way == "eager" else tf.function(lambda: layer(x, mask=mask))
    found = run()
    assert isinstance(found, Both)
    for one, other in zip(found, steps_by_hand(layer.cell, x, mask), strict=True):
        np.testing.assert_allclose(one.numpy(), other, rtol=1e-4, atol=1e-5)
    shapes = layer.compute_output_shape({"a": (2, steps, 2), "b": (2, steps, 2, 3)})
    assert shapes == Both((2, steps, 3), (2, steps, 2, 3))


def test_backwards_and_with_states():
    x = {"a": tf.reshape(tf.range(12.0), [1, 6, 2]), "b": tf.ones([1, 6, 2, 3])}
    layer = L.RNN(Named(), go_backwards=True, return_state=True)
    output, *states = layer(x)
    other = L.RNN(layer.cell)({"a": tf.reverse(x["a"], [1]), "b": x["b"]})
    assert np.array_equal(output.a, other.a)
    assert [tuple(state.shape) for state in states] == [(1, 3), (1, 2, 3)]


def test_one_of_the_inputs_is_no_sequence():
    with pytest.raises(ValueError, match=r'Input 1 of layer ".*" is incompatible with the layer: expected ndim=3'):
        L.RNN(Pair())((tf.ones([1, 4, 2]), tf.ones([1, 4])))
