"""The loss goes down but the scale of the distribution keeps its first value.

The scale's variable is held by a plain Python object, which the model does not look into: `trainable_variables`
lists the location alone, so the scale is read by the loss and never asked for.

Kind: variables
Source: https://github.com/tensorflow/probability/issues/946
"""

import numpy as np

import tapeviz as tf


class Positive:
    """A parameter that is kept positive by a softplus."""

    def __init__(self, start):
        self.raw = tf.Variable(np.log(np.expm1(start)).astype("float32"), name="raw_scale")  # fault

    def value(self):
        return tf.nn.softplus(self.raw)


class Gaussian(tf.keras.Model):
    def __init__(self, dims):
        super().__init__()
        self.loc = tf.Variable(tf.zeros([dims]), name="loc")
        self.scale = Positive(np.ones(dims))

    def call(self, samples):
        sigma = self.scale.value()
        z = (samples - self.loc) / sigma
        return -0.5 * tf.reduce_sum(z * z, axis=-1) - tf.reduce_sum(tf.math.log(sigma))


rng = np.random.default_rng(0)
samples = tf.constant(rng.normal([3.0, -1.0], [0.2, 4.0], size=(64, 2)).astype("float32"))
model = Gaussian(2)
optimizer = tf.keras.optimizers.Adam(0.1)

for step in range(30):
    with tf.GradientTape() as tape:
        loss = -tf.reduce_mean(model(samples))
    grads = tape.gradient(loss, model.trainable_variables)  # fault
    optimizer.apply_gradients(zip(grads, model.trainable_variables))

print("loc", model.loc.numpy(), "scale", model.scale.value().numpy())
