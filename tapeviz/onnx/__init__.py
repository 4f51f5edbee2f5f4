"""Traced functions as ONNX models, which other programs run. Needs the package ``onnx``: ``tapeviz[onnx]``."""

from tapeviz.namespaces.lazy import attach

attach(__name__)
