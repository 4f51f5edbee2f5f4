"""A network with dropout learns slowly, and hardly better than without its hidden layer.

Nine units in ten are to be kept; the layer takes the part that is dropped.

Kind: training_flag
Source: https://github.com/hunkim/DeepLearningZeroToAll/issues/122
"""

import numpy as np

import tapeviz as tf

keep_prob = 0.9
rng = np.random.default_rng(32)
images = rng.normal(size=(96, 20)).astype("float32")
labels = rng.integers(0, 4, 96)

inputs = tf.keras.Input((20,))
hidden = tf.keras.layers.Dense(64, activation="relu")(inputs)
hidden = tf.keras.layers.Dropout(keep_prob)(hidden)  # fault
model = tf.keras.Model(inputs, tf.keras.layers.Dense(4)(hidden))
optimizer = tf.keras.optimizers.Adam(1e-3)
entropy = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
for _ in range(6):
    for start in range(0, 96, 32):
        with tf.GradientTape() as tape:
            logits = model(images[start : start + 32], training=True)
            loss = entropy(labels[start : start + 32], logits)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
