"""``tf.summary`` of TensorFlow 1: tensors that hold summaries, which a session runs and a writer writes."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
