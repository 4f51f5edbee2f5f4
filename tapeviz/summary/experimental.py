"""``tf.summary.experimental``: the step that summaries are of."""

from tapeviz.namespace import attach

attach(__name__)
