"""``tf.train``: training, saving, clusters."""

from tapeviz.compat.v1.graph.absent_names import absent
from tapeviz.namespaces.lazy import attach

attach(__name__, absent=absent)
