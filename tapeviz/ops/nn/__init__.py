"""Ops that neural networks are made of."""
