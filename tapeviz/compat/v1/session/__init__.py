"""``tf.Session``: feeds, fetches, and what a run does."""
