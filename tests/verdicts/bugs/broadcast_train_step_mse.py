"""The error computed in train_step is hundreds of times worse than the one that compile reports.

The functional loss doesn't adapt ranks as the class does: labels (n,) meet predictions (n, 1).

Kind: broadcast
Source: https://github.com/keras-team/keras/issues/16836
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(0)
np.random.seed(0)


class Regressor(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.dense1 = tf.keras.layers.Dense(16, activation="relu")
        self.dense2 = tf.keras.layers.Dense(1)
        self.loss_tracker = tf.keras.metrics.Mean(name="loss")

    def call(self, x):
        return self.dense2(self.dense1(x))

    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            y_pred = self(x, training=True)
            loss = tf.reduce_mean(tf.keras.losses.mean_squared_error(y, y_pred))  # fault
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
        self.loss_tracker.update_state(loss)
        return {"loss": self.loss_tracker.result()}

    @property
    def metrics(self):
        return [self.loss_tracker]


x = np.random.rand(96, 5).astype("float32")
y = (x @ np.array([4, -3, 2, 0, 1], "float32")).astype("float32")
model = Regressor()
model.compile(optimizer=tf.keras.optimizers.Adam(0.02))
history = model.fit(x, y, batch_size=32, epochs=6, verbose=0)
print("by train_step", history.history["loss"])
print("true error", np.mean((model.predict(x, verbose=0)[:, 0] - y) ** 2), "variance", y.var())
