"""In half precision Adam gives infinite weights in the first step and NaN in the next; in single precision all is well.

Squares of small gradients and an epsilon of 1e-8 both are 0 in float16: the step is 0 divided by 0.

Kind: precision
Source: https://github.com/afiaka87/glide-finetune/issues/5
"""

import numpy as np

import tapeviz as tf

rng = np.random.default_rng(1)
x = rng.normal(size=(32, 4)).astype("float16")
y = (x.sum(1, keepdims=True) * 0.001).astype("float16")
kernel = tf.Variable(np.zeros((4, 1), "float16"))


class HalfAdam:
    def __init__(self, lr=1e-3, beta_1=0.9, beta_2=0.999, eps=1e-8):
        self.lr, self.beta_1, self.beta_2, self.eps = lr, beta_1, beta_2, eps
        self.m = self.v = tf.zeros([4, 1], tf.float16)

    def step(self, variable, g):
        self.m = self.beta_1 * self.m + (1 - self.beta_1) * g
        self.v = self.beta_2 * self.v + (1 - self.beta_2) * g * g
        root = tf.sqrt(self.v) + self.eps  # fault
        variable.assign_sub(self.lr * self.m / root)  # fault


adam = HalfAdam()
for i in range(3):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(tf.matmul(x, kernel) - y))
    adam.step(kernel, tape.gradient(loss, kernel))
    print(i, float(loss), kernel.numpy().ravel())
