"""The adversarial network is slower with tf.function than without.

The weight of the adversarial part is a Python float that changes each epoch, and so are the two switches.

Kind: retrace
Source: https://github.com/NatLabRockies/sup3r/pull/109
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(28)
rng = np.random.default_rng(28)


class Sup3r:
    def __init__(self):
        self.generator = tf.keras.layers.Dense(8)
        self.discriminator = tf.keras.layers.Dense(1)
        self.generator.build((None, 4))
        self.discriminator.build((None, 8))
        self.traces = 0

    @tf.function
    def calc_loss(self, low, high, weight, train_gen=True, train_disc=False):
        self.traces += 1
        made = self.generator(low)
        loss = tf.constant(0.0)
        if train_gen:
            content = tf.reduce_mean(tf.square(made - high))
            adversarial = tf.reduce_mean(tf.nn.softplus(-self.discriminator(made)))
            loss += content + weight * adversarial
        if train_disc:
            real, fake = self.discriminator(high), self.discriminator(made)
            loss += tf.reduce_mean(tf.nn.softplus(-real) + tf.nn.softplus(fake))
        return loss

    def run_gradient_descent(self, layer, **options):
        with tf.GradientTape() as tape:
            loss = self.calc_loss(**options)  # fault
        for gradient, variable in zip(tape.gradient(loss, layer.trainable_weights), layer.trainable_weights):
            variable.assign_sub(0.01 * gradient)
        return loss


model = Sup3r()
high = tf.constant(rng.normal(size=(16, 8)), tf.float32)
low = tf.reduce_mean(tf.reshape(high, [16, 4, 2]), axis=2)
for epoch in range(6):
    weight = 0.001 * (1 + epoch)
    data = {"low": low, "high": high, "weight": weight}
    g_loss = model.run_gradient_descent(model.generator, **data)
    d_loss = model.run_gradient_descent(model.discriminator, **data, train_gen=False, train_disc=True)
print("traces", model.traces, float(g_loss), float(d_loss))
