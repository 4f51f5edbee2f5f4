"""Figures of a recording, drawn by matplotlib; pyplot's state is not touched.

Each function gives a `matplotlib.figure.Figure`: save it with ``savefig``, or let a notebook show it.
"""

from tapeviz.exports.figures.board import Picture
from tapeviz.exports.figures.ladder import gradients
from tapeviz.exports.figures.portrait import tensor
from tapeviz.exports.figures.timeline import timeline

__all__ = ["Picture", "gradients", "tensor", "timeline"]
