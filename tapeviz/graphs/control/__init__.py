"""Control flow in a graph: branches, loops, lists, and functions applied along an axis."""
