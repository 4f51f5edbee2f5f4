"""Formulas as MathML, which browsers draw themselves: no script and no font that a page would have to fetch.

docutils translates from LaTeX. What it does not know is an error of the build, and so never a hole in a page.
"""

from __future__ import annotations

import re
from html import escape
from typing import Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging

logger = logging.getLogger(__name__)
# What docutils has under another name, and the size of signs, which a line has anyway.
COMMAND = re.compile(r"\\[A-Za-z]+")
SAME = {
    r"\dots": r"\ldots",
    r"\dfrac": r"\frac",
    r"\tfrac": r"\frac",
    r"\lVert": r"\Vert",
    r"\rVert": r"\Vert",
    r"\textstyle": "",
}


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the renderer."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def visit_inline(translator: Any, node: nodes.math) -> None:
    """Write a formula in a line."""
    translator.body.append(_mathml(node, block=False))
    raise nodes.SkipNode


def visit_block(translator: Any, node: nodes.math_block) -> None:
    """Write a formula that stands alone; it scrolls where the page is too narrow."""
    translator.body.append(f'<div class="formula" tabindex="0">{_mathml(node, block=True)}</div>\n')
    raise nodes.SkipNode


def _mathml(node: nodes.math | nodes.math_block, *, block: bool) -> str:
    latex = COMMAND.sub(lambda found: SAME.get(found[0], found[0]), node.astext())
    try:
        return str(tex2mathml(latex, as_block=block))
    except MathError as error:
        logger.warning("formula %s: %s", latex, error, location=node)
        return f"<code>{escape(latex)}</code>"
