"""A classifier of pictures whose probabilities go into a loss that takes the softmax itself. Failure: softmax."""

import numpy as np

import tapeviz as tf

PICTURES, SIZE, CLASSES = 16, 8, 3
draw = np.random.default_rng(8)
pictures = draw.uniform(size=(PICTURES, SIZE, SIZE, 1)).astype("f4")
labels = draw.integers(0, CLASSES, size=PICTURES)


class Convolution(tf.Module):
    def __init__(self, channels, filters):
        super().__init__()
        scale = np.sqrt(2.0 / (9 * channels))
        self.kernel = tf.Variable(draw.normal(scale=scale, size=(3, 3, channels, filters)), dtype=tf.float32)
        self.bias = tf.Variable(tf.zeros([filters]))

    def __call__(self, x):
        x = tf.nn.bias_add(tf.nn.conv2d(x, self.kernel, 1, "SAME"), self.bias)
        return tf.nn.max_pool2d(tf.nn.relu(x), 2, 2, "SAME")


class Classifier(tf.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = Convolution(1, 4), Convolution(4, 8)
        self.kernel = tf.Variable(draw.normal(scale=0.1, size=(8, CLASSES)), dtype=tf.float32)
        self.bias = tf.Variable(tf.zeros([CLASSES]))

    def __call__(self, x):
        x = self.second(self.first(x))
        x = tf.reduce_mean(x, axis=[1, 2])
        return tf.nn.softmax(x @ self.kernel + self.bias)


classifier = Classifier()
optimizer = tf.keras.optimizers.Adam(1e-2)


def accuracy(outputs, labels):
    return tf.reduce_mean(tf.cast(tf.equal(tf.argmax(outputs, axis=-1), labels), tf.float32))


def train_step(x, y):
    with tf.GradientTape() as tape:
        outputs = classifier(x)
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=outputs))
    gradients = tape.gradient(loss, classifier.trainable_variables)
    optimizer.apply_gradients(zip(gradients, classifier.trainable_variables, strict=True))
    return loss, accuracy(outputs, y)


for first in range(0, PICTURES, 8):
    loss, share = train_step(tf.constant(pictures[first : first + 8]), tf.constant(labels[first : first + 8]))
