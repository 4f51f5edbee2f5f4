"""``tf.strings``: text as tensors of bytes."""
