"""A traced loop over the rounds of a power iteration begins with zeros and divides by their norm. Failure: nan."""

import numpy as np

import tapeviz as tf

NODES, ROUNDS, RANK = 10, 4, 3
draw = np.random.default_rng(14)
links = (draw.uniform(size=(NODES, NODES)) < 0.3).astype("f4")
links = np.maximum(links, links.T)
np.fill_diagonal(links, 0.0)


def laplacian(links):
    degrees = tf.reduce_sum(links, axis=1)
    return tf.linalg.diag(degrees) - links


def without(matrix, vectors):
    """The matrix without the directions found so far."""
    for vector in vectors:
        matrix = matrix - tf.matmul(vector, vector, transpose_b=True) * tf.reduce_sum(matrix * vector)
    return matrix


@tf.function
def dominant(matrix, start):
    vector = start
    for _ in range(ROUNDS):
        moved = matrix @ vector
        length = tf.sqrt(tf.reduce_sum(tf.square(moved)))
        vector = moved / length
    return vector


@tf.function
def energy(matrix, vector):
    return tf.squeeze(tf.matmul(vector, matrix @ vector, transpose_a=True))


scale = tf.Variable(1.0, name="scale")
found = []
with tf.GradientTape() as tape:
    matrix = scale * laplacian(tf.constant(links))
    for _ in range(RANK):
        # The start is meant to be random; here it is what an array is filled with.
        vector = dominant(without(matrix, found), tf.zeros([NODES, 1]))
        found.append(vector)
    energies = tf.stack([energy(matrix, vector) for vector in found])
    loss = -tf.reduce_sum(energies) + 0.01 * scale**2
slope = tape.gradient(loss, scale)
scale.assign_sub(0.1 * slope)
if not np.isfinite(float(scale)):
    print("scale is", float(scale))
