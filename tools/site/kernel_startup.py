"""Runs at the start of the kernels that execute the site's notebooks: keeps what each displayed view would ask for.

A view in a notebook gets its recording from the kernel. A page of the site has no kernel, so that what the views of a
cell begin with is written into the folder ``TAPEVIZ_SITE_VIEWS`` when the cell is done, one file for each widget:
``<id>.tape``, or ``<id>.json`` for a difference of two tapes. A box of other widgets is gone through.
"""

import base64
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from IPython.core.getipython import get_ipython

WIDGET = "application/vnd.jupyter.widget-view+json"
DIFFERING = 300  # rows of a difference whose elements a page has: as many as a saved page

displayed: list[str] = []


def note(message: dict[str, Any]) -> dict[str, Any]:
    """Note the widget that a message shows, and pass the message on."""
    view = message.get("content", {}).get("data", {}).get(WIDGET)
    if view:
        displayed.append(view["model_id"])
    return message


def keep_displayed(*_: object) -> None:
    """Write down what the views displayed by this cell show."""
    for shown in displayed:
        for widget in within(shown):
            keep(widget)
    displayed.clear()


def within(model: str) -> Iterator[str]:
    """The widget itself, and those in it where it is a box."""
    from ipywidgets.widgets.widget import _instances  # noqa: PLC0415 - notebooks may do without widgets

    yield model
    for child in getattr(_instances.get(model), "children", ()):
        yield from within(child.model_id)


def keep(widget: str) -> None:
    """Write down what a widget's page would be sent, where it is one of ours."""
    from tapeviz.widgets.loaded_widget import answer  # noqa: PLC0415 - the user's notebook imports it first

    folder = Path(os.environ["TAPEVIZ_SITE_VIEWS"])
    fields, buffers = answer({"widget": widget, "kind": "ready"})
    if fields.get("kind") == "frames":
        _, (recording,) = answer({"widget": widget, "kind": "recording"})
        (folder / f"{widget}.tape").write_bytes(recording)
    elif "rows" in fields:
        (folder / f"{widget}.json").write_text(json.dumps(difference(widget, fields, list(buffers))), encoding="utf-8")


def difference(widget: str, fields: Mapping[str, Any], recordings: list[bytes]) -> dict[str, Any]:
    """What a saved page of a difference holds."""
    from tapeviz.widgets.loaded_widget import answer  # noqa: PLC0415 - as above

    apart = [row["index"] for row in fields["rows"] if row["what"] != "equal"][:DIFFERING]
    details = {index: answer({"widget": widget, "kind": "row", "row": index})[0] for index in apart}
    return {
        **fields, "details": details, "recordings": [base64.b64encode(one).decode("ascii") for one in recordings]
    }  # fmt: skip


shell = get_ipython()
shell.display_pub.register_hook(note)
shell.events.register("post_run_cell", keep_displayed)
