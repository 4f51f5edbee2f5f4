"""Logistic regression with a weight for each sample; some weights are zero because the sample is left out.

Source: https://scikit-learn.org/stable/auto_examples/svm/plot_weighted_samples.html
"""

import numpy as np

import tapeviz as tf

rng = np.random.default_rng(6)
x = rng.normal(size=(80, 2)).astype("float32")
y = (x[:, :1] - x[:, 1:] > 0).astype("float32")
sample_weight = tf.constant(rng.choice([0.0, 1.0, 3.0], size=(80, 1)), tf.float32)
w = tf.Variable(rng.normal(scale=0.1, size=(2, 1)).astype("float32"))
b = tf.Variable([0.0])
optimizer = tf.keras.optimizers.Adam(0.1)
for _ in range(20):
    with tf.GradientTape() as tape:
        each = tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=x @ w + b)
        loss = tf.reduce_sum(each * sample_weight) / tf.reduce_sum(sample_weight)
    gradients = tape.gradient(loss, [w, b])
    optimizer.apply_gradients(zip(gradients, [w, b], strict=True))
print(loss)
