"""Eager control flow, calls of Python, and nested structures."""
