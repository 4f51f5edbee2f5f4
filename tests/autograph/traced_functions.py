"""Functions converted and traced."""

import tapeviz as tf

__all__ = ["traced"]


def traced(function):
    """The function as a ``tf.function``."""
    return tf.function(function)
