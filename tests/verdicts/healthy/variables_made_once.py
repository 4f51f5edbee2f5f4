"""A traced step makes its variables at the first call only, and keeps them.

Source: https://www.tensorflow.org/guide/function
"""

import tapeviz as tf


class Counter(tf.Module):
    """Counts its calls."""

    def __init__(self):
        super().__init__()
        self.count = None

    @tf.function
    def __call__(self):
        if self.count is None:
            self.count = tf.Variable(0)
        return self.count.assign_add(1)


counter = Counter()
print([int(counter()) for _ in range(3)])
