"""``tf.python_io`` of TensorFlow 1: files of records."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
