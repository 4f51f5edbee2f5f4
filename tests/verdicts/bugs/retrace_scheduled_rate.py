"""Training gets no faster after the first steps, as it should with a traced step.

The rate and the temperature of the schedule are Python floats: each new pair is traced anew.

Kind: retrace
Source: https://github.com/yerkojahve/Meta-Pseudo-label/issues/1
"""

import math

import numpy as np

import tapeviz as tf

tf.random.set_seed(18)
rng = np.random.default_rng(18)
counter = {"traces": 0}


class SwitchingModel(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.encoder = tf.keras.layers.Dense(8, activation="tanh")
        self.switch = tf.keras.layers.Dense(3)
        self.decoder = tf.keras.layers.Dense(5)

    def call(self, x, temperature):
        h = self.encoder(x)
        gates = tf.nn.softmax(self.switch(h) / temperature)
        return self.decoder(tf.concat([h, gates], axis=1)), gates


def cosine(step, steps, first, last):
    return last + 0.5 * (first - last) * (1 + math.cos(math.pi * step / steps))


model = SwitchingModel()
optimizer = tf.keras.optimizers.SGD(0.1)


@tf.function
def train_step(inputs, model, optimizer, learning_rate, temperature, entropy_weight):
    counter["traces"] += 1
    with tf.GradientTape() as tape:
        output, gates = model(inputs, temperature)
        entropy = -tf.reduce_mean(tf.reduce_sum(gates * tf.math.log(gates + 1e-8), axis=1))
        loss = tf.reduce_mean(tf.square(output - inputs)) - entropy_weight * entropy
    gradients = tape.gradient(loss, model.trainable_variables)
    for gradient, variable in zip(gradients, model.trainable_variables):
        variable.assign_sub(learning_rate * gradient)
    return loss


steps = 12
data = tf.constant(rng.normal(size=(16, 5)), tf.float32)
model(data, 1.0)
for step in range(steps):
    learning_rate = cosine(step, steps, 0.1, 0.01)
    temperature = max(0.5, 2.0 * 0.9**step)
    loss = train_step(data, model, optimizer, learning_rate, temperature, 0.01)  # fault
print("loss", float(loss), "traces", counter["traces"])
