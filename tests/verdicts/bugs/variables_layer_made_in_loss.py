"""The loss wanders about its first value, and the last layer doesn't get better than random.

The layer for the classes is made in the loss function: at each call there are new random weights.

Kind: variables
Source: https://github.com/cvqluu/Angular-Penalty-Softmax-Losses-Pytorch/issues/10
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(10)
CLASSES = 4
rng = np.random.RandomState(10)
labels = rng.randint(0, CLASSES, 64)
faces = (rng.randn(64, 12) + 2.0 * rng.randn(CLASSES, 12)[labels]).astype("float32")

embedder = tf.keras.Sequential([tf.keras.layers.Dense(16, activation="relu"), tf.keras.layers.Dense(8)])
optimizer = tf.keras.optimizers.Adam(0.01)


def margin_loss(embedded, labels, scale=8.0, margin=0.2):
    fc = tf.keras.layers.Dense(CLASSES, use_bias=False)  # fault
    fc.build(embedded.shape)
    cosine = tf.matmul(tf.math.l2_normalize(embedded, axis=1), tf.math.l2_normalize(fc.kernel, axis=0))
    logits = scale * (cosine - margin * tf.one_hot(labels, CLASSES))
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))


for step in range(20):
    with tf.GradientTape() as tape:
        loss = margin_loss(embedder(faces), labels)
    variables = embedder.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
    if step % 4 == 3:
        print(step, float(loss))
