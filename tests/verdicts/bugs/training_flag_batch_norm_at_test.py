"""A single picture gets another class than the same picture in a batch.

The evaluation calls the network with training=True, so batch normalization uses the batch.

Kind: training_flag
Source: https://github.com/lyatdawn/Unet-Tensorflow/issues/4
"""

import numpy as np

import tapeviz as tf
from tapeviz.keras import layers

tf.random.set_seed(18)
rng = np.random.default_rng(18)


class SmallNet(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.conv = layers.Conv2D(4, 3, padding="same")
        self.norm = layers.BatchNormalization()
        self.drop = layers.Dropout(0.5)
        self.head = layers.Dense(3)

    def call(self, x, training=None):
        x = tf.nn.relu(self.norm(self.conv(x), training=training))
        x = self.drop(tf.reduce_mean(x, axis=[1, 2]), training=training)
        return self.head(x)


net = SmallNet()
optimizer = tf.keras.optimizers.Adam(0.01)
pictures = rng.normal(size=(24, 6, 6, 1)).astype("float32")
classes = rng.integers(0, 3, 24)
loss_fn = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
for step in range(5):
    with tf.GradientTape() as tape:
        loss = loss_fn(classes, net(pictures, training=True))
    gradients = tape.gradient(loss, net.trainable_variables)
    optimizer.apply_gradients(zip(gradients, net.trainable_variables))


def evaluate(x):
    return tf.nn.softmax(net(x, training=True))  # fault


print("in a batch", evaluate(pictures)[0].numpy(), "alone", evaluate(pictures[:1])[0].numpy())
