"""An embedding trained on distances of pairs, one of them with itself: the root's gradient at zero. Failure: nan."""

import numpy as np

import tapeviz as tf

ITEMS, WIDTH, PAIRS, MARGIN = 12, 5, 8, 1.0
draw = np.random.default_rng(9)
features = tf.constant(draw.normal(size=(ITEMS, 7)), tf.float32)
first = tf.constant([0, 1, 2, 3, 4, 5, 6, 7])
second = tf.constant([5, 3, 2, 8, 9, 10, 11, 1])
alike = tf.constant([1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0])


class Tower(tf.Module):
    def __init__(self):
        super().__init__()
        self.inner = tf.Variable(draw.normal(scale=0.5, size=(7, 9)), dtype=tf.float32, name="inner")
        self.shift = tf.Variable(tf.zeros([9]), name="shift")
        self.outer = tf.Variable(draw.normal(scale=0.5, size=(9, WIDTH)), dtype=tf.float32, name="outer")

    def __call__(self, rows):
        hidden = tf.nn.elu(rows @ self.inner + self.shift)
        return tf.math.l2_normalize(hidden @ self.outer, axis=-1)


tower = Tower()


def distances(left, right):
    difference = left - right
    squares = tf.reduce_sum(tf.square(difference), axis=-1)
    return tf.sqrt(squares)


def contrastive(distance, alike):
    near = alike * distance
    far = (1.0 - alike) * tf.square(tf.nn.relu(MARGIN - distance))
    return tf.reduce_mean(near + far)


def weight_decay(module):
    return sum(tf.reduce_sum(tf.square(variable)) for variable in module.trainable_variables)


with tf.GradientTape() as tape:
    places = tower(features)
    left, right = tf.gather(places, first), tf.gather(places, second)
    distance = distances(left, right)
    loss = contrastive(distance, alike) + 1e-3 * weight_decay(tower)
gradients = tape.gradient(loss, tower.trainable_variables)
optimizer = tf.keras.optimizers.Adam(1e-2)
optimizer.apply_gradients(zip(gradients, tower.trainable_variables, strict=True))
after = contrastive(distances(tf.gather(tower(features), first), tf.gather(tower(features), second)), alike)
