"""``tf.optimizers.schedules``: learning rates that change with the steps, those of Keras."""

from tapeviz.namespace import attach

attach(__name__)
