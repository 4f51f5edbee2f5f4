"""The layers of ``tf.layers``: those of Keras, with variables in scopes and ops in the default graph.

Their arguments are those of Keras' layers of the same names. A class here says what was different.
"""

from __future__ import annotations

from typing import Any

from tapeviz.compat.v1.layers.layer_scopes import Layer
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import registry
from tapeviz.engine.symbolic import SymbolicTensor
from tapeviz.keras.layers import batch_normalization as batches
from tapeviz.keras.layers import convolution, core, dropout, pooling
from tapeviz.keras.layers import dense as full
from tapeviz.ops.nn.dropout import dropout as dropped
from tapeviz.ops.nn.normalization import batch_normalization, moments

__all__ = [
    "AveragePooling1D", "AveragePooling2D", "AveragePooling3D", "BatchNormalization", "Conv1D", "Conv2D",
    "Conv2DTranspose", "Conv3D", "Conv3DTranspose", "Dense", "Dropout", "Flatten", "MaxPooling1D", "MaxPooling2D",
    "MaxPooling3D", "SeparableConv1D", "SeparableConv2D",
]  # fmt: skip


class Dense(Layer, full.Dense):
    """``activation(x @ kernel + bias)``, along the last axis: see :class:`tapeviz.keras.layers.Dense`.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default():
    ...     scores = tf.layers.Dense(units=10, name="scores")(tf.placeholder(tf.float32, [None, 64]))
    ...     print(scores.shape, [variable.name for variable in tf.trainable_variables()])
    (None, 10) ['scores/kernel:0', 'scores/bias:0']
    """


class Conv1D(Layer, convolution.Conv1D):
    """Filters that slide along sequences: see :class:`tapeviz.keras.layers.Conv1D`.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default():
    ...     print(tf.layers.Conv1D(4, 3)(tf.ones([1, 8, 2])).shape)
    (1, 6, 4)
    """


class Conv2D(Layer, convolution.Conv2D):
    """Filters that slide over images: see :class:`tapeviz.keras.layers.Conv2D`.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default():
    ...     print(tf.layers.Conv2D(16, [3, 3], padding="same")(tf.ones([1, 8, 8, 1])).shape)
    (1, 8, 8, 16)
    """


class Conv3D(Layer, convolution.Conv3D):
    """Filters that slide over volumes: see :class:`tapeviz.keras.layers.Conv3D`.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default():
    ...     print(tf.layers.Conv3D(2, 2)(tf.ones([1, 3, 3, 3, 1])).shape)
    (1, 2, 2, 2, 2)
    """


class Conv2DTranspose(Layer, convolution.Conv2DTranspose):
    """A convolution backwards, which makes images larger: see :class:`tapeviz.keras.layers.Conv2DTranspose`.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default():
    ...     print(tf.layers.Conv2DTranspose(3, 2, strides=2)(tf.ones([1, 4, 4, 1])).shape)
    (1, 8, 8, 3)
    """


class Conv3DTranspose(Layer, convolution.Conv3DTranspose):
    """The same for volumes: see :class:`tapeviz.keras.layers.Conv3DTranspose`.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default():
    ...     print(tf.layers.Conv3DTranspose(1, 2, strides=2)(tf.ones([1, 2, 2, 2, 1])).shape)
    (1, 4, 4, 4, 1)
    """


class SeparableConv1D(Layer, convolution.SeparableConv1D):
    """A filter for each channel, then sums over channels: see :class:`tapeviz.keras.layers.SeparableConv1D`.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default():
    ...     print(tf.layers.SeparableConv1D(4, 3)(tf.ones([1, 8, 2])).shape)
    (1, 6, 4)
    """


class SeparableConv2D(Layer, convolution.SeparableConv2D):
    """The same for images: see :class:`tapeviz.keras.layers.SeparableConv2D`.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default():
    ...     print(tf.layers.SeparableConv2D(4, 3)(tf.ones([1, 8, 8, 2])).shape)
    (1, 6, 6, 4)
    """


class MaxPooling1D(Layer, pooling.MaxPooling1D):
    """The largest of each window of a sequence: see :class:`tapeviz.keras.layers.MaxPooling1D`.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default():
    ...     print(tf.layers.MaxPooling1D(2, 2)(tf.ones([1, 8, 3])).shape)
    (1, 4, 3)
    """


class MaxPooling2D(Layer, pooling.MaxPooling2D):
    """The largest of each window of an image: see :class:`tapeviz.keras.layers.MaxPooling2D`.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default():
    ...     print(tf.layers.MaxPooling2D(2, 2)(tf.ones([1, 8, 8, 3])).shape)
    (1, 4, 4, 3)
    """


