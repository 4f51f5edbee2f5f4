"""Inputs and arguments that do not fit: Keras' errors, with the layer's name, what is expected and what was found."""

from __future__ import annotations

import pytest

import tapeviz as tf

L = tf.keras.layers

# A layer, a shape that does not fit, and what is expected and found.
RANKS = [
    (L.Conv1D, (2, 2), (4, 3), "expected min_ndim=3, found ndim=2"),
    (L.Conv2D, (2, 2), (4, 3, 2), "expected min_ndim=4, found ndim=3"),
    (L.Conv3D, (2, 2), (4, 3, 2), "expected min_ndim=5, found ndim=3"),
    (L.Conv2DTranspose, (2, 2), (4, 3, 2), "expected min_ndim=4, found ndim=3"),
    (L.DepthwiseConv2D, (2,), (4, 3, 2), "expected min_ndim=4, found ndim=3"),
    (L.SeparableConv2D, (2, 2), (4, 3, 2), "expected min_ndim=4, found ndim=3"),
    (L.MaxPooling2D, (), (4, 3, 2), "expected ndim=4, found ndim=3"),
    (L.AveragePooling1D, (2,), (4, 3), "expected ndim=3, found ndim=2"),
    (L.GlobalAveragePooling2D, (), (4, 3), "expected ndim=4, found ndim=2"),
    (L.Permute, ((2, 1),), (4, 3), "expected ndim=3, found ndim=2"),
    (L.RepeatVector, (2,), (4, 3, 2), "expected ndim=2, found ndim=3"),
    (L.ZeroPadding2D, (), (4, 3), "expected ndim=4, found ndim=2"),
    (L.Cropping2D, (), (4, 3), "expected ndim=4, found ndim=2"),
    (L.UpSampling2D, (), (4, 3), "expected ndim=4, found ndim=2"),
    (L.SpatialDropout2D, (0.5,), (4, 3), "expected ndim=4, found ndim=2"),
    (L.LSTM, (2,), (4, 3), "expected ndim=3, found ndim=2"),
]


@pytest.mark.parametrize(("make", "args", "shape", "told"), RANKS, ids=lambda value: getattr(value, "__name__", None))
def test_a_wrong_rank_is_told(make, args, shape, told):
    layer = make(*args, name="mine")
    with pytest.raises(ValueError, match='Input 0 of layer "mine" is incompatible with the layer: ') as caught:
        layer(tf.ones(shape))
    assert told in str(caught.value)
    assert f"Full shape received: {shape}" in str(caught.value)


CHANNELS = [
    (L.Conv1D(2, 2, name="mine"), (1, 4, 3), (1, 4, 5), "expected axis -1 of input shape to have value 3"),
    (L.Conv2D(2, 2, name="mine"), (1, 4, 4, 3), (1, 4, 4, 1), "expected axis -1 of input shape to have value 3"),
    (L.Conv2D(2, 2, data_format="channels_first", name="mine"), (1, 3, 4, 4), (1, 1, 4, 4),
     "expected axis 1 of input shape to have value 3"),
    (L.Conv2DTranspose(2, 2, name="mine"), (1, 4, 4, 3), (1, 4, 4, 1), "expected axis -1 of input shape"),
    (L.SeparableConv2D(2, 2, name="mine"), (1, 4, 4, 3), (1, 4, 4, 1), "expected axis -1 of input shape"),
    (L.BatchNormalization(name="mine"), (2, 3), (2, 4), "expected axis 1 of input shape to have value 3"),
    (L.PReLU(shared_axes=[1], name="mine"), (2, 3, 4), (2, 3, 5), "expected axis 2 of input shape to have value 4"),
]  # fmt: skip


@pytest.mark.parametrize(("layer", "first", "second", "told"), CHANNELS, ids=lambda value: type(value).__name__)
def test_other_channels_are_told(layer, first, second, told):
    layer(tf.ones(first))
    with pytest.raises(ValueError, match='Input 0 of layer "mine" is incompatible') as caught:
        layer(tf.ones(second))
    assert told in str(caught.value)
    assert str(second) in str(caught.value)


