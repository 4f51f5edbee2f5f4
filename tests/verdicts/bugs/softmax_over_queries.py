"""Self-attention in the denoiser seems to work, but the weights of a position don't sum to one.

The softmax is taken over the queries, and the sum afterwards over the keys.

Kind: softmax
Source: https://github.com/labmlai/annotated_deep_learning_paper_implementations/issues/146
"""

import numpy as np

import tapeviz as tf

tf.random.set_seed(4)


class AttentionBlock(tf.keras.layers.Layer):
    def __init__(self, channels, heads=2):
        super().__init__()
        self.heads, self.d_k = heads, channels // heads
        self.norm = tf.keras.layers.LayerNormalization()
        self.projection = tf.keras.layers.Dense(heads * self.d_k * 3)
        self.output_layer = tf.keras.layers.Dense(channels)

    def call(self, x):
        batch, height, width, channels = x.shape
        x = tf.reshape(x, [batch, height * width, channels])
        qkv = tf.reshape(self.projection(self.norm(x)), [batch, -1, self.heads, 3 * self.d_k])
        q, k, v = tf.split(qkv, 3, axis=-1)
        attn = tf.einsum("bihd,bjhd->bijh", q, k) * self.d_k**-0.5
        attn = tf.nn.softmax(attn, axis=1)  # fault
        self.sums = tf.reduce_sum(attn, axis=2)
        res = tf.einsum("bijh,bjhd->bihd", attn, v)
        res = self.output_layer(tf.reshape(res, [batch, -1, self.heads * self.d_k]))
        return tf.reshape(res + x, [batch, height, width, channels])


class Denoiser(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.conv = tf.keras.layers.Conv2D(8, 3, padding="same")
        self.attention = AttentionBlock(8)
        self.final = tf.keras.layers.Conv2D(1, 1)

    def call(self, x):
        return self.final(self.attention(tf.nn.silu(self.conv(x))))


rng = np.random.default_rng(4)
clean = tf.constant(rng.random((4, 4, 4, 1)), tf.float32)
model = Denoiser()
optimizer = tf.keras.optimizers.Adam(0.01)
for step in range(5):
    noise = tf.random.normal(clean.shape)
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(clean + noise) - noise))
    optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
sums = model.attention.sums.numpy()
print("loss", float(loss), "sums of the weights from", sums.min(), "to", sums.max())
