"""What is said of wrong inputs, weights and arguments of layers."""

from __future__ import annotations

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.data.group_by import _Grouped
from tapeviz.data.nodes import Node, Run
from tapeviz.keras.layers.dropout import _Random
from tapeviz.keras.layers.merge import _Merging
from tapeviz.keras.layers.recurrent_cells import Cell

keras, layers = tf.keras, tf.keras.layers


@pytest.fixture(autouse=True)
def _names_begin_anew():
    keras.backend.clear_session()


def test_inputs_that_do_not_fit():
    dense = layers.Dense(2, name="d")
    begin = 'Input 0 of layer "d" is incompatible with the layer: '
    with pytest.raises(ValueError, match=rf"^{begin}expected min_ndim=2, found ndim=1. Full shape received: \(3,\)$"):
        dense(tf.ones([3]))
    dense(tf.ones([1, 3]))
    with pytest.raises(ValueError, match=rf"{begin}expected axis -1 of input shape to have value 3, but received input "
                                         r"with shape \(1, 4\)"):  # fmt: skip
        dense(tf.ones([1, 4]))
    layer = layers.Layer(name="l")
    layer.input_spec = [layers.InputSpec(ndim=2), layers.InputSpec(dtype="int32", max_ndim=1)]
    with pytest.raises(ValueError, match=r'Layer "l" expects 2 input\(s\), but it received 1 input tensors'):
        layer(tf.ones([1, 2]))
    with pytest.raises(ValueError, match=r'Input 1 of layer "l" .* expected dtype=int32, found dtype=float32'):
        layer([tf.ones([1, 2]), tf.ones([1])])
    with pytest.raises(ValueError, match=r'Input 1 of layer "l" .* expected max_ndim=1, found ndim=2'):
        layer([tf.ones([1, 2]), tf.ones([1, 1])])
    layer.input_spec = layers.InputSpec(shape=(None, 3))
    with pytest.raises(ValueError, match=r"expected shape=\(None, 3\), found shape=\(2, 4\)"):
        layer(tf.ones([2, 4]))


def test_what_a_layer_cannot_be_made_of():
    with pytest.raises(ValueError, match=r"Unrecognized keyword arguments passed to Dense: {'foo': 1}"):
        layers.Dense(2, foo=1)
    with pytest.raises(ValueError, match=r"`units`, expected a positive integer. Received: units=0"):
        layers.Dense(0)
    with pytest.raises(ValueError, match="Could not interpret activation function identifier: 'bent'"):
        layers.Dense(1, activation="bent")
    with pytest.raises(ValueError, match="Could not interpret initializer identifier: 3"):
        layers.Dense(1, kernel_initializer=3)
    with pytest.raises(ValueError, match=r"mixed_float16.* not offered here"):
        layers.Dense(1, dtype="mixed_float16")


def test_a_layer_that_cannot_be_built_or_called():
    with pytest.raises(ValueError, match=r"The last dimension of the inputs to layer 'dense' .* Found None"):
        layers.Dense(2)(keras.Input((None,)))
    with pytest.raises(ValueError, match=r"cannot add the weight 'w': all sizes .* shape=\(None, 2\)"):
        layers.Layer().add_weight("w", (None, 2))
    with pytest.raises(ValueError, match=r"`count_params` on layer 'dense_1', but the layer isn't built"):
        layers.Dense(2).count_params()
    with pytest.raises(NotImplementedError, match=r"Layer Layer does not have a `call\(\)` method"):
        layers.Layer()(tf.ones([1]))

    with pytest.raises(TypeError, match=r"Layer 'dense_2' was called without its inputs: missing argument 'inputs'"):
        layers.Dense(2)()
    with pytest.raises(TypeError, match=r"unexpected arguments \['initialiser'\]"):
        layers.Layer().add_weight("w", (), initialiser="ones")

    class Hasty(layers.Layer):
        def __init__(self) -> None:
            self.inner = layers.Dense(1)

    with pytest.raises(RuntimeError, match=r"In layer `Hasty`, you forgot to call `super\(\).__init__\(\)`"):
        Hasty()(tf.ones([1, 1]))


def test_weights_that_do_not_match_are_shown_as_a_table():
    layer = layers.Dense(2, name="d")
    layer.build((None, 3))
    with pytest.raises(ValueError, match=r"weight list of length 1, but the layer was expecting 2") as caught:
        layer.set_weights([np.ones((3, 2))])
    assert str(caught.value).splitlines()[1:] == [
        "  weight      expected  found", "  d/kernel:0  (3, 2)    (3, 2)", "  d/bias:0    (2,)      -  <-",
    ]  # fmt: skip
    with pytest.raises(ValueError, match=r"(?s)not compatible .* d/bias:0    \(2,\)      \(3,\)  <-"):
        layer.set_weights([np.ones((3, 2)), np.ones(3)])
    layer.set_weights([np.ones((3, 2)), np.zeros(2)])
    assert layer.get_weights()[0].tolist() == [[1.0, 1.0]] * 3


ABSTRACT = {
    "a step of data": (lambda: Node().open(Run()), ["Node", "open(self, run)"]),
    "a size of groups": (lambda: _Grouped()._size(0, Run()), ["_Grouped", "_size(self, key, run)"]),
    "what groups become": (lambda: _Grouped()._made(0, [], Run()), ["_Grouped", "_made(self, key, group, run)"]),
    "batches by number": (lambda: keras.utils.PyDataset()[0], ["PyDataset", "__getitem__(self, index)"]),
    "a way to merge": (lambda: _Merging()([tf.ones([1, 1])] * 2), ["_Merging", "_merged(self, inputs)"]),
    "a step of a cell": (lambda: Cell(1).advanced(None, []), ["Cell", "advanced(self, gates, states, kept)"]),
    "noise": (lambda: _Random()._noisy(None), ["_Random", "_noisy(self, inputs)"]),
    "a layer": (lambda: layers.Layer()(tf.ones([1])), ["Layer", "call(self, inputs)"]),
    "a model": (lambda: keras.Model()(tf.ones([1])), ["Model", "call(self, inputs)"]),
    "a constraint": (lambda: keras.constraints.Constraint()(1.0), ["Constraint", "__call__(self, w)"]),
    "an initializer": (lambda: keras.initializers.Initializer()([1]), ["Initializer", "__call__(self, shape"]),
    "a loss": (lambda: keras.losses.Loss()([1.0], [1.0]), ["Loss", "call(self, y_true, y_pred)"]),
    "a metric": (lambda: keras.metrics.Metric().result(), ["Metric", "result(self)"]),
    "a schedule": (lambda: keras.optimizers.schedules.LearningRateSchedule()(0), ["Schedule", "__call__(self, step)"]),
    "an optimizer": (lambda: keras.optimizers.Optimizer(0.1).update_step(0, 0, 0), ["Optimizer", "update_step(self,"]),
    "a penalty": (lambda: keras.regularizers.Regularizer().get_config(), ["Regularizer", "get_config()"]),
}  # fmt: skip


@pytest.mark.parametrize("what", ABSTRACT)
def test_what_a_class_of_ones_own_has_to_say(what):
    """A method that is left out is named, with its class and its arguments."""
    ask, said = ABSTRACT[what]
    with pytest.raises(NotImplementedError) as caught:
        next(iter(ask()))
    for part in said:
        assert part in str(caught.value)
