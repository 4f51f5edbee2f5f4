"""The same input gives another prediction at each call, after training too.

`tf.nn.dropout` drops whenever it is called, and the predicting function calls the same forward pass.

Kind: training_flag
Source: https://github.com/eLifePathways/sciencebeam-gym/pull/10
"""

import numpy as np

import tapeviz as tf

rng = np.random.default_rng(0)
tf.random.set_seed(0)
params = {
    "w1": tf.Variable(0.4 * rng.normal(size=(4, 20)).astype("float32")),
    "b1": tf.Variable(tf.zeros([20])),
    "w2": tf.Variable(0.4 * rng.normal(size=(20, 1)).astype("float32")),
}


def forward(x):
    hidden = tf.nn.relu(tf.matmul(x, params["w1"]) + params["b1"])
    hidden = tf.nn.dropout(hidden, rate=0.5)  # fault
    return tf.matmul(hidden, params["w2"])


def fit(x, y, steps):
    names = list(params)
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(forward(x) - y))
        for name, gradient in zip(names, tape.gradient(loss, [params[n] for n in names])):
            params[name].assign_sub(0.02 * gradient)
    return float(loss)


def predict(x):
    return forward(x)[:, 0].numpy()  # fault


x = tf.constant(rng.normal(size=(40, 4)).astype("float32"))
y = tf.reduce_sum(x, axis=1, keepdims=True)
print("loss", fit(x, y, 30))
for _ in range(3):
    print(predict(x[:4]))