class MaxPooling3D(Layer, pooling.MaxPooling3D):
    """The largest of each window of a volume: see :class:`tapeviz.keras.layers.MaxPooling3D`.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default():
    ...     print(tf.layers.MaxPooling3D(2, 2)(tf.ones([1, 4, 4, 4, 3])).shape)
    (1, 2, 2, 2, 3)
    """


class AveragePooling1D(Layer, pooling.AveragePooling1D):
    """The mean of each window of a sequence: see :class:`tapeviz.keras.layers.AveragePooling1D`.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default():
    ...     print(tf.layers.AveragePooling1D(2, 2)(tf.ones([1, 8, 3])).shape)
    (1, 4, 3)
    """


class AveragePooling2D(Layer, pooling.AveragePooling2D):
    """The mean of each window of an image: see :class:`tapeviz.keras.layers.AveragePooling2D`.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default():
    ...     print(tf.layers.AveragePooling2D(2, 2)(tf.ones([1, 8, 8, 3])).shape)
    (1, 4, 4, 3)
    """


class AveragePooling3D(Layer, pooling.AveragePooling3D):
    """The mean of each window of a volume: see :class:`tapeviz.keras.layers.AveragePooling3D`.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default():
    ...     print(tf.layers.AveragePooling3D(2, 2)(tf.ones([1, 4, 4, 4, 3])).shape)
    (1, 2, 2, 2, 3)
    """


class Flatten(Layer, core.Flatten):
    """Each example as a row: see :class:`tapeviz.keras.layers.Flatten`.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default():
    ...     print(tf.layers.Flatten()(tf.placeholder(tf.float32, [None, 4, 4, 2])).shape)
    (None, 32)
    """


class Dropout(Layer, dropout.Dropout):
    """Sets elements to 0 at random in training: see :class:`tapeviz.keras.layers.Dropout`.

    ``rate`` is 0.5 unless it is said, and ``training`` in a call may be a tensor that a session is fed.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     training = tf.placeholder(tf.bool, [])
    ...     some = tf.reduce_sum(tf.layers.Dropout(0.5)(tf.ones([1000]), training=training))
    ...     print(session.run(some, {training: False}), session.run(some, {training: True}) == 1000.0)
    1000.0 False
    """

    def __init__(self, rate: float = 0.5, noise_shape: Any = None, seed: Any = None, **kwargs: Any) -> None:
        super().__init__(rate, noise_shape, seed, **kwargs)

    def call(self, inputs: Any, training: Any = False) -> Any:
        """The inputs, in training with elements dropped."""
        if not isinstance(training, SymbolicTensor):
            return super().call(inputs, training)
        given = convert_to_tensor(inputs)
        return registry["where"].run(training, dropped(given, self.rate, self.noise_shape, self.seed), given)


class BatchNormalization(Layer, batches.BatchNormalization):
    """Each channel to mean 0 and variance 1 over the batch: see :class:`tapeviz.keras.layers.BatchNormalization`.

    In a graph the running means are updated by operations in the collection ``UPDATE_OPS``, which a program runs with
    its step; ``training`` in a call may be a tensor that a session is fed. With eager execution, and in traced
    functions, they are updated by the call.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     layer = tf.layers.BatchNormalization(momentum=0.5)
    ...     y = layer(tf.constant([[1.0], [3.0]]), training=True)
    ...     session.run(tf.global_variables_initializer())
    ...     _ = session.run(tf.get_collection(tf.GraphKeys.UPDATE_OPS))
    ...     print(session.run(layer.moving_mean))
    [1.]
    """

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        """The inputs normalized, by the batch in training and by the running means otherwise."""
        if not isinstance(training, SymbolicTensor):
            return super().call(inputs, training, mask)
        chosen = registry["where"].run
        x = convert_to_tensor(inputs)
        axes = tuple(axis for axis in range(x.ndim) if axis != self.axis % x.ndim)
        used = []
        for average, value in zip((self.moving_mean, self.moving_variance), moments(x, axes), strict=True):
            moved = average * self.momentum + value * (1.0 - self.momentum)
            used.append(chosen(training, value, average))
            average.assign(chosen(training, moved, average))
        shape = [x.shape[axis] if axis == self.axis % x.ndim else 1 for axis in range(x.ndim)]
        parts = [
            part if part is None else registry["reshape"].run(part, shape) for part in (*used, self.beta, self.gamma)
        ]
        mean, variance, beta, gamma = parts
        return batch_normalization(x, mean, variance, beta, gamma, self.epsilon)
