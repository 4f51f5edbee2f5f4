"""Sparse tensors, made of the ops on dense ones."""
