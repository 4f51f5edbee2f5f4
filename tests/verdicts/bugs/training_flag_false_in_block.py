"""With batch normalization the accuracy stays at chance.

The block calls its normalization with `training=False` whatever the model is told: four sigmoids in a row
are not normalized.

Kind: training_flag
Source: https://github.com/soloice/mnist-bn/issues/3
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(7)


class ConvBlock(tf.keras.layers.Layer):
    def __init__(self, filters):
        super().__init__()
        self.conv = tf.keras.layers.Conv2D(filters, 3, padding="same")
        self.bn = tf.keras.layers.BatchNormalization()

    def call(self, x, training=None):
        x = self.conv(x)
        x = self.bn(x, training=False)  # fault
        return tf.nn.sigmoid(x)


class DigitNet(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.blocks = [ConvBlock(6) for _ in range(4)]
        self.flat = tf.keras.layers.Flatten()
        self.out = tf.keras.layers.Dense(3, activation="softmax")

    def call(self, x, training=None):
        for block in self.blocks:
            x = block(x, training=training)
        return self.out(self.flat(x))


rng = np.random.default_rng(7)
labels = rng.integers(0, 3, 48)
images = rng.uniform(0, 1, (48, 8, 8, 1)).astype("float32")
for image, label in zip(images, labels):
    image[2 * label : 2 * label + 3] += 1.0

net = DigitNet()
net.compile(optimizer=tf.keras.optimizers.Adam(0.003), loss="sparse_categorical_crossentropy", metrics=["accuracy"])
history = net.fit(images, labels, batch_size=16, epochs=8, verbose=0)
print(history.history["accuracy"])
