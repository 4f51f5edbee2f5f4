"""``tf.optimizers.schedules``: learning rates that change with the steps, those of Keras."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
