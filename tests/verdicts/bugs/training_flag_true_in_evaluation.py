"""Every single image that is given to the trained network has the same prediction.

Batch normalization is in training mode always: a batch of one is its own mean, and 0 is what is left of it.

Kind: training_flag
Source: https://github.com/tensorflow/tensorflow/issues/16455
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(2)


class Xception(tf.keras.Model):
    def __init__(self, classes):
        super().__init__()
        self.stem = tf.keras.layers.Dense(16)
        self.norm = tf.keras.layers.BatchNormalization()
        self.top = tf.keras.layers.Dense(classes)

    def call(self, features):
        h = tf.nn.relu(self.norm(self.stem(features), training=True))  # fault
        return self.top(h)


def batches(x, y, size):
    for start in range(0, len(x), size):
        yield x[start : start + size], y[start : start + size]


rng = np.random.RandomState(5)
x = rng.randn(80, 6).astype("float32")
y = (x[:, 0] > 0).astype("int64") + 2 * (x[:, 1] > 0)
model = Xception(4)
loss_fn = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
optimizer = tf.keras.optimizers.Adam(0.02)

for epoch in range(10):
    hits = 0
    for features, label in batches(x, y, 20):
        with tf.GradientTape() as tape:
            logits = model(features)
            loss = loss_fn(label, logits)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        hits += int((logits.numpy().argmax(1) == label).sum())
print("training accuracy", hits / 80)
single = [int(tf.argmax(model(x[i : i + 1]), axis=1)[0]) for i in range(20)]
print("predictions one by one", single, "wanted", y[:20].tolist())
