"""Ops on elements, and reductions of them."""
