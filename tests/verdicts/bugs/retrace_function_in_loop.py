"""Each round of the sampler takes a second before it starts.

The decorated function is defined within the loop: a new one each round, traced again.

Kind: retrace
Source: https://github.com/theislab/scCODA/issues/13
"""

import tapeviz as tf

tf.random.set_seed(0)
position = tf.Variable([0.5, -0.5])
traced = 0


def log_density(x):
    return -0.5 * tf.reduce_sum(x * x)


for chain in range(8):

    @tf.function  # fault
    def sample_step():
        global traced
        traced += 1
        with tf.GradientTape() as tape:
            value = log_density(position)
        position.assign_add(0.05 * tape.gradient(value, position) + 0.1 * tf.random.normal([2]))
        return value

    for draw in range(3):
        sample_step()
print("traces", traced, position.numpy())