ARGUMENTS = [
    (lambda: L.Conv2D(0, 2), "Expected a strictly positive value. Received filters=0"),
    (lambda: L.Conv2D(2, (2, 2, 2)), "The `kernel_size` argument must be a tuple of 2 integers"),
    (lambda: L.Conv2D(2, 0), "at least 1"),
    (lambda: L.Conv2D(2, 2, strides=2, dilation_rate=2), "`strides > 1` not supported in conjunction"),
    (lambda: L.Conv2D(2, 2, padding="causal"), "The `padding` argument must be one of"),
    (lambda: L.Conv2D(2, 2, data_format="NHWC"), "`data_format` argument must be one of"),
    (lambda: L.Conv2D(3, 2, groups=2), "evenly divisible by the number of groups"),
    (lambda: L.Conv2D(2, 2, groups=2)(tf.ones([1, 4, 4, 3])), "number of input channels must be evenly divisible"),
    (lambda: L.Conv2D(2, 5)(tf.ones([1, 4, 4, 3])), "Computed output size would be negative"),
    (lambda: L.Conv2DTranspose(2, 2, output_padding=1), "`output_padding` must be strictly less than `strides`"),
    (lambda: L.DepthwiseConv2D(2, depth_multiplier=0), "Received depth_multiplier=0"),
    (lambda: L.Reshape((-1, -1)), "at most one unknown dimension"),
    (lambda: L.Reshape((2, 2), name="mine")(tf.ones([1, 3])), 'layer "mine" has target_shape=\\(2, 2\\)'),
    (lambda: L.Permute((1, 3)), "consecutive and start from 1"),
    (lambda: L.RepeatVector(0), "should be a positive integer"),
    (lambda: L.ZeroPadding2D((1, 2, 3)), "`padding` should have 2 elements"),
    (lambda: L.Cropping2D(2)(tf.ones([1, 3, 3, 1])), "Values in `cropping` argument should be smaller"),
    (lambda: L.UpSampling2D(2, interpolation="cubic"), "`interpolation` argument should be one of"),
    (lambda: L.Dropout(1.5), "Expected a float value between 0 and 1. Received: rate=1.5"),
    (lambda: L.GaussianNoise(-1.0), "Received: stddev=-1.0"),
    (lambda: L.GroupNormalization(groups=2)(tf.ones([1, 3])), "must be a divisor of the number of channels"),
    (lambda: L.LayerNormalization(axis=3)(tf.ones([1, 3])), "Axis 3 is out of bounds"),
    (lambda: L.BatchNormalization(renorm=True), "no `renorm`"),
    (lambda: L.LSTM(0), "expected a positive integer, got 0"),
    (lambda: L.RNN(L.Dense(2)), "should have `state_size`"),
    (lambda: L.Bidirectional(L.LSTM(2), merge_mode="max"), "Invalid merge mode. Received: max"),
    (lambda: L.Bidirectional(L.LSTM(2), backward_layer=L.LSTM(2)), "different `go_backwards` value"),
    (lambda: L.Bidirectional("no layer"), "Please initialize `Bidirectional`"),
    (lambda: L.TimeDistributed(3), "Please initialize `TimeDistributed`"),
    (lambda: L.TimeDistributed(L.Dense(2))(tf.ones([2, 3])), "an input of at least 3 axes, found 2"),
    (lambda: L.MultiHeadAttention(0, 2), "must be strictly positive"),
    (lambda: L.MultiHeadAttention(2, 2)(tf.ones([1, 2, 3]), tf.ones([1, 2, 3]), key=tf.ones([1, 4, 3])),
     "All dimensions of `value` and `key`, except the last one, must be equal"),
    (lambda: L.Attention()(tf.ones([1, 2, 3])), "must be called on a list of inputs"),
    (lambda: L.Attention(score_mode="sum"), "Expected one of {'dot', 'concat'}"),
    (lambda: L.EinsumDense("ab->ab", 3), "Invalid einsum equation 'ab->ab'"),
    (lambda: L.EinsumDense("ab,bc->ac", 3, bias_axes="z")(tf.ones([2, 2])), "'z' was requested"),
    (lambda: L.Add()(tf.ones([2, 3])), "should be called on a list of at least 1 input"),
    (lambda: L.Add()([tf.ones([2, 3]), tf.ones([2, 4])]), "Inputs have incompatible shapes"),
    (lambda: L.Add()([tf.ones([2, 3]), tf.ones([4, 3])]), "Cannot merge tensors with different batch sizes"),
    (lambda: L.Subtract()([tf.ones([2, 3])] * 3), "exactly 2 inputs"),
    (lambda: L.Concatenate()([tf.ones([2, 3]), tf.ones([3, 3])]), "matching shapes except for the concatenation axis"),
    (lambda: L.Dot(1)([tf.ones([2, 3]), tf.ones([2, 4])]), "axis values 3 \\(at axis 1\\) != 4 \\(at axis 1\\)"),
    (lambda: L.ReLU(negative_slope=-1.0), "cannot be negative. Received: negative_slope=-1.0"),
    (lambda: L.LeakyReLU(None), "cannot be None"),
    (lambda: L.LSTM(2, stateful=True)(tf.keras.Input((3, 2))), "With `stateful=True`"),
]  # fmt: skip


@pytest.mark.parametrize(("make", "told"), ARGUMENTS, ids=[told for _, told in ARGUMENTS])
def test_what_does_not_fit_is_told(make, told):
    with pytest.raises(ValueError, match=told):
        make()


def test_a_stateful_layer_refuses_a_batch_of_another_size():
    layer = L.GRU(2, stateful=True, name="mine")
    layer(tf.ones([2, 3, 1]))
    with pytest.raises(ValueError, match='Layer "mine" expected 2, found 3'):
        layer(tf.ones([3, 3, 1]))


def test_a_mask_of_another_rank_is_told():
    with pytest.raises(ValueError, match="one dimension less than the inputs"):
        L.BatchNormalization()(tf.ones([2, 3]), training=True, mask=tf.ones([2, 3], "bool"))


@pytest.mark.parametrize("make", [lambda: L.RepeatVector(2.5), lambda: L.Dot("1")])
def test_an_argument_of_another_kind_is_a_type_error(make):
    with pytest.raises(TypeError, match=r"Received|Expected an integer"):
        make()


def test_a_number_without_a_vector_is_told():
    with pytest.raises(tf.errors.InvalidArgumentError):
        L.Embedding(3, 2)(tf.constant([[3]]))
