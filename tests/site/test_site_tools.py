"""What makes the site: faults of pages are found, pages become what Sphinx reads, all that is public is described."""

import inspect
import re

import pytest

import tapeviz as tf
from tools.site import api_pages, built_pages, sources
from tools.site.signatures import signature

PAGE = "<html><body><h1 id='top'>a page</h1>{}</body></html>"


@pytest.fixture
def site(tmp_path):
    """Return a function that gives a folder with one page, and another page beside it."""

    def made(body: str):
        (tmp_path / "index.html").write_text(PAGE.format(body))
        (tmp_path / "other.html").write_text(PAGE.format(""))
        return tmp_path

    return made


@pytest.mark.parametrize(
    "body",
    [
        '<script src="https://example.org/a.js"></script>',
        '<link rel="stylesheet" href="//example.org/a.css">',
        '<img src="http://example.org/a.png">',
        '<p style="background: url(https://example.org/a.png)">x</p>',
        "<style>@import 'https://example.org/a.css';</style>",
        '<iframe src="HTTPS://example.org"></iframe>',
    ],
)
def test_what_a_page_would_fetch_from_outside_is_found(site, body):
    assert len(built_pages.outside_requests(site(body))) == 1


@pytest.mark.parametrize(
    "body",
    ['<a href="https://example.org">x</a>', '<img src="data:image/png;base64,AA">', '<script src="a.js"></script>'],
)
def test_links_for_people_and_what_lies_beside_the_page_are_no_requests(site, body):
    assert built_pages.outside_requests(site(body)) == []


def test_a_style_sheet_that_fetches_is_found(site):
    folder = site("")
    (folder / "a.css").write_text('@font-face { src: url("https://example.org/a.woff2"); }')
    assert len(built_pages.outside_requests(folder)) == 1


def test_links_that_lead_nowhere_are_found(site):
    folder = site(
        '<a href="gone.html">x</a><a href="other.html#gone">x</a><a href="other.html#top">x</a><a href="#top">x</a>'
    )
    assert [fault.partition(": ")[2].split()[0] for fault in built_pages.broken_links(folder)] == [
        "gone.html", "other.html#gone"
    ]  # fmt: skip


def test_a_missing_script_is_found(site):
    assert len(built_pages.missing_files(site('<script src="gone.js"></script>'))) == 1


def test_the_python_blocks_of_a_how_to_page_are_cells():
    notebook = sources.notebook(sources.ROOT / "docs/how-to/gradient-none.md")
    kinds = [cell.cell_type for cell in notebook.cells]
    assert kinds[:4] == ["markdown", "code", "markdown", "code"]
    assert notebook.cells[1].source.startswith("%load_ext tapeviz")
    assert not any("```python" in cell.source for cell in notebook.cells)


def test_a_formula_as_github_writes_it_becomes_one_of_myst():
    assert sources.for_site("so $`x^2`$ is") == "so $x^2$ is"


def test_signatures_have_names_and_defaults_and_no_addresses():
    default = object()
    assert signature(tf.GradientTape.gradient, bound=True).startswith("(target, sources")
    assert signature(lambda x, axis=None, f=default: (x, axis, f)) == "(x, axis=None, f=...)"


def test_a_class_is_described_with_its_methods():
    text = "\n".join(api_pages.described("tf.Tape", tf.Tape))
    assert ".. py:class:: tf.Tape(" in text
    assert ".. py:method:: why(" in text
    assert ".. py:attribute:: view" in text
    assert "_repr_mimebundle_" not in text


def test_each_public_name_is_in_the_reference(tmp_path):
    api_pages.write(tmp_path)
    pages = "".join(path.read_text() for path in tmp_path.glob("*.rst"))
    missing = [
        name for name in set(tf.__all__) - {"__version__"}
        if not inspect.ismodule(getattr(tf, name)) and f":: tf.{name}" not in pages and f"``tf.{name}``" not in pages
    ]  # fmt: skip
    assert missing == []


def test_each_page_under_docs_is_in_a_table_of_contents():
    contents = "\n".join(path.read_text("utf-8") for path in (sources.HERE / "pages").rglob("*.myst"))
    listed = set(re.findall(r"^(?:\.\./)?(docs/[\w/-]+)$", contents, re.MULTILINE))
    pages = {path.relative_to(sources.ROOT).with_suffix("").as_posix() for path in sources.ROOT.glob("docs/*.md")}
    assert pages - listed == set()
