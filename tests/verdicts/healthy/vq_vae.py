"""A vector-quantised autoencoder: nearest codes, a straight-through step, and two losses with stop_gradient.

Source: https://keras.io/examples/generative/vq_vae/
"""

import numpy as np

import tapeviz as tf

rng = np.random.default_rng(12)
x = rng.normal(size=(64, 6)).astype("float32")
encoder = tf.Variable(rng.normal(scale=0.4, size=(6, 2)).astype("float32"))
decoder = tf.Variable(rng.normal(scale=0.4, size=(2, 6)).astype("float32"))
codes = tf.Variable(rng.normal(scale=0.5, size=(8, 2)).astype("float32"))
variables = [encoder, decoder, codes]
optimizer = tf.keras.optimizers.Adam(0.02)
for _ in range(30):
    with tf.GradientTape() as tape:
        latent = x @ encoder
        distances = tf.reduce_sum((latent[:, None] - codes) ** 2, axis=-1)
        nearest = tf.gather(codes, tf.argmin(distances, axis=1))
        quantized = latent + tf.stop_gradient(nearest - latent)
        commitment = tf.reduce_mean((tf.stop_gradient(nearest) - latent) ** 2)
        codebook = tf.reduce_mean((nearest - tf.stop_gradient(latent)) ** 2)
        loss = tf.reduce_mean((quantized @ decoder - x) ** 2) + codebook + 0.25 * commitment
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
print(loss)
