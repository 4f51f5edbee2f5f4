"""The picture-to-picture network starts each epoch with a pause as long as that before the first.

The epoch goes into the traced step as a Python integer, for a summary only.

Kind: retrace
Source: https://github.com/solaris33/deep-learning-tensorflow-book-code/issues/8
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(19)
rng = np.random.default_rng(19)


def conv(filters, activation=None):
    return tf.keras.layers.Conv2D(filters, 3, padding="same", activation=activation)


generator = tf.keras.Sequential([conv(4, "relu"), conv(1, "tanh")])
discriminator = tf.keras.Sequential([conv(4, "relu"), tf.keras.layers.Flatten(), tf.keras.layers.Dense(1)])
g_optimizer = tf.keras.optimizers.Adam(2e-3)
d_optimizer = tf.keras.optimizers.Adam(2e-3)
bce = tf.keras.losses.BinaryCrossentropy(from_logits=True)
written, traces = [], []


@tf.function
def train_step(sketch, photo, epoch):
    traces.append(epoch)
    with tf.GradientTape() as g_tape, tf.GradientTape() as d_tape:
        made = generator(sketch)
        real = discriminator(tf.concat([sketch, photo], axis=3))
        fake = discriminator(tf.concat([sketch, made], axis=3))
        g_loss = bce(tf.ones_like(fake), fake) + 10 * tf.reduce_mean(tf.abs(photo - made))
        d_loss = bce(tf.ones_like(real), real) + bce(tf.zeros_like(fake), fake)
    g_variables, d_variables = generator.trainable_variables, discriminator.trainable_variables
    g_optimizer.apply_gradients(zip(g_tape.gradient(g_loss, g_variables), g_variables))
    d_optimizer.apply_gradients(zip(d_tape.gradient(d_loss, d_variables), d_variables))
    return tf.stack([tf.cast(epoch, tf.float32), g_loss, d_loss])


sketches = tf.constant(rng.random((8, 6, 6, 1)), tf.float32)
photos = tf.tanh(2 * sketches - 1)
generator(sketches)
discriminator(tf.concat([sketches, photos], axis=3))
g_optimizer.build(generator.trainable_variables)
d_optimizer.build(discriminator.trainable_variables)
for epoch in range(7):
    for start in (0, 4):
        row = train_step(sketches[start : start + 4], photos[start : start + 4], epoch)  # fault
    written.append(row.numpy())
print("traces", len(traces), written[-1])
