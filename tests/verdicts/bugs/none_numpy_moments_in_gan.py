"""The generator's gradients are all None while the discriminator trains.

The fake batch goes through NumPy on its way to the discriminator, for its moments.

Kind: none
Source: https://github.com/tensorflow/tensorflow/issues/31919
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(0)
np.random.seed(0)


def moments(values):
    mean = np.mean(values)
    centred = values - mean
    deviation = np.std(values)
    return np.array([mean, deviation, np.mean(centred**3) / deviation**3, np.mean(centred**4) / deviation**4 - 3.0])


generator = tf.keras.Sequential(
    [
        tf.keras.layers.Dense(5, activation="tanh", input_shape=(1,)),
        tf.keras.layers.Dense(5, activation="tanh"),
        tf.keras.layers.Dense(1),
    ]
)
discriminator = tf.keras.Sequential(
    [
        tf.keras.layers.Dense(10, activation="relu", input_shape=(4,)),
        tf.keras.layers.Dense(1, activation="sigmoid"),
    ]
)
criterion = tf.keras.losses.BinaryCrossentropy()
d_optimizer = tf.keras.optimizers.SGD(0.01)
g_optimizer = tf.keras.optimizers.SGD(0.01)
one, zero = tf.ones([1, 1]), tf.zeros([1, 1])

for epoch in range(3):
    real = np.random.normal(4.0, 1.25, 100)
    with tf.GradientTape() as tape:
        fake = generator(tf.random.uniform([100, 1]))
        real_decision = discriminator(moments(real).reshape(1, 4).astype("float32"))
        fake_decision = discriminator(moments(fake.numpy()).reshape(1, 4).astype("float32"))
        d_error = criterion(one, real_decision) + criterion(zero, fake_decision)
    d_grads = tape.gradient(d_error, discriminator.trainable_variables)
    d_optimizer.apply_gradients(zip(d_grads, discriminator.trainable_variables))

    with tf.GradientTape() as tape:
        fake = generator(tf.random.uniform([100, 1]))
        decision = discriminator(moments(fake.numpy()).reshape(1, 4).astype("float32"))  # fault
        g_error = criterion(one, decision)
    g_grads = tape.gradient(g_error, generator.trainable_variables)
    print(epoch, [None if g is None else float(tf.norm(g)) for g in g_grads])
