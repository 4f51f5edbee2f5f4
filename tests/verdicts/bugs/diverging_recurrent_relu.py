"""The loss of the segmenter is NaN on long sentences, and with tanh it isn't.

A relu does not bound the state, which the recurrent kernel multiplies at each of the time steps.

Kind: diverging
Source: https://github.com/keras-team/keras/issues/2194
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(16)
rng = np.random.default_rng(16)
STEPS, FEATURES, HIDDEN, TAGS = 60, 6, 12, 4
x = rng.random((24, STEPS, FEATURES)).astype("float32")
y = rng.integers(0, TAGS, 24)


class Cell(tf.keras.layers.Layer):
    def __init__(self, units):
        super().__init__()
        self.units = units

    def build(self, shape):
        normal = tf.keras.initializers.RandomNormal(0.0, 0.5, seed=4)
        self.kernel = self.add_weight(name="kernel", shape=(shape[-1], self.units), initializer=normal)
        self.recurrent = self.add_weight(name="recurrent", shape=(self.units, self.units), initializer=normal)

    def call(self, inputs, state):
        return tf.nn.relu(inputs @ self.kernel + state @ self.recurrent)  # fault


class Segmenter(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.cell = Cell(HIDDEN)
        self.tags = tf.keras.layers.Dense(TAGS)

    def call(self, sequence):
        state = tf.zeros([tf.shape(sequence)[0], HIDDEN])
        for t in range(STEPS):
            state = self.cell(sequence[:, t], state)
        return self.tags(state)


model = Segmenter()
optimizer = tf.keras.optimizers.SGD(0.01)
for step in range(4):
    with tf.GradientTape() as tape:
        logits = model(tf.constant(x))
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
    gradients = tape.gradient(loss, model.trainable_variables)
    print(step, "loss", float(loss), "norm of the gradients", float(tf.linalg.global_norm(gradients)))
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
