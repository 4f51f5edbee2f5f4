"""``tf.layers``: layers that find their variables by name, as classes and as functions.

>>> import tapeviz.compat.v1 as tf
>>> with tf.Graph().as_default(), tf.Session() as session:
...     pixels = tf.placeholder(tf.float32, [None, 64])
...     hidden = tf.layers.dense(pixels, 20, activation=tf.nn.relu, name="hidden")
...     scores = tf.layers.dense(hidden, 10, name="scores")
...     session.run(tf.global_variables_initializer())
...     print(session.run(scores, {pixels: [[0.0] * 64]}).shape, tf.trainable_variables()[0].name)
(1, 10) hidden/kernel:0
"""

from __future__ import annotations

from typing import Any

from tapeviz.namespace import Namespace

_names = Namespace(
    __name__,
    {
        "tapeviz.compat.v1.layers.layer_classes": (
            "AveragePooling1D AveragePooling2D AveragePooling3D BatchNormalization Conv1D Conv2D Conv2DTranspose "
            "Conv3D Conv3DTranspose Dense Dropout Flatten MaxPooling1D MaxPooling2D MaxPooling3D SeparableConv1D "
            "SeparableConv2D"
        ),
        "tapeviz.compat.v1.layers.layer_functions": (
            "average_pooling1d average_pooling2d average_pooling3d batch_normalization conv1d conv2d conv2d_transpose "
            "conv3d conv3d_transpose dense dropout flatten max_pooling1d max_pooling2d max_pooling3d separable_conv1d "
            "separable_conv2d"
        ),
        "tapeviz.compat.v1.layers.layer_scopes": "Layer",
        "tapeviz.keras.layers.input_spec": "InputSpec",
    },
)
__all__ = list(_names.listed)


def __getattr__(name: str) -> Any:
    return _names.find(name)


def __dir__() -> list[str]:
    return __all__
