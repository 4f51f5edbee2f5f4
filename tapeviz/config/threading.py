"""``tf.config.threading``: how many threads compute."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
