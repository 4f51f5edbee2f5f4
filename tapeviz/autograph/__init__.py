"""``tf.autograph``: Python's ``if``, ``while`` and ``for`` on tensors as parts of a graph.

:func:`convert` makes of a function another one whose statements are calls of :mod:`operators`. These decide by the
value that they meet: on Python values all is as it was, tensors of a graph make the statement part of the graph.
"""

from tapeviz.namespaces.lazy import attach

attach(__name__)
