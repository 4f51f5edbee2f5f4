"""``tf.summary``: what TensorBoard shows.

Each summary is with the operating system when the call that wrote it returns: a kernel that dies loses none, and
TensorBoard sees them without a flush.
"""

from tapeviz.namespaces.lazy import attach

attach(__name__)
