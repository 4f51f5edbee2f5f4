"""The difference of two tapes as the fields that a page draws it from: JSON, with all that is said of it in words."""

from __future__ import annotations

import math
from typing import Any, Final

from tapeviz.analysis.differences import Differences, Element, Row
from tapeviz.exports import diff_text, numbers

__all__ = ["details", "fields"]

_MOST: Final = 2_000
_ELEMENTS: Final = 12


def fields(diff: Differences) -> dict[str, Any]:
    """What a page begins with: the rows to look at, in their order, and what is said of them all.

    Of a long comparison these are the rows around the first that differs and those that differ; ``left_out`` says how
    many there are besides.
    """
    rows = [] if diff.unlike else diff.striking(_MOST)
    first = None if diff.unlike else diff.first
    return {
        "sentence": diff_text.sentence(diff),
        "summary": diff_text.summary(diff),
        "names": list(diff.names),
        "first": -1 if first is None else first.index,
        "left_out": 0 if diff.unlike else len(diff) - len(rows),
        "columns": list(diff_text.COLUMNS),
        "ulp": diff_text.ULP,
        "rows": [_row(diff, row) for row in rows],
    }


def details(diff: Differences, index: int) -> dict[str, Any]:
    """What is said of one row, and its elements that are furthest apart.

    Raises:
        IndexError: there is no such row.
    """
    row = diff[index]
    return {
        "said": list(diff_text.explained(diff, row, element=False)),
        "places": diff_text.places(row),
        "elements": [_element(element) for element in diff.elements(row, _ELEMENTS)],
    }


def _row(diff: Differences, row: Row) -> dict[str, Any]:
    return {
        "index": row.index,
        "cells": list(diff_text.cells(row)),
        "what": row.what,
        "material": row.material,
        "cause": row.cause,
        "phase": row.phase,
        "events": [row.a, row.b],
        "tensors": [list(pair) for pair in diff.tensors(row)[:1]],
        "ulp": row.ulp if math.isfinite(row.ulp) else None,
        "relative": row.relative if math.isfinite(row.relative) else None,
    }


def _element(element: Element) -> dict[str, Any]:
    ulp = "" if math.isnan(element.ulp) or not element.ulp else numbers.number(element.ulp)
    return {"index": list(element.index), "a": str(element.a), "b": str(element.b), "ulp": ulp}
