# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from tapeviz.exports import chrome_trace, diff_page, figures, html, summary_html, summary_text, tape_file

__all__ = ["chrome_trace", "diff_page", "figures", "html", "summary_html", "summary_text", "tape_file"]
