"""The accuracy is printed as 0 in every epoch, and the loss falls as it should.

The number of hits and the number of rows are both integers, and so is their quotient.

Kind: precision
Source: https://github.com/moskomule/senet.pytorch/pull/12
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(0)
rng = np.random.RandomState(1)
x = rng.randn(90, 3).astype("float32")
y = (x @ np.array([1.0, -2.0, 0.5]) > 0).astype("int32")

model = tf.keras.Sequential([tf.keras.layers.Dense(8, activation="relu"), tf.keras.layers.Dense(2)])
loss_fn = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
optimizer = tf.keras.optimizers.Adam(0.05)


def accuracy(logits, labels):
    hits = tf.cast(tf.equal(tf.argmax(logits, axis=1, output_type=tf.int32), labels), tf.int32)
    return tf.reduce_mean(hits)  # fault


for epoch in range(10):
    with tf.GradientTape() as tape:
        logits = model(x)
        loss = loss_fn(y, logits)
    optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
    print(f"epoch {epoch}: loss {float(loss):.3f} accuracy {accuracy(logits, y).numpy():.2%}")
