"""``tf.contrib.rnn``: the cells of ``tf.nn.rnn_cell`` under their first names."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
