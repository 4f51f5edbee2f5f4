"""``tf.saved_model``: traced functions and their variables in a folder, which run without the code that made them."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
