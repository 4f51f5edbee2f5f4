"""The network answers mostly with the class that it saw last.

The examples come sorted by label and are not shuffled: whole batches hold one class.

Kind: data
Source: https://dailydoseofds.beehiiv.com/p/why-is-it-important-to-shuffle-your
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(15)
rng = np.random.default_rng(15)
labels = np.sort(rng.integers(0, 3, 90))
points = (np.eye(3)[labels][:, :2] + rng.normal(scale=0.5, size=(90, 2))).astype("float32")

dataset = tf.data.Dataset.from_tensor_slices((points, labels)).batch(10)  # fault
classifier = tf.keras.layers.Dense(3)
classifier.build((None, 2))
optimizer = tf.keras.optimizers.SGD(2.0)
for epoch in range(3):
    for x, y in dataset:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=classifier(x)))
        gradients = tape.gradient(loss, classifier.trainable_variables)
        optimizer.apply_gradients(zip(gradients, classifier.trainable_variables))
answers = np.argmax(classifier(points), axis=1)
print("answers", np.bincount(answers, minlength=3), "labels", np.bincount(labels))
