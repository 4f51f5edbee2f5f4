"""Two views of a batch: the labels are the rows' own numbers, so they come sorted, by design.

Source: https://arxiv.org/abs/2002.05709
"""

import numpy as np

import tapeviz as tf

rng = np.random.default_rng(14)
x = rng.normal(size=(16, 6)).astype("float32")
w = tf.Variable(rng.normal(scale=0.5, size=(6, 4)).astype("float32"))
optimizer = tf.keras.optimizers.Adam(0.03)
for _ in range(15):
    with tf.GradientTape() as tape:
        views = [x + 0.3 * rng.normal(size=x.shape).astype("float32") for _ in range(2)]
        first, second = (tf.math.l2_normalize(view @ w, axis=1) for view in views)
        logits = tf.matmul(first, second, transpose_b=True) / 0.2
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.range(16), logits=logits))
    optimizer.apply_gradients([(tape.gradient(loss, w), w)])
print(loss)
