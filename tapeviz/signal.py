"""``tf.signal``: Fourier and cosine transforms, frames of signals and their windows."""

from tapeviz.namespace import attach

attach(__name__)
