"""From the user's syntax tree to the converted one: a module for each kind of construct.

1. :mod:`exits` takes ``break``, ``continue`` and ``return`` out of statements that may become part of a graph.
2. :mod:`tapeviz.autograph.liveness` says which variables matter after such a statement.
3. :mod:`lifting` makes functions of the bodies of ``if``, ``while`` and ``for``, and calls of operators of these.
4. :mod:`expressions` replaces ``and``, ``not``, calls and other expressions by calls of operators.
"""
