"""The fit by hand works for x up to 1; for x up to 100 the slope gets larger in each iteration, with alternating sign.

The curvature grows with the square of x, and the rate was not lowered.

Kind: diverging
Source: https://mejorcodigo.com/p/45698.html
"""

import numpy as np

import tapeviz as tf

np.random.seed(2)


class LinearRegression:
    def __init__(self, lr=0.01, iterations=8):
        self.lr = lr
        self.iterations = iterations
        self.w = tf.Variable([[0.0]])
        self.c = tf.Variable(0.0)

    def loss(self, x, y):
        return tf.reduce_mean((tf.matmul(self.w, x) + self.c - y) ** 2)

    def update(self, gradients):
        for variable, gradient in zip([self.w, self.c], gradients):
            variable.assign(variable - self.lr * gradient)  # fault

    def fit(self, x, y):
        history = []
        for i in range(self.iterations):
            with tf.GradientTape() as tape:
                value = self.loss(x, y)
            self.update(tape.gradient(value, [self.w, self.c]))
            history.append(float(value))
        return history


x = (np.random.rand(1, 200) * 100).astype("float32")
y = 5 * x + 3 + np.random.randn(1, 200).astype("float32") * 0.1
print(["%.3g" % value for value in LinearRegression().fit(x, y)])
