"""``tf.summary.experimental``: the step that summaries are of."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
