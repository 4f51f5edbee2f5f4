"""The folder that Sphinx reads: the repository's pages in their places, notebooks that were run, and what is generated.

Pages keep their paths (``docs/filter.md``, ``notebooks/tour.ipynb``), so that links between them hold here and in the
repository alike. Those that only the site has end in ``.myst``, for their links hold there alone.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from tools.site import api_pages, magic_pages
from tools.site.execution import Page, execute

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent
STANDALONE = ROOT / "tapeviz" / "widgets" / "static" / "standalone.js"
PAGES = ("docs/**/*.md", "CHANGELOG.md", "CONTRIBUTING.md", "labextension/README.md")
NOTEBOOKS = ("notebooks/*.ipynb", "notebooks/*/*.ipynb")
# Of other frameworks, which the site's environment has not.
ELSEWHERE = ("pytorch", "tensorflow")
HOW_TO = "docs/how-to"
EXERCISES = "notebooks/exercises/"
START = HERE / "index.myst"
# Links of the repository that mean another page here.
LINKS = {
    "../README.md": "../index.ipynb",
    "(README.md": "(index.ipynb",
    "docs/decisions/)": "docs/decisions/README.md)",
    "*Open a tape*": "[Open a tape](/open.md)",
}
TO_HOW_TO = re.compile(r"(how-to/(?!index)[\w-]+)\.md")
TO_FOLDER = re.compile(r"(\]\((?:\.\./)*(?:notebooks|notebooks/programs|notebooks/exercises|programs|exercises))/?\)")
TO_NEIGHBOUR = re.compile(r"(\]\((?!index)[\w-]+)\.md")
FENCE = re.compile(r"^```python\n(.*?)^```\n", re.DOTALL | re.MULTILINE)


def stage(source: Path, cache: Path, only: Sequence[str] = ()) -> None:
    """Write everything that Sphinx reads.

    Args:
        source: the folder to write, emptied before.
        cache: where runs of notebooks are kept.
        only: patterns for the notebooks and how-to pages to have, such as ``*tour*``, with one namespace's reference;
            everything by default.

    Raises:
        LookupError: no notebook or how-to page matches.
    """
    shutil.rmtree(source, ignore_errors=True)
    source.mkdir(parents=True)
    for pattern in PAGES:
        for path in sorted(ROOT.glob(pattern)):
            name = path.relative_to(ROOT)
            if name.parent.as_posix() != HOW_TO or name.stem == "index":
                _write(source / name, for_site(path.read_text(encoding="utf-8")))
    decisions = sorted(path.stem for path in (ROOT / "docs" / "decisions").glob("0*.md"))
    with (source / "docs" / "decisions" / "README.md").open("a", encoding="utf-8") as listed:
        listed.write("\n".join(["\n```{toctree}", ":hidden:", "", *decisions, "```\n"]))
    shutil.copytree(ROOT / "docs" / "images", source / "docs" / "images")
    for path in sorted((HERE / "pages").rglob("*.myst")):
        _write(source / path.relative_to(HERE / "pages").with_suffix(".md"), for_site(path.read_text(encoding="utf-8")))
    shutil.copytree(HERE / "static", source / "_static")
    shutil.copy(STANDALONE, source / "_static")
    _stage_notebooks(source, cache, only)
    api_pages.write(source / "reference", ("tapeviz.random",) if only else ())
    magic_pages.write(source / "reference")


def _stage_notebooks(source: Path, cache: Path, only: Sequence[str]) -> None:
    paths = [path for pattern in NOTEBOOKS for path in sorted(ROOT.glob(pattern)) if path.stem not in ELSEWHERE]
    paths += [path for path in sorted((ROOT / HOW_TO).glob("*.md")) if path.stem != "index"]
    names = {path.relative_to(ROOT).with_suffix("").as_posix(): path for path in paths}
    chosen = [name for name in names if not only or any(fnmatch(name, pattern) for pattern in only)]
    if not chosen:
        raise LookupError(f"no notebook or how-to page matches {' or '.join(only)}")
    beside = source / "_beside"
    beside.mkdir()
    pages = [_page(names[name], name) for name in chosen]
    for page in pages:
        if page.name.startswith("notebooks/"):
            nbformat.write(page.notebook, _made(beside / f"{page.name}.ipynb"))
    pages.append(Page(notebook(START), START.stem))
    execute(pages, cache, source / "_static" / "views", beside)
    for page in pages:
        if page.name.startswith(EXERCISES):
            _leave_open(page)
        if page.name.startswith("notebooks/"):
            page.notebook.cells.append(_last_cell(page))
        for cell in page.notebook.cells:
            if cell.cell_type == "markdown":
                cell.source = for_site(cell.source, among_how_to=page.name.startswith(HOW_TO))
        nbformat.write(page.notebook, _made(source / f"{page.name}.ipynb"))
    _list_notebooks(source, [page.name for page in pages])


def _page(path: Path, name: str) -> Page:
    data = path.parent / "data"
    return Page(notebook(path), name, data if data.is_dir() else None)


def _leave_open(page: Page) -> None:
    """Take from an exercise what its checks say of the cells that the reader is to fill in."""
    for cell in page.notebook.cells:
        if "raises-exception" in cell.metadata.get("tags", ()):
            cell.outputs = []


def _last_cell(page: Page) -> Any:
    """What stands below a notebook: its file, to go on with."""
    title = "Solve it in JupyterLab" if page.name.startswith(EXERCISES) else "Go on with it in JupyterLab"
    file = page.name.rpartition("/")[2]
    return new_markdown_cell(f'{title}: <a href="{file}.ipynb" download>{file}.ipynb</a>', id="the-file")


def _list_notebooks(source: Path, names: Iterable[str]) -> None:
    """Write the pages that list notebooks, one for each folder."""
    folders: dict[str, list[str]] = {}
    for name in names:
        folder, _, stem = name.rpartition("/")
        folders.setdefault(folder, []).append(stem)
    titles = {"notebooks": "Notebooks", "notebooks/programs": "Programs", "notebooks/exercises": "Exercises"}
    inner = [folder for folder in folders if folder.startswith("notebooks/")]
    folders.setdefault("notebooks", [])
    for folder, stems in folders.items():
        if not folder.startswith("notebooks"):
            continue
        further = [f"{below.removeprefix('notebooks/')}/index" for below in inner] if folder == "notebooks" else []
        title = titles.get(folder, folder.rpartition("/")[2].replace("_", " ").capitalize())
        entries = "\n".join([*stems, *further])
        said = (HERE / "notebooks.myst").read_text(encoding="utf-8") if folder == "notebooks" else ""
        _write(source / folder / "index.md", f"# {title}\n\n{said}\n```{{toctree}}\n{entries}\n```\n")


def notebook(path: Path) -> Any:
    """A notebook, or a how-to page as one: its ``python`` blocks are cells, and run."""
    if path.suffix == ".ipynb":
        return nbformat.read(path, as_version=4)
    cells = []
    for at, part in enumerate(FENCE.split(path.read_text(encoding="utf-8"))):
        make = new_code_cell if at % 2 else new_markdown_cell
        cells.append(make(part.strip("\n"), id=f"part-{at}"))
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return new_notebook(
        cells=[cell for cell in cells if cell.source],
        metadata={"kernelspec": kernel, "language_info": {"name": "python"}},
    )


def for_site(text: str, *, among_how_to: bool = False) -> str:
    """A page with the links and the formulas as Sphinx has them; GitHub writes formulas with a backquote inside.

    How-to pages were run and are notebooks here: links of their neighbours (``among_how_to``) and of others say so.
    """
    for theirs, ours in LINKS.items():
        text = text.replace(theirs, ours)
    text = TO_FOLDER.sub(r"\1/index.md)", text)
    text = TO_HOW_TO.sub(r"\1.ipynb", text)
    if among_how_to:
        text = TO_NEIGHBOUR.sub(r"\1.ipynb", text)
    return text.replace("$`", "$").replace("`$", "$")


def _write(path: Path, text: str) -> None:
    _made(path).write_text(text, encoding="utf-8")


def _made(path: Path) -> Path:
    """The path, with the folder that it lies in."""
    path.parent.mkdir(parents=True, exist_ok=True)
    return path
