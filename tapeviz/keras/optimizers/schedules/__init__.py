"""``tf.keras.optimizers.schedules``: learning rates that change with the steps."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
