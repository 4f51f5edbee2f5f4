"""``tf.optimizers``: those of Keras, l-BFGS and KFAC."""

from tapeviz.namespace import attach

attach(__name__)
