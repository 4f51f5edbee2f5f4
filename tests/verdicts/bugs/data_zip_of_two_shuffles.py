"""The classifier stays at chance although the images and the labels are easy to tell apart.

The images' and the labels' datasets are shuffled on their own and then zipped.

Kind: data
Source: https://github.com/tensorflow/tensorflow/issues/41334
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(42)
rng = np.random.RandomState(42)
y = rng.randint(0, 2, 96)
x = (rng.randn(96, 8) + 3.0 * y[:, None]).astype("float32")


def make_pipeline(features, labels, batch):
    images = tf.data.Dataset.from_tensor_slices(features).shuffle(96, seed=1)
    targets = tf.data.Dataset.from_tensor_slices(labels).shuffle(96, seed=2)
    return tf.data.Dataset.zip((images, targets)).batch(batch)  # fault


class Classifier(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.hidden = tf.keras.layers.Dense(16, activation="relu")
        self.out = tf.keras.layers.Dense(2)

    def call(self, inputs):
        return self.out(self.hidden(inputs))


model = Classifier()
model.compile(
    optimizer=tf.keras.optimizers.Adam(0.01),
    loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    metrics=["accuracy"],
)
history = model.fit(make_pipeline(x, y, 16), epochs=8, verbose=0)
print(history.history["accuracy"])
