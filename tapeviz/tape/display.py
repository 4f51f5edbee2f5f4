"""Showing a widget in a notebook, with what stands in for it where no kernel answers."""

from __future__ import annotations

import sys
from typing import Any, Final

__all__ = ["WIDGET", "notebook", "publish", "view_data"]

WIDGET: Final = "application/vnd.jupyter.widget-view+json"


def notebook() -> Any:
    """IPython's shell when it has a front end, else None. Never imports IPython."""
    core = sys.modules.get("IPython.core.getipython")
    shell = core.get_ipython() if core is not None else None
    return shell if hasattr(shell, "kernel") else None


def publish(shell: Any, widget: Any, line: str, page: str, text: str) -> None:
    """Show a widget and, as an output of its own, what stands in for it.

    In one output a saved notebook would keep both and show neither: JupyterLab and nbconvert choose the widget, and
    then have nothing to draw it with. The views hide the stand-in once they are there.

    Args:
        shell: IPython's, see :func:`notebook`.
        widget: what draws the views.
        line: what it is, in a line of text.
        page: HTML without scripts that stands in for it, with the class ``widget.stand_in``.
        text: the same in words.
    """
    shell.display_pub.publish({WIDGET: view_data(widget), "text/plain": line})
    shell.display_pub.publish({"text/html": page, "text/plain": text})


def view_data(widget: Any) -> Any:
    """What a page needs to know a widget by."""
    shown = widget._repr_mimebundle_()
    return (shown[0] if isinstance(shown, tuple) else shown)[WIDGET]
