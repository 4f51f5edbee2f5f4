"""Gradients that vanish or explode: the one rule, and the findings that follow from it."""
