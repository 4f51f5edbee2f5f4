"""What there is can be found: the README leads to each page, each notebook and each way to ask a tape."""

import re
from itertools import pairwise

import pytest

from tapeviz.tape.tape import Plots
from tests.structure.sources import ROOT, files, relative

README = (ROOT / "README.md").read_text(encoding="utf-8")
LINK = re.compile(r"\]\(([^)#]+)")


def test_each_page_and_each_notebook_is_linked():
    linked = {target.rstrip("/") for target in LINK.findall(README)}
    pages = [relative(path) for path in files(".md", ".ipynb") if path.parts[len(ROOT.parts)] in {"docs", "notebooks"}]
    lost = [page for page in pages if page not in linked and page.rpartition("/")[0] not in linked - {"docs"}]
    assert lost == []


def test_each_link_leads_somewhere():
    dead = [
        f"{relative(page)}: {target}"
        for page in files(".md")
        for target in LINK.findall(page.read_text(encoding="utf-8"))
        if not target.startswith(("http:", "https:")) and not (page.parent / target).exists()
    ]
    assert dead == []


def test_each_column_of_a_table_has_a_heading():
    """Who hears a page read out is told of each cell which column it is in."""
    found = [
        f"{relative(page)}: {heading}"
        for page in files(".md")
        for heading, rule in pairwise(page.read_text(encoding="utf-8").splitlines())
        if re.fullmatch(r"\|([ :]*-+[ :]*\|)+", rule) and "" in {cell.strip() for cell in heading.strip("|").split("|")}
    ]
    assert found == []


@pytest.mark.parametrize("name", [name for name in vars(Plots) if not name.startswith("_")])
def test_each_figure_is_named_in_the_readme(name):
    assert f".plot.{name}(" in README


@pytest.mark.parametrize("way", ["step.view", "--compare gpu", "--compare graph", ".save(", ".why(", ".query("])
def test_each_way_to_ask_a_tape_is_named_in_the_readme(way):
    assert way in README
