"""The stateless sampler returns the same noise in each round, though its seed is counted up.

The counter is a Python attribute: its first value is part of the traced graph.

Kind: frozen
Source: https://github.com/jax-ml/jax/issues/1141
"""

import tapeviz as tf


class Sampler(tf.Module):
    def __init__(self, seed):
        super().__init__()
        self.seed = seed
        self.drawn = 0

    def next_noise(self, shape):
        noise = tf.random.stateless_normal(shape, seed=[self.seed, self.drawn])  # fault
        self.drawn += 1  # fault
        return noise


class Langevin(tf.Module):
    def __init__(self):
        super().__init__()
        self.sampler = Sampler(42)
        self.x = tf.Variable(tf.zeros([4, 2]))

    def energy(self, x):
        return 0.5 * tf.reduce_sum(tf.square(x - [1.0, -1.0]))

    @tf.function
    def step(self, size):
        with tf.GradientTape() as tape:
            value = self.energy(self.x)
        noise = self.sampler.next_noise([4, 2])
        self.x.assign_add(-size * tape.gradient(value, self.x) + tf.sqrt(2 * size) * noise)
        return noise


chain = Langevin()
size = tf.constant(0.05)
noises = [chain.step(size).numpy() for _ in range(10)]
print("same noise in all rounds", all((noise == noises[0]).all() for noise in noises))
print("where the chain went", chain.x.numpy())
