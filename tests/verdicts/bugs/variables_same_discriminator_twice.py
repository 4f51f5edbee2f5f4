"""One of the two discriminators keeps its first weights through the whole training.

The list of parameters names the multi-resolution discriminator twice and the multi-period one not at all.

Kind: variables
Source: https://github.com/line/open-universe/issues/5
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(6)


class Discriminator(tf.keras.Model):
    def __init__(self, width, name):
        super().__init__(name=name)
        self.conv = tf.keras.layers.Conv1D(8, width, strides=2, activation="relu")
        self.score = tf.keras.layers.Dense(1)

    def call(self, wave):
        return tf.reduce_mean(self.score(self.conv(wave)), axis=[1, 2])


mrd, mpd = Discriminator(9, "mrd"), Discriminator(5, "mpd")
rng = np.random.default_rng(1)
time = np.linspace(0, 1, 64, dtype="float32")
clean = tf.constant(np.sin(time * rng.uniform(10, 30, (24, 1))).astype("float32")[:, :, None])
noisy = clean + tf.constant(0.4 * rng.normal(size=(24, 64, 1)).astype("float32"))
mrd(clean), mpd(clean)

params_disc = mrd.trainable_variables + mrd.trainable_variables  # fault
start = [v.numpy() for v in mpd.trainable_variables]
for step in range(15):
    with tf.GradientTape() as tape:
        loss = 0.0
        for critic in (mrd, mpd):
            loss += tf.reduce_mean(tf.square(critic(clean) - 1.0)) + tf.reduce_mean(tf.square(critic(noisy)))
    gradients = tape.gradient(loss, params_disc)  # fault
    for parameter, gradient in zip(params_disc, gradients):
        parameter.assign_sub(0.01 * gradient)
    if step % 5 == 0:
        print(step, float(loss))
print("mpd moved by", [float(np.abs(a - v.numpy()).max()) for a, v in zip(start, mpd.trainable_variables)])
