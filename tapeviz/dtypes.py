"""``tf.dtypes``: types of elements, and from one to another."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
