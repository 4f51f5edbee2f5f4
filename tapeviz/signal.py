"""``tf.signal``: Fourier and cosine transforms, frames of signals and their windows."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
