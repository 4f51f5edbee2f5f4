"""A trained base is frozen, its batch norm kept in inference mode, and a new head is trained; then all, slowly.

Source: https://www.tensorflow.org/guide/keras/transfer_learning
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(7)
rng = np.random.default_rng(7)
layers = tf.keras.layers
labels = rng.integers(0, 2, 32)
images = rng.normal(size=(32, 10, 10, 3)).astype("float32") + labels[:, None, None, None].astype("float32")
base = tf.keras.Sequential(
    [
        tf.keras.Input((10, 10, 3)),
        layers.Conv2D(8, 3, activation="relu"),
        layers.BatchNormalization(),
        layers.Conv2D(16, 3, activation="relu"),
        layers.BatchNormalization(),
        layers.GlobalAveragePooling2D(),
    ]
)
base.trainable = False
inputs = tf.keras.Input((10, 10, 3))
model = tf.keras.Model(inputs, layers.Dense(2)(layers.Dropout(0.2)(base(inputs, training=False))))
cross_entropy = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
model.compile(tf.keras.optimizers.Adam(0.02), cross_entropy)
first = model.fit(images, labels, batch_size=16, epochs=4, verbose=0)
base.trainable = True
model.compile(tf.keras.optimizers.Adam(1e-4), cross_entropy)
second = model.fit(images, labels, batch_size=16, epochs=2, verbose=0)
print(first.history["loss"], second.history["loss"])
