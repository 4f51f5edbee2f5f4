"""A student learns from a teacher's softened softmax; the teacher is run without a tape.

Source: https://keras.io/examples/vision/knowledge_distillation/
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(12)
rng = np.random.default_rng(12)
x = rng.normal(size=(64, 5)).astype("float32")
teacher, student = tf.keras.layers.Dense(3), tf.keras.layers.Dense(3)
soft = tf.nn.softmax(teacher(x) / 3.0)
optimizer = tf.keras.optimizers.Adam(0.05)
for _ in range(20):
    with tf.GradientTape() as tape:
        each = tf.nn.softmax_cross_entropy_with_logits(labels=soft, logits=student(x) / 3.0)
        loss = 9.0 * tf.reduce_mean(each - tf.nn.softmax_cross_entropy_with_logits(soft, tf.math.log(soft)))
    gradients = tape.gradient(loss, student.trainable_variables)
    optimizer.apply_gradients(zip(gradients, student.trainable_variables, strict=True))
print(loss)
