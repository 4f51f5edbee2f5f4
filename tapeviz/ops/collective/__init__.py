"""Ops that the replicas of a program run together, and who they are."""
