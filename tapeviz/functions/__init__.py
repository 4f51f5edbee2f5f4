"""``tf.function``: Python functions traced into graphs, a graph for each signature."""
