"""The difference of two tapes as one interactive page: it opens from disk, and asks the network for nothing."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from typing import Final

from tapeviz.analysis.differences import Differences
from tapeviz.exports import diff_html, diff_rows, html
from tapeviz.exports.target import Target, put
from tapeviz.recording import Recording

__all__ = ["write"]

# Rows whose elements the page has, for there is nobody to ask: those that differ, in their order.
_DETAILED: Final = 300


def write(diff: Differences, recordings: tuple[Recording, Recording], target: Target, view: str = "flow") -> None:
    """Write the page.

    It holds both recordings, of each at most 64 MiB of the elements of its tensors, and of the first 300 rows that
    differ the elements that are furthest apart.

    Args:
        diff: the comparison.
        recordings: the two that were compared.
        target: a path, or a file open for writing bytes.
        view: the view that both are shown in.

    Raises:
        OSError: it cannot be written.
        FileNotFoundError: the package was installed without its front end.
    """
    put((piece.encode() for piece in _pieces(diff, recordings, view)), target)


def _pieces(diff: Differences, recordings: tuple[Recording, Recording], view: str) -> Iterator[str]:
    fields = diff_rows.fields(diff)
    apart = [row["index"] for row in fields["rows"] if row["what"] != "equal"][:_DETAILED]
    held = {
        **fields,
        "view": view,
        "details": {index: diff_rows.details(diff, index) for index in apart},
        "recordings": [base64.b64encode(html.within_limit(one).to_bytes()).decode("ascii") for one in recordings],
    }
    # Inside an element of its kind a text ends at "</script"; JSON may write that bracket in figures.
    contents = json.dumps(held, ensure_ascii=False, allow_nan=False).replace("<", "\\u003c")
    summary = diff_html.summary(diff)
    return html.document(" and ".join(diff.names), summary, "application/json", "data-tapeviz-diff", contents)
