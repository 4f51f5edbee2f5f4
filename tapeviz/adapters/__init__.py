"""Recorders of other frameworks: each fills the same recording, and imports its framework when it is asked for."""
