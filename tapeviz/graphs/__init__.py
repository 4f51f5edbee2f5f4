"""Graphs: tracing functions into them, making them fast, running them."""
