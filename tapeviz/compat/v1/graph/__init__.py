"""``tf.Graph``: what builds one, and the names of its nodes."""
