"""``tf.keras.optimizers.schedules``: learning rates that change with the steps."""

from tapeviz.namespace import attach

attach(__name__)
