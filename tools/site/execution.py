"""Notebooks run at build time, with each view that they display as an element that is alive without a kernel.

What ran is kept in a folder under the hash of the notebook and of the package: a second build runs what has changed.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import os
import shutil
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

from tapeviz.exports.html import within_limit
from tapeviz.recording.reader import read
from tools import jupyter_home

ROOT = Path(__file__).resolve().parents[2]
STARTUP = Path(__file__).with_name("kernel_startup.py")
WIDGET = "application/vnd.jupyter.widget-view+json"
SECONDS = 600  # of one cell
LEAST_HEIGHT = 480
NEEDS_KERNEL = (
    '<p class="needs-kernel">A control stands here that needs a running kernel: open the notebook in JupyterLab.</p>'
)
LIVE_STRIP = (
    '<p class="needs-kernel">This is how the strip ended. In a notebook it moves while the cell runs; its buttons and '
    "the tapes behind its dots need the kernel.</p>"
)


@dataclass(frozen=True)
class Page:
    """A notebook that was or will be run, and where its page and its views' files lie, below the site's folder."""

    notebook: Any
    name: str  # such as notebooks/tour
    data: Path | None = None  # a folder that it reads, beside it

    @property
    def up(self) -> str:
        """The way from the page to the site's folder."""
        return "../" * self.name.count("/")


def execute(pages: list[Page], cache_folder: Path, views: Path, beside: Path) -> None:
    """Run the notebooks, as many at a time as there are cores, and write the files of their views.

    Args:
        pages: the notebooks, whose outputs are filled in.
        cache_folder: where runs are kept.
        views: the folder for the views' files.
        beside: the folder for the pages and tapes that notebooks save, and link to, in the places of their pages.

    Raises:
        nbclient.exceptions.CellExecutionError: a cell failed that is not tagged ``raises-exception``.
    """
    cache_folder.mkdir(parents=True, exist_ok=True)
    views.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(os.cpu_count()) as workers:
        for page, folder in zip(pages, workers.map(lambda page: _run(page, cache_folder), pages), strict=True):
            ran = nbformat.read(folder / "ran.ipynb", as_version=4)
            page.notebook.update(ran)
            _Views(page, folder, views).put_in()
            if (folder / "files").exists():
                shutil.copytree(folder / "files", beside / Path(page.name).parent, dirs_exist_ok=True)


def _run(page: Page, cache_folder: Path) -> Path:
    """Run a notebook unless it has been run as it is; gives the folder with the run."""
    text = nbformat.writes(page.notebook)
    folder = cache_folder / hashlib.sha256(f"{_package()} {page.name} {text}".encode()).hexdigest()[:20]
    if (folder / "ran.ipynb").exists():
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    print(f"running {page.name}", flush=True)
    with tempfile.TemporaryDirectory() as place:
        environment = jupyter_home.prepare(Path(place) / "jupyter") | {"TAPEVIZ_SITE_VIEWS": str(folder)}
        startup = Path(environment["IPYTHONDIR"]) / "profile_default" / "startup"
        startup.mkdir(parents=True)
        shutil.copy(STARTUP, startup)
        notebook = nbformat.reads(text, as_version=4)
        if page.data is not None:
            shutil.copytree(page.data, Path(place) / page.data.name)
        client = NotebookClient(
            notebook,
            timeout=SECONDS,
            kernel_name="python3",
            resources={"metadata": {"path": place}},
            extra_arguments=["--Application.log_level=ERROR"],
        )
        client.execute(env=environment)
        for file in (file for kind in ("*.html", "*.tape") for file in Path(place).glob(kind)):
            (folder / "files").mkdir(exist_ok=True)
            shutil.copy(file, folder / "files")
    nbformat.write(notebook, folder / "ran.ipynb")
    return folder


@cache
def _package() -> str:
    """A hash of all that a run depends on besides the notebook."""
    digest = hashlib.sha256()
    for file in sorted([*(ROOT / "tapeviz").rglob("*.py"), STARTUP]):
        digest.update(file.read_bytes())
    return digest.hexdigest()


class _Views:
    """The views of one page: their files, and their elements in the place of the widgets."""

    def __init__(self, page: Page, folder: Path, views: Path) -> None:
        self._page = page
        self._folder = folder
        self._views = views
        state = page.notebook.metadata.pop("widgets", {})
        self._state = state.get("application/vnd.jupyter.widget-state+json", {}).get("state", {})
        self._count = 0

    def put_in(self) -> None:
        """Put an element for each view where its widget was displayed."""
        for cell in self._page.notebook.cells:
            outputs = cell.get("outputs", [])
            for at, output in enumerate(outputs):
                if WIDGET in output.get("data", {}):
                    model = output.data.pop(WIDGET)["model_id"]
                    rest = outputs[at + 1 :]
                    output.data = {"text/html": self._elements(model, rest), "text/plain": ""}
            cell["outputs"] = [output for output in outputs if not output.get("drop")] if "outputs" in cell else None
            if cell["outputs"] is None:
                del cell["outputs"]

    def _elements(self, model: str, rest: list[Any]) -> str:
        """The HTML for a widget; what stands in for it among the outputs that follow goes inside."""
        stand_in = ""
        for output in rest:
            html = output.get("data", {}).get("text/html", "")
            if f"tapeviz-{model}" in html:
                stand_in, output["drop"] = html, True
                break
        shown = [self._element(widget, stand_in) for widget in self._within(model)]
        if found := [html for html in shown if html]:
            return "".join(found)
        return f"{stand_in}{LIVE_STRIP}" if stand_in else NEEDS_KERNEL

    def _within(self, model: str) -> list[str]:
        """A widget, and those in it where it is a box, in their order."""
        children = self._state.get(model, {}).get("state", {}).get("children", [])
        inner = [child.removeprefix("IPY_MODEL_") for child in children]
        return [model, *(widget for child in inner for widget in self._within(child))]

    def _element(self, widget: str, stand_in: str) -> str:
        """The element of one view of ours, whose file is written; empty for another widget."""
        tape, difference = self._folder / f"{widget}.tape", self._folder / f"{widget}.json"
        if tape.exists():
            light = within_limit(read(tape.read_bytes()))
            kind, contents = "tape", light.to_bytes()
            title = str(light.meta_dict().get("title") or "tape")
        elif difference.exists():
            kind, contents = "difference", difference.read_bytes()
            title = " and ".join(json.loads(contents)["names"])
        else:
            return ""
        self._count += 1
        name = f"{self._page.name.replace('/', '-')}-{self._count}"
        text = base64.b64encode(gzip.compress(contents, mtime=0)).decode("ascii")
        (self._views / f"{name}.js").write_text(f'tapevizSite.arrived("{name}", "{text}");\n', encoding="ascii")
        state = self._state.get(widget, {}).get("state", {})
        height = max(LEAST_HEIGHT, int(state.get("height") or 0))
        return (
            f'<div class="tape" data-kind="{kind}" data-name="{name}" data-site="{self._page.up}" '
            f'data-view="{escape(str(state.get("view") or ""))}" data-height="{height}" '
            f'aria-label="{escape(title)}" role="group">{stand_in or f"<p>{escape(title)}</p>"}</div>'
        )
