"""The network overfits with dropout of 0.5 exactly as it does without.

The model is called in the training loop without `training=True`, so no unit is ever dropped.

Kind: training_flag
Source: https://github.com/yusugomori/deeplearning-keras-tf2-torch/issues/2
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(123)


class DNN(tf.keras.Model):
    def __init__(self, hidden_dim, output_dim):
        super().__init__()
        self.l1 = tf.keras.layers.Dense(hidden_dim, activation="relu")
        self.d1 = tf.keras.layers.Dropout(0.5)
        self.l2 = tf.keras.layers.Dense(hidden_dim, activation="relu")
        self.d2 = tf.keras.layers.Dropout(0.5)
        self.l3 = tf.keras.layers.Dense(output_dim)

    def call(self, x, training=None):
        h = self.d1(self.l1(x), training=training)
        h = self.d2(self.l2(h), training=training)
        return self.l3(h)


rng = np.random.RandomState(123)
x_train = rng.randn(60, 20).astype("float32")
t_train = rng.randint(0, 3, 60)
x_val = rng.randn(60, 20).astype("float32")
t_val = rng.randint(0, 3, 60)
model = DNN(64, 3)
criterion = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
optimizer = tf.keras.optimizers.Adam(0.01)


def train_step(x, t):
    with tf.GradientTape() as tape:
        preds = model(x)  # fault
        loss = criterion(t, preds)
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
    return loss


def val_step(x, t):
    return criterion(t, model(x, training=False))


for epoch in range(12):
    for start in range(0, 60, 20):
        loss = train_step(x_train[start : start + 20], t_train[start : start + 20])
    if epoch % 4 == 3:
        print(f"epoch {epoch} cost {float(loss):.4f} val cost {float(val_step(x_val, t_val)):.4f}")
