"""``tf.autograph``: Python's ``if``, ``while`` and ``for`` on tensors as parts of a graph.

:func:`convert` makes of a function another one whose statements are calls of :mod:`operators`. These decide by the
value that they meet: on Python values all is as it was, tensors of a graph make the statement part of the graph.
"""

from __future__ import annotations

from tapeviz.autograph import experimental
from tapeviz.autograph import operators as operators  # converted code calls them
from tapeviz.autograph.api import set_verbosity, to_code, to_graph, trace
from tapeviz.autograph.conversion import Conversion, convert
from tapeviz.autograph.experimental import do_not_convert

__all__ = [
    "Conversion", "convert", "do_not_convert", "experimental", "set_verbosity", "to_code", "to_graph", "trace",
]  # fmt: skip
