"""Where two recordings of one program differ: aligned by line, op and occurrence, with the errors and their cause."""

from tapeviz.analysis.differences.comparison import differences
from tapeviz.analysis.differences.table import Differences, Element, Row

__all__ = ["Differences", "Element", "Row", "differences"]
