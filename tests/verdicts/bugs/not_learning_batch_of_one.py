"""With minibatches of one image nothing is learned; with 64 the same network works.

Batch normalization subtracts the mean of the batch, which for a batch of one row leaves zeros.

Kind: not_learning
Source: https://github.com/microsoft/CNTK/issues/905
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(3)
rng = np.random.default_rng(3)
images = rng.random((40, 16)).astype("float32")
labels = (images[:, :8].sum(axis=1) > images[:, 8:].sum(axis=1)).astype("int32")


class Net(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.hidden = tf.keras.layers.Dense(12)
        self.norm = tf.keras.layers.BatchNormalization()
        self.out = tf.keras.layers.Dense(2)

    def call(self, x, training=False):
        x = self.norm(self.hidden(x), training=training)  # fault
        return self.out(tf.nn.relu(x))


net = Net()
sgd = tf.keras.optimizers.SGD(0.05)
crossentropy = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
dataset = tf.data.Dataset.from_tensor_slices((images, labels)).batch(1)
net(images[:1])
before = net.hidden.kernel.numpy()
for x, y in dataset:
    with tf.GradientTape() as tape:
        loss = crossentropy(y, net(x, training=True))
    sgd.apply_gradients(zip(tape.gradient(loss, net.trainable_variables), net.trainable_variables))
print("the first weights moved by", np.abs(net.hidden.kernel.numpy() - before).max(), "loss", float(loss))
