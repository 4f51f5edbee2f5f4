"""A softmax over experts weighs their answers, and the classes have a softmax of their own in the loss.

Source: https://arxiv.org/abs/1701.06538
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(11)
rng = np.random.default_rng(11)
x = rng.normal(size=(64, 4)).astype("float32")
labels = np.where(x[:, 0] > 0, x[:, 1] > 0, x[:, 2] > 0).astype("int64")
router = tf.keras.layers.Dense(3)
experts = [tf.keras.layers.Dense(2) for _ in range(3)]
optimizer = tf.keras.optimizers.Adam(0.05)
for _ in range(20):
    with tf.GradientTape() as tape:
        shares = tf.nn.softmax(router(x))
        logits = tf.reduce_sum(shares[:, :, None] * tf.stack([expert(x) for expert in experts], axis=1), axis=1)
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
    variables = [v for layer in [router, *experts] for v in layer.trainable_variables]
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
print(loss)
