"""Ops that make, arrange, pick and place elements."""
