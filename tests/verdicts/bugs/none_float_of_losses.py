"""The loss is the number one expects, and `tape.gradient` gives a list of None.

Each row's loss is made a Python float before they are put together again as a tensor.

Kind: none
Source: https://github.com/tensorflow/tensorflow/issues/30190
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(5)
rng = np.random.RandomState(5)
features = rng.randn(32, 4).astype("float32")
labels = rng.randint(0, 3, 32)

model = tf.keras.Sequential(
    [
        tf.keras.layers.Dense(10, activation="relu", input_shape=(4,)),
        tf.keras.layers.Dense(10, activation="relu"),
        tf.keras.layers.Dense(3),
    ]
)
loss_object = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)


def distance_to_normal(values):
    histogram = np.sort(np.asarray(values))
    wanted = np.sort(np.random.RandomState(0).normal(0.5, 0.1, len(values)))
    return float(np.mean((histogram - wanted) ** 2))


def loss(model, x, y):
    logits = model(x)
    losses = []
    for i in range(y.shape[0]):
        one = loss_object(y_true=y[i : i + 1], y_pred=logits[i : i + 1])
        losses.append(float(one))  # fault
    return tf.convert_to_tensor(distance_to_normal(losses), dtype=tf.float32)


def grad(model, inputs, targets):
    with tf.GradientTape() as tape:
        loss_value = loss(model, inputs, targets)
    return loss_value, tape.gradient(loss_value, model.trainable_variables)


loss_value, grads = grad(model, features, labels)
print("loss", loss_value.numpy())
print("grads", grads)
