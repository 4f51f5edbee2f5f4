"""Ops on vectors and matrices."""
