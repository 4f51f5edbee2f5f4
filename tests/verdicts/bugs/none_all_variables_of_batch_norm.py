"""Some of the gradients are None, two for every batch normalization layer.

`model.variables` was asked for, with the moving means and variances, which are updated and not differentiated.

Kind: none
Source: https://github.com/tensorflow/tensorflow/issues/26404
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(2)


def block(filters):
    return [
        tf.keras.layers.Conv2D(filters, 3, padding="same", use_bias=False),
        tf.keras.layers.BatchNormalization(),
        tf.keras.layers.ReLU(),
    ]


model = tf.keras.Sequential(
    [
        *block(4),
        *block(8),
        tf.keras.layers.GlobalAveragePooling2D(),
        tf.keras.layers.Dense(2),
    ]
)
x = np.random.RandomState(0).rand(8, 10, 10, 3).astype("float32")
label = np.random.RandomState(1).rand(8, 2).astype("float32")

with tf.GradientTape() as tape:
    prediction = model(x, training=True)
    loss = tf.reduce_mean(tf.square(prediction - label))
grads = tape.gradient(loss, model.variables)  # fault
for variable, grad in zip(model.variables, grads):
    print(variable.name, "None" if grad is None else grad.shape)
