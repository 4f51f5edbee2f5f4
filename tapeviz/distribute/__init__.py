"""``tf.distribute``: a program in several processes, which other packages start: ``pip install tapeviz[cluster]``."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
