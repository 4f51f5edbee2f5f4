"""What Sphinx is told. Everything that a page needs lies beside it: themes, scripts, fonts, formulas, recordings."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import tapeviz

project = "tapeviz"
author = "the tapeviz authors"
copyright = author
version = release = tapeviz.__version__
language = "en"

extensions = ["myst_nb", "tools.site.mathml"]
html_math_renderer = "mathml"
nb_execution_mode = "off"  # tools/site/execution.py has run them
nb_merge_streams = True
myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 4
# Pages that GitHub shows begin with any heading, and link to files beside them. An error's text in a notebook has signs
# that the lexer of tracebacks does not know; it is coloured all the same.
suppress_warnings = ["myst.header", "misc.highlighting_failure"]
exclude_patterns = ["_static", "_beside"]

add_module_names = False
toc_object_entries_show_parents = "hide"
pygments_style = "a11y-high-contrast-light"

html_theme = "pydata_sphinx_theme"
html_title = "tapeviz"
html_context = {"default_mode": "auto"}
# tools/site/__main__.py names the folders of scripts, styles and recordings, and of what notebooks saved.
html_css_files = ["site.css"]
html_js_files = ["tapes.js", "names.js"]
html_show_sourcelink = False
html_copy_source = False
# A search result's text would be fetched, which a page opened from disk may not do.
html_show_search_summary = False
html_theme_options = {
    "logo": {"text": "tapeviz"},
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "navbar_persistent": ["search-button"],
    "header_links_before_dropdown": 7,
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
    "back_to_top_button": False,
}
html_sidebars = {"index": [], "open": [], "search": []}
