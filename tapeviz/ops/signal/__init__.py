"""Ops on signals and spectra."""
