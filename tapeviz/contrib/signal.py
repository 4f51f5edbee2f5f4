"""``tf.contrib.signal``: the functions of ``tf.signal``, under their first name."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
