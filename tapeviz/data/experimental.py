"""``tf.data.experimental``: names under which parts of ``tf.data`` were first announced, and a few more."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
