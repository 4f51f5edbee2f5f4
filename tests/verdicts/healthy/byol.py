"""Self-distillation: the target branch is stopped and averaged, the online branch predicts it.

Source: https://arxiv.org/abs/2006.07733
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(2)
rng = np.random.default_rng(2)
x = rng.normal(size=(32, 6)).astype("float32")
online, target = tf.keras.layers.Dense(8), tf.keras.layers.Dense(8, trainable=False)
predictor = tf.keras.layers.Dense(8)
online(x), target(x)
target.set_weights(online.get_weights())
optimizer = tf.keras.optimizers.Adam(0.01)
for _ in range(15):
    first, second = (x + 0.1 * rng.normal(size=x.shape).astype("float32") for _ in range(2))
    with tf.GradientTape() as tape:
        guess = tf.math.l2_normalize(predictor(online(first)), axis=1)
        goal = tf.stop_gradient(tf.math.l2_normalize(target(second), axis=1))
        loss = 2.0 - 2.0 * tf.reduce_mean(tf.reduce_sum(guess * goal, axis=1))
    variables = online.trainable_variables + predictor.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
    for slow, fast in zip(target.variables, online.variables, strict=True):
        slow.assign(0.99 * slow + 0.01 * fast)
print(loss)
