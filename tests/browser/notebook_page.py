"""A notebook open in JupyterLab, as a person sees it: run its cells, look at its outputs, ask its kernel."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from urllib.parse import urlsplit

import nbformat
from playwright.sync_api import Locator, Page

from tests.browser.lab_server import LabServer

READY_MS = 60_000
RUN_MS = 180_000
SHELL_MS = 20_000

KERNEL_IS_IDLE = """() => {
    const notebook = window.jupyterapp?.shell.currentWidget;
    const kernel = notebook?.sessionContext?.session?.kernel;
    const ready = notebook?.context?.isReady && jupyterapp.commands.hasCommand("notebook:run-all-cells");
    return ready && kernel?.status === "idle";
}"""

EVALUATE_IN_KERNEL = """async (expression) => {
    const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
    const code = {code: "", silent: true, user_expressions: {answer: `__import__("json").dumps(${expression})`}};
    return (await kernel.requestExecute(code).done).content.user_expressions.answer;
}"""


class NotebookPage:
    """One notebook in one page, with all that the page complained about."""

    def __init__(self, page: Page, server: LabServer) -> None:
        self.page = page
        self.server = server
        self.complaints: list[str] = []
        self.strangers: list[str] = []
        page.on("console", lambda m: self.complaints.append(f"console: {m.text}") if m.type == "error" else None)
        page.on("pageerror", lambda error: self.complaints.append(f"error: {error.stack or error}"))
        page.on("response", lambda r: self.complaints.append(f"{r.status}: {r.url}") if r.status >= 400 else None)
        page.on("request", lambda request: self._note(request.url))
        page.on("websocket", lambda socket: self._note(socket.url))

    def _note(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in {"data", "blob"} and parts.hostname != "127.0.0.1":
            self.strangers.append(url)

    def open_cells(self, *cells: str) -> NotebookPage:
        """Open a new notebook made of these code cells."""
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
        notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
        name = f"notebook-{len(list(self.server.folder.iterdir()))}.ipynb"
        nbformat.write(notebook, self.server.folder / name)
        return self.open(name)

    def open_copy(self, notebook: Path) -> NotebookPage:
        """Open a copy of a notebook file."""
        (self.server.folder / notebook.name).write_bytes(notebook.read_bytes())
        return self.open(notebook.name)

    def open(self, name: str) -> NotebookPage:
        """Open a notebook in the server's folder and wait until its kernel is idle."""
        self.page.goto(self.server.url(name))
        self.page.wait_for_function(KERNEL_IS_IDLE, timeout=READY_MS)
        return self

    def run_all(self) -> NotebookPage:
        """Run all cells and wait until the last one is done (or one has raised)."""
        self._command("notebook:run-all-cells")
        return self

    def save(self) -> Path:
        """Save the notebook with the state of its widgets and return its path."""
        self._command("docmanager:save")
        return self.server.folder / self.page.evaluate("jupyterapp.shell.currentWidget.context.path")

    def shut_down(self) -> None:
        """End the kernel; a page that is loaded again gets a new one, which knows nothing."""
        self.page.evaluate("async () => { await jupyterapp.shell.currentWidget.sessionContext.shutdown(); }")

    def _command(self, name: str) -> None:
        self.page.evaluate("async (name) => { await jupyterapp.commands.execute(name); }", name)
        self.page.wait_for_function(KERNEL_IS_IDLE, timeout=RUN_MS)

    def cell(self, number: int) -> Locator:
        """Return a cell, counted from 0."""
        return self.page.locator(".jp-Notebook .jp-Cell").nth(number)

    def output(self, number: int) -> Locator:
        """Return the output area of a cell."""
        return self.cell(number).locator(".jp-Cell-outputArea")

    def shell(self, number: int) -> Locator:
        """Return the interactive view in the output of a cell, once it is there."""
        shell = self.output(number).locator("section.tapeviz")
        shell.wait_for(timeout=SHELL_MS)
        return shell

    def raised(self) -> list[str]:
        """Return the text of each traceback in the notebook."""
        stderr = '.jp-OutputArea-output[data-mime-type="application/vnd.jupyter.stderr"]'
        return self.page.locator(stderr).all_inner_texts()

    def ask_kernel(self, expression: str) -> object:
        """Return the value of a Python expression in the notebook's kernel. It must be what JSON can hold."""
        answer = self.page.evaluate(EVALUATE_IN_KERNEL, expression)
        if answer["status"] != "ok":
            raise RuntimeError(f"{expression}: {answer['ename']}: {answer['evalue']}")
        # The answer is the repr of a str that holds JSON.
        return json.loads(ast.literal_eval(answer["data"]["text/plain"]))

    def assert_quiet(self) -> None:
        """Fail if the page complained about anything, or asked for anything from outside this machine."""
        assert self.strangers == [], self.strangers
        assert self.complaints == [], "\n".join(self.complaints)
