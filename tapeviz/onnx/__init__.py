"""Traced functions as ONNX models, which other programs run. Needs the package ``onnx``: ``tapeviz[onnx]``."""

from tapeviz.namespace import attach

attach(__name__)
