"""``tf.optimizers``: those of Keras, l-BFGS and KFAC."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
