"""Of six augmentations the same ones are applied in each step, and the others never.

A NumPy array decides which of them run: Python branches, taken once when the function is traced.

Kind: frozen
Source: https://github.com/AdityaKane2001/regnety/issues/4
"""

import numpy as np

import tapeviz as tf

np.random.seed(31)
tf.random.set_seed(31)


def get_augment_list():
    return np.random.random(4) < 0.5  # fault


@tf.function
def augment(images):
    chosen = get_augment_list()  # fault
    images = tf.cast(images, tf.float32) / 255.0
    applied = tf.zeros([4])
    if chosen[0]:
        images = tf.image.random_brightness(images, 0.3)
        applied += [1.0, 0.0, 0.0, 0.0]
    if chosen[1]:
        images = images[:, :, ::-1]
        applied += [0.0, 1.0, 0.0, 0.0]
    if chosen[2]:
        images = images[:, ::-1]
        applied += [0.0, 0.0, 1.0, 0.0]
    if chosen[3]:
        images = 1.0 - images
        applied += [0.0, 0.0, 0.0, 1.0]
    return images, applied


model = tf.keras.Sequential([tf.keras.layers.Flatten(), tf.keras.layers.Dense(3)])
optimizer = tf.keras.optimizers.SGD(0.05)
images = tf.constant(np.random.randint(0, 256, (12, 4, 4, 3)), tf.uint8)
labels = tf.constant(np.random.randint(0, 3, 12))
used = tf.zeros([4])
for step in range(16):
    batch, applied = augment(images)
    used += applied
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=model(batch)))
    optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
print("how often each was applied in 16 steps", used.numpy())
