"""``tf.dtypes``: types of elements, and from one to another."""

from tapeviz.namespace import attach

attach(__name__)
